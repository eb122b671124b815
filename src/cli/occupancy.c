// `warpwatt occupancy`: how many warps an SM holds of a kernel, what limits them, and how that changes with the size of
// a block, its shared memory or a thread's registers. Nothing runs. By the rules of a launch (sm_occupancy).
#include "gpu/gpu.h"
#include "isa/image.h"
#include "cli/cli.h"
#include "fatbin/fatbin.h"

#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    OPT_GPU,
    OPT_SET,
    OPT_ENTRY,
    OPT_BLOCK,
    OPT_SHARED,
    OPT_REGISTERS,
    OPT_GRID,
    OPT_OVER,
    OPT_CODE,
    OPT_JSON
};
static const struct cli_option option[] = {
    [OPT_GPU] = {"--gpu", 'g', "NAME|FILE", "the GPU (default " SESSION_GPU ")", CLI_GPU},
    [OPT_SET] = {"--set", 's', "KEY=VALUE", "override a key of the GPU file", CLI_KEY},
    [OPT_ENTRY] = {"--entry", 0, "NAME", "only this kernel"},
    [OPT_BLOCK] =
        {"--block", 'b', "X[,Y[,Z]]",
         "threads of a block (default: what the kernel requires, else the fewest that give the most "
         "warps)"},
    [OPT_SHARED] = {"--shared", 0, "BYTES",
                    "dynamic shared memory of a block; without a kernel: all of it"},
    [OPT_REGISTERS] = {"--registers", 'r', "N", "of a thread, in place of what the kernel takes"},
    [OPT_GRID] = {"--grid", 0, "BLOCKS", "of a launch: how many waves it makes"},
    [OPT_OVER] = {"--over", 0, "block|shared|registers", "what the curve runs over (default block)",
                  CLI_CHOICE},
    [OPT_CODE] = {"--code", 0, "auto|sass|ptx", "which code of a program, as `run` has it",
                  CLI_CHOICE},
    [OPT_JSON] = {"--json", 0, NULL, "as JSON, with every kernel's curve"},
};

const struct cli_spec spec_occupancy = {
    .name = "occupancy",
    .form = {"[options] KERNEL.ptx|FILE.cubin|PROGRAM|FATBIN|WORKLOAD",
             "--registers N [--shared BYTES] [options]"},
    .prose =
        "How many warps an SM holds of each kernel, and what limits them. Of one kernel, or of a\n"
        "thread's registers alone: how many blocks each resource would allow, and the curve over\n"
        "sizes of a block, its shared memory or a thread's registers. Nothing runs.",
    .part = {CLI_PART(option)},
    .word = CLI_FILE,
};

enum over { OVER_BLOCK, OVER_SHARED, OVER_REGISTERS, OVER_N };
static const char *const over_name[OVER_N] = {"block", "shared", "registers"};
enum { SHARED_STEPS = 24, REGISTER_STEP = 8 };

struct question {
    const char *entry, *path;
    uint32_t block, shared, registers, grid; // 0: not said
    enum over over;
    enum fatbin_code code;
    bool json;
};
// What a kernel takes.
struct takes {
    const char *name;
    uint32_t registers, shared; // of a thread, of a block without dynamic memory
    uint32_t threads_most;      // of a block
    bool threads_fixed;         // no other size of a block is allowed
};
struct view {
    struct cli *c;
    struct question *q;
    const struct gpu_config *gpu;
    const struct gpu_limits *limits;
    json_t *list;
    struct takes last;
    uint32_t shown;
};

static uint32_t shared_of(const struct question *q, const struct takes *k) {
    return k->shared + q->shared;
}

// A block's threads where nobody says them: the fewest that give the most warps.
static uint32_t best_block(const struct view *v, const struct takes *k) {
    uint32_t best = v->limits->warp_size, most = 0;
    for (uint32_t t = best; t <= k->threads_most; t += v->limits->warp_size) {
        const struct sm_occupancy o = gpu_occupancy(v->gpu, t, k->registers, shared_of(v->q, k));
        if (o.warps > most) most = o.warps, best = t;
    }
    return best;
}
static uint32_t block_of(const struct view *v, const struct takes *k) {
    if (v->q->block) return v->q->block;
    return k->threads_fixed ? k->threads_most : best_block(v, k);
}

// ---- the curve ----------------------------------------------------------------------------------
struct point {
    uint32_t at; // threads, bytes or registers
    struct sm_occupancy o;
};
typedef VEC(struct point) curve;

