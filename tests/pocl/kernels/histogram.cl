// 64 bins counted in local memory, then added to the global ones; beside it a table that a
// compare-and-swap loop keeps.
__kernel void histogram(__global uint *bins, __global uint *most, __global const uint *data,
                        uint n) {
    __local uint own[64];
    const uint t = get_local_id(0);
    if (t < 64) own[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        const uint v = data[i];
        atomic_add(&own[v & 63], 1u);
        // The greatest value of each of 16 classes, the slow way.
        __global uint *slot = most + (v >> 6 & 15);
        uint seen = *(volatile __global uint *)slot;
        while (seen < v) {
            const uint now = atomic_cmpxchg(slot, seen, v);
            if (now == seen) break;
            seen = now;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < 64) atomic_add(&bins[t], own[t]);
}
