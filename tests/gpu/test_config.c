// GPU files: every one loads, every value has a source, and what is wrong gets a sentence with a
// place.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>

#include "gpu/limits.h"
#include "mem/mem.h"
#include "gpu/config_int.h"
#include "gpu/technique.h"
#include "savings/savings.h"

// Every file of gpus/, found in group_setup.
static struct gpu_listing *files;
static const char *all[64];
static uint32_t n_all;
static struct arena files_arena;

static enum ww_status load(const char *name, const char *override, char *error, size_t size,
                           struct gpu_config *c) {
    struct diags d;
    diags_init(&d);
    const enum ww_status s = gpu_config_load(name, &override, override ? 1 : 0, &d, c);
    diags_first(&d, error, size);
    diags_free(&d);
    return s;
}

static void every_file_loads(void **state) {
    (void)state;
    for (size_t i = 0; i < n_all; i++) {
        struct gpu_config c;
        char error[512];
        if (load(all[i], NULL, error, sizeof error, &c) != WW_OK) fail_msg("%s", error);
        assert_string_equal(c.name, all[i]);
        struct diags d;
        diags_init(&d);
        assert_int_equal(gpu_config_check(&c, &d), WW_OK);
        diags_free(&d);
    }
    assert_true(n_all >= 5);
    for (uint32_t i = 0; i < n_all; i++)
        assert_string_not_equal(files[i].description, "this file does not load");
}

static void bases_stack(void **state) {
    (void)state;
    struct gpu_config a, b, c;
    char error[512];
    load("gtx480", NULL, error, sizeof error, &a);
    load("gtx480-16sm", NULL, error, sizeof error, &b);
    load("gtx580", NULL, error, sizeof error, &c);
    assert_int_equal(a.sm_count, 15);
    assert_int_equal(b.sm_count, 16);
    assert_memory_equal(&a.sm, &b.sm, sizeof a.sm);
    assert_memory_equal(&a.mem, &b.mem, sizeof a.mem);
    assert_int_equal(c.sm_count, 16);
    assert_int_equal(c.sm.max_warps, a.sm.max_warps);
    assert_true(c.clocks.core_mhz == 772 && c.sm.core_clock_mhz == 772);
    assert_int_equal(c.mem.dram.rcd, 13);
    assert_int_equal(c.mem.dram.banks, 16);
}

// A printed configuration reads back as the same one.
static void printing_reads_back(void **state) {
    (void)state;
    for (size_t i = 0; i < n_all; i++) {
        struct gpu_config c, again;
        char error[512];
        load(all[i], NULL, error, sizeof error, &c);
        char path[] = "/tmp/ww_config_XXXXXX.yaml";
        const int fd = mkstemps(path, 5);
        assert_true(fd >= 0);
        FILE *f = fdopen(fd, "w");
        gpu_config_print(&c, f);
        fclose(f);
        if (load(path, NULL, error, sizeof error, &again) != WW_OK) fail_msg("%s", error);
        memcpy(again.path, c.path, sizeof c.path);
        memcpy(again.name, c.name, sizeof c.name);
        assert_true(!again.has_base);
        again.has_base = c.has_base;
        assert_memory_equal(&c, &again, sizeof c);
        unlink(path);
    }
}

static void overrides_reach_every_kind(void **state) {
    (void)state;
    static const char *const set[] = {"sm.schedulers=4", "sm.scheduler=two_level",
                                      "clocks.dram_mhz=1000.5", "mem.partition_hash=false",
                                      "sm.timing.fp_add.latency=5", "sm.l1d.bytes=32k"};
    struct diags d;
    diags_init(&d);
    struct gpu_config c;
    const enum ww_status s = gpu_config_load("gtx480", set, WW_COUNT(set), &d, &c);
    diags_print(&d, stderr);
    assert_int_equal(s, WW_OK);
    assert_int_equal(c.sm.schedulers, 4);
    assert_int_equal(c.sm.scheduler, SCHED_TWO_LEVEL);
    assert_true(c.clocks.dram_mhz == 1000.5 && c.mem.dram.clock_mhz == 1000.5);
    assert_false(c.mem.partition_hash);
    assert_int_equal(c.sm.timing[OPC_FP_ADD].latency, 5);
    assert_int_equal(c.sm.l1d.bytes, 32768);
    char buf[64];
    assert_true(gpu_config_get(&c, "sm.scheduler", buf, sizeof buf));
    assert_string_equal(buf, "two_level");
    assert_true(gpu_config_get(&c, "sm.timing.fp_add.latency", buf, sizeof buf));
    assert_string_equal(buf, "5");
    assert_false(gpu_config_get(&c, "sm.nothing", buf, sizeof buf));
    diags_free(&d);
}

