// cuBLASLt: descriptions of a product and of its matrices, and the product. What a description has no room for here is refused
// when the product is asked for. The heuristic, which programs ask before, finds no way then, which is no refused call.
#include "blas/blas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- descriptions -------------------------------------------------------------------------------
// Each lies in the caller's memory or in ours (…Init, …Create), in place of the vendor's words, and is no longer than those.
struct layout {
    int32_t type, order;
    uint64_t rows, columns;
    int64_t lead, step;
    int32_t count;
};
enum { ORDER_COLUMN, ORDER_ROW };
struct desc {
    int32_t compute, scale, pointer_mode, op_a, op_b, op_c, fill, sm_target, aux_type, bias_type;
    uint32_t epilogue;
    uint64_t bias;
    int64_t bias_step;
    uint64_t aux; // where a second result goes
    uint64_t
        scale_at[5];  // of A, B, C, D, and where the largest magnitude of D goes: FIRST_SCALE on
    uint64_t others;  // bits of pointers that are not NULL and have no place here
    int32_t modes[4]; // how many factors A, B, C, D have: 0 for one
    int64_t aux_lead, aux_step;
    int8_t fast;
};
struct preference {
    uint64_t word[8];
};
struct transform {
    uint64_t word[8];
};
_Static_assert(sizeof(struct layout) <= 64 && sizeof(struct desc) <= 23 * 8,
               "the vendor's words are fewer");

struct attribute {
    int number;
    size_t offset, bytes;
};
#define AT(number, type, field)                                                                    \
    { number, offsetof(struct type, field), sizeof(((struct type *)0)->field) }
static const struct attribute of_layout[] = {
    AT(0, layout, type), AT(1, layout, order), AT(2, layout, rows), AT(3, layout, columns),
    AT(4, layout, lead), AT(5, layout, count), AT(6, layout, step)};
static const struct attribute of_desc[] = {
    AT(0, desc, compute),      AT(1, desc, scale),        AT(2, desc, pointer_mode),
    AT(3, desc, op_a),         AT(4, desc, op_b),         AT(5, desc, op_c),
    AT(6, desc, fill),         AT(7, desc, epilogue),     AT(8, desc, bias),
    AT(10, desc, bias_step),   AT(11, desc, aux),         AT(12, desc, aux_lead),
    AT(13, desc, aux_step),    AT(15, desc, sm_target),   AT(22, desc, aux_type),
    AT(17, desc, scale_at[0]), AT(18, desc, scale_at[1]), AT(19, desc, scale_at[2]),
    AT(20, desc, scale_at[3]), AT(21, desc, scale_at[4]), AT(25, desc, fast),
    AT(26, desc, bias_type),   AT(31, desc, modes[0]),    AT(32, desc, modes[1]),
    AT(33, desc, modes[2]),    AT(34, desc, modes[3])};
enum {
    FIRST_SCALE = 17,
    LAST_SCALE = 24,
    AUX_TYPE = 22
}; // pointers to factors of eight-bit types and to their maxima

static const struct attribute *find(const struct attribute *list, size_t n, int number) {
    for (size_t i = 0; i < n; i++)
        if (list[i].number == number) return &list[i];
    return NULL;
}
static blas_status set(void *to, const struct attribute *a, const void *from, size_t bytes) {
    if (!to || !from || bytes < a->bytes) return CUBLAS_INVALID_VALUE;
    memcpy((char *)to + a->offset, from, a->bytes);
    return CUBLAS_SUCCESS;
}
static blas_status get(const void *of, const struct attribute *a, void *to, size_t bytes,
                       size_t *written) {
    if (written) *written = a->bytes;
    if (!of || (!to && bytes) || (bytes && bytes < a->bytes)) return CUBLAS_INVALID_VALUE;
    if (bytes) memcpy(to, (const char *)of + a->offset, a->bytes);
    return CUBLAS_SUCCESS;
}
static blas_status make(void **out, size_t bytes) {
    if (!out) return CUBLAS_INVALID_VALUE;
    *out = calloc(1, bytes);
    return *out ? CUBLAS_SUCCESS : CUBLAS_ALLOC_FAILED;
}

#define API(name, ...)                                                                             \
    BLAS_API blas_status name(__VA_ARGS__);                                                        \
    blas_status name(__VA_ARGS__)

