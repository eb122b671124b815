// Surfaces: loads, stores and reductions of raw bytes (.b, x in bytes) or by the surface's format
// (.p, x in texels), with a trap, a clamp or nothing (.zero) outside.
#include <math.h>

#include "exec/half_lane.h"
#include "exec/tex.h"

struct surf_lanes {
    uint8_t *host[WARP_LANES];
    uint32_t in; // lanes inside the surface
    const struct exec_texture *t[WARP_LANES];
};

// An axis coordinate against its size; false: outside (.zero), or a fault was raised.
static bool bound(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint32_t lane,
                  int64_t *at, int64_t last, const char *axis, bool *fault) {
    if (*at >= 0 && *at <= last) return true;
    switch (x_minst(w, x)->aux & MSURF_OOB) {
    case MSURF_CLAMP: *at = *at < 0 ? 0 : last < 0 ? 0 : last; return true;
    case MSURF_ZERO: return false;
    default:
        fault_raise(e, w, x, FAULT_BAD_TEXTURE, lane, 0, 0,
                    "surface access at %s = %lld, but the last place is %lld", axis, (long long)*at,
                    (long long)last);
        *fault = true;
        return false;
    }
}

static bool place_lane(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint8_t geom,
                       uint32_t lane, uint32_t bytes, struct surf_lanes *out) {
    const struct exec_texture *t =
        texture_or_fault(e, w, x, texture_handle(w, x, x->awords, lane), lane);
    if (!t) return false;
    const uint32_t *p = x_src(w, x->b) + lane;
    const bool layered = geom == MTEX_1D_LAYERED || geom == MTEX_2D_LAYERED;
    bool fault = false, in = true;
    int64_t slice = 0;
    if (layered) {
        if (x_minst(w, x)->aux & MSURF_LAYER_LAST) {
            slice = (int32_t)p[(geom == MTEX_2D_LAYERED ? 2 : 1) * WARP_LANES];
        } else {
            slice = (int32_t)*p;
            p += WARP_LANES;
        }
        in =
            bound(e, w, x, lane, &slice, (int64_t)(t->layers ? t->layers : 1) - 1, "layer", &fault);
    }
    const int64_t texel = texel_bytes(t), row = (int64_t)t->width * texel;
    int64_t at = (int64_t)(int32_t)p[0] * (x->flags & MF_WIDE ? texel : 1);
    const int64_t unit = x->flags & MF_WIDE ? texel : bytes;
    const int64_t last = row >= unit ? (row - unit) / unit * unit : -1;
    in = in && !fault && bound(e, w, x, lane, &at, last, "x", &fault);
    int64_t y = 0;
    if (geom == MTEX_2D || geom == MTEX_2D_LAYERED || geom == MTEX_3D) {
        y = (int32_t)p[WARP_LANES];
        in = in && !fault &&
             bound(e, w, x, lane, &y, (int64_t)(t->height ? t->height : 1) - 1, "y", &fault);
    }
    if (geom == MTEX_3D) {
        slice = (int32_t)p[2 * WARP_LANES];
        in = in && !fault &&
             bound(e, w, x, lane, &slice, (int64_t)(t->depth ? t->depth : 1) - 1, "z", &fault);
    }
    out->t[lane] = t;
    if (fault || !in) return !fault;
    const uint64_t addr =
        t->base + (uint64_t)at + (uint64_t)y * t->row_pitch + (uint64_t)slice * t->slice_pitch;
    if (at % unit) {
        fault_raise(e, w, x, FAULT_MISALIGNED, lane, addr, bytes,
                    "surface access of %u bytes at byte x = %lld, which is not a multiple of it",
                    bytes, (long long)at);
        return false;
    }
    if (!env_range(e, addr, (uint64_t)unit)) {
        fault_raise(e, w, x, FAULT_BAD_TEXTURE, lane, addr, bytes,
                    "surface whose memory at 0x%llx is in no live allocation",
                    (unsigned long long)addr);
        return false;
    }
    e->access.addr[lane] = addr;
    out->host[lane] = range_host(&e->range, addr);
    out->in |= 1u << lane;
    return true;
}
static bool place(struct exec_env *e, struct exec_warp *w, const struct xinst *x, uint8_t geom,
                  uint32_t mask, uint32_t bytes, uint8_t kind, struct surf_lanes *out) {
    out->in = 0;
    FOR_EACH_BIT32(i, mask)
    if (!place_lane(e, w, x, geom, i, bytes, out)) return false;
    struct exec_access *a = &e->access;
    a->space = SPACE_GLOBAL;
    a->kind = kind;
    a->cop = MCOP_CA;
    a->bytes = (uint8_t)(bytes > 16 ? 16 : bytes);
    a->mask = out->in;
    a->mask2 = 0;
    a->n_dst = 0;
    a->deferred = false;
    a->bank = 0;
    return true;
}
static enum exec_outcome outcome(uint32_t in) { return in ? EXEC_MEMORY : EXEC_NEXT; }

