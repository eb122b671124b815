// The "code" line of a record: what a person needs to find an instruction's place: machine code
// with its PTX line, its line of the CUDA source, its operation class, and the PTX lines
// themselves.
#include "isa/image.h"
#include "report/record_int.h"

#include <stdlib.h>

static json_t *integer(uint64_t v) { return json_integer((json_int_t)v); }

// Register rows that operands take: a pair is two.
static uint32_t rows(const struct opnd *o, size_t n) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++)
        if (o[i].kind == OPND_GPR) sum += o[i].words ? o[i].words : 1;
    return sum;
}

static json_t *inst_json(const struct code_image *im, uint32_t pc) {
    const struct minst *m = &im->inst[pc];
    char text[160];
    disasm_inst(im, pc, text, sizeof text);
    json_t *row = json_object();
    json_object_set_new(row, "text", json_string(text));
    json_object_set_new(row, "ptx_line", integer(m->ptx_line));
    json_object_set_new(row, "src_line", integer(m->src_line));
    if (m->src_file) json_object_set_new(row, "src_file", integer(m->src_file));
    json_object_set_new(row, "class", integer(m->klass));
    json_object_set_new(row, "reads", integer(rows(m->src, WW_COUNT(m->src))));
    json_object_set_new(row, "writes", integer(rows(m->dst, WW_COUNT(m->dst))));
    if (op_class_unit[m->klass] == UNIT_LDST) // of the rows read those of the address
        json_object_set_new(row, "address", integer(rows(m->src, 1)));
    return row;
}

// PTX from the first to the last line that an instruction came from, by line number; nothing of
// other functions between.
static json_t *ptx_json(const struct code_image *im) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < im->n_insts; i++)
        if (im->inst[i].ptx_line > last) last = im->inst[i].ptx_line;
    uint8_t *wanted = calloc(1, (size_t)last + 2);
    json_t *o = json_object();
    for (uint32_t i = 0; wanted && i < im->n_insts; i++) wanted[im->inst[i].ptx_line] = 1;
    uint32_t line = 1;
    for (const char *p = im->source.text; wanted && p && *p && line <= last; line++) {
        const char *end = strchr(p, '\n');
        const size_t n = end ? (size_t)(end - p) : strlen(p);
        if (wanted[line]) {
            char key[16];
            snprintf(key, sizeof key, "%u", line);
            json_object_set_new(o, key, json_stringn_nocheck(p, n < 400 ? n : 400));
        }
        p = end ? end + 1 : p + n;
    }
    free(wanted);
    return o;
}

json_t *record_code_json(const struct code_image *im, uint64_t id) {
    json_t *o = json_object(), *list = json_array(), *files = json_object();
    json_object_set_new(o, "type", json_string("code"));
    json_object_set_new(o, "id", integer(id));
    json_object_set_new(o, "kernel", json_string(im->name ? im->name : ""));
    json_object_set_new(o, "module", json_string(im->source.name ? im->source.name : ""));
    for (uint32_t i = 0; i < im->source.n_files; i++) {
        char key[16];
        snprintf(key, sizeof key, "%u", im->source.files[i].number);
        json_object_set_new(files, key, json_string_nocheck(im->source.files[i].path));
    }
    json_object_set_new(o, "files", files);
    json_object_set_new(o, "ptx", ptx_json(im));
    for (uint32_t pc = 0; pc < im->n_insts; pc++) json_array_append_new(list, inst_json(im, pc));
    json_object_set_new(o, "instructions", list);
    return o;
}