static blas_status init_layout(struct layout *l, size_t bytes, int type, uint64_t rows,
                               uint64_t columns, int64_t lead) {
    if (!l || bytes < sizeof *l) return CUBLAS_INVALID_VALUE;
    *l = (struct layout){.type = type, .rows = rows, .columns = columns, .lead = lead, .count = 1};
    return CUBLAS_SUCCESS;
}
API(cublasLtMatrixLayoutInit_internal, struct layout *l, size_t bytes, int type, uint64_t rows,
    uint64_t columns, int64_t lead) {
    return init_layout(l, bytes, type, rows, columns, lead);
}
API(cublasLtMatrixLayoutCreate, struct layout **l, int type, uint64_t rows, uint64_t columns,
    int64_t lead) {
    const blas_status s = make((void **)l, sizeof **l);
    return s ? s : init_layout(*l, sizeof **l, type, rows, columns, lead);
}
API(cublasLtMatrixLayoutDestroy, struct layout *l) {
    free(l);
    return CUBLAS_SUCCESS;
}
API(cublasLtMatrixLayoutSetAttribute, struct layout *l, int number, const void *from,
    size_t bytes) {
    const struct attribute *const a = find(of_layout, sizeof of_layout / sizeof *of_layout, number);
    return a ? set(l, a, from, bytes)
             : blas_refuse("cublasLtMatrixLayoutSetAttribute", "attribute %d", number);
}
API(cublasLtMatrixLayoutGetAttribute, const struct layout *l, int number, void *to, size_t bytes,
    size_t *written) {
    const struct attribute *const a = find(of_layout, sizeof of_layout / sizeof *of_layout, number);
    return a ? get(l, a, to, bytes, written) : CUBLAS_INVALID_VALUE;
}

static blas_status init_desc(struct desc *m, size_t bytes, int compute, int scale) {
    if (!m || bytes < sizeof *m) return CUBLAS_INVALID_VALUE;
    *m = (struct desc){
        .compute = compute, .scale = scale, .epilogue = 1, .aux_type = -1, .bias_type = -1};
    return CUBLAS_SUCCESS;
}
API(cublasLtMatmulDescInit_internal, struct desc *m, size_t bytes, int compute, int scale) {
    return init_desc(m, bytes, compute, scale);
}
API(cublasLtMatmulDescCreate, struct desc **m, int compute, int scale) {
    const blas_status s = make((void **)m, sizeof **m);
    return s ? s : init_desc(*m, sizeof **m, compute, scale);
}
API(cublasLtMatmulDescDestroy, struct desc *m) {
    free(m);
    return CUBLAS_SUCCESS;
}
API(cublasLtMatmulDescSetAttribute, struct desc *m, int number, const void *from, size_t bytes) {
    const struct attribute *const a = find(of_desc, sizeof of_desc / sizeof *of_desc, number);
    if (a) return set(m, a, from, bytes);
    if (number < FIRST_SCALE || number > LAST_SCALE)
        return blas_refuse("cublasLtMatmulDescSetAttribute", "attribute %d", number);
    const void *at;
    if (!m || !from || bytes < sizeof at) return CUBLAS_INVALID_VALUE;
    memcpy(&at, from, sizeof at);
    if (at)
        m->others |= UINT64_C(1) << number;
    else
        m->others &= ~(UINT64_C(1) << number);
    return CUBLAS_SUCCESS;
}
API(cublasLtMatmulDescGetAttribute, const struct desc *m, int number, void *to, size_t bytes,
    size_t *written) {
    const struct attribute *const a = find(of_desc, sizeof of_desc / sizeof *of_desc, number);
    return a ? get(m, a, to, bytes, written) : CUBLAS_INVALID_VALUE;
}

// No workspace is ever needed, so nothing of a preference is heard.
API(cublasLtMatmulPreferenceInit_internal, struct preference *p, size_t bytes) {
    if (!p || bytes < sizeof *p) return CUBLAS_INVALID_VALUE;
    *p = (struct preference){{0}};
    return CUBLAS_SUCCESS;
}
API(cublasLtMatmulPreferenceCreate, struct preference **p) { return make((void **)p, sizeof **p); }
API(cublasLtMatmulPreferenceDestroy, struct preference *p) {
    free(p);
    return CUBLAS_SUCCESS;
}
API(cublasLtMatmulPreferenceSetAttribute, struct preference *p, int number, const void *from,
    size_t bytes) {
    (void)number;
    return p && from && bytes ? CUBLAS_SUCCESS : CUBLAS_INVALID_VALUE;
}