static curve curve_of(const struct view *v, const struct takes *k) {
    curve out = {0};
    const uint32_t block = block_of(v, k), shared = shared_of(v->q, k), warp = v->limits->warp_size;
    if (v->q->over == OVER_BLOCK)
        for (uint32_t t = warp; t <= k->threads_most; t += warp) {
            const struct point p = {t, gpu_occupancy(v->gpu, t, k->registers, shared)};
            vec_push(&v->c->arena, &out, p);
        }
    if (v->q->over == OVER_SHARED)
        for (uint32_t i = 0; i <= SHARED_STEPS; i++) {
            const uint32_t bytes = v->limits->shared_optin / SHARED_STEPS * i;
            const struct point p = {bytes, gpu_occupancy(v->gpu, block, k->registers, bytes)};
            vec_push(&v->c->arena, &out, p);
        }
    if (v->q->over == OVER_REGISTERS)
        for (uint32_t r = REGISTER_STEP; r <= v->limits->registers_per_thread + 1;
             r += REGISTER_STEP) {
            const uint32_t n =
                r < v->limits->registers_per_thread ? r : v->limits->registers_per_thread;
            const struct point p = {n, gpu_occupancy(v->gpu, block, n, shared)};
            vec_push(&v->c->arena, &out, p);
        }
    return out;
}
static uint32_t here(const struct view *v,
                     const struct takes *k) { // the kernel's own place on the curve
    return v->q->over == OVER_BLOCK    ? block_of(v, k)
           : v->q->over == OVER_SHARED ? shared_of(v->q, k)
                                       : k->registers;
}

static void print_curve(const struct view *v, const struct takes *k) {
    enum { BAR = 32 };
    const curve c = curve_of(v, k);
    const uint32_t most = v->limits->warps_per_sm, at = here(v, k);
    printf("\n%9s  %5s  %5s\n",
           v->q->over == OVER_BLOCK    ? "block"
           : v->q->over == OVER_SHARED ? "shared"
                                       : "registers",
           "CTAs", "warps");
    for (uint32_t i = 0; i < c.n; i++) {
        const struct point *p = &c.at[i];
        const uint32_t next = i + 1 < c.n ? c.at[i + 1].at : UINT32_MAX;
        char bar[BAR + 1] = "";
        const uint32_t n = most ? p->o.warps * BAR / most : 0;
        memset(bar, '#', n <= BAR ? n : BAR);
        printf("%9u  %5u  %5u  %-*s  %s%s\n", p->at, p->o.ctas, p->o.warps, BAR, bar,
               p->o.limit ? p->o.limit : "", at >= p->at && at < next ? "  <-" : "");
    }
}

// ---- one kernel ---------------------------------------------------------------------------------
static const char *const limit_name[SM_LIMIT_N] = {
#define X(name, text) text,
    SM_LIMITS(X)
#undef X
};

static void print_row(const struct view *v, const struct takes *k, uint32_t block,
                      const struct sm_occupancy *o) {
    const uint32_t most = v->limits->warps_per_sm;
    if (!v->shown)
        printf("%9s  %8s  %5s  %5s  %5s  %4s  %-13s  %s\n", "registers", "shared", "block", "CTAs",
               "warps", "%", "limited by", "kernel");
    printf("%9u  %8u  %5u  %5u  %5u  %4.0f  %-13s  %s\n", k->registers, shared_of(v->q, k), block,
           o->ctas, o->warps, most ? 100.0 * o->warps / most : 0, o->limit ? o->limit : "",
           text_printable(&v->c->arena, k->name, false));
}

// What a launch of so many blocks does with the chip.
static void print_waves(const struct view *v, const struct sm_occupancy *o) {
    const uint64_t at_once = (uint64_t)o->ctas * gpu_config_count(v->gpu, "sm_count");
    if (!at_once) return;
    const uint64_t rest = v->q->grid % at_once;
    printf("\n%u blocks: %llu at once on %llu SMs, %.2f waves", v->q->grid,
           (unsigned long long)at_once, (unsigned long long)gpu_config_count(v->gpu, "sm_count"),
           (double)v->q->grid / (double)at_once);
    if (rest)
        printf("; the last one of %llu blocks fills %.0f %% of the chip", (unsigned long long)rest,
               100.0 * (double)rest / (double)at_once);
    putchar('\n');
}

static void print_limits(const struct sm_occupancy *o) {
    printf("\nblocks that each would allow:");
    for (uint32_t i = 0; i < SM_LIMIT_N; i++)
        if (o->of[i] == UINT32_MAX)
            printf("%s %s any", i ? "," : "", limit_name[i]);
        else
            printf("%s %s %u", i ? "," : "", limit_name[i], o->of[i]);
    putchar('\n');
}