// Every row of scheduler.def is a value of sm.scheduler; what a scheduler lacks is refused.
static void schedulers(void **state) {
    (void)state;
    const struct {
        const char *name;
        bool has_set, has_groups, may_share; // as their papers and files have them
    } known[] = {{"lrr", false, false, true},
                 {"gto", false, false, false},
                 {"two_level", true, false, true},
                 {"fetch_group", false, true, false},
                 {"cta_aware", false, true, false},
                 {"gty", false, false, false}};
    assert_int_equal(WW_COUNT(known), SCHED_KINDS);
    for (uint32_t i = 0; i < SCHED_KINDS; i++) {
        char name[64];
        snprintf(name, sizeof name, "sm.scheduler=%s", known[i].name);
        // gtx480 has two schedulers: a set or a group of one warp is too small for them
        const char *const sets[][2] = {{name, "sm.active_warps=1"}, {name, "sm.group_warps=1"},
                                       {name, "sm.shared_warps=true"}};
        const bool good[] = {!known[i].has_set, !known[i].has_groups, known[i].may_share};
        for (uint32_t k = 0; k < WW_COUNT(sets); k++) {
            struct diags d;
            struct gpu_config c;
            diags_init(&d);
            const bool loads = gpu_config_load("gtx480", sets[k], 2, &d, &c) == WW_OK;
            if (loads != good[k]) fail_msg("%s with %s", sets[k][0], sets[k][1]);
            if (loads) assert_int_equal(c.sm.scheduler, i);
            diags_free(&d);
        }
    }
}

// { override, what the message must hold }
static void wrong_overrides(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"sm.schedulrs=4", "there is no key sm.schedulrs; did you mean sm.schedulers?"},
        {"schedulers=4", "there is no key schedulers"},
        {"sm.schedulers", "expected key=value"},
        {"=4", "expected key=value"},
        {"sm..schedulers=4", "a part of the key is empty"},
        {"sm.schedulers=many", "must be a whole number"},
        {"sm.schedulers=-1", "must be a whole number"},
        {"sm.schedulers=2.5", "must be a whole number"},
        {"sm.schedulers=99", "must be from 1 to 8"},
        {"sm.schedulers=5", "does not divide 48 warps"},
        {"sm.scheduler=fifo", "must be lrr, gto, two_level, fetch_group, cta_aware or gty, not 'fifo'"},
        {"clocks.core_mhz=fast", "must be a number of MHz, not 'fast'"},
        {"clocks.core_mhz=1.5x", "must be a number"},
        {"clocks.core_mhz=nan", "must be a number"},
        {"mem.partition_hash=maybe", "must be true or false"},
        {"sm=4", "must be a section of keys"},
        {"sm.schedulers.x=4", "must be a single value"},
        {"sm.l1d.ways=3", "not a whole number of sets"},
        {"sm.l1d.bytes=0", "needs a cache, but sm.l1d.bytes is 0"},
        {"sm.l1d.write_back=true", "contradicts write_back"},
        {"sm.gen=kepler", "does not belong to compute capability 2.0"},
        {"max_registers=255", "but this generation encodes 63"},
        {"sm.max_threads=2048", "which 48 warps of 32 threads do not hold"},
        {"clocks.hot_mhz=1000", "not a whole multiple of core_mhz"},
        {"mem.quantum=1000", "but a reply may take only"},
        {"mem.dram.ras=5", "less than rcd"},
        {"mem.net.kind=mesh", "must not be 0 in a mesh"},
        {"sm.schedulers=4: 5", "expected key=value"},
        {"base=gtx580", NULL},
    };
    for (size_t i = 0; i < WW_COUNT(cases); i++) {
        struct gpu_config c;
        char error[512];
        const enum ww_status s = load("gtx480", cases[i][0], error, sizeof error, &c);
        if (!cases[i][1]) continue;
        if (s == WW_OK || !strstr(error, cases[i][1]) || !strstr(error, "-s "))
            fail_msg("-s %s: expected '%s', got '%s'", cases[i][0], cases[i][1], error);
    }
}

