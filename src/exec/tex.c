// Texture sampling as the CUDA programming guide's appendix on texture fetching describes it:
// nearest or linear filtering with fractions of eight bits, address modes, normalised coordinates,
// integers read as floats, layers and cube faces. There is one mip level. Cube faces are sampled
// one at a time, clamped at their edges.
#include <math.h>

#include "isa/op.h"
#include "exec/half_lane.h"
#include "exec/sfu_lane.h"
#include "exec/tex.h"

struct sampler {
    const struct exec_texture *t;
    const struct exec_texture *how; // whose modes count: the texture's own, or the sampler's
    bool filter;
};
struct texel {
    float f[4];
    uint32_t u[4]; // the same when the format is read as integers
};

const struct exec_texture *texture_or_fault(struct exec_env *e, struct exec_warp *w,
                                            const struct xinst *x, uint64_t handle, uint32_t lane) {
    const struct exec_texture *t = devmem_texture_get(e->memory, handle);
    if (!t)
        fault_raise(e, w, x, FAULT_BAD_TEXTURE, lane, handle, 0,
                    "%s with 0x%llx, which is no texture or surface", mop_info[x->op].text,
                    (unsigned long long)handle);
    return t;
}

// ---- formats --------------------------------------------------------------------------------
static bool reads_float(const struct exec_texture *t) {
    return t->channel_kind == 2 || (t->read_as_float && t->channel_bits < 32);
}
static float linear_of_srgb(float v) {
    if (v <= 0.04045f) return v / 12.92f;
    return (float)sfu_ex2(2.4 * sfu_lg2(((double)v + 0.055) / 1.055));
}
static float channel_float(const struct exec_texture *t, uint32_t raw, uint32_t k) {
    if (t->channel_kind == 2) return t->channel_bits == 16 ? f16_to_f32(raw) : as_f32(raw);
    if (t->channel_kind == 1) {
        const float top = t->channel_bits == 8 ? 127.0f : 32767.0f;
        const int32_t v = t->channel_bits == 8 ? (int8_t)raw : (int16_t)raw;
        const float f = (float)v / top;
        return f < -1.0f ? -1.0f : f;
    }
    const float f = (float)raw / (t->channel_bits == 8 ? 255.0f : 65535.0f);
    return t->srgb && t->channel_bits == 8 && k < 3 ? linear_of_srgb(f) : f;
}
static uint32_t channel_int(const struct exec_texture *t, uint32_t raw) {
    if (t->channel_kind != 1) return raw;
    return t->channel_bits == 8    ? (uint32_t)(int8_t)raw
           : t->channel_bits == 16 ? (uint32_t)(int16_t)raw
                                   : raw;
}
// What a texel's bytes say; channels that are not there are 0, the last 1.
static struct texel decode(const struct exec_texture *t, const uint8_t *p) {
    struct texel r = {{0, 0, 0, 1.0f}, {0, 0, 0, 1}};
    for (uint32_t k = 0; k < t->channels; k++) {
        uint32_t raw = 0;
        memcpy(&raw, p + k * t->channel_bits / 8u, t->channel_bits / 8u);
        if (reads_float(t))
            r.f[k] = channel_float(t, raw, k);
        else
            r.u[k] = channel_int(t, raw);
    }
    return r;
}