static json_t *point_json(uint32_t at, const char *what, const struct sm_occupancy *o) {
    return json_pack("{s:i,s:i,s:i,s:s}", what, (int)at, "ctas", (int)o->ctas, "warps",
                     (int)o->warps, "limited_by", o->limit ? o->limit : "");
}
static json_t *kernel_json(const struct view *v, const struct takes *k, uint32_t block,
                           const struct sm_occupancy *o) {
    json_t *limits = json_object(), *points = json_array();
    for (uint32_t i = 0; i < SM_LIMIT_N; i++)
        json_object_set_new(limits, limit_name[i],
                            o->of[i] == UINT32_MAX ? json_null() : json_integer(o->of[i]));
    const curve c = curve_of(v, k);
    for (uint32_t i = 0; i < c.n; i++)
        json_array_append_new(points, point_json(c.at[i].at, over_name[v->q->over], &c.at[i].o));
    return json_pack("{s:s,s:i,s:i,s:i,s:i,s:i,s:i,s:s,s:o,s:s,s:o}", "kernel",
                     text_printable(&v->c->arena, k->name, false), "registers", (int)k->registers,
                     "shared_bytes", (int)shared_of(v->q, k), "block", (int)block, "ctas",
                     (int)o->ctas, "warps", (int)o->warps, "warps_most",
                     (int)v->limits->warps_per_sm, "limited_by", o->limit ? o->limit : "",
                     "ctas_by", limits, "over", over_name[v->q->over], "curve", points);
}

static enum ww_status show(struct view *v, struct takes k) {
    if (v->q->registers) k.registers = v->q->registers;
    const uint32_t block = block_of(v, &k);
    if (block > k.threads_most)
        return diag_add(&v->c->diags, WW_ERROR_LAUNCH,
                        "%s takes blocks of at most %u threads, not of %u",
                        v->q->path ? text_printable(&v->c->arena, k.name, false) : gpu_config_name(v->gpu),
                        k.threads_most, block);
    const struct sm_occupancy o = gpu_occupancy(v->gpu, block, k.registers, shared_of(v->q, &k));
    if (v->q->json)
        json_array_append_new(v->list, kernel_json(v, &k, block, &o));
    else
        print_row(v, &k, block, &o);
    v->shown++;
    v->last = k;
    return WW_OK;
}
// Of one kernel, all that is known.
static void show_more(const struct view *v) {
    const uint32_t block = block_of(v, &v->last);
    const struct sm_occupancy o =
        gpu_occupancy(v->gpu, block, v->last.registers, shared_of(v->q, &v->last));
    print_limits(&o);
    if (v->q->grid) print_waves(v, &o);
    print_curve(v, &v->last);
}

// ---- kernels of a file --------------------------------------------------------------------------
static enum ww_status show_kernel(struct view *v, struct gpu_module *m, const char *name) {
    struct gpu_kernel *k;
    struct gpu_kernel_attributes a;
    enum ww_status s = gpu_kernel_find(m, name, &v->c->diags, &k);
    if (s == WW_OK) s = gpu_kernel_attributes(k, &v->c->diags, &a);
    if (s != WW_OK) return s;
    struct takes t = {.name = name,
                      .registers = a.registers,
                      .shared = a.shared_bytes,
                      .threads_most = a.max_threads_per_block,
                      .threads_fixed = a.required_threads != 0};
    return show(v, t);
}
static enum ww_status show_image(struct view *v, struct gpu *g, const char *image, size_t bytes,
                                 const struct gpu_module_options *o, bool *found) {
    struct gpu_module *m = NULL;
    const enum ww_status s = gpu_module_load(g, v->q->path, image, bytes, o, &v->c->diags, &m);
    if (s != WW_OK) return s;
    enum ww_status refused = WW_OK; // what the first kernel that is not understood ended with
    for (uint32_t i = 0; i < gpu_module_kernels(m); i++) {
        const char *name = gpu_module_kernel_name(m, i);
        if (v->q->entry && strcmp(v->q->entry, name) != 0) continue;
        *found = true;
        const enum ww_status one = show_kernel(v, m, arena_strdup(&v->c->arena, name));
        if (refused == WW_OK) refused = one;
    }
    gpu_module_unload(g, m);
    return refused;
}