// { GPU, override, another, what the message must hold }
static void wrong_pairs(void **state) {
    (void)state;
    static const char *const cases[][4] = {
        {"gtx480", "sm.lane_group_at=late", "", "must be issue or entry, not 'late'"},
        {"gtx480", "sm.lane_group_at=entry", "sm.read_latency=0",
         "needs a read_latency of 1 at least, not 0"},
        {"gtx480-micro46", "sm.lane_group_at=entry", "sm.read_latency=1",
         "needs a read_latency of 2 at least, not 1"},
        {"gtx480-micro46", "sm.lane_group_at=entry", "sm.collector_ahead=3",
         "collector_ahead is 3: 2 at most"},
        {"gt240", "sm.lane_group_at=entry", "",
         "with shared_on_lanes an access to shared memory needs its lane group at issue"},
        {"gtx780", "sm.lane_group_at=entry", "sm.collector_ahead=2", NULL},
    };
    for (size_t i = 0; i < WW_COUNT(cases); i++) {
        struct gpu_config c;
        struct diags d;
        char error[512] = "";
        diags_init(&d);
        const enum ww_status s =
            gpu_config_load(cases[i][0], &cases[i][1], cases[i][2][0] ? 2 : 1, &d, &c);
        diags_first(&d, error, sizeof error);
        assert_int_equal(s == WW_OK, cases[i][3] == NULL);
        if (cases[i][3] && !strstr(error, cases[i][3]))
            fail_msg("expected '%s', got '%s'", cases[i][3], error);
        diags_free(&d);
    }
}