// ---- handles ------------------------------------------------------------------------------------
// A cublasHandle_t is a cublasLtHandle_t too.
API(cublasLtCreate, blas_handle_t *h) { return h ? blas_handle_new(h) : CUBLAS_INVALID_VALUE; }
API(cublasLtDestroy, blas_handle_t h) { return blas_handle_delete(h); }
static const int version[3] = {LIBRARY_MAJOR, LIBRARY_MINOR, 0};
BLAS_API size_t cublasLtGetVersion(void);
size_t cublasLtGetVersion(void) {
    return (size_t)(version[0] * 10000 + version[1] * 100 + version[2]);
}
BLAS_API size_t cublasLtGetCudartVersion(void);
size_t cublasLtGetCudartVersion(void) { return (size_t)version[0] * 1000; }
API(cublasLtGetProperty, int which, int *out) {
    if (which < 0 || which > 2 || !out) return CUBLAS_INVALID_VALUE;
    *out = version[which];
    return CUBLAS_SUCCESS;
}
BLAS_API const char *cublasLtGetStatusName(int s);
const char *cublasLtGetStatusName(int s) { return blas_status_name(s); }
BLAS_API const char *cublasLtGetStatusString(int s);
const char *cublasLtGetStatusString(int s) { return blas_status_name(s); }

// ---- the product --------------------------------------------------------------------------------
enum {
    EPILOGUE_DEFAULT = 1,
    EPILOGUE_RELU = 2,
    EPILOGUE_BIAS = 4,
    EPILOGUE_GELU = 32
}; // bits, but for the first

struct product {
    struct gemm g;
    int op_a, op_b;
    struct blas_types types;
    struct blas_eight eight;
    bool is_eight;
    uint32_t count;
};

static int flip(int op) {
    return op == OPERATION_N ? OPERATION_T : op == OPERATION_T ? OPERATION_N : -1;
}

// An operand as columns lie: one whose rows lie together is the transposed of it.
static int op_of(const struct layout *l, int op) { return l->order == ORDER_ROW ? flip(op) : op; }

// ReLU is of real numbers, GELU of those that single precision holds.
static bool has_function(int type, uint32_t epilogue) {
    return type == TYPE_R_32F || type == TYPE_R_16F || type == TYPE_R_16BF ||
           (type == TYPE_R_64F && !(epilogue & EPILOGUE_GELU));
}

