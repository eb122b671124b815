// Textures and surfaces. The reference filters in double precision straight from the programming
// guide's formulas, with fractions of eight bits, and reads texels by its own address arithmetic.
#include <math.h>

#include "test_asm.h"

struct image {
    struct exec_texture t;
    uint64_t handle;
    double texel[6][8][16][32][4]; // [layer][z][y][x][channel] as a float read gives it
    uint32_t raw[6][8][16][32][4];
};

static void make_image(struct prog *p, struct image *m, uint32_t w, uint32_t h, uint32_t d,
                       uint32_t layers, uint8_t channels, uint8_t bits, uint8_t kind, bool as_float,
                       uint64_t *seed) {
    struct exec_texture *t = &m->t;
    *t = (struct exec_texture){.width = w,
                               .height = h,
                               .depth = d,
                               .layers = layers,
                               .channels = channels,
                               .channel_bits = bits,
                               .channel_kind = kind,
                               .read_as_float = as_float};
    const uint32_t texel = channels * bits / 8;
    t->row_pitch = bits_align_up(w * texel, 64);
    t->slice_pitch = t->row_pitch * (h ? h : 1) + 128;
    const uint32_t slices = (layers ? layers : 1) * (d ? d : 1);
    t->base = devmem_alloc(p->mem, t->slice_pitch * slices, 256, "image");
    uint8_t *host = devmem_host(p->mem, t->base, t->slice_pitch * slices);
    for (uint32_t s = 0; s < slices; s++)
        for (uint32_t y = 0; y < (h ? h : 1); y++)
            for (uint32_t x = 0; x < w && x < 32; x++)
                for (uint32_t c = 0; c < 4; c++) {
                    const uint32_t l = d ? 0 : s, z = d ? s : 0;
                    double v = c == 3 ? 1 : 0;
                    uint32_t raw = c == 3 ? 1 : 0;
                    if (c < channels) {
                        uint32_t u = (uint32_t)rnd64(seed);
                        if (kind == 2 && bits == 32)
                            u = f32_bits((float)((int)(u % 2001) - 1000) / 64);
                        if (kind == 2 && bits == 16) u = 0x3c00 + (u % 0x0800);
                        if (bits < 32) u &= (1u << bits) - 1;
                        raw = u;
                        const int32_t sv = bits == 8    ? (int8_t)u
                                           : bits == 16 ? (int16_t)u
                                                        : (int32_t)u;
                        if (kind == 1) raw = (uint32_t)sv;
                        v = kind == 2 && bits == 32 ? (double)bits_f32(u)
                            : kind == 2 ? ldexp(1024 + (u & 1023), ((int)(u >> 10) - 15) - 10)
                            : kind == 1 ? fmax(sv / (bits == 8 ? 127.0 : 32767.0), -1.0)
                                        : u / (bits == 8 ? 255.0 : 65535.0);
                        memcpy(host + s * t->slice_pitch + y * t->row_pitch + x * texel +
                                   c * bits / 8,
                               &u, bits / 8);
                    }
                    m->texel[l][z][y][x][c] = v;
                    m->raw[l][z][y][x][c] = raw;
                }
}
static int wrap(int i, int n, int mode, bool *border) {
    if (i >= 0 && i < n) return i;
    if (mode == 0) return ((i % n) + n) % n;
    if (mode == 2) {
        const int k = ((i % (2 * n)) + 2 * n) % (2 * n);
        return k < n ? k : 2 * n - 1 - k;
    }
    if (mode == 3) {
        *border = true;
        return 0;
    }
    return i < 0 ? 0 : n - 1;
}
static double fetch(const struct image *m, int layer, const int i[3], const int mode[3], int c) {
    bool border = false;
    const int x = wrap(i[0], (int)m->t.width, mode[0], &border),
              y = wrap(i[1], m->t.height ? (int)m->t.height : 1, mode[1], &border),
              z = wrap(i[2], m->t.depth ? (int)m->t.depth : 1, mode[2], &border);
    return border ? (double)m->t.border[c] : m->texel[layer][z][y][x][c];
}
static void reference(const struct image *m, int axes, const float at[3], int layer, bool cube,
                      double out[4]) {
    const int size[3] = {(int)m->t.width, m->t.height ? (int)m->t.height : 1,
                         m->t.depth ? (int)m->t.depth : 1};
    int mode[3] = {1, 1, 1}, low[3] = {0, 0, 0};
    double frac[3] = {0, 0, 0};
    for (int k = 0; k < axes; k++) {
        const bool norm = m->t.normalized_coords || cube;
        mode[k] = cube ? 1 : m->t.address_mode[k];
        if (!norm && (mode[k] == 0 || mode[k] == 2)) mode[k] = 1;
        double x = (double)at[k];
        if (norm) x *= size[k];
        if (m->t.linear_filter) {
            const double b = x - 0.5;
            low[k] = (int)floor(b);
            frac[k] = floor((b - floor(b)) * 256 + 0.5) / 256;
        } else {
            low[k] = (int)floor(x);
        }
    }
    for (int c = 0; c < 4; c++) {
        double sum = 0;
        for (int k = 0; k < 1 << axes; k++) {
            double weight = 1;
            int i[3] = {low[0], low[1], low[2]};
            for (int a = 0; a < axes; a++) {
                i[a] += k >> a & 1;
                weight *= k >> a & 1 ? frac[a] : 1 - frac[a];
            }
            if (weight != 0) sum += weight * fetch(m, layer, i, mode, c);
        }
        out[c] = sum;
    }
}
static void sample_and_compare(struct prog *p, struct image *m, uint8_t geom, int axes,
                               bool layered, uint64_t *seed) {
    struct minst *i = emit(p, OP_TEX, ITYPE_F32, RQ(20), RD(4), RQ(8), NONE_);
    i->sub = geom;
    i->stype = ITYPE_F32;
    i->vec = 4;
    emit_exit(p);
    prog_start(p);
    const uint64_t h = devmem_texture_new(p->mem, &m->t);
    float at[32][3];
    uint32_t layer[32];
    for (uint32_t n = 0; n < 6; n++) {
        warp0(p)->pc = 0;
        warp0(p)->active = ~0u;
        for (uint32_t k = 0; k < 32; k++) {
            set64(p, 4, k, h);
            layer[k] = layered ? (uint32_t)(rnd64(seed) % (m->t.layers + 1)) : 0;
            uint32_t r = 8;
            if (layered) reg(p, r++)[k] = layer[k];
            if (layer[k] >= m->t.layers) layer[k] = m->t.layers ? m->t.layers - 1 : 0; // clamped
            for (int a = 0; a < 3; a++) {
                const uint32_t size = a == 0       ? m->t.width
                                      : a == 1     ? (m->t.height ? m->t.height : 1)
                                      : m->t.depth ? m->t.depth
                                                   : 1;
                const double u = (double)(rnd64(seed) >> 11) * 0x1p-53;
                at[k][a] = (float)(m->t.normalized_coords ? u * 5 - 2 : u * (size + 8) - 4);
                if (n == 0) at[k][a] = (float)(int)(u * size) + 0.5f;
                if (n == 0 && m->t.normalized_coords) at[k][a] /= (float)size;
                if (a < axes) reg(p, r++)[k] = f32_bits(at[k][a]);
            }
        }
        assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_MEMORY);
        assert_int_equal(p->env.access.space, SPACE_TEX);
        assert_int_equal(p->env.access.kind, ACCESS_TEX);
        for (uint32_t k = 0; k < 32; k++) {
            double want[4];
            reference(m, axes, at[k], (int)layer[k], false, want);
            for (uint32_t c = 0; c < 4; c++) {
                const double got = (double)bits_f32(reg(p, 20 + c)[k]);
                if (fabs(got - want[c]) > 1e-5 * (1 + fabs(want[c])) * 20)
                    fail_msg("geom %u filter %d norm %d modes %u at %g %g %g layer %u channel %u: "
                             "%g, not %g",
                             geom, m->t.linear_filter, m->t.normalized_coords, m->t.address_mode[0],
                             at[k][0], at[k][1], at[k][2], layer[k], c, got, want[c]);
            }
        }
    }
    devmem_texture_free(p->mem, h);
    prog_clear(p);
}
static void sampling(void **state) {
    (void)state;
    static const struct {
        uint8_t geom;
        int axes;
        uint32_t w, h, d, layers;
    } shapes[] = {{MTEX_1D, 1, 13, 0, 0, 0},
                  {MTEX_2D, 2, 16, 9, 0, 0},
                  {MTEX_3D, 3, 8, 7, 5, 0},
                  {MTEX_1D_LAYERED, 1, 11, 0, 0, 4},
                  {MTEX_2D_LAYERED, 2, 6, 10, 0, 3}};
    static const struct {
        uint8_t channels, bits, kind;
        bool as_float;
    } formats[] = {{1, 32, 2, false}, {4, 32, 2, false}, {2, 16, 2, false}, {4, 8, 0, true},
                   {4, 8, 1, true},   {2, 16, 0, true},  {1, 16, 1, true}};
    uint64_t seed = 1;
    static struct image m;
    struct prog *p = prog_new();
    for (uint32_t s = 0; s < WW_COUNT(shapes); s++)
        for (uint32_t f = 0; f < WW_COUNT(formats); f++)
            for (uint32_t mode = 0; mode < 4; mode++)
                for (uint32_t k = 0; k < 4; k++) {
                    make_image(p, &m, shapes[s].w, shapes[s].h, shapes[s].d, shapes[s].layers,
                               formats[f].channels, formats[f].bits, formats[f].kind,
                               formats[f].as_float, &seed);
                    memset(m.t.address_mode, (int)mode, 3);
                    m.t.linear_filter = k & 1;
                    m.t.normalized_coords = k & 2;
                    for (int c = 0; c < 4; c++) m.t.border[c] = 0.25f * (float)(c + 1);
                    sample_and_compare(p, &m, shapes[s].geom, shapes[s].axes, shapes[s].layers != 0,
                                       &seed);
                    devmem_free(p->mem, m.t.base);
                }
    prog_free(p);
}
// Integers stay integers; integer coordinates name texels; linear memory is 0 outside.
static void integers(void **state) {
    (void)state;
    uint64_t seed = 5;
    static struct image m;
    for (uint8_t kind = 0; kind < 2; kind++)
        for (uint8_t bits = 8; bits <= 32; bits *= 2)
            for (uint32_t linear = 0; linear < 2; linear++) {
                struct prog *p = prog_new();
                make_image(p, &m, 14, 0, 0, 0, 2, bits, kind, false, &seed);
                m.t.is_linear_memory = linear;
                memset(m.t.address_mode, 1, 3);
                struct minst *i = emit(p, OP_TEX, ITYPE_S32, RQ(20), RD(4), R(8), NONE_);
                i->sub = MTEX_1D;
                i->stype = ITYPE_S32;
                i->vec = 4;
                emit_exit(p);
                prog_start(p);
                const uint64_t h = devmem_texture_new(p->mem, &m.t);
                for (uint32_t k = 0; k < 32; k++) {
                    set64(p, 4, k, h);
                    reg(p, 8)[k] = k - 5;
                }
                assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_MEMORY);
                for (uint32_t k = 0; k < 32; k++) {
                    const int at = (int)k - 5, in = at < 0 ? 0 : at > 13 ? 13 : at;
                    for (uint32_t c = 0; c < 2; c++)
                        assert_int_equal(reg(p, 20 + c)[k],
                                         linear && at != in ? 0 : m.raw[0][0][0][in][c]);
                }
                prog_free(p);
            }
}
static void cube(void **state) {
    (void)state;
    uint64_t seed = 9;
    static struct image m;
    struct prog *p = prog_new();
    make_image(p, &m, 8, 8, 0, 6, 1, 32, 2, false, &seed);
    m.t.is_cubemap = true;
    m.t.linear_filter = true;
    struct minst *i = emit(p, OP_TEX, ITYPE_F32, RQ(20), RD(4), RQ(8), NONE_);
    i->sub = MTEX_CUBE;
    i->stype = ITYPE_F32;
    i->vec = 4;
    emit_exit(p);
    prog_start(p);
    const uint64_t h = devmem_texture_new(p->mem, &m.t);
    float dir[32][3];
    for (uint32_t n = 0; n < 50; n++) {
        warp0(p)->pc = 0;
        for (uint32_t k = 0; k < 32; k++) {
            set64(p, 4, k, h);
            for (int a = 0; a < 3; a++) {
                dir[k][a] = (float)((double)(rnd64(&seed) >> 11) * 0x1p-53 * 2 - 1);
                reg(p, 8 + (uint32_t)a)[k] = f32_bits(dir[k][a]);
            }
        }
        assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_MEMORY);
        for (uint32_t k = 0; k < 32; k++) {
            const float x = dir[k][0], y = dir[k][1], z = dir[k][2], ax = fabsf(x), ay = fabsf(y),
                        az = fabsf(z);
            int face;
            float s, t, ma;
            if (ax >= ay && ax >= az)
                face = x < 0, s = x < 0 ? z : -z, t = -y, ma = ax;
            else if (ay >= az)
                face = 2 + (y < 0), s = x, t = y < 0 ? -z : z, ma = ay;
            else
                face = 4 + (z < 0), s = z < 0 ? -x : x, t = -y, ma = az;
            const float at[3] = {(s / ma + 1) * 0.5f, (t / ma + 1) * 0.5f, 0};
            double want[4];
            reference(&m, 2, at, face, true, want);
            assert_true(fabs((double)bits_f32(reg(p, 20)[k]) - want[0]) < 1e-3);
        }
    }
    prog_free(p);
}
static void gather_offsets_sampler(void **state) {
    (void)state;
    uint64_t seed = 11;
    static struct image m;
    struct prog *p = prog_new();
    make_image(p, &m, 16, 16, 0, 0, 4, 32, 2, false, &seed);
    memset(m.t.address_mode, 1, 3);
    struct minst *i = emit(p, OP_TLD4, ITYPE_F32, RQ(20), RD(4), RD(8), NONE_);
    i->sub = MTEX_2D;
    i->stype = ITYPE_F32;
    i->vec = 4;
    i->aux = 2;
    i = emit(p, OP_TEX, ITYPE_F32, RQ(24), RD(4), RD(8), NONE_);
    i->sub = MTEX_2D;
    i->stype = ITYPE_F32;
    i->vec = 4;
    i->offset = (2 & 255) | (-3 & 255) << 8;
    i = emit(p, OP_TEX, ITYPE_F32, RQ(28), RQ(12), RD(16), NONE_); // texture and sampler
    i->sub = MTEX_2D;
    i->stype = ITYPE_F32;
    i->vec = 4;
    emit_exit(p);
    prog_start(p);
    const uint64_t h = devmem_texture_new(p->mem, &m.t);
    const struct exec_texture how = {
        .normalized_coords = true, .linear_filter = true, .address_mode = {0, 0, 0}};
    const uint64_t sampler = devmem_texture_new(p->mem, &how);
    float x[32], y[32];
    for (uint32_t k = 0; k < 32; k++) {
        set64(p, 4, k, h);
        set64(p, 12, k, h);
        set64(p, 14, k, sampler);
        x[k] = (float)(rnd64(&seed) % 1600) / 100;
        y[k] = (float)(rnd64(&seed) % 1600) / 100;
        reg(p, 8)[k] = f32_bits(x[k]);
        reg(p, 9)[k] = f32_bits(y[k]);
        reg(p, 16)[k] = f32_bits(x[k] / 4 - 1);
        reg(p, 17)[k] = f32_bits(y[k] / 4 - 1);
    }
    for (int k = 0; k < 3; k++) assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_MEMORY);
    struct image s = m;
    s.t.normalized_coords = s.t.linear_filter = true;
    memset(s.t.address_mode, 0, 3);
    for (uint32_t k = 0; k < 32; k++) {
        const int mode[3] = {1, 1, 1}, lx = (int)floorf(x[k] - 0.5f), ly = (int)floorf(y[k] - 0.5f);
        const int corner[4][3] = {
            {lx, ly + 1, 0}, {lx + 1, ly + 1, 0}, {lx + 1, ly, 0}, {lx, ly, 0}};
        for (uint32_t c = 0; c < 4; c++)
            assert_true((double)bits_f32(reg(p, 20 + c)[k]) == fetch(&m, 0, corner[c], mode, 2));
        const int off[3] = {(int)floorf(x[k]) + 2, (int)floorf(y[k]) - 3, 0};
        assert_true((double)bits_f32(reg(p, 24)[k]) == fetch(&m, 0, off, mode, 0));
        const float at[3] = {x[k] / 4 - 1, y[k] / 4 - 1, 0};
        double want[4];
        reference(&s, 2, at, 0, false, want);
        assert_true(fabs((double)bits_f32(reg(p, 28)[k]) - want[0]) < 1e-3);
    }
    prog_free(p);
}
static void queries(void **state) {
    (void)state;
    struct prog *p = prog_new();
    const struct exec_texture t = {.width = 64,
                                   .height = 32,
                                   .depth = 0,
                                   .layers = 7,
                                   .channels = 4,
                                   .channel_bits = 8,
                                   .channel_kind = 0,
                                   .read_as_float = true,
                                   .linear_filter = true,
                                   .normalized_coords = true,
                                   .address_mode = {0, 1, 2}};
    const uint64_t h = devmem_texture_new(p->mem, &t);
    static const uint32_t want[] = {64, 32, 0, 0x10d2, 0x10b5, 1, 7, 1, 1, 1, 0, 1, 2, 0, 0, 1};
    for (uint16_t k = 0; k < WW_COUNT(want); k++)
        emit(p, OP_TXQ, ITYPE_B32, R(20 + k), ID(h), NONE_, NONE_)->aux = k;
    emit(p, OP_TXQ, ITYPE_B32, R(50), ID(0x1234), NONE_, NONE_)->aux = MTXQ_IS_SURFACE;
    emit_exit(p);
    prog_start(p);
    assert_int_equal(run_warp0(p), EXEC_EXITED);
    for (uint32_t k = 0; k < WW_COUNT(want); k++) assert_int_equal(reg(p, 20 + k)[3], want[k]);
    assert_int_equal(reg(p, 50)[3], 0);
    prog_free(p);
}