// The entries of one container, or of all whose units are to be linked with each other.
static struct fatbin part_of(struct arena *a, const struct fatbin *f, uint32_t container,
                             bool to_link) {
    struct fatbin out = {.containers = to_link ? f->containers : 1};
    for (uint32_t i = 0; i < f->entry.n; i++) {
        struct fatbin_entry e = f->entry.at[i];
        if (e.to_link != to_link || (!to_link && e.container != container)) continue;
        if (!to_link) e.container = 0;
        vec_push(a, &out.entry, e);
    }
    return out;
}
static enum ww_status show_part(struct view *v, struct gpu *g, const struct fatbin *part,
                                bool *found) {
    struct arena a; // a library's whole content would not fit at once
    arena_init(&a, NULL);
    struct fatbin_choice choice = {0};
    const uint32_t arch = gpu_config_arch(v->gpu);
    const struct fatbin_wish w = {
        .arch = arch, .ptx_arch = arch, .code = v->q->code, .is_checked = gpu_code_is_checked};
    bool any = false;
    enum ww_status s = fatbin_has_kernels(&a, part, v->q->path, &v->c->diags, &any);
    if (s == WW_OK && any) s = fatbin_pick(&a, part, v->q->path, &w, &v->c->diags, &choice);
    if (s == WW_OK && any && !choice.image) {
        char text[512];
        s = diag_add(&v->c->diags, WW_ERROR_UNSUPPORTED, "%s",
                     session_no_code(g, v->q->path, part, &choice, text, sizeof text));
    }
    const struct gpu_module_options o = {.ptx = choice.beside, .ptx_bytes = choice.beside_bytes};
    if (s == WW_OK && choice.image) s = show_image(v, g, choice.image, choice.bytes, &o, found);
    arena_free(&a);
    return s;
}
static enum ww_status show_file(struct view *v, struct gpu *g) {
    struct cli *const c = v->c;
    const char *const path = v->q->path;
    char *text;
    size_t len;
    struct fatbin f = {0};
    enum ww_status s = file_read(&c->arena, path, (size_t)4 << 30, &text, &len, &c->diags);
    if (s == WW_OK) s = fatbin_check_file(text, len, path, &c->diags);
    if (s == WW_OK && len >= 4 && fatbin_image(text) == FATBIN_IMAGE_ELF &&
        !fatbin_is_cubin(text, len))
        s = fatbin_read_elf(&c->arena, path, &c->diags, &f);
    else if (s == WW_OK)
        s = fatbin_read_image(&c->arena, text, len, path, &c->diags, &f);
    if (s == WW_OK && !f.entry.n)
        s = diag_add(&c->diags, WW_ERROR_USAGE, "%s holds no device code", path);
    if (s != WW_OK) return s;
    bool found = false;
    enum ww_status refused = WW_OK;
    for (uint32_t i = 0; i <= f.containers; i++) { // the last turn: units that are linked
        const struct fatbin part = part_of(&c->arena, &f, i, i == f.containers);
        if (!part.entry.n) continue;
        const enum ww_status one = show_part(v, g, &part, &found);
        if (refused == WW_OK) refused = one;
    }
    if (refused == WW_OK && !found)
        return v->q->entry
                   ? diag_add(&c->diags, WW_ERROR_USAGE, "%s has no kernel `%s`", path, v->q->entry)
                   : diag_add(&c->diags, WW_ERROR_USAGE, "%s has no kernel", path);
    return refused;
}

// The kernels of a workload, whose PTX lies beside its program (but for size `volta`). False: there is no such workload, or a file has the name.
static bool show_workload(struct view *v, struct gpu *g, enum ww_status *s) {
    struct cli *const c = v->c;
    const char *const name = v->q->path;
    struct workload *list;
    uint32_t n;
    if (access(name, F_OK) == 0 || strchr(name, '/') || workloads_list(c, &list, &n) != WW_OK) return false;
    const struct workload *w = NULL;
    for (uint32_t i = 0; i < n && !w; i++)
        if (workload_is(&list[i], name)) w = &list[i];
    if (!w) return false;
    if (!w->program) {
        *s = diag_add(&c->diags, WW_ERROR_USAGE, "workload %s was not built: its target of the build, workload_%s, needs clang",
                      w->name, w->name);
        return true;
    }
    v->q->path = arena_printf(&c->arena, "%s.ptx", w->program);
    *s = show_file(v, g);
    return true;
}