// ---- formats of .p --------------------------------------------------------------------------
static uint32_t to_channel(const struct exec_texture *t, uint8_t type, uint32_t v) {
    if (t->channel_kind == 2) return t->channel_bits == 16 ? f16_from_f64((double)as_f32(v)) : v;
    if (type == ITYPE_F32 && t->read_as_float && t->channel_bits < 32) { // normalised integers
        const bool s = t->channel_kind == 1;
        const double top = t->channel_bits == 8 ? (s ? 127.0 : 255.0) : s ? 32767.0 : 65535.0;
        double d = (double)as_f32(v);
        d = d > 1.0 ? 1.0 : d > (s ? -1.0 : 0.0) ? d : s && d == d ? -1.0 : 0.0;
        return (uint32_t)(int32_t)rint(d * top);
    }
    if (t->channel_bits == 32) return v;
    // Integers are clamped to the channel.
    const int64_t top = (1 << (t->channel_bits - (t->channel_kind == 1))) - 1;
    const int64_t low = t->channel_kind == 1 ? -top - 1 : 0;
    const int64_t n = type == ITYPE_U32 ? (int64_t)v : (int32_t)v;
    return (uint32_t)(n > top ? top : n < low ? low : n);
}
static uint32_t from_channel(const struct exec_texture *t, uint8_t type, uint32_t raw) {
    if (t->channel_kind == 2) return t->channel_bits == 16 ? as_u32(f16_to_f32(raw)) : raw;
    int32_t v = (int32_t)raw;
    if (t->channel_kind == 1)
        v = t->channel_bits == 8 ? (int8_t)raw : t->channel_bits == 16 ? (int16_t)raw : v;
    if (type != ITYPE_F32 || !t->read_as_float || t->channel_bits == 32) return (uint32_t)v;
    const bool s = t->channel_kind == 1;
    const float top = t->channel_bits == 8 ? (s ? 127.0f : 255.0f) : s ? 32767.0f : 65535.0f;
    const float f = (float)v / top;
    return as_u32(f < -1.0f ? -1.0f : f);
}

// ---- operations -----------------------------------------------------------------------------
static uint32_t access_bytes(const struct xinst *x) { return x->bytes; }

enum exec_outcome surf_load(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                            uint32_t mask) {
    struct surf_lanes r;
    const uint32_t bytes = access_bytes(x);
    if (!place(e, w, x, x->sub, mask, bytes, ACCESS_LOAD, &r)) return EXEC_FAULT;
    e->access.n_dst = x->aux8;
    uint32_t *pd = x_dst(w, x->d);
    FOR_EACH_BIT32(i, mask) {
        uint32_t v[4] = {0};
        if (r.in >> i & 1) {
            const struct exec_texture *t = r.t[i];
            const uint32_t n = x->flags & MF_WIDE ? texel_bytes(t) : bytes;
            uint8_t raw[16];
            memcpy(raw, r.host[i], n);
            if (e->log && e->log->is_busy) log_overlay(e->log, r.host[i], n, raw, NULL);
            if (!(x->flags & MF_WIDE)) {
                memcpy(v, raw, n);
            } else {
                for (uint32_t k = 0; k < t->channels && k < x->vec; k++) {
                    uint32_t c = 0;
                    memcpy(&c, raw + k * t->channel_bits / 8u, t->channel_bits / 8u);
                    v[k] = from_channel(t, x->type, c);
                }
            }
        }
        for (uint32_t k = 0; k < x->aux8; k++) pd[i + k * WARP_LANES] = v[k];
    }
    return outcome(r.in);
}

enum exec_outcome surf_store(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                             uint32_t mask) {
    struct surf_lanes r;
    const uint32_t bytes = access_bytes(x);
    if (!place(e, w, x, x->sub, mask, bytes, ACCESS_STORE, &r)) return EXEC_FAULT;
    const uint32_t *pc = x_src(w, x->c);
    FOR_EACH_BIT32(i, r.in) {
        uint8_t data[WARP_LANES * 16];
        uint32_t n = bytes;
        if (!(x->flags & MF_WIDE)) {
            for (uint32_t k = 0; k < bytes; k += 4)
                memcpy(data + 16 * i + k, &pc[i + k / 4 * WARP_LANES],
                       bytes - k < 4 ? bytes - k : 4);
        } else {
            const struct exec_texture *t = r.t[i];
            n = texel_bytes(t);
            for (uint32_t k = 0; k < t->channels; k++) {
                const uint32_t v = to_channel(t, x->type, k < x->vec ? pc[i + k * WARP_LANES] : 0);
                memcpy(data + 16 * i + k * t->channel_bits / 8u, &v, t->channel_bits / 8u);
            }
        }
        if (e->log)
            log_store(e->log, 1u << i, n, r.host, data);
        else {
            memcpy(r.host[i], data + 16 * i, n);
            devmem_mark_written_host(e->memory, r.host[i], n);
        }
    }
    return outcome(r.in);
}

// The decoder moved the operation into sub and the geometry into stype, so that the instruction
// reads as an atomic without a result.
enum exec_outcome surf_reduce(struct exec_env *e, struct exec_warp *w, const struct xinst *x,
                              uint32_t mask) {
    struct surf_lanes r;
    if (!place(e, w, x, x->stype, mask, atomic_bytes(x), ACCESS_REDUCE, &r)) return EXEC_FAULT;
    struct wide b[WARP_LANES], c[WARP_LANES];
    const uint32_t *pc = x_src(w, x->c);
    FOR_EACH_BIT32(i, r.in) {
        c[i] = b[i] = (struct wide){{0, 0}};
        for (uint32_t k = 0; k < atomic_bytes(x); k += 4)
            memcpy((uint8_t *)&b[i] + k, &pc[i + k / 4 * WARP_LANES], 4);
    }
    if (!r.in) return EXEC_NEXT;
    if (e->log)
        log_atomic(e->log, w, x, r.in, r.host, b, c);
    else
        FOR_EACH_BIT32(i, r.in) {
            atomic_apply(r.host[i], x, &b[i], &c[i], true);
            devmem_mark_written_host(e->memory, r.host[i], atomic_bytes(x));
        }
    return EXEC_MEMORY;
}