// ---- surfaces -------------------------------------------------------------------------------
static void surfaces(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (uint16_t oob = MSURF_CLAMP; oob <= MSURF_ZERO; oob++)
        for (uint32_t logged = 0; logged < 2; logged++) {
            static struct image m;
            struct prog *p = prog_new();
            make_image(p, &m, 16, 8, 0, 0, 1, 32, 0, false, &seed);
            const uint64_t h = devmem_texture_new(p->mem, &m.t);
            struct minst *i = emit(p, OP_SULD, ITYPE_B32, R(20), ID(h), RD(8), NONE_);
            i->sub = MTEX_2D;
            i->aux = oob;
            i->vec = 1;
            i = emit(p, OP_SUST, ITYPE_B32, NONE_, ID(h), RD(8), R(24));
            i->sub = MTEX_2D;
            i->aux = oob;
            i->vec = 1;
            i = emit(p, OP_SULD, ITYPE_B32, R(21), ID(h), RD(8), NONE_);
            i->sub = MTEX_2D;
            i->aux = oob;
            i->vec = 1;
            emit_exit(p);
            if (logged) p->env.log = exec_log_create();
            prog_start(p);
            int x[32], y[32];
            for (uint32_t k = 0; k < 32; k++) {
                x[k] = (int)k / 2 + (k == 30 ? 3 : k == 5 ? -9 : 0);
                y[k] = (int)(k % 2) * 7 + (k == 31 ? 2 : 0);
                reg(p, 8)[k] = (uint32_t)(4 * x[k]);
                reg(p, 9)[k] = (uint32_t)y[k];
                reg(p, 24)[k] = 0xaa00 + k;
            }
            for (int k = 0; k < 3; k++) assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_MEMORY);
            for (uint32_t k = 0; k < 32; k++) {
                const bool out = x[k] < 0 || x[k] > 15 || y[k] > 7;
                const int cx = x[k] < 0 ? 0 : x[k] > 15 ? 15 : x[k], cy = y[k] > 7 ? 7 : y[k];
                assert_int_equal(reg(p, 20)[k],
                                 out && oob == MSURF_ZERO ? 0 : m.raw[0][0][cy][cx][0]);
                if (!out && k != 31 && k != 1 && k != 30)
                    assert_int_equal(reg(p, 21)[k], 0xaa00 + k);
                if (out && oob == MSURF_ZERO) assert_int_equal(reg(p, 21)[k], 0);
            }
            exec_log_destroy(p->env.log);
            p->env.log = NULL;
            prog_free(p);
        }
    // a trap outside
    struct prog *p = prog_new();
    static struct image m;
    make_image(p, &m, 16, 0, 0, 0, 1, 32, 0, false, &seed);
    struct minst *i =
        emit(p, OP_SULD, ITYPE_B32, R(20), ID(devmem_texture_new(p->mem, &m.t)), R(8), NONE_);
    i->vec = 1;
    emit_exit(p);
    prog_start(p);
    reg(p, 8)[4] = 64;
    assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_FAULT);
    assert_int_equal(p->env.fault.kind, FAULT_BAD_TEXTURE);
    assert_int_equal(p->env.fault.lane, 4);
    assert_non_null(
        strstr(p->env.fault.text, "surface access at x = 64, but the last place is 60"));
    prog_free(p);
}
static void formatted_and_reductions(void **state) {
    (void)state;
    uint64_t seed = 30;
    struct prog *p = prog_new();
    static struct image m;
    make_image(p, &m, 32, 0, 0, 0, 4, 8, 0, true, &seed);
    const uint64_t h = devmem_texture_new(p->mem, &m.t);
    static struct image c;
    make_image(p, &c, 4, 0, 0, 0, 1, 32, 0, false, &seed);
    const uint64_t hc = devmem_texture_new(p->mem, &c.t);
    struct minst *i =
        emit(p, OP_SUST, ITYPE_F32, NONE_, ID(h), R(8), RQ(12)); // .p: floats to unorm8
    i->vec = 4;
    i->flags = MF_WIDE;
    i = emit(p, OP_SULD, ITYPE_B8, R(20), ID(h), R(9), NONE_);
    i->vec = 4;
    i = emit(p, OP_SURED, ITYPE_U32, NONE_, ID(hc), R(10), R(8));
    i->cop = MATOM_ADD;
    i->vec = 1;
    emit_exit(p);
    prog_start(p);
    for (uint32_t k = 0; k < 32; k++) {
        reg(p, 8)[k] = k;
        reg(p, 9)[k] = 4 * k;
        reg(p, 10)[k] = 4 * (k & 3);
        const float v[4] = {(float)k / 31, 2.0f, -1.0f, 0.5f};
        for (uint32_t a = 0; a < 4; a++) reg(p, 12 + a)[k] = f32_bits(v[a]);
    }
    assert_int_equal(run_warp0(p), EXEC_EXITED);
    for (uint32_t k = 0; k < 32; k++)
        assert_int_equal(reg(p, 20)[k],
                         (uint32_t)lrint(k * 255.0 / 31) | 255 << 8 | 0u << 16 | 128u << 24);
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t now;
        memcpy(&now, devmem_host(p->mem, c.t.base + 4 * k, 4), 4);
        assert_int_equal(now, c.raw[0][0][0][k][0] + 8 * k + 4 * 28);
    }
    prog_free(p);
}
static void bad_handles(void **state) {
    (void)state;
    struct prog *p = prog_new();
    struct minst *i = emit(p, OP_TEX, ITYPE_F32, RQ(20), ID(0x99), R(8), NONE_);
    i->vec = 4;
    i->stype = ITYPE_F32;
    emit_exit(p);
    prog_start(p);
    assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_FAULT);
    assert_int_equal(p->env.fault.kind, FAULT_BAD_TEXTURE);
    assert_non_null(strstr(p->env.fault.text, "TEX with 0x99, which is no texture or surface"));
    prog_free(p);
}