// A kind of memory gives what the file leaves out, for the file's clock; what it does not know must
// be given.
static void kinds_of_memory(void **state) {
    (void)state;
    static const char *const blank[] = {
        "bus_bits", "burst_length", "data_rate", "banks", "bank_groups", "row_bytes",
        "cl",       "wl",           "rcd",       "rp",    "ras",         "rc",
        "rrd",      "faw",          "ccd_s",     "ccd_l", "rtp",         "wr",
        "wtr",      "rtw",          "refi",      "rfc"};
    static const struct {
        const char *kind;
        double mhz;
        uint32_t burst_bytes, cl, ras, rc, ccd_s, rtw, refi; // by hand; cl 0: it is refused
    } row[] = {
        {"gddr5", 924, 32, 12, 28, 40, 2, 12, 3604},
        {"gddr5", 1848, 32, 24, 56, 80, 2, 24, 7208}, // the array's times are the same
        {"ddr3", 450, 16, 7, 16, 23, 4, 4, 3510},
        {"gddr6", 3500, 32, 20, 50, 70, 4, 18, 13650},
        {"hbm2", 850, 32, 12, 28, 40, 1, 13, 3315},
        {"hbm3", 1307.5, 32, 19, 44, 63, 2, 19, 5100},
        {"hbm3e", 1600, 32, 23, 54, 77, 2, 22, 6240},
        {"gddr6x", 5250, 32, 30, 75, 105, 4, 24, 20475},
        {"gddr3", 1000, 0, 0, 0, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        char text[WW_COUNT(blank) + 2][64];
        const char *set[WW_COUNT(text)];
        for (size_t k = 0; k < WW_COUNT(blank); k++)
            snprintf(text[k], sizeof text[k], "mem.dram.%s=0", blank[k]);
        snprintf(text[WW_COUNT(blank)], sizeof text[0], "mem.dram.kind=%s", row[i].kind);
        snprintf(text[WW_COUNT(blank) + 1], sizeof text[0], "clocks.dram_mhz=%g", row[i].mhz);
        for (size_t k = 0; k < WW_COUNT(text); k++) set[k] = text[k];
        struct gpu_config c;
        struct diags d;
        char error[512] = "";
        diags_init(&d);
        const enum ww_status s = gpu_config_load("gtx480", set, WW_COUNT(set), &d, &c);
        diags_first(&d, error, sizeof error);
        diags_free(&d);
        if (row[i].cl == 0) {
            assert_int_equal(s, WW_ERROR_CONFIG);
            assert_non_null(strstr(error, "mem.dram.cl must be given: of gddr3 it is not known"));
            continue;
        }
        if (s != WW_OK) fail_msg("%s: %s", row[i].kind, error);
        const struct dram_config *const r = &c.mem.dram;
        assert_int_equal(r->bus_bits / 8 * r->burst_length, row[i].burst_bytes);
        assert_int_equal(r->cl, row[i].cl);
        assert_int_equal(r->ras, row[i].ras);
        assert_int_equal(r->rc, row[i].rc);
        assert_int_equal(r->ccd_s, row[i].ccd_s);
        assert_int_equal(r->rtw, row[i].rtw);
        assert_int_equal(r->refi, row[i].refi);
        struct mem_system *m; // and the memory system takes it
        diags_init(&d);
        assert_int_equal(mem_system_create(&c.mem, 2, c.clocks.core_mhz, &d, &m), WW_OK);
        mem_system_destroy(m);
        diags_free(&d);
    }
    static const char *const hbm[] = {"mem.dram.kind=hbm3"}; // what the file says stays
    struct gpu_config c;
    struct diags d;
    diags_init(&d);
    assert_int_equal(gpu_config_load("gtx480", hbm, 1, &d, &c), WW_OK);
    assert_int_equal(c.mem.dram.cl, 12);
    diags_free(&d);
}

static void wrong_files(void **state) {
    (void)state;
    // text after `base: gtx480`, "line:" and what the message must hold
    static const char *const cases[][2] = {
        {"sm:\n  max_warps: 48\n  max_warp: 48\n",
         ":4:3: there is no key sm.max_warp; did you mean sm.max_warps?"},
        {"sm:\n  max_warps: lots\n",
         ":3:3: sm.max_warps must be a whole number of warps, not 'lots'"},
        {"sm:\n  max_warps: 3.5\n", ":3:3: sm.max_warps must be a whole number"},
        {"sm:\n  max_warps:\n", ":3:3: sm.max_warps must be a whole number"},
        {"sm:\n  max_warps: 48\n  max_warps: 32\n", "sm.max_warps stands here more than once"},
        {"sm: 5\n", ":2:1: sm must be a section of keys"},
        {"sm:\n  max_warps: {a: 1}\n", ":3:3: sm.max_warps must be a single value"},
        {"sm:\n  timing:\n    fp_add: {latency: 4, intervl: 1}\n",
         "4:26: there is no key sm.timing.fp_add.intervl; did you mean sm.timing.fp_add.interval?"},
        {"sm:\n  l1d:\n    ways: 5\n",
         ":4:5: sm.l1d.bytes is 16384, which is not a whole number of sets"},
        {"sm:\n  collectors: 0\n", ":3:3: sm.collectors must be from 1 to 64 units, not 0"},
        {"sm:\n\tmax_warps: 48\n", "this is not YAML"},
        {"sm: {max_warps: 48\n", "this is not YAML"},
        {"schedulers: 4\n", ":2:1: there is no key schedulers"},
    };
    for (size_t i = 0; i < WW_COUNT(cases); i++) {
        char path[] = "/tmp/ww_config_XXXXXX.yaml";
        const int fd = mkstemps(path, 5);
        FILE *f = fdopen(fd, "w");
        fprintf(f, "base: gtx480\n%s", cases[i][0]);
        fclose(f);
        struct gpu_config c;
        char error[512];
        const enum ww_status s = load(path, NULL, error, sizeof error, &c);
        unlink(path);
        if (s != WW_ERROR_CONFIG || !strstr(error, cases[i][1]) ||
            strncmp(error, path, strlen(path)) != 0)
            fail_msg("case %zu: expected '%s', got '%s'", i, cases[i][1], error);
    }
}

static void missing_things(void **state) {
    (void)state;
    struct gpu_config c;
    char error[512];
    assert_int_equal(load("gtx4800", NULL, error, sizeof error, &c), WW_ERROR_CONFIG);
    assert_string_equal(error, "there is no GPU gtx4800; did you mean gtx480?");
    assert_int_equal(load("/nowhere/x.yaml", NULL, error, sizeof error, &c), WW_ERROR_CONFIG);
    assert_string_equal(error, "there is no GPU file /nowhere/x.yaml");
    char path[] = "/tmp/ww_config_XXXXXX.yaml";
    FILE *f = fdopen(mkstemps(path, 5), "w");
    fprintf(f, "product: X\n");
    fclose(f);
    assert_int_equal(load(path, NULL, error, sizeof error, &c), WW_ERROR_CONFIG);
    assert_non_null(strstr(error, "chip is missing: name of the chip"));
    f = fopen(path, "w");
    fprintf(f, "base: %s\n", path);
    fclose(f);
    assert_int_equal(load(path, NULL, error, sizeof error, &c), WW_ERROR_CONFIG);
    assert_non_null(strstr(error, "do they name each other?"));
    f = fopen(path, "w");
    fprintf(f, "base: nobody\n");
    fclose(f);
    assert_int_equal(load(path, NULL, error, sizeof error, &c), WW_ERROR_CONFIG);
    assert_non_null(strstr(error, "its base nobody is not there"));
    unlink(path);
}

// Every value of every GPU file says where it comes from: `# [tag] ...` with a tag of `sources:`
// (of the file or of a base), or `# assumed: why`, `# derived: how`, `# fitted: to what`.
static bool has_tag(const char *name, const char *tag, size_t n) {
    char path[1024];
    snprintf(path, sizeof path, "%s/gpus/%s.yaml", WW_SOURCE_DIR, name);
    struct arena a;
    arena_init(&a, NULL);
    struct diags d;
    diags_init(&d);
    struct config_layer l = {.file = path};
    char *text;
    assert_int_equal(file_read(&a, path, 1 << 20, &text, &l.len, &d), WW_OK);
    l.text = text;
    assert_int_equal(config_layer_parse(&l, &d), WW_OK);
    bool found = false;
    const char *prose;
    for (uint32_t i = 0; i < config_layer_source_count(&l); i++) {
        const char *t = config_layer_source(&l, i, &prose);
        found |= strlen(t) == n && strncmp(t, tag, n) == 0;
    }
    if (!found && config_layer_base(&l)) found = has_tag(config_layer_base(&l), tag, n);
    config_layer_free(&l);
    diags_free(&d);
    arena_free(&a);
    return found;
}

static void every_value_has_a_source(void **state) {
    (void)state;
    for (size_t g = 0; g < n_all; g++) {
        char path[1024], line[1024];
        snprintf(path, sizeof path, "%s/gpus/%s.yaml", WW_SOURCE_DIR, all[g]);
        FILE *f = fopen(path, "r");
        assert_non_null(f);
        for (int at = 1; fgets(line, sizeof line, f); at++) {
            const char *p = line + strspn(line, " ");
            if (*p == '#' || *p == '\n' || *p == '-') continue;
            const char *hash = strstr(p, "  # ");
            const char *value = strchr(p, ':') + 1;
            value += strspn(value, " ");
            const bool is_section = *value == '\n' || *value == '#';
            if (is_section || strncmp(p, "base:", 5) == 0) continue;
            if (!hash) fail_msg("%s:%d: no source", path, at);
            hash += 4;
            if (strncmp(hash, "assumed: ", 9) == 0 || strncmp(hash, "derived: ", 9) == 0 ||
                strncmp(hash, "fitted: ", 8) == 0)
                continue;
            if (*hash != '[') fail_msg("%s:%d: what kind of source is '%s'", path, at, hash);
            for (const char *tag = hash; (tag = strchr(tag, '[')); tag++)
                if (!has_tag(all[g], tag + 1, strcspn(tag + 1, "]")))
                    fail_msg("%s:%d: no source has the tag %s", path, at, tag);
        }
        fclose(f);
    }
}

static void keys_are_described(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL);
    const struct gpu_key *keys;
    const uint32_t n = gpu_config_keys(&a, &keys);
    assert_true(n > 200);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(keys[i].path[0] && keys[i].prose[0] && keys[i].type[0]);
        for (uint32_t k = 0; k < i; k++) assert_string_not_equal(keys[i].path, keys[k].path);
    }
    arena_free(&a);
}