// ---- the command --------------------------------------------------------------------------------
static enum ww_status number(struct cli *c, const char *name, const char *value, uint32_t least,
                             uint32_t *out) {
    uint64_t n;
    if (!text_to_u64(value, &n) || n < least || n > INT32_MAX)
        return diag_add(&c->diags, WW_ERROR_USAGE,
                        "%s is `%s`; it must be a whole number from %u on", name, value, least);
    *out = (uint32_t)n;
    return WW_OK;
}
// The threads of a block, as run's --block has them.
static enum ww_status threads_of(struct cli *c, const char *value, uint32_t *out) {
    char *copy = arena_strdup(&c->arena, value), *save = NULL;
    uint64_t all = 1, n;
    uint32_t words = 0;
    bool is = *value && value[strlen(value) - 1] != ',' && *value != ',' && !strstr(value, ",,");
    for (char *w = strtok_r(copy, ",", &save); w && is; w = strtok_r(NULL, ",", &save)) {
        is = text_to_u64(w, &n) && n >= 1 && n <= INT32_MAX && ++words <= 3;
        if (is) all *= n;
        is = is && all <= INT32_MAX;
    }
    if (!is)
        return diag_add(&c->diags, WW_ERROR_USAGE,
                        "--block is `%s`; it must be one to three whole numbers from 1 on, X[,Y[,Z]]", value);
    *out = (uint32_t)all;
    return WW_OK;
}

static enum ww_status take(struct cli *c, struct question *q, int o, const char *value) {
    switch (o) {
    case CLI_WORD: q->path = value; break;
    case OPT_ENTRY: q->entry = value; break;
    case OPT_JSON: q->json = true; break;
    case OPT_BLOCK: return threads_of(c, value, &q->block);
    case OPT_SHARED: return number(c, "--shared", value, 0, &q->shared);
    case OPT_REGISTERS: return number(c, "--registers", value, 1, &q->registers);
    case OPT_GRID: return number(c, "--grid", value, 1, &q->grid);
    case OPT_CODE:
        if (!fatbin_code_named(value, &q->code))
            return diag_add(&c->diags, WW_ERROR_USAGE,
                            "--code is `%s`; it must be auto, sass or ptx", value);
        break;
    case OPT_OVER:
        for (q->over = 0; q->over < OVER_N && strcmp(value, over_name[q->over]) != 0;) q->over++;
        if (q->over == OVER_N)
            return diag_add(&c->diags, WW_ERROR_USAGE,
                            "--over is `%s`; it must be block, shared or registers", value);
        break;
    default: break;
    }
    return WW_OK;
}

int cmd_occupancy(struct cli *c, int argc, char **argv) {
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    const char *gpu = SESSION_GPU, *overrides[SESSION_MAX_OVERRIDES];
    uint32_t n_overrides = 0;
    struct question q = {0};
    enum ww_status s = WW_OK;
    for (;;) {
        const char *value = NULL;
        const int o = cli_next(&args, &spec_occupancy, &value);
        if (o == CLI_STOP) return args.code;
        if (o == CLI_END) break;
        if (o == OPT_GPU) gpu = value;
        if (o == OPT_SET && n_overrides < SESSION_MAX_OVERRIDES) overrides[n_overrides++] = value;
        if ((s = take(c, &q, o, value)) != WW_OK) return cli_fail(c, s);
    }
    if (!q.path && args.at < argc) q.path = argv[args.at];
    if (!q.path && !q.registers)
        return cli_usage("occupancy needs a file with kernels, or --registers");
    struct gpu_config *const config = gpu_config_new(&c->arena);
    s = gpu_config_load(gpu, overrides, n_overrides, &c->diags, config);
    struct gpu_options o;
    gpu_options_init(&o);
    struct gpu *g = NULL;
    if (s == WW_OK) s = gpu_create(config, &o, &c->diags, &g);
    if (s != WW_OK) return cli_fail(c, s);
    const uint32_t most = gpu_limits_of(g)->registers_per_thread;
    if (q.registers > most) {
        gpu_destroy(g);
        return cli_usage("a thread of %s has at most %u registers, not %u", gpu_config_name(config),
                         most, q.registers);
    }
    struct view v = {
        .c = c, .q = &q, .gpu = config, .limits = gpu_limits_of(g), .list = json_array()};
    if (q.path && !show_workload(&v, g, &s))
        s = show_file(&v, g);
    else if (!q.path)
        s = show(&v, (struct takes){.name = "-", .threads_most = v.limits->threads_per_block});
    if (v.shown == 1 && !q.json) show_more(&v);
    if (v.shown > 1 && !q.json && s == WW_OK)
        printf(
            "\nof one kernel (--entry NAME) also: what each resource would allow, and the curve\n");
    if (q.json && s == WW_OK) cli_print_json("occupancy", v.list);
    json_decref(v.list);
    gpu_destroy(g);
    return s == WW_OK ? 0 : cli_fail(c, s);
}
