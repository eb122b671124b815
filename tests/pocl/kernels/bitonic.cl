// Sorts 512 keys a group in local memory, 256 work items with two keys each.
__kernel void bitonic(__global uint *keys) {
    __local uint s[512];
    const uint t = get_local_id(0), base = get_group_id(0) * 512;
    s[t] = keys[base + t];
    s[t + 256] = keys[base + t + 256];
    for (uint size = 2; size <= 512; size *= 2) {
        const uint down = (t & (size / 2)) != 0;
        for (uint stride = size / 2; stride > 0; stride /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint p = 2 * t - (t & (stride - 1));
            const uint a = s[p], b = s[p + stride];
            if ((a > b) != down) {
                s[p] = b;
                s[p + stride] = a;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    keys[base + t] = s[t];
    keys[base + t + 256] = s[t + 256];
}
