// Runs the kernels of one module for tools/two-ways and writes what they left in memory.
//
//   two_ways_run GPU MODULE LAUNCHES OPERANDS OUT
//
// MODULE is PTX or a cubin. A line of LAUNCHES is
//   KERNEL GRID.x GRID.y GRID.z BLOCK.x BLOCK.y BLOCK.z OUTPUT_BYTES SHARED_BYTES PARAMETERS
// where PARAMETERS are bytes in hexadecimal behind the addresses of input and output ("-": none).
// The input is OPERANDS; the output is filled with 0xcd. OUT gets for each launch a 32-bit status
// (0: it ran), a 32-bit size, and the output, or the sentence that says why there is none.
#include <stdlib.h>
#include <string.h>

#include "gpu/fields.h"
#include "gpu/gpu.h"

enum { MAX_FILE = 1 << 28, MAX_INSTRUCTIONS = 20000000, UNTOUCHED = 0xcd };

struct job {
    char kernel[256], params[512];
    uint32_t grid[3], block[3], out, shared;
};
struct rig {
    struct arena arena;
    struct diags diags;
    struct gpu *gpu;
    struct gpu_module *module;
    uint64_t operands;
    FILE *to;
};

static void stop(struct rig *r, const char *what) {
    fprintf(stderr, "two_ways_run: %s\n", what);
    diags_print(&r->diags, stderr);
    exit(2);
}
static void need(struct rig *r, enum ww_status s, const char *what) {
    if (s != WW_OK) stop(r, what);
}

static void answer(struct rig *r, uint32_t status, const void *bytes, uint32_t n) {
    if (fwrite(&status, 4, 1, r->to) != 1 || fwrite(&n, 4, 1, r->to) != 1 ||
        (n && fwrite(bytes, n, 1, r->to) != 1))
        stop(r, "the results cannot be written");
}
static void answer_why(struct rig *r, enum ww_status s) {
    char why[1024];
    diags_first(&r->diags, why, sizeof why);
    answer(r, (uint32_t)s, why, (uint32_t)strlen(why));
    diags_free(&r->diags);
    diags_init(&r->diags);
    gpu_clear_fault(r->gpu);
}

static uint32_t hex_bytes(const char *hex, uint8_t *to) {
    uint32_t n = 0;
    for (const char *p = hex; p[0] && p[1] && *hex != '-'; p += 2)
        to[n++] = (uint8_t)strtoul((char[3]){p[0], p[1], 0}, NULL, 16);
    return n;
}

static enum ww_status launch(struct rig *r, const struct job *j, uint64_t out) {
    struct gpu_kernel *kernel;
    enum ww_status s = gpu_kernel_find(r->module, j->kernel, &r->diags, &kernel);
    if (s != WW_OK) return s;
    uint8_t params[16 + sizeof j->params];
    memcpy(params, &r->operands, 8);
    memcpy(params + 8, &out, 8);
    const struct gpu_launch l = {.grid = {j->grid[0], j->grid[1], j->grid[2]},
                                 .block = {j->block[0], j->block[1], j->block[2]},
                                 .dynamic_shared = j->shared,
                                 .params = params,
                                 .param_bytes = 16 + hex_bytes(j->params, params + 16)};
    s = gpu_launch(r->gpu, NULL, kernel, &l, &r->diags, NULL);
    return s == WW_OK ? gpu_synchronize(r->gpu, &r->diags) : s;
}

static void run(struct rig *r, const struct job *j) {
    uint64_t at;
    uint8_t *out = malloc(j->out);
    if (!out) stop(r, "out of memory");
    memset(out, UNTOUCHED, j->out);
    need(r, gpu_malloc(r->gpu, j->out, "out", &r->diags, &at), "no memory for the output");
    need(r, gpu_write(r->gpu, at, out, j->out, &r->diags), "the output cannot be filled");
    const enum ww_status s = launch(r, j, at);
    if (s == WW_OK) {
        need(r, gpu_read(r->gpu, out, at, j->out, &r->diags), "the output cannot be read");
        answer(r, 0, out, j->out);
    } else {
        answer_why(r, s);
    }
    need(r, gpu_free(r->gpu, at, &r->diags), "the output cannot be freed");
    free(out);
}

static char *read_file(struct rig *r, const char *path, size_t *n) {
    char *text;
    need(r, file_read(&r->arena, path, MAX_FILE, &text, n, &r->diags), path);
    return text;
}

static void open_rig(struct rig *r, char **arguments) {
    diags_init(&r->diags);
    arena_init(&r->arena, NULL);
    struct gpu_config config;
    need(r, gpu_config_load(arguments[1], NULL, 0, &r->diags, &config), arguments[1]);
    struct gpu_options o;
    gpu_options_init(&o);
    o.host_threads = 1;
    o.functional = true;
    o.max_instructions = MAX_INSTRUCTIONS;
    need(r, gpu_create(&config, &o, &r->diags, &r->gpu), "no GPU");
    size_t n;
    const char *data = read_file(r, arguments[4], &n);
    need(r, gpu_malloc(r->gpu, n, "operands", &r->diags, &r->operands), "no memory for operands");
    need(r, gpu_write(r->gpu, r->operands, data, n, &r->diags), "operands cannot be written");
    r->to = fopen(arguments[5], "wb");
    if (!r->to) stop(r, arguments[5]);
}

int main(int argc, char **argv) {
    if (argc != 6) {
        fputs("usage: two_ways_run GPU MODULE LAUNCHES OPERANDS OUT\n", stderr);
        return 2;
    }
    struct rig r = {0};
    open_rig(&r, argv);
    size_t n;
    const char *module = read_file(&r, argv[2], &n);
    const enum ww_status loaded =
        gpu_module_load(r.gpu, argv[2], module, n, NULL, &r.diags, &r.module);
    if (loaded != WW_OK) stop(&r, argv[2]);
    char *line = read_file(&r, argv[3], &n), *end;
    for (; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end) *end++ = 0;
        struct job j;
        if (sscanf(line, "%255s %u %u %u %u %u %u %u %u %511s", j.kernel, &j.grid[0], &j.grid[1],
                   &j.grid[2], &j.block[0], &j.block[1], &j.block[2], &j.out, &j.shared,
                   j.params) != 10)
            stop(&r, line);
        run(&r, &j);
    }
    if (fclose(r.to) != 0) stop(&r, argv[5]);
    gpu_destroy(r.gpu);
    diags_free(&r.diags);
    arena_free(&r.arena);
    return 0;
}