// ---- addresses ------------------------------------------------------------------------------
struct point { // texel indices; layer counts slices (layers, faces)
    int64_t i[3];
    uint32_t layer;
    bool border;
};
// Where index i of an axis of n texels is found; false: in the border.
static bool wrap_index(int64_t *i, int64_t n, uint8_t mode) {
    if (*i >= 0 && *i < n) return true;
    switch (mode) {
    case 0: *i = ((*i % n) + n) % n; return true;
    case 2: {
        const int64_t m = ((*i % (2 * n)) + 2 * n) % (2 * n);
        *i = m < n ? m : 2 * n - 1 - m;
        return true;
    }
    case 3: return false;
    default: *i = *i < 0 ? 0 : n - 1; return true;
    }
}
static uint64_t texel_address(const struct exec_texture *t, const struct point *p) {
    return t->base + (uint64_t)p->i[0] * texel_bytes(t) + (uint64_t)p->i[1] * t->row_pitch +
           ((uint64_t)p->i[2] + p->layer) * t->slice_pitch;
}
// Where caches see the texel. Arrays lie in blocks (GOBs) of 64 bytes by 8 rows, within them in
// sectors of 16 bytes by 2 rows, so that a line of 128 bytes is 32 bytes by 4 rows (Linux,
// drm_fourcc.h, block linear 2D; Tegra X1 TRM). Data stay row by row here: only what is timed lies
// so. Higher blocks of GOBs, which matter to pages of DRAM alone, are left out.
static uint64_t seen_address(const struct exec_texture *t, const struct point *p) {
    if (!t->in_blocks) return texel_address(t, p);
    const uint64_t x = (uint64_t)p->i[0] * texel_bytes(t), y = (uint64_t)p->i[1];
    return t->base + ((uint64_t)p->i[2] + p->layer) * t->slice_pitch + y / 8 * 8 * t->row_pitch +
           x / 64 * 512 + x % 64 / 32 * 256 + y % 8 / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 +
           x % 16;
}
static bool fetch(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lane,
                  const struct sampler *s, const struct point *p, struct texel *out) {
    const struct exec_texture *t = s->t;
    if (p->border) {
        for (uint32_t k = 0; k < 4; k++) {
            out->f[k] = t->is_linear_memory ? 0 : s->how->border[k];
            out->u[k] = reads_float(t) ? 0 : as_u32(s->how->border[k]);
        }
        return true;
    }
    const uint64_t a = texel_address(t, p);
    if (!env_range(e, a, texel_bytes(t))) {
        fault_raise(e, w, x, FAULT_BAD_TEXTURE, lane, a, texel_bytes(t),
                    "texture 0x%llx whose texel at 0x%llx is in no live allocation",
                    (unsigned long long)t->base, (unsigned long long)a);
        return false;
    }
    *out = decode(t, range_host(&e->range, a));
    return true;
}

// ---- coordinates ----------------------------------------------------------------------------
struct coords {
    float f[3];
    int32_t n[3];
    uint32_t axes, layer;
    bool is_int;
    int8_t offset[3]; // in texels
};
// By enum mtex_geom.
static const struct {
    uint8_t words; // of coordinates, all in all
    bool layered, sampled, cube;
} shape[] = {[MTEX_1D] = {.words = 1},
             [MTEX_2D] = {.words = 2},
             [MTEX_3D] = {.words = 3},
             [MTEX_1D_LAYERED] = {.words = 2, .layered = true},
             [MTEX_2D_LAYERED] = {.words = 3, .layered = true},
             [MTEX_CUBE] = {.words = 3, .cube = true},
             [MTEX_CUBE_LAYERED] = {.words = 4, .layered = true, .cube = true},
             [MTEX_2DMS] = {.words = 3, .sampled = true},
             [MTEX_2DMS_LAYERED] = {.words = 4, .layered = true, .sampled = true}};

// The face that a direction meets, and where in [0, 1].
static uint32_t cube_face(float x, float y, float z, float out[2]) {
    const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    uint32_t face;
    float s, t, m;
    if (ax >= ay && ax >= az) {
        face = x < 0 ? 1 : 0;
        s = x < 0 ? z : -z;
        t = -y;
        m = ax;
    } else if (ay >= az) {
        face = y < 0 ? 3 : 2;
        s = x;
        t = y < 0 ? -z : z;
        m = ay;
    } else {
        face = z < 0 ? 5 : 4;
        s = z < 0 ? -x : x;
        t = -y;
        m = az;
    }
    out[0] = (s / m + 1.0f) * 0.5f;
    out[1] = (t / m + 1.0f) * 0.5f;
    return face;
}
// Of coordinates as PTX orders them.
static struct coords coords_of(const struct xinst *x, const uint32_t *p,
                               const struct exec_texture *t) {
    struct coords c = {.is_int = x->stype != ITYPE_F32};
    uint32_t n = shape[x->sub].words;
    if (shape[x->sub].layered) { // unsigned, clamped
        const uint32_t top = t->layers ? t->layers - 1 : 0;
        c.layer = *p > top ? top : *p;
        p++, n--;
    }
    if (shape[x->sub].sampled) p++, n--; // one sample a texel
    if (shape[x->sub].cube) {
        c.layer = c.layer * 6 + cube_face(as_f32(p[0]), as_f32(p[1]), as_f32(p[2]), c.f);
        c.axes = 2;
        return c;
    }
    c.axes = n;
    for (uint32_t k = 0; k < n; k++) {
        c.f[k] = as_f32(p[k]);
        c.n[k] = (int32_t)p[k];
    }
    return c;
}
static struct coords read_coords(const struct exec_warp *w, const struct xinst *x, uint32_t lane,
                                 const struct exec_texture *t) {
    const uint32_t *const p = x_src(w, x->b) + lane;
    uint32_t v[4] = {0};
    for (uint32_t k = 0; k < shape[x->sub].words; k++) v[k] = p[k * WARP_LANES];
    struct coords c = coords_of(x, v, t);
    for (uint32_t k = 0; k < 3; k++) c.offset[k] = (int8_t)(x->offset >> (8 * k) & 255);
    return c;
}
// Coordinates of machine code, in two groups of registers. A texture of one axis is asked for with
// a second coordinate that is 0.
static struct coords read_parts(const struct exec_warp *w, const struct xinst *x, uint32_t lane,
                                const struct exec_texture *t) {
    const struct minst *const m = x_minst(w, x);
    const uint32_t *const pb = x_src(w, x->b) + lane, *const pc = x_src(w, x->c) + lane;
    const uint32_t n = shape[x->sub].words, skip = m->aux & TEX_HANDLE_FIRST ? 1 : 0;
    const uint32_t turn = m->aux & TEX_LAYER_LAST && shape[x->sub].layered ? 1 : 0;
    uint32_t v[4] = {0};
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t at = k + skip, first = m->src[1].words;
        v[(k + turn) % n] = at < first ? pb[at * WARP_LANES] : pc[(at - first) * WARP_LANES];
    }
    struct coords c = coords_of(x, v, t);
    if (x->sub == MTEX_2D && !t->height) c.axes = 1;
    if (m->src[3].kind == OPND_NONE) return c;
    const uint32_t offsets = x_src(w, x->e)[lane];
    for (uint32_t k = 0; k < 3; k++)
        c.offset[k] = m->op == OP_TLD4_PARTS
                          ? (int8_t)((int8_t)(uint8_t)(offsets >> 8 * k << 2) >> 2)
                          : (int8_t)((int8_t)(uint8_t)(offsets >> 4 * k << 4) >> 4);
    return c;
}

