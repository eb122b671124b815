// Line tables of cubins: DWARF 2 programs, a unit after the other, with the vendor's own extended
// operation for inlining: it names the row, counted from 1, whose line called the inlined function.
// A unit's addresses are those of one section of code, which a relocation names.
#include "sass/cubin.h"

#include <stdlib.h>

enum {
    SET_ADDRESS = 2,
    END_SEQUENCE = 1,
    INLINED_CALL = 0x90,
    MAX_FILES = 1 << 16,
    MAX_ROWS = 1 << 26
};
enum { COPY = 1, ADVANCE_PC, ADVANCE_LINE, SET_FILE, SET_COLUMN, NEGATE, BLOCK, CONST_ADD, FIXED };

struct program {
    struct arena *a;
    const struct cubin *c;
    const struct cubin_kernel *k;
    const struct cubin_data *section;
    struct cubin_lines *out;
    const uint8_t *p, *end;
    bool broken;
    uint32_t opcode_base, line_range, min_length;
    int32_t line_base;
    uint32_t first_file; // number of the unit's first file in the list
    // registers of the line machine
    uint64_t address;
    uint32_t file, line, column, context, function;
    bool ours;         // the sequence lies in the kernel
    VEC(uint32_t) row; // 1 + index in the list, by the unit's row; 0: not of the kernel
};

static uint32_t byte(struct program *r) {
    if (r->p >= r->end) {
        r->broken = true;
        return 0;
    }
    return *r->p++;
}

static uint64_t fixed(struct program *r, uint32_t bytes) {
    uint64_t v = 0;
    for (uint32_t i = 0; i < bytes; i++) v |= (uint64_t)byte(r) << (8 * i);
    return v;
}

static uint64_t uleb(struct program *r) {
    uint64_t v = 0;
    for (uint32_t shift = 0; !r->broken; shift += 7) {
        const uint32_t b = byte(r);
        if (shift < 64) v |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80)) break;
    }
    return v;
}

static int64_t sleb(struct program *r) {
    uint64_t v = 0;
    uint32_t shift = 0, b;
    do {
        b = byte(r);
        if (shift < 64) v |= (uint64_t)(b & 0x7f) << shift;
        shift += 7;
    } while (b & 0x80 && !r->broken);
    if (b & 0x40 && shift < 64) v |= UINT64_MAX << shift;
    return (int64_t)v;
}

static const char *text(struct program *r) {
    const uint8_t *nul = memchr(r->p, 0, (size_t)(r->end - r->p));
    if (!nul) {
        r->broken = true;
        return "";
    }
    const char *s = (const char *)r->p;
    r->p = nul + 1;
    return s;
}

static void reset(struct program *r) {
    r->address = 0;
    r->file = r->line = 1;
    r->column = r->context = r->function = 0;
    r->ours = false;
}

static const char *string_at(const struct cubin *c, uint32_t at) {
    const struct cubin_data *s = &c->strings;
    if (at >= s->bytes || !memchr(s->data + at, 0, s->bytes - at)) return NULL;
    return (const char *)s->data + at;
}

static void row(struct program *r) {
    uint32_t index = 0;
    if (r->row.n >= MAX_ROWS) r->broken = true;
    if (r->ours && r->address < (uint64_t)r->k->words * 16 && !r->broken) {
        struct cubin_line l = {.offset = (uint32_t)r->address,
                               .line = r->line,
                               .column = r->column,
                               .file = r->file ? r->first_file + r->file - 1 : 0};
        if (r->context) {
            l.caller = r->context <= r->row.n ? r->row.at[r->context - 1] : 0;
            l.function = string_at(r->c, r->function);
        }
        if (l.file >= r->out->file.n) l.file = 0;
        vec_push(r->a, &r->out->line, l);
        index = r->out->line.n;
    }
    vec_push(r->a, &r->row, index);
}

// Which section the address at this place of the table belongs to.
static bool is_of_kernel(const struct program *r, uint32_t at) {
    for (uint32_t i = 0; i < r->section->relocation.n; i++) {
        const struct cubin_relocation *l = &r->section->relocation.at[i];
        if (l->offset == at && l->symbol < r->c->symbol.n)
            return r->c->symbol.at[l->symbol].section == r->k->section;
    }
    return false;
}

static void extended(struct program *r) {
    const uint64_t size = uleb(r);
    if (!size || r->broken || size > (uint64_t)(r->end - r->p)) {
        r->broken = true;
        return;
    }
    const uint8_t *next = r->p + size;
    switch (byte(r)) {
    case END_SEQUENCE: reset(r); break;
    case SET_ADDRESS:
        r->ours = is_of_kernel(r, (uint32_t)(r->p - r->section->data));
        r->address = fixed(r, 8);
        break;
    case INLINED_CALL:
        r->context = (uint32_t)uleb(r);
        r->function = (uint32_t)uleb(r);
        break;
    default: break; // of no use here
    }
    if (r->p > next) r->broken = true;
    r->p = next;
}

static void special(struct program *r, uint32_t op) {
    const uint32_t v = op - r->opcode_base;
    r->address += (uint64_t)(v / r->line_range) * r->min_length;
    r->line += (uint32_t)(r->line_base + (int32_t)(v % r->line_range));
    row(r);
}