// NULL where the product can be made; else what it asks for that is not here.
static const char *describe(const struct desc *m, const struct layout *a, const struct layout *b,
                            const struct layout *c, const struct layout *d, struct product *p) {
    const bool is_eight = blas_eight_has(a->type, b->type, c->type, d->type);
    if (m->others) return "factors of a second result";
    for (int i = 0; i < 5; i++)
        if (m->scale_at[i] && !is_eight)
            return "factors of matrices of other types than eight bits";
    for (int i = 0; i < 4; i++)
        if (m->modes[i]) return "more than one factor of a matrix";
    if (m->op_c) return "a transposed C";
    if (m->fill && m->fill != 2) return "a triangle of the result";
    if (m->epilogue & ~(uint32_t)(EPILOGUE_DEFAULT | EPILOGUE_RELU | EPILOGUE_BIAS | EPILOGUE_GELU))
        return "this epilogue";
    if (!is_eight && m->epilogue & (EPILOGUE_RELU | EPILOGUE_GELU) &&
        !has_function(d->type, m->epilogue))
        return "this epilogue of this type";
    if (m->pointer_mode < POINTER_HOST || m->pointer_mode > POINTER_DEVICE)
        return "a vector of factors";
    if (a->order > ORDER_ROW || b->order > ORDER_ROW || c->order != d->order ||
        d->order != ORDER_COLUMN)
        return "this order of elements";
    if (!is_eight && (a->type != b->type || c->type != d->type)) return "matrices of these types";
    if (!is_eight && m->epilogue & EPILOGUE_BIAS && m->bias_type >= 0 && m->bias_type != d->type)
        return "a bias of another type than the result";
    if (m->epilogue & EPILOGUE_BIAS && m->bias_step) return "a bias for each product of a batch";
    p->op_a = op_of(a, m->op_a);
    p->op_b = op_of(b, m->op_b);
    if (p->op_a < 0 || p->op_b < 0) return "a conjugate matrix whose rows lie together";
    const uint64_t k = blas_swaps(m->op_a) ? a->rows : a->columns;
    if (d->rows > INT32_MAX || d->columns > INT32_MAX || k > INT32_MAX)
        return "a side of more than 2147483647";
    p->types = (struct blas_types){a->type, d->type, m->scale, m->compute == COMPUTE_32F_FAST_TF32};
    p->is_eight = is_eight;
    if (is_eight && m->scale != TYPE_R_32F) return "factors of another type than single precision";
    // without a type of its own a bias has that of D, or of C where D has eight bits
    const bool is_short = d->type == TYPE_R_8F_E4M3 || d->type == TYPE_R_8F_E5M2;
    p->eight = (struct blas_eight){a->type,
                                   b->type,
                                   c->type,
                                   d->type,
                                   m->bias_type >= 0 ? m->bias_type
                                   : is_short        ? c->type
                                                     : d->type,
                                   m->scale_at[0],
                                   m->scale_at[1],
                                   m->scale_at[2],
                                   m->scale_at[3],
                                   m->scale_at[4],
                                   m->fast != 0};
    if (!is_eight && !blas_has_product(&p->types)) return "a product of these types";
    p->count = (uint32_t)d->count;
    p->g = (struct gemm){.m = (int32_t)d->rows,
                         .n = (int32_t)d->columns,
                         .k = (int32_t)k,
                         .epilogue = (m->epilogue & EPILOGUE_BIAS ? GEMM_BIAS : 0) |
                                     (m->epilogue & EPILOGUE_RELU ? GEMM_RELU : 0) |
                                     (m->epilogue & EPILOGUE_GELU ? GEMM_GELU : 0),
                         .a = {.lead = a->lead, .step = a->step},
                         .b = {.lead = b->lead, .step = b->step},
                         .c = {.lead = c->lead, .step = c->step},
                         .d = {.lead = d->lead, .step = d->step},
                         .bias = m->bias};
    return NULL;
}

static bool has_lead(const struct layout *l) {
    const uint64_t least = l->order == ORDER_ROW ? l->columns : l->rows;
    return l->order >= ORDER_COLUMN && l->lead >= 1 && (uint64_t)l->lead >= least;
}

static bool fits(const struct desc *m, const struct layout *a, const struct layout *b,
                 const struct layout *c, const struct layout *d) {
    const uint64_t m_a = blas_swaps(m->op_a) ? a->columns : a->rows,
                   k_a = blas_swaps(m->op_a) ? a->rows : a->columns,
                   k_b = blas_swaps(m->op_b) ? b->columns : b->rows,
                   n_b = blas_swaps(m->op_b) ? b->rows : b->columns;
    return has_lead(a) && has_lead(b) && has_lead(c) && has_lead(d) && m_a == d->rows &&
           n_b == d->columns && k_a == k_b && c->rows == d->rows && c->columns == d->columns &&
           a->count == d->count && b->count == d->count && c->count == d->count && d->count >= 0;
}

API(cublasLtMatmul, blas_handle_t h, const struct desc *m, const void *alpha, const void *a,
    const struct layout *la, const void *b, const struct layout *lb, const void *beta,
    const void *c, const struct layout *lc, void *d, const struct layout *ld, const void *algo,
    void *workspace, size_t workspace_bytes, CUstream stream) {
    (void)algo;
    (void)workspace;
    (void)workspace_bytes;
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!m || !la || !lb || !lc || !ld || !alpha || !beta || !fits(m, la, lb, lc, ld))
        return CUBLAS_INVALID_VALUE;
    struct product p = {.count = 0};
    const char *const lacks = describe(m, la, lb, lc, ld, &p);
    if (lacks) return blas_refuse("cublasLtMatmul", "%s is not here", lacks);
    p.g.a.at = (uintptr_t)a;
    p.g.b.at = (uintptr_t)b;
    p.g.c.at = (uintptr_t)c;
    p.g.d.at = (uintptr_t)d;
    blas_factors(&p.g, m->pointer_mode, m->scale, alpha, beta);
    if (p.is_eight)
        return blas_eight(h, stream, "cublasLtMatmul", p.op_a, p.op_b, &p.eight, &p.g, p.count);
    return blas_product_in(h, stream, "cublasLtMatmul", p.op_a, p.op_b, &p.types, &p.g, p.count);
}