static int64_t axis_size(const struct exec_texture *t, uint32_t k) {
    const uint32_t n = k == 0 ? t->width : k == 1 ? t->height : t->depth;
    return n ? n : 1;
}
static int64_t floor_index(double d) { // far outside any texture is far enough
    if (!(d > -1e9)) return -1000000000;
    return d > 1e9 ? 1000000000 : (int64_t)floor(d);
}
// Coordinate of an axis in texels. Only normalised coordinates wrap and mirror.
static double in_texels(const struct coords *c, uint32_t k, const struct sampler *s, bool is_cube,
                        int64_t n, uint8_t *mode) {
    const bool normalized = (s->how->normalized_coords && !c->is_int) || is_cube;
    *mode = is_cube ? 1 : s->how->address_mode[k];
    if (!normalized && (*mode == 0 || *mode == 2)) *mode = 1;
    if (c->is_int) return (double)c->n[k];
    if (!normalized) return (double)c->f[k];
    double v = (double)c->f[k];
    // Wrapping by the fraction first keeps great coordinates exact.
    if (*mode == 0) v -= floor(v);
    if (*mode == 2) v -= 2.0 * floor(v / 2.0);
    return v * (double)n;
}

static bool sample_nearest(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                           uint32_t lane, const struct sampler *s, const struct coords *c,
                           bool is_cube, struct texel *out) {
    struct point p = {.layer = c->layer};
    for (uint32_t k = 0; k < c->axes; k++) {
        const int64_t n = axis_size(s->t, k);
        uint8_t mode;
        p.i[k] = floor_index(in_texels(c, k, s, is_cube, n, &mode)) + c->offset[k];
        if (s->t->is_linear_memory) mode = 3;
        if (!wrap_index(&p.i[k], n, mode)) p.border = true;
    }
    e->access.addr[lane] = p.border ? s->t->base : seen_address(s->t, &p);
    return fetch(e, w, x, lane, s, &p, out);
}