// What machine code says in other registers: the same coordinates give the same texels. Its words are
// in two groups, with the layer first or last and the handle first or apart; of the result it names
// the words that it wants.
static void parts(void **state) {
    (void)state;
    static const struct {
        uint8_t geom, words, layered;
        uint32_t w, h, d, layers;
    } shapes[] = {{MTEX_1D, 1, 0, 13, 0, 0, 0},         {MTEX_2D, 2, 0, 16, 9, 0, 0},
                  {MTEX_3D, 3, 0, 8, 7, 5, 0},          {MTEX_1D_LAYERED, 2, 1, 11, 0, 0, 4},
                  {MTEX_2D_LAYERED, 3, 1, 6, 10, 0, 3}, {MTEX_CUBE, 3, 0, 8, 8, 0, 6},
                  {MTEX_CUBE_LAYERED, 4, 1, 4, 4, 0, 6}};
    enum { WHOLE = 20, D = 24, D1 = 26, A = 32, B = 40, OFFSETS = 6, HANDLE = 4 };
    uint64_t seed = 21;
    static struct image m;
    for (uint32_t s = 0; s < WW_COUNT(shapes); s++) {
        for (uint32_t n = 0; n < 128; n++) {
            struct prog *p = prog_new();
            p->im.is_machine_code = true;
            p->im.target.gen = GEN_VOLTA;
            make_image(p, &m, shapes[s].w, shapes[s].h, shapes[s].d, shapes[s].layers, 4, 32, 2,
                       false, &seed);
            if (shapes[s].geom == MTEX_CUBE_LAYERED) m.t.layers = 1;
            const uint32_t words = shapes[s].words, turn = n & 1, first = n >> 1 & 1;
            const bool gathers =
                n >> 2 & 1 && (shapes[s].geom == MTEX_2D || shapes[s].geom == MTEX_CUBE);
            const uint32_t wanted = 1 + n % 15, n_a = n % 3 == 0 ? 1 : n % 3 == 1 ? 2 : 4;
            const bool has_offsets = n >> 3 & 1 && shapes[s].geom <= MTEX_3D;
            m.t.linear_filter = n >> 4 & 1;
            memset(m.t.address_mode, 1, 3);
            int off[3];
            uint32_t offsets = 0, bytes = 0;
            for (uint32_t k = 0; k < 3; k++) {
                off[k] = (int)(rnd64(&seed) % 16) - 8;
                offsets |= ((uint32_t)off[k] & (gathers ? 63u : 15u)) << (gathers ? 8 : 4) * k;
                bytes |= ((uint32_t)off[k] & 255) << 8 * k;
            }
            struct minst *i = emit(p, gathers ? OP_TLD4 : OP_TEX, ITYPE_F32, RQ(WHOLE), R(HANDLE),
                                   words == 1 ? R(8) : RQ(8), NONE_);
            i->sub = shapes[s].geom;
            i->stype = ITYPE_F32;
            i->vec = 4;
            i->aux = gathers ? 3 : 0;
            if (has_offsets) i->offset = bytes;
            i = emit(p, gathers ? OP_TLD4_PARTS : OP_TEX_PARTS, ITYPE_B32,
                     wanted & (wanted - 1) ? RD(D) : R(D), R(HANDLE),
                     n_a == 1   ? R(A)
                     : n_a == 2 ? RD(A)
                                : RQ(A),
                     RQ(B));
            i->sub = shapes[s].geom;
            i->stype = ITYPE_F32;
            i->vec = 1;
            i->aux = (uint16_t)(wanted << TEX_WANTED_AT | (gathers ? 3u : 0) |
                                (turn ? TEX_LAYER_LAST : 0u) | (first ? TEX_HANDLE_FIRST : 0u));
            i->dst[1] = RD(D1);
            i->dst[2] = P(2);
            if (has_offsets) i->src[3] = R(OFFSETS);
            emit_exit(p);
            prog_start(p);
            const uint64_t h = devmem_texture_new(p->mem, &m.t);
            for (uint32_t k = 0; k < 32; k++) {
                reg(p, HANDLE)[k] = (uint32_t)h;
                reg(p, OFFSETS)[k] = offsets;
                for (uint32_t c = 0; c < words; c++) {
                    const uint32_t v = shapes[s].layered && c == 0
                                           ? (uint32_t)(rnd64(&seed) % 5)
                                           : f32_bits((float)(rnd64(&seed) % 4000) / 200 - 4);
                    const uint32_t moved = turn && shapes[s].layered ? (c + words - 1) % words : c;
                    const uint32_t at = moved + first;
                    reg(p, 8 + c)[k] = v;
                    reg(p, at < n_a ? A + at : B + at - n_a)[k] = v;
                }
                for (uint32_t c = 0; c < 4; c++) reg(p, D + c)[k] = 7;
            }
            warp0(p)->pred[2] = 0;
            for (int k = 0; k < 2; k++) {
                warp0(p)->active = 0xfffffff7;
                assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_MEMORY);
            }
            assert_int_equal(p->env.access.n_dst, bits_count32(wanted));
            assert_int_equal(warp0(p)->pred[2], 0xfffffff7);
            for (uint32_t k = 0; k < 32; k++)
                for (uint32_t c = 0, at = 0; c < 4; c++)
                    if (wanted >> c & 1)
                        assert_int_equal(reg(p, D + at++)[k], k == 3 ? 7 : reg(p, WHOLE + c)[k]);
            prog_free(p);
        }
    }
}
// A texture of one axis may be asked for as one of two.
static void one_axis_as_two(void **state) {
    (void)state;
    uint64_t seed = 23;
    static struct image m;
    struct prog *p = prog_new();
    p->im.is_machine_code = true;
    make_image(p, &m, 13, 0, 0, 0, 4, 32, 2, false, &seed);
    m.t.linear_filter = true;
    memset(m.t.address_mode, 3, 3);
    m.t.border[0] = 1000;
    struct minst *i = emit(p, OP_TEX, ITYPE_F32, RQ(20), R(4), R(8), NONE_);
    i->sub = MTEX_1D;
    i->stype = ITYPE_F32;
    i->vec = 4;
    i = emit(p, OP_TEX_PARTS, ITYPE_B32, R(24), R(4), R(8), R(9));
    i->sub = MTEX_2D;
    i->stype = ITYPE_F32;
    i->aux = 1 << TEX_WANTED_AT;
    emit_exit(p);
    prog_start(p);
    const uint64_t h = devmem_texture_new(p->mem, &m.t);
    for (uint32_t k = 0; k < 32; k++) {
        reg(p, 4)[k] = (uint32_t)h;
        reg(p, 8)[k] = f32_bits((float)k / 2);
    }
    for (int k = 0; k < 2; k++) assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_MEMORY);
    for (uint32_t k = 0; k < 32; k++) assert_int_equal(reg(p, 24)[k], reg(p, 20)[k]);
    prog_free(p);
}