struct algo {
    uint64_t word[8];
};
// There is one, which chooses its tiles itself (blas/plan.c): its settings are kept and given back, and change nothing.
enum { ALGO_ID = 0, ALGO_SPLITS = 2, ALGO_SHORT = 7, ALGO_SETTINGS = 9 };
static uint32_t *setting(struct algo *a, int which) { return (uint32_t *)a->word + which; }
// Four bytes each, but for the last two.
static size_t setting_bytes(int which) {
    return which < 0 || which >= ALGO_SETTINGS ? 0 : which >= ALGO_SHORT ? 2 : 4;
}
struct heuristic {
    struct algo algo;
    size_t workspace;
    int32_t state;
    float waves;
    int32_t reserved[4];
};
API(cublasLtMatmulAlgoGetHeuristic, blas_handle_t h, const struct desc *m, const struct layout *a,
    const struct layout *b, const struct layout *c, const struct layout *d,
    const struct preference *preference, int wanted, struct heuristic *out, int *found) {
    (void)preference;
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (!m || !a || !b || !c || !d || wanted < 1 || !out || !found) return CUBLAS_INVALID_VALUE;
    struct product p = {.count = 0};
    const char *const lacks = describe(m, a, b, c, d, &p);
    *found = lacks ? 0 : 1;
    *out = (struct heuristic){.state = lacks ? CUBLAS_NOT_SUPPORTED : CUBLAS_SUCCESS, .waves = 1};
    *setting(&out->algo, ALGO_SPLITS) = 1;
    return lacks ? CUBLAS_NOT_SUPPORTED : CUBLAS_SUCCESS;
}

API(cublasLtMatmulAlgoGetIds, blas_handle_t h, int compute, int scale, int a, int b, int c, int d,
    int wanted, int *ids, int *found) {
    (void)compute, (void)scale, (void)a, (void)b, (void)c, (void)d;
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (wanted < 0 || (wanted && !ids) || !found) return CUBLAS_INVALID_VALUE;
    if (wanted) ids[0] = 0;
    *found = 1;
    return CUBLAS_SUCCESS;
}
API(cublasLtMatmulAlgoInit, blas_handle_t h, int compute, int scale, int a, int b, int c, int d,
    int id, struct algo *out) {
    (void)compute, (void)scale, (void)a, (void)b, (void)c, (void)d;
    if (!blas_is_handle(h)) return CUBLAS_NOT_INITIALIZED;
    if (id < 0 || !out) return CUBLAS_INVALID_VALUE;
    *out = (struct algo){{0}};
    *setting(out, ALGO_ID) = (uint32_t)id;
    *setting(out, ALGO_SPLITS) = 1;
    return CUBLAS_SUCCESS;
}
API(cublasLtMatmulAlgoCheck, blas_handle_t h, const struct desc *m, const struct layout *a,
    const struct layout *b, const struct layout *c, const struct layout *d, const struct algo *algo,
    struct heuristic *out) {
    int found;
    struct heuristic first;
    if (!algo || !out) return CUBLAS_INVALID_VALUE;
    const blas_status s = cublasLtMatmulAlgoGetHeuristic(h, m, a, b, c, d, NULL, 1, &first, &found);
    if (s && s != CUBLAS_NOT_SUPPORTED) return s;
    first.algo = *algo;
    *out = first;
    return s;
}
API(cublasLtMatmulAlgoConfigSetAttribute, struct algo *algo, int which, const void *from,
    size_t bytes) {
    if (!algo || !from || !setting_bytes(which) || bytes != setting_bytes(which) ||
        which == ALGO_ID)
        return CUBLAS_INVALID_VALUE;
    memcpy(setting(algo, which), from, bytes);
    return CUBLAS_SUCCESS;
}
API(cublasLtMatmulAlgoConfigGetAttribute, const struct algo *algo, int which, void *to,
    size_t bytes, size_t *written) {
    const size_t has = setting_bytes(which);
    if (!algo || !has || (bytes && (!to || bytes < has)) || (!bytes && !written))
        return CUBLAS_INVALID_VALUE;
    if (bytes) memcpy(to, (const uint32_t *)algo->word + which, has);
    if (written) *written = has;
    return CUBLAS_SUCCESS;
}