static void step(struct program *r, const uint8_t *arguments) {
    const uint32_t op = byte(r);
    if (op >= r->opcode_base) {
        special(r, op);
        return;
    }
    switch (op) {
    case 0: extended(r); break;
    case COPY: row(r); break;
    case ADVANCE_PC: r->address += uleb(r) * r->min_length; break;
    case ADVANCE_LINE: r->line += (uint32_t)sleb(r); break;
    case SET_FILE: r->file = (uint32_t)uleb(r); break;
    case SET_COLUMN: r->column = (uint32_t)uleb(r); break;
    case CONST_ADD:
        r->address += (uint64_t)((255 - r->opcode_base) / r->line_range) * r->min_length;
        break;
    case FIXED: r->address += fixed(r, 2); break;
    default: // NEGATE, BLOCK, and operations of later versions
        for (uint32_t i = 0; i < arguments[op - 1]; i++) uleb(r);
    }
}

static void files(struct program *r) {
    VEC(const char *) folder = {0};
    while (r->p < r->end && *r->p) vec_push(r->a, &folder, text(r));
    byte(r);
    r->first_file = r->out->file.n;
    while (r->p < r->end && *r->p && !r->broken && r->out->file.n < MAX_FILES) {
        const char *name = text(r);
        const uint64_t in = uleb(r);
        uleb(r); // its time
        uleb(r); // its size
        const char *full = in && in <= folder.n && *name != '/'
                               ? arena_printf(r->a, "%s/%s", folder.at[in - 1], name)
                               : name;
        vec_push(r->a, &r->out->file, full);
    }
    byte(r);
}

// A unit: its header, then operations up to its end.
static bool unit(struct program *r, const uint8_t *section_end) {
    r->end = section_end;
    const uint64_t size = fixed(r, 4);
    if (r->broken || size > (uint64_t)(section_end - r->p)) return false;
    r->end = r->p + size;
    const uint32_t version = (uint32_t)fixed(r, 2);
    const uint64_t header = fixed(r, 4);
    if (r->broken || version < 2 || version > 3 || header > (uint64_t)(r->end - r->p)) return false;
    const uint8_t *program = r->p + header;
    r->min_length = byte(r);
    byte(r); // whether a line is a statement
    r->line_base = (int8_t)byte(r);
    r->line_range = byte(r);
    r->opcode_base = byte(r);
    if (r->broken || !r->line_range || !r->opcode_base) return false;
    const uint8_t *arguments = r->p;
    for (uint32_t i = 1; i < r->opcode_base; i++) byte(r);
    files(r);
    if (r->broken) return false;
    r->p = program;
    r->row.n = 0;
    reset(r);
    while (r->p < r->end && !r->broken) step(r, arguments);
    r->p = r->end;
    return !r->broken;
}

struct place {
    uint32_t offset, index;
};

static int by_offset(const void *x, const void *y) {
    const struct place *a = x, *b = y;
    if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

// Lines by offset: functions of a section may stand in any order in a table.
static void sort(struct arena *a, struct cubin_lines *l) {
    const uint32_t n = l->line.n;
    uint32_t i = 1;
    while (i < n && l->line.at[i - 1].offset <= l->line.at[i].offset) i++;
    if (i >= n) return;
    struct place *place = arena_alloc(a, n * sizeof *place);
    uint32_t *now = arena_alloc(a, n * sizeof *now);
    struct cubin_line *was = arena_copy(a, l->line.at, n * sizeof *was);
    for (i = 0; i < n; i++) place[i] = (struct place){was[i].offset, i};
    qsort(place, n, sizeof *place, by_offset);
    for (i = 0; i < n; i++) now[place[i].index] = i;
    for (i = 0; i < n; i++) {
        l->line.at[i] = was[place[i].index];
        if (l->line.at[i].caller) l->line.at[i].caller = now[l->line.at[i].caller - 1] + 1;
    }
}

enum ww_status cubin_lines(struct arena *a, const struct cubin *c, const struct cubin_kernel *k,
                           bool ptx, struct diags *d, struct cubin_lines *out) {
    *out = (struct cubin_lines){0};
    const struct cubin_data *s = ptx ? &c->line_sass : &c->line_ptx;
    struct program r = {.a = a, .c = c, .k = k, .section = s, .out = out, .p = s->data};
    vec_push(a, &out->file, "");
    const uint8_t *end = s->data ? s->data + s->bytes : NULL;
    while (r.p && r.p < end)
        if (!unit(&r, end))
            return diag_add(d, WW_ERROR_SYNTAX, "%s has a line table that cannot be read", c->name);
    sort(a, out);
    return WW_OK;
}

const struct cubin_line *cubin_line_at(const struct cubin_lines *l, uint32_t offset) {
    uint32_t lo = 0, hi = l->line.n; // the first line that begins behind the offset
    while (lo < hi) {
        const uint32_t mid = (lo + hi) / 2;
        if (l->line.at[mid].offset <= offset)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? &l->line.at[lo - 1] : NULL;
}