// Machine code has a surface's layer behind the other coordinates.
static void layers_last(void **state) {
    (void)state;
    static const struct {
        uint8_t geom, words;
        uint32_t h;
    } row[] = {{MTEX_1D_LAYERED, 2, 0}, {MTEX_2D_LAYERED, 4, 5}};
    uint64_t seed = 25;
    static struct image m;
    for (uint32_t s = 0; s < WW_COUNT(row); s++) {
        struct prog *p = prog_new();
        make_image(p, &m, 8, row[s].h, 0, 3, 1, 32, 0, false, &seed);
        struct minst *i =
            emit(p, OP_SULD, ITYPE_U32, R(20), R(4), row[s].words == 2 ? RD(8) : RQ(8), NONE_);
        i->stype = ITYPE_S32;
        i->sub = row[s].geom;
        i->vec = 1;
        i->aux = MSURF_ZERO | MSURF_LAYER_LAST;
        emit_exit(p);
        prog_start(p);
        const uint64_t h = devmem_texture_new(p->mem, &m.t);
        for (uint32_t k = 0; k < 32; k++) {
            reg(p, 4)[k] = (uint32_t)h;
            reg(p, 8)[k] = 4 * (k % 8);
            reg(p, 9)[k] = row[s].h ? k % 5 : k % 4;
            reg(p, 10)[k] = k % 4;
        }
        assert_int_equal(exec_step(&p->env, warp0(p)), EXEC_MEMORY);
        for (uint32_t k = 0; k < 32; k++)
            assert_int_equal(reg(p, 20)[k],
                             k % 4 == 3 ? 0 : m.raw[k % 4][0][row[s].h ? k % 5 : 0][k % 8][0]);
        prog_free(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sampling),
                                       cmocka_unit_test(integers),
                                       cmocka_unit_test(parts),
                                       cmocka_unit_test(one_axis_as_two),
                                       cmocka_unit_test(layers_last),
                                       cmocka_unit_test(cube),
                                       cmocka_unit_test(gather_offsets_sampler),
                                       cmocka_unit_test(queries),
                                       cmocka_unit_test(surfaces),
                                       cmocka_unit_test(formatted_and_reductions),
                                       cmocka_unit_test(bad_handles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