// The texels around a point: lower indices, and the fraction towards the upper ones in 1/256.
struct footprint {
    int64_t low[3];
    float part[3];
    uint8_t mode[3];
};
static void find_footprint(const struct sampler *s, const struct coords *c, bool is_cube,
                           struct footprint *f) {
    for (uint32_t k = 0; k < c->axes; k++) {
        const double at = in_texels(c, k, s, is_cube, axis_size(s->t, k), &f->mode[k]) - 0.5;
        f->low[k] = floor_index(at);
        const double rest = at - floor(at); // NaN and infinities have none
        const double eighths = floor((rest >= 0.0 ? rest : 0.0) * 256.0 + 0.5);
        f->part[k] = (float)(eighths / 256.0);
        f->low[k] += c->offset[k];
    }
}
static bool corner(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lane,
                   const struct sampler *s, const struct coords *c, const struct footprint *f,
                   uint32_t which, struct texel *out) {
    struct point p = {.layer = c->layer};
    for (uint32_t k = 0; k < c->axes; k++) {
        p.i[k] = f->low[k] + (which >> k & 1);
        if (!wrap_index(&p.i[k], axis_size(s->t, k), f->mode[k])) p.border = true;
    }
    if (which == 0) e->access.addr[lane] = p.border ? s->t->base : seen_address(s->t, &p);
    return fetch(e, w, x, lane, s, &p, out);
}
static bool sample_linear(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                          uint32_t lane, const struct sampler *s, const struct coords *c,
                          bool is_cube, struct texel *out) {
    struct footprint f;
    find_footprint(s, c, is_cube, &f);
    float v[8][4];
    const uint32_t n = 1u << c->axes;
    for (uint32_t k = 0; k < n; k++) {
        struct texel t;
        if (!corner(e, w, x, lane, s, c, &f, k, &t)) return false;
        memcpy(v[k], t.f, sizeof t.f);
    }
    // Along x, then y, then z.
    for (uint32_t axis = 0, left = n / 2; axis < c->axes; axis++, left /= 2)
        for (uint32_t k = 0; k < left; k++)
            for (uint32_t ch = 0; ch < 4; ch++)
                v[k][ch] = (1.0f - f.part[axis]) * v[2 * k][ch] + f.part[axis] * v[2 * k + 1][ch];
    memcpy(out->f, v[0], sizeof out->f);
    return true;
}

static bool make_sampler(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                         uint32_t lane, struct sampler *s) {
    const uint32_t words = x->awords;
    s->t = texture_or_fault(e, w, x, texture_handle(w, x, words, lane), lane);
    if (!s->t) return false;
    s->how = s->t;
    if (words == 4) {
        s->how = texture_or_fault(e, w, x, x_get64(x_src(w, x->a) + 2 * WARP_LANES, lane), lane);
        if (!s->how) return false;
    }
    s->filter = s->how->linear_filter && reads_float(s->t) && !s->t->is_linear_memory;
    return true;
}

static void begin_access(struct exec_env *e, const struct xinst *x, uint32_t mask) {
    struct exec_access *a = &e->access;
    a->space = SPACE_TEX;
    a->kind = ACCESS_TEX;
    a->cop = x->cop;
    a->mask = mask;
    a->mask2 = 0;
    a->n_dst = x->vec;
    a->deferred = false;
    a->bank = 0;
}

// Word k of those that are wanted of a lane's result.
static inline void put_word(const struct exec_warp *w, const struct xinst *x, uint32_t lane,
                            uint32_t k, uint32_t value, bool in_parts) {
    if (in_parts && k >= 2)
        x_dst(w, x->d1)[lane + (k - 2) * WARP_LANES] = value;
    else
        x_dst(w, x->d)[lane + k * WARP_LANES] = value;
}
static inline uint32_t wanted_words(const struct exec_warp *w, const struct xinst *x,
                                    bool in_parts) {
    return in_parts ? x_minst(w, x)->aux >> TEX_WANTED_AT : (1u << x->vec) - 1;
}
static inline enum exec_outcome sample_as(struct exec_env *e, struct exec_warp *w,
                                          const struct xinst *x, uint32_t mask, bool in_parts) {
    begin_access(e, x, mask);
    const uint32_t wanted = wanted_words(w, x, in_parts);
    const bool is_cube = shape[x->sub].cube;
    FOR_EACH_BIT32(i, mask) {
        struct sampler s;
        struct texel r = {{0}, {0}};
        if (!make_sampler(e, w, x, i, &s)) return EXEC_FAULT;
        const struct coords c = (in_parts ? read_parts : read_coords)(w, x, i, s.t);
        const bool linear = s.filter && !c.is_int;
        if (!(linear ? sample_linear : sample_nearest)(e, w, x, i, &s, &c, is_cube, &r))
            return EXEC_FAULT;
        e->access.bytes = (uint8_t)texel_bytes(s.t);
        uint32_t n = 0;
        FOR_EACH_BIT32(k, wanted)
            put_word(w, x, i, n++, reads_float(s.t) ? as_u32(r.f[k]) : r.u[k], in_parts);
    }
    if (in_parts) x_set_pred(w, x->d2, ~0u, mask);
    return EXEC_MEMORY;
}
static enum exec_outcome sample(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                uint32_t mask) {
    return sample_as(e, w, x, mask, false);
}
static enum exec_outcome sample_parts(struct exec_env *e, struct exec_warp *w,
                                      const struct xinst *x, uint32_t mask) {
    return sample_as(e, w, x, mask, true);
}

