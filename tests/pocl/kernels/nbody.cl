// One step of n bodies; the inverse root is the hardware's approximate one, hence a tolerance.
#pragma OPENCL FP_CONTRACT OFF
__kernel void nbody(__global float4 *moved, __global const float4 *bodies, uint n, float dt) {
    __local float4 tile[64];
    const uint i = get_global_id(0), t = get_local_id(0);
    const float4 me = bodies[i];
    float ax = 0, ay = 0, az = 0;
    for (uint base = 0; base < n; base += 64) {
        tile[t] = bodies[base + t];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < 64; k++) {
            const float4 o = tile[k];
            const float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
            const float r = native_rsqrt(fma(dx, dx, fma(dy, dy, fma(dz, dz, 0.01f))));
            const float s = fabs(o.w) * r * r * r;
            ax = fma(dx, s, ax);
            ay = fma(dy, s, ay);
            az = fma(dz, s, az);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    moved[i] = (float4)(fma(ax, dt, me.x), fma(ay, dt, me.y), fma(az, dt, me.z), me.w);
}
