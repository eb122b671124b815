// Registers that an instruction reads and writes.
#include "sass/effect.h"
#include "sass/row.h"

enum { SIZE = 100, LONG }; // counts that a field says

struct effect {
    uint16_t op;
    uint8_t lo, n, value;
    uint8_t class, count[4]; // destination, sources
};

static const struct effect effects[] = {
#define EFFECT_IF(o, l, w, v, c, d, x, y, z)                                                       \
    {.op = o, .lo = l, .n = w, .value = v, .class = SASS_CLASS_##c, .count = {d, x, y, z}},
#define EFFECT(o, c, d, x, y, z) EFFECT_IF(o, 0, 0, 0, c, d, x, y, z)
#include "sass/effect.def"
#undef EFFECT
#undef EFFECT_IF
};

const char *sass_class_name(enum sass_class c) {
    static const char *const name[] = {
#define X(text) #text,
        SASS_CLASSES(X)
#undef X
    };
    return name[c];
}

const char *sass_role_name(enum sass_role r) {
    static const char *const name[] = {[SASS_ROLE_RESULT] = "result",
                                       [SASS_ROLE_GUARD] = "guard",
                                       [SASS_ROLE_PREDICATE] = "predicate",
                                       [SASS_ROLE_A] = "a",
                                       [SASS_ROLE_B] = "b",
                                       [SASS_ROLE_C] = "c",
                                       [SASS_ROLE_ADDRESS] = "address"};
    return name[r];
}

static uint32_t field(struct sass_word w, uint32_t lo, uint32_t n) {
    const uint64_t v = lo >= 64 ? w.hi >> (lo - 64) : w.lo >> lo;
    return (uint32_t)(v & ((UINT64_C(1) << n) - 1));
}

static const struct effect *effect_of(struct sass_word w) {
    static const struct effect other = {.class = SASS_CLASS_OTHER, .count = {1, 1, 1, 1}};
    const uint32_t op = field(w, 0, 9);
    for (uint32_t i = 0; i < WW_COUNT(effects); i++)
        if (effects[i].op == op &&
            (!effects[i].n || field(w, effects[i].lo, effects[i].n) == effects[i].value))
            return &effects[i];
    return &other;
}

enum sass_class sass_class_of(struct sass_word w) { return effect_of(w)->class; }

static uint8_t registers(struct sass_word w, uint32_t count) {
    static const uint8_t size[] = {1, 1, 1, 1, 1, 2, 4, 4}, atomic[] = {1, 1, 2, 1, 1, 2, 2, 1};
    if (count == SIZE) return size[field(w, 73, 3)];
    if (count == LONG) return atomic[field(w, 73, 3)];
    return (uint8_t)count;
}

struct list {
    struct sass_access *at;
    uint32_t n;
};

static void add(struct list *l, enum sass_file file, enum sass_role role, uint32_t first,
                uint32_t n) {
    static const uint8_t none[] = {255, 63, 7, 7};
    if (first == none[file]) return;
    l->at[l->n++] = (struct sass_access){file, role, (uint8_t)first, (uint8_t)n};
}

// The register of an address has 64 bits where addresses are those of global memory.
static void address(struct list *l, struct sass_word w, const struct sass_operand *o) {
    const uint32_t op = field(w, 0, 9);
    const bool global = op == 0x180 || op == 0x181 || op == 0x185 || op == 0x186 || op == 0x18a ||
                        op == 0x18b || op == 0x18e || op == 0x1a8 || op == 0x1a9;
    const bool pair = o->wide || (global && !o->unsigned_reg && field(w, 72, 1));
    if (o->has_reg && !(o->kind == SASS_CONST && o->unsigned_reg))
        add(l, SASS_FILE_R, SASS_ROLE_ADDRESS, o->reg, pair ? 2 : 1);
    else if (o->has_reg)
        add(l, SASS_FILE_U, SASS_ROLE_ADDRESS, o->reg, 1);
    if (o->has_ureg) add(l, SASS_FILE_U, SASS_ROLE_ADDRESS, o->ureg, o->descriptor ? 2 : 1);
}

uint32_t sass_accesses(struct sass_word w, const struct sass_inst *in,
                       struct sass_access out[SASS_MAX_ACCESSES]) {
    const struct effect *e = effect_of(w);
    struct list l = {out, 0};
    uint32_t source = 0; // how many operands that are sources stood before
    if (in->guard != 7)
        add(&l, in->guard_uniform ? SASS_FILE_UP : SASS_FILE_P, SASS_ROLE_GUARD, in->guard, 1);
    for (uint32_t i = 0; i < in->n_operands; i++) {
        const struct sass_operand *o = &in->operand[i];
        const enum sass_role role = (enum sass_role)(SASS_ROLE_A + (source < 3 ? source : 2));
        const uint8_t n = registers(w, e->count[1 + (source < 3 ? source : 2)]);
        const bool pred = o->kind == SASS_PRED || o->kind == SASS_UPRED;
        if (pred) {
            const bool result = o->at == 81 || o->at == 84;
            add(&l, o->kind == SASS_PRED ? SASS_FILE_P : SASS_FILE_UP,
                result ? SASS_ROLE_RESULT : SASS_ROLE_PREDICATE, o->reg, 1);
        } else if (o->kind == SASS_MEMORY || (o->kind == SASS_CONST && (o->has_reg || o->has_ureg)))
            address(&l, w, o);
        else if (o->kind == SASS_REG || o->kind == SASS_UREG) {
            const enum sass_file file = o->kind == SASS_REG ? SASS_FILE_R : SASS_FILE_U;
            if (o->at == 16)
                add(&l, file, SASS_ROLE_RESULT, o->reg, registers(w, e->count[0]));
            else
                add(&l, file, role, o->reg, n);
        }
        source += !pred && o->kind != SASS_MEMORY && o->at != 16 && o->kind != SASS_NAME;
    }
    return l.n;
}