// tld4: one component of the four texels that linear filtering would mix, from the lower left
// corner counter-clockwise.
static inline enum exec_outcome gather_as(struct exec_env *e, struct exec_warp *w,
                                          const struct xinst *x, uint32_t mask, bool in_parts) {
    static const uint8_t order[4] = {2, 3, 1, 0}; // bit 0: right, bit 1: below
    begin_access(e, x, mask);
    const uint32_t component = x_minst(w, x)->aux & TEX_COMPONENT;
    const uint32_t wanted = wanted_words(w, x, in_parts);
    FOR_EACH_BIT32(i, mask) {
        struct sampler s;
        if (!make_sampler(e, w, x, i, &s)) return EXEC_FAULT;
        const struct coords c = (in_parts ? read_parts : read_coords)(w, x, i, s.t);
        struct footprint f;
        find_footprint(&s, &c, shape[x->sub].cube, &f);
        e->access.bytes = (uint8_t)texel_bytes(s.t);
        uint32_t n = 0;
        FOR_EACH_BIT32(k, wanted) {
            struct texel r;
            if (!corner(e, w, x, i, &s, &c, &f, order[k], &r)) return EXEC_FAULT;
            put_word(w, x, i, n++, reads_float(s.t) ? as_u32(r.f[component]) : r.u[component],
                     in_parts);
        }
    }
    if (in_parts) x_set_pred(w, x->d2, ~0u, mask);
    return EXEC_MEMORY;
}
static enum exec_outcome gather(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                                uint32_t mask) {
    return gather_as(e, w, x, mask, false);
}
static enum exec_outcome gather_parts(struct exec_env *e, struct exec_warp *w,
                                      const struct xinst *x, uint32_t mask) {
    return gather_as(e, w, x, mask, true);
}

// ---- queries --------------------------------------------------------------------------------
// Channel types and orders are OpenCL's constants, as PTX ISA's txq says.
static uint32_t channel_type(const struct exec_texture *t) {
    const uint32_t size = t->channel_bits == 8 ? 0 : t->channel_bits == 16 ? 1 : 2;
    if (t->channel_kind == 2) return t->channel_bits == 16 ? 0x10dd : 0x10de;
    if (t->read_as_float && size < 2) return (t->channel_kind == 1 ? 0x10d0u : 0x10d2u) + size;
    return (t->channel_kind == 1 ? 0x10d7u : 0x10dau) + size;
}
static uint32_t property(const struct exec_texture *t, uint32_t which) {
    switch (which) {
    case MTXQ_WIDTH: return t->width;
    case MTXQ_HEIGHT: return t->height;
    case MTXQ_DEPTH: return t->depth;
    case MTXQ_CHANNEL_DATA_TYPE: return channel_type(t);
    case MTXQ_CHANNEL_ORDER: return t->channels == 1 ? 0x10b0 : t->channels == 2 ? 0x10b2 : 0x10b5;
    case MTXQ_NORMALIZED_COORDS: return t->normalized_coords;
    case MTXQ_ARRAY_SIZE: return t->layers;
    case MTXQ_NUM_MIPMAP_LEVELS: return 1;
    case MTXQ_NUM_SAMPLES: return 1;
    case MTXQ_FILTER_MODE: return t->linear_filter;
    case MTXQ_ADDR_MODE_0:
    case MTXQ_ADDR_MODE_1:
    case MTXQ_ADDR_MODE_2: return t->address_mode[which - MTXQ_ADDR_MODE_0];
    case MTXQ_FORCE_UNNORMALIZED: return !t->normalized_coords;
    default: return 0;
    }
}
static enum exec_outcome query(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                               uint32_t mask) {
    const uint32_t which = x_minst(w, x)->aux;
    uint32_t *pd = x_dst(w, x->d);
    FOR_EACH_BIT32(i, mask) {
        const uint64_t h = texture_handle(w, x, x->awords, i);
        if (which >= MTXQ_IS_TEXTURE) { // one kind of object serves all three
            pd[i] = devmem_texture_get(e->memory, h) != NULL;
            continue;
        }
        const struct exec_texture *t = texture_or_fault(e, w, x, h, i);
        if (!t) return EXEC_FAULT;
        pd[i] = property(t, which);
    }
    return EXEC_NEXT;
}

const exec_fn tex_fns[] = {[TEX_SAMPLE] = sample,
                           [TEX_GATHER] = gather,
                           [TEX_QUERY] = query,
                           [TEX_SULD] = surf_load,
                           [TEX_SUST] = surf_store,
                           [TEX_SURED] = surf_reduce,
                           [TEX_SAMPLE_PARTS] = sample_parts,
                           [TEX_GATHER_PARTS] = gather_parts};