static void limits_follow_capability(void **state) {
    (void)state;
    struct gpu_config c;
    char error[512];
    struct gpu_limits l;
    load("gt240", NULL, error, sizeof error, &c);
    gpu_config_limits(&c, &l);
    assert_int_equal(l.threads_per_block, 512);
    assert_int_equal(l.grid[2], 1);
    assert_false(l.doubles);
    load("gtx480", NULL, error, sizeof error, &c);
    gpu_config_limits(&c, &l);
    assert_int_equal(l.threads_per_block, 1024);
    assert_int_equal(l.grid[0], 65535);
    load("gtx780", NULL, error, sizeof error, &c);
    gpu_config_limits(&c, &l);
    assert_int_equal(l.grid[0], 2147483647);
    assert_int_equal(l.registers_per_thread, 255);
    // CUDA C++ Programming Guide 12.3: 48 KB a block, on 7.x more if the kernel asks for it
    const struct { const char *name; uint32_t usual, most, sm; } row[] = {
        {"gtx780", 48, 48, 48}, {"titanx-pascal", 48, 48, 96}, {"v100", 48, 96, 96}, {"rtx2060s", 48, 64, 64}};
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        load(row[i].name, NULL, error, sizeof error, &c);
        gpu_config_limits(&c, &l);
        assert_int_equal(l.shared_per_block, row[i].usual << 10);
        assert_int_equal(l.shared_optin, row[i].most << 10);
        assert_int_equal(l.shared_per_sm, row[i].sm << 10);
    }
}

