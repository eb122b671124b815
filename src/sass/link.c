// Relocations (relocation.def), and where what they name lies.
#include "sass/link.h"

#include "isa/isa.h"
#include "isa/system_call.h"

enum { WORD = 16, BANKS_AT = 14 /* bits above a word's number within its bank */ };
enum where { IN_WORD, IN_DATA };
enum value { VALUE_ADDRESS, VALUE_GENERIC, VALUE_HANDLE, VALUE_CONSTANT, VALUE_DESCRIPTOR };

struct row {
    uint32_t type;
    const char *name;
    enum where where;
    uint8_t first, width, shift, split;
    bool is_whole;
    enum value value;
};
static const struct row rows[] = {
#define WHOLE true
#define PIECE false
#define RELOCATION(type, name, where, first, width, shift, part, value, prose)                     \
    {type, name, IN_##where, first, width, shift, 0, part, VALUE_##value},
#define RELOCATION_SPLIT(type, name, split, first, width, shift, value, prose)                     \
    {type, name, IN_WORD, first, width, shift, split, true, VALUE_##value},
#include "sass/relocation.def"
#undef RELOCATION_SPLIT
#undef RELOCATION
};

static const struct row *row_of(uint32_t type) {
    for (size_t i = 0; i < WW_COUNT(rows); i++)
        if (rows[i].type == type) return &rows[i];
    return NULL;
}

// ---- code ---------------------------------------------------------------------------------------
enum { FIRST_FUNCTION = 1 }; // no function has address 0, which is no function's
uint32_t sass_function_words(const struct cubin *c) {
    uint64_t n = FIRST_FUNCTION;
    for (uint32_t i = 0; i < c->kernel.n; i++)
        if (!c->kernel.at[i].is_entry) n += c->kernel.at[i].words;
    return (uint32_t)min64(n, UINT32_MAX);
}

uint64_t sass_function_address(const struct cubin *c, uint32_t k) {
    if (c->kernel.at[k].is_entry) return UINT64_MAX;
    uint64_t n = FIRST_FUNCTION;
    for (uint32_t i = 0; i < k; i++)
        if (!c->kernel.at[i].is_entry) n += c->kernel.at[i].words;
    return n * WORD;
}

int32_t sass_code_of(const struct cubin *c, uint32_t section) {
    for (uint32_t i = 0; section && i < c->kernel.n; i++)
        if (c->kernel.at[i].section == section) return (int32_t)i;
    return -1;
}

// ---- symbols ------------------------------------------------------------------------------------
struct linking {
    const struct sass_places *p;
    uint64_t code; // of the code that is filled in
    uint32_t code_section;
    const char *what;
    struct diags *d;
};

static enum ww_status refuse(const struct linking *l, const struct cubin_relocation *r,
                             const char *why) {
    const struct cubin *c = l->p->file;
    const struct row *row = row_of(r->type);
    char type[32];
    snprintf(type, sizeof type, "of type %u", r->type);
    return diag_add(l->d, WW_ERROR_UNSUPPORTED, "%s: %s: the relocation %s%s at 0x%x of symbol %s %s",
                    c->name, l->what, row ? "R_CUDA_" : "", row ? row->name : type, r->offset,
                    c->symbol.at[r->symbol].name, why);
}

// The bank that a section is, and where it begins there: literals of functions stand behind the
// kernel's.
static const struct cubin_data *constants_in(const struct sass_places *p, uint32_t section,
                                             uint64_t *base) {
    const struct cubin *c = p->file;
    *base = 0;
    for (uint32_t i = 0; section && i < c->constant.n; i++)
        if (c->constant.at[i].section == section) return &c->constant.at[i];
    for (uint32_t i = 0; section && i < c->kernel.n; i++)
        for (uint32_t k = 0; k < c->kernel.at[i].constant.n; k++) {
            const struct cubin_data *data = &c->kernel.at[i].constant.at[k];
            if (data->section != section) continue;
            if (data->bank == CB_LITERAL && p->literals) *base = p->literals[i];
            return *base == SASS_NOWHERE ? NULL : data;
        }
    return NULL;
}

// Names that no file defines and that have a value all the same: distances from a table of functions
// that all kernels share, which a program without one does not have (nvlink 13.0 fills in 0).
static bool is_zero(const char *name) {
    return strcmp(name, "__UFT_OFFSET") == 0 || strcmp(name, "__UDT_OFFSET") == 0;
}

// What stands in memory for kernels, behind all addresses of code: a call of it is a call of nothing.
static const uint64_t KERNEL_DESCRIPTORS = 1ull << 40;

// Address of what a symbol names, or why there is none.
static const char *address_of(const struct linking *l, const struct cubin_relocation *r,
                              bool is_generic, uint64_t *out) {
    const struct cubin *c = l->p->file;
    const struct cubin_symbol *s = &c->symbol.at[r->symbol];
    const uint64_t offset = s->value + (uint64_t)r->addend;
    enum msyscall call;
    if (s->shared) {
        const uint32_t at = l->p->shared ? l->p->shared[r->symbol] : SASS_NOWHERE;
        *out = at + (uint64_t)r->addend;
        return at == SASS_NOWHERE ? "names a shared variable outside a kernel" : NULL;
    }
    if (!s->section && is_zero(s->name)) {
        *out = 0;
        return NULL;
    }
    if (!s->section) {
        if (!system_call_named(s->name, &call)) return "names what no file defines";
        *out = system_call_address(call);
        return r->addend ? "names the inside of a system call" : NULL;
    }
    const int32_t code = sass_code_of(c, s->section);
    if (code >= 0) {
        const struct cubin_kernel *k = &c->kernel.at[code];
        uint64_t base = sass_function_address(c, (uint32_t)code);
        if (k->section == l->code_section) base = l->code;
        if (base == UINT64_MAX) return "names a kernel";
        if (offset % WORD || offset / WORD > k->words) return "names no instruction";
        *out = base + offset;
        return NULL;
    }
    uint64_t bank;
    if (!is_generic && constants_in(l->p, s->section, &bank)) {
        *out = bank + offset;
        return NULL;
    }
    return l->p->address(l->p->user, s->section, offset, out) ? NULL : "names no variable";
}

static const char *value_of(const struct linking *l, const struct cubin_relocation *r,
                            const struct row *row, uint64_t *out) {
    const struct cubin *c = l->p->file;
    const struct cubin_symbol *s = &c->symbol.at[r->symbol];
    switch (row->value) {
    case VALUE_DESCRIPTOR: {
        const int32_t k = sass_code_of(c, s->section);
        if (k < 0 || !c->kernel.at[k].is_entry) return address_of(l, r, false, out);
        *out = KERNEL_DESCRIPTORS + (uint64_t)k * WORD;
        return NULL;
    }
    case VALUE_HANDLE:
        return l->p->handle(l->p->user, s->name, out) ? NULL : "names no texture or surface";
    case VALUE_CONSTANT: {
        uint64_t begin;
        const struct cubin_data *k = constants_in(l->p, s->section, &begin);
        const int64_t place = (int64_t)s->value + r->addend, at = (int64_t)begin + place;
        if (!k) return "names no constant variable";
        // Loads add a register to what may lie before the bank: ptxas begins tables of branches so.
        const bool is_before = place < 0 && !row->shift && at >= -(1 << (BANKS_AT + 1));
        const bool is_inside = place >= 0 && place < k->bytes && at >> (BANKS_AT + 2) == 0;
        if ((!is_before && !is_inside) || at & ((1 << row->shift) - 1))
            return "names no whole constant";
        *out = ((uint64_t)at & ((1u << (BANKS_AT + 2)) - 1)) | (uint64_t)k->bank << (BANKS_AT + 2);
        return NULL;
    }
    default: return address_of(l, r, row->value == VALUE_GENERIC, out);
    }
}

// ---- places -------------------------------------------------------------------------------------
static uint64_t load(const uint8_t *p, size_t n) {
    uint64_t v = 0;
    memcpy(&v, p, n);
    return v;
}

// Bits [first, first + width) of a word of 128, none of which may be set yet.
static bool put_bits(uint8_t *word, uint32_t first, uint32_t width, uint64_t value) {
    for (uint32_t i = 0; i < width; i++) {
        const uint32_t bit = first + i;
        if (word[bit / 8] >> bit % 8 & 1) return false;
        if (value >> i & 1) word[bit / 8] = (uint8_t)(word[bit / 8] | 1u << bit % 8);
    }
    return true;
}

static enum ww_status one(const struct linking *l, const struct cubin_relocation *r, uint8_t *bytes,
                          size_t n) {
    const struct row *row = row_of(r->type);
    if (!row) return refuse(l, r, "is not known");
    const size_t size = row->where == IN_WORD ? (size_t)WORD : row->width / 8u;
    if (r->offset >= n || size > n - r->offset) return refuse(l, r, "leaves its section");
    uint64_t value = 0;
    const char *why = value_of(l, r, row, &value);
    if (why) return refuse(l, r, why);
    value >>= row->shift;
    uint8_t *at = bytes + r->offset;
    enum { SPLIT_BITS = 8 };
    if (row->split) { // the low byte stands apart
        if (!put_bits(at, row->split, SPLIT_BITS, value))
            return refuse(l, r, "fills what is not empty");
        value >>= SPLIT_BITS;
    }
    if (row->is_whole && row->width < 64 && value >> row->width)
        return refuse(l, r, "does not fit");
    if (row->where == IN_DATA) {
        if (load(at, size)) return refuse(l, r, "fills what is not empty");
        memcpy(at, &value, size); // little-endian: low bytes first
    } else if (r->offset % WORD || !put_bits(at, row->first, row->width, value)) {
        return refuse(l, r, "fills what is not empty");
    }
    return WW_OK;
}

enum ww_status sass_relocate(const struct sass_places *p, const struct cubin_relocations *r,
                             uint64_t code, uint8_t *bytes, size_t n, const char *what,
                             struct diags *d) {
    struct linking l = {.p = p, .code = code, .what = what, .d = d};
    for (uint32_t i = 0; code != UINT64_MAX && i < p->file->kernel.n; i++)
        if (&p->file->kernel.at[i].relocation == r) l.code_section = p->file->kernel.at[i].section;
    for (uint32_t i = 0; i < r->n; i++) {
        const enum ww_status s = one(&l, &r->at[i], bytes, n);
        if (s != WW_OK) return s;
    }
    return WW_OK;
}
