// Integer arithmetic of 8 to 64 bits, mixed: a wrong bit anywhere changes most of the result. A
// private array is indexed by data, and a function is called that no compiler need inline.
#ifdef __NVPTX__
__attribute__((noinline))
#endif
static ulong mix(ulong h, uint a) {
    h ^= (ulong)a * 0x9e3779b97f4a7c15ul;
    h = (h << 31 | h >> 33) * 0xc2b2ae3d27d4eb4ful;
    return h ^ h >> 29;
}

__kernel void hash(__global ulong *out, __global const uint *in, uint n) {
    const uint i = get_global_id(0);
    if (i >= n) return;
    const uint a = in[i], b = in[(i + 1) % n], c = in[(i * 7 + 3) % n] | 1;
    uint part[8];
    part[0] = mul_hi(a, b);
    part[1] = (uint)mul_hi((int)a, (int)c);
    part[2] = rotate(a, b) + popcount(b) + (clz(c) << 8);
    part[3] = a / c ^ b % c;
    part[4] = (uint)((int)a / (int)(c >> 16 | 1) + (int)b % (int)(c >> 9 | 1));
    part[5] = (uint)((int)a >> (b & 31)) + (a << (c & 31));
    part[6] = (uint)(short)a * (uint)(char)b + (ushort)c;
    part[7] = (uint)(uchar)(a + b) - (uint)((uchar)a + (uchar)b);
    ulong h = (ulong)a << 32 | b;
    for (uint k = 0; k < 16; k++) h = mix(h, part[(uint)(h >> 40) + k & 7]);
    const ulong d = (ulong)c << (b & 31);
    out[i] = h;
    out[i + n] = h / d + h % d;
    out[i + 2 * n] = (ulong)((long)h / -(long)c) ^ mul_hi(h, d) ^ (ulong)((long)h >> (a & 63));
}