static int find_files(void **state) {
    (void)state;
    struct diags d;
    diags_init(&d);
    arena_init(&files_arena, NULL);
    const enum ww_status s = gpu_config_list(&files_arena, &files, &n_all, &d);
    diags_print(&d, stderr);
    diags_free(&d);
    if (s != WW_OK || n_all > WW_COUNT(all)) return -1;
    for (uint32_t i = 0; i < n_all; i++) all[i] = files[i].name;
    return 0;
}

static int forget_files(void **state) {
    (void)state;
    arena_free(&files_arena);
    return 0;
}

// ---- old names of keys -----------------------------------------------------------------------
static uint32_t notes_of(const struct diags *d, const char *words) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->list.n; i++)
        n += d->list.at[i].severity == DIAG_NOTE && strstr(d->list.at[i].text, words) != NULL;
    return n;
}

static void write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

// clang-format off
// A setting, or a file with `sm` in its section sm, by old names and by those of today.
static void old_names_of_the_sm(void **state) {
    (void)state;
    static const struct { const char *sm, *override[2], *key, *value, *note, *error; } row[] = {
        {"clusters: 3", {NULL}, "sm.lane_groups", "3", "sm.clusters is now called sm.lane_groups", NULL},
        {"cluster_at: entry", {NULL}, "sm.lane_group_at", "entry",
         "sm.cluster_at is now called sm.lane_group_at", NULL},
        {"lane_groups: 3", {NULL}, "sm.lane_groups", "3", NULL, NULL},
        {"sfus: 1", {"sm.clusters=5"}, "sm.clusters", "5",
         "sm.clusters is now called sm.lane_groups", NULL},
        {"clusters: 3", {"sm.lane_groups=5"}, "sm.lane_groups", "5",
         "sm.clusters is now called sm.lane_groups", NULL}, // a layer over another
        {"lane_groups: 3", {"sm.clusters=5"}, "sm.lane_groups", "5",
         "sm.clusters is now called sm.lane_groups", NULL},
        {"clusters: 3\n  lane_groups: 3", {NULL}, NULL, NULL, NULL,
         "old.yaml:3:3: sm.clusters is the old name of sm.lane_groups, and both are given"},
        {"sfus: 1", {"sm.clusters=3", "sm.lane_groups=3"}, NULL, NULL, NULL,
         "-s sm.clusters=3: sm.clusters is the old name of sm.lane_groups, and both are given"},
        {"clusters: 99", {NULL}, NULL, NULL, NULL, "old.yaml:3:3: sm.lane_groups must be from 1 to 8"},
    };
    char dir[] = "/tmp/ww_old_names_XXXXXX", path[64], text[256], error[512];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/old.yaml", dir);
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        snprintf(text, sizeof text, "base: gtx480-micro46\nsm:\n  %s\n", row[i].sm);
        write_file(path, text);
        struct gpu_config c;
        struct diags d;
        diags_init(&d);
        const uint32_t n = row[i].override[0] == NULL ? 0 : row[i].override[1] == NULL ? 1 : 2;
        const enum ww_status s = gpu_config_load(path, row[i].override, n, &d, &c);
        diags_first(&d, error, sizeof error);
        if (row[i].error != NULL) {
            assert_int_equal(s, WW_ERROR_CONFIG);
            if (!strstr(error, row[i].error)) fail_msg("%s, not %s", error, row[i].error);
        } else {
            if (s != WW_OK) fail_msg("%s", error);
            assert_true(gpu_config_get(&c, row[i].key, text, sizeof text));
            assert_string_equal(text, row[i].value);
            assert_int_equal(d.list.n, row[i].note != NULL);
            if (row[i].note != NULL) assert_int_equal(notes_of(&d, row[i].note), 1);
        }
        diags_free(&d);
    }
    unlink(path);
    rmdir(dir);
}

// A technique's file and settings of its options by old names.
static void old_names_of_techniques(void **state) {
    (void)state;
    static const struct { const char *lists, *override, *error; uint32_t sms, groups, notes; } row[] = {
        {"options:\n  - {name: cluster_sms, value: 4, source: x}\n", NULL, NULL, 4, 2, 1},
        {"options:\n  - {name: cluster_sms, value: 4, source: x}\n",
         "savings.front_end_group_sms=2", NULL, 2, 2, 1},
        {"options:\n  - {name: front_end_group_sms, value: 4, source: x}\n", "savings.cluster_sms=2",
         NULL, 2, 2, 1},
        {"gpu:\n  - {name: sm.clusters, value: 3, source: x}\n", NULL, NULL, 2, 3, 1},
        {"gpu:\n  - {name: sm.clusters, value: 3, source: x}\n", "sm.lane_groups=4", NULL, 2, 4, 1},
        {"options:\n  - {name: cluster_sms, value: 4, source: x}\n"
         "  - {name: front_end_group_sms, value: 4, source: x}\n", NULL,
         "savings.cluster_sms is the old name of savings.front_end_group_sms, and both are given"},
    };
    // clang-format on
    char dir[] = "/tmp/ww_old_names_XXXXXX", path[64], text[512];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/old.yaml", dir);
    for (size_t i = 0; i < WW_COUNT(row); i++) {
        snprintf(text, sizeof text, "description: x\npaper: x\nmechanisms: [front-end-sharing]\n%s",
                 row[i].lists);
        write_file(path, text);
        struct gpu_config c;
        struct savings made;
        struct diags d;
        diags_init(&d);
        const enum ww_status s = technique_configure("gtx480-16sm", path, &row[i].override,
                                                     row[i].override != NULL, &d, &c, &made);
        diags_first(&d, text, sizeof text);
        if (row[i].error != NULL) {
            assert_int_equal(s, WW_ERROR_CONFIG);
            if (!strstr(text, row[i].error)) fail_msg("%s, not %s", text, row[i].error);
        } else {
            if (s != WW_OK) fail_msg("%s", text);
            assert_int_equal(savings_value(&made, "front_end_group_sms"), row[i].sms);
            assert_int_equal(c.sm.lane_groups, row[i].groups);
            assert_int_equal(notes_of(&d, "is now called"), row[i].notes);
        }
        diags_free(&d);
    }
    unlink(path);
    rmdir(dir);
}

int main(void) {
    setenv("WARPWATT_GPUS", WW_SOURCE_DIR "/gpus", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_loads),
        cmocka_unit_test(bases_stack),
        cmocka_unit_test(printing_reads_back),
        cmocka_unit_test(overrides_reach_every_kind),
        cmocka_unit_test(schedulers),
        cmocka_unit_test(wrong_overrides),
        cmocka_unit_test(wrong_pairs),
        cmocka_unit_test(wrong_files),
        cmocka_unit_test(missing_things),
        cmocka_unit_test(every_value_has_a_source),
        cmocka_unit_test(keys_are_described),
        cmocka_unit_test(kinds_of_memory),
        cmocka_unit_test(old_names_of_the_sm),
        cmocka_unit_test(old_names_of_techniques),
        cmocka_unit_test(limits_follow_capability),
    };
    return cmocka_run_group_tests(tests, find_files, forget_files);
}
