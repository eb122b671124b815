// A device that is asked for what it cannot do, or that is cut off: a sentence and a status each
// time, and it works on afterwards.
#include "test_gpu.h"

#include <fenv.h>

#include <pthread.h>
#include <unistd.h>

static void open_gtx480(struct bench *b, const struct gpu_options *o) {
    bench_open(b, "gtx480", o, NULL);
    bench_file(b, WW_TEST_DIR "/kernels.ptx");
}

static void expect(struct bench *b, enum ww_status s, enum ww_status want, const char *text) {
    char first[1024];
    diags_first(&b->diags, first, sizeof first);
    if (s != want || !strstr(first, text))
        fail_msg("expected %s with '%s', got %s with '%s'", ww_status_text(want), text,
                 ww_status_text(s), first);
    diags_free(&b->diags);
    diags_init(&b->diags);
}

// It works: a small vecadd.
static void expect_alive(struct bench *b) {
    float x[64], z[64];
    for (int i = 0; i < 64; i++) x[i] = (float)i;
    const uint64_t dx = bench_buffer(b, x, sizeof x), dz = bench_buffer(b, NULL, sizeof z);
    bench_ok(b, bench_try(b, "vecadd", 1, 1, 64, 1, "8884", dx, dx, dz, 64u));
    bench_read(b, z, dz, sizeof z);
    for (int i = 0; i < 64; i++) assert_true(z[i] == 2 * x[i]);
    bench_ok(b, gpu_free(b->gpu, dx, &b->diags));
    bench_ok(b, gpu_free(b->gpu, dz, &b->diags));
}

static void impossible_launches(void **state) {
    (void)state;
    struct bench b;
    open_gtx480(&b, NULL);
    const uint64_t d = bench_buffer(&b, NULL, 1024);
#define TRY(gx, gy, bx, by) bench_try(&b, "vecadd", gx, gy, bx, by, "8884", d, d, d, 1u)
    expect(&b, TRY(0, 1, 32, 1), WW_ERROR_LAUNCH, "the grid is 0 in x");
    expect(&b, TRY(1, 1, 32, 0), WW_ERROR_LAUNCH, "the block is 0 in y");
    expect(&b, TRY(65536, 1, 32, 1), WW_ERROR_LAUNCH,
           "the grid is 65536 in x; gtx480 (compute capability 2.0) takes 65535");
    expect(&b, TRY(1, 1, 1025, 1), WW_ERROR_LAUNCH, "the block is 1025 in x");
    expect(&b, TRY(1, 1, 64, 32), WW_ERROR_LAUNCH, "a block of 2048 threads; gtx480 takes 1024");
    expect(&b, bench_try(&b, "vecadd", 1, 1, 32, 1, "88", d, d), WW_ERROR_LAUNCH,
           "16 bytes of parameters were given; it takes 28");
    struct gpu_kernel *k;
    expect(&b, gpu_kernel_find(b.module, "vecad", &b.diags, &k), WW_ERROR_USAGE,
           "has no kernel vecad; did you mean vecadd?");
    bench_ok(&b, gpu_kernel_find(b.module, "vecadd", &b.diags, &k));
    uint8_t params[28] = {0};
    struct gpu_launch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .dynamic_shared = 50000,
                           .params = params, .param_bytes = 28};
    expect(&b, gpu_launch(b.gpu, NULL, k, &l, &b.diags, NULL), WW_ERROR_LAUNCH,
           "a block needs 50000 bytes of shared memory; gtx480 has 49152");
    l.dynamic_shared = 0;
    l.grid[0] = 1000;
    l.cooperative = true;
    expect(&b, gpu_launch(b.gpu, NULL, k, &l, &b.diags, NULL), WW_ERROR_LAUNCH,
           "a cooperative grid of 1000 blocks");
    expect_alive(&b);
    bench_close(&b);
}

static void memory_is_checked(void **state) {
    (void)state;
    struct bench b;
    open_gtx480(&b, NULL);
    uint64_t d = 0, pitch = 0;
    uint8_t buf[300] = {0};
    expect(&b, gpu_malloc(b.gpu, 0, NULL, &b.diags, &d), WW_ERROR_USAGE, "0 bytes");
    expect(&b, gpu_malloc(b.gpu, 1ull << 40, NULL, &b.diags, &d), WW_ERROR_DEVICE_MEMORY,
           "gtx480 has no room for 1099511627776 bytes");
    d = bench_buffer(&b, NULL, 256);
    expect(&b, gpu_write(b.gpu, d, buf, 300, &b.diags), WW_ERROR_USAGE, "a write of 300 bytes");
    expect(&b, gpu_read(b.gpu, buf, d + 250, 10, &b.diags), WW_ERROR_USAGE,
           "leaves what is allocated");
    expect(&b, gpu_free(b.gpu, d + 4, &b.diags), WW_ERROR_USAGE,
           "not the start of a live allocation");
    bench_ok(&b, gpu_free(b.gpu, d, &b.diags));
    expect(&b, gpu_free(b.gpu, d, &b.diags), WW_ERROR_USAGE, "not the start of a live allocation");
    bench_ok(&b, gpu_free(b.gpu, 0, &b.diags));
    uint64_t free_before, free_after, total;
    gpu_memory_info(b.gpu, &free_before, &total);
    assert_int_equal(total, 1536ull << 20);
    bench_ok(&b, gpu_malloc_pitch(b.gpu, 1000, 10, 4, &b.diags, &d, &pitch));
    assert_int_equal(pitch % 512, 0);
    gpu_memory_info(b.gpu, &free_after, &total);
    assert_true(free_before - free_after >= pitch * 10);
    bench_close(&b);
}

// A GPU of 80 GB: kernels reach all of it; a module whose pointers have 32 bits is told when it
// could not.
static void memory_beyond_4_gb(void **state) {
    (void)state;
    static const char *const set[] = {"memory_bytes=85899345920", NULL};
    struct bench b;
    bench_open(&b, "gtx480", NULL, set);
    bench_file(&b, WW_TEST_DIR "/kernels.ptx");
    uint64_t free_bytes, total;
    gpu_memory_info(b.gpu, &free_bytes, &total);
    assert_int_equal(total, 80ull << 30);
    float x[64], z[64];
    for (int i = 0; i < 64; i++) x[i] = (float)i;
    const uint64_t big = bench_buffer(&b, NULL, 70ull << 30), low = bench_buffer(&b, x, sizeof x);
    const uint64_t end = big + (70ull << 30) - sizeof z;
    assert_true(end > 1ull << 36 && low + sizeof x <= 1ull << 32);
    bench_ok(&b, bench_try(&b, "vecadd", 1, 1, 64, 1, "8884", low, low, end, 64u));
    bench_ok(&b, bench_try(&b, "vecadd", 1, 1, 64, 1, "8884", low, end, end - 1024, 64u));
    bench_read(&b, z, end - 1024, sizeof z);
    for (int i = 0; i < 64; i++) assert_true(z[i] == 3 * x[i]);
    static const char narrow[] = ".version 3.0\n.target sm_20\n.address_size 32\n"
                                 ".visible .entry k(.param .u32 p)\n{\n  exit;\n}\n";
    struct gpu_module *m;
    expect(&b, gpu_module_load(b.gpu, "narrow", narrow, sizeof narrow - 1, NULL, &b.diags, &m),
           WW_ERROR_DEVICE_MEMORY, "narrow has addresses of 32 bits");
    bench_ok(&b, gpu_free(b.gpu, big, &b.diags));
    bench_ok(&b, gpu_module_load(b.gpu, "narrow", narrow, sizeof narrow - 1, NULL, &b.diags, &m));
    uint64_t d;
    expect(&b, gpu_malloc(b.gpu, 5ull << 30, NULL, &b.diags, &d), WW_ERROR_DEVICE_MEMORY,
           "has no room");
    bench_close(&b);
}

// No GPU here runs what was made for Blackwell; PTX for a later GPU than the one at hand is taken.
static void later_targets_are_refused(void **state) {
    (void)state;
    struct bench b;
    bench_open(&b, "h100", NULL, NULL);
    struct gpu_module *m;
    for (int k = 0; k < 4; k++) {
        char text[128], said[64];
        const char *const target = (const char *const[]){"100", "103a", "120f", "121"}[k];
        snprintf(text, sizeof text,
                 ".version 9.0\n.target sm_%s\n.address_size 64\n.entry k() { ret; }\n", target);
        snprintf(said, sizeof said, "the target sm_%.3s is of compute capability %.2s.", target, target);
        expect(&b, gpu_module_load(b.gpu, "later", text, strlen(text), NULL, &b.diags, &m),
               WW_ERROR_UNSUPPORTED, said);
    }
    bench_close(&b);
    bench_open(&b, "v100", NULL, NULL);
    bench_text(&b, "newer", ".version 9.0\n.target sm_90a\n.address_size 64\n.entry k() { ret; }\n");
    bench_close(&b);
}

static void poison_fills_fresh_memory(void **state) {
    (void)state;
    struct gpu_options o;
    gpu_options_init(&o);
    o.poison = 0xcd;
    o.functional = true;
    struct bench b;
    bench_open(&b, "gtx480", &o, NULL);
    uint8_t buf[16];
    bench_read(&b, buf, bench_buffer(&b, NULL, 16), 16);
    for (int i = 0; i < 16; i++) assert_int_equal(buf[i], 0xcd);
    bench_close(&b);
}

static void a_bad_access_is_told(void **state) {
    (void)state;
    for (int functional = 0; functional < 2; functional++) {
        struct gpu_options o;
        gpu_options_init(&o);
        o.host_threads = 1;
        o.functional = functional != 0;
        struct bench b;
        open_gtx480(&b, &o);
        expect(&b, bench_try(&b, "astray", 3, 1, 64, 1, "8", 0x20000000ull), WW_ERROR_ACCESS,
               "astray");
        const struct gpu_result *r = bench_last(&b);
        assert_int_equal(r->status, WW_ERROR_ACCESS);
        assert_int_equal(r->fault.kind, FAULT_UNALLOCATED);
        assert_int_equal(r->fault.addr, 0x20000000);
        assert_non_null(r->text);
        // sticky until it is cleared, then everything works
        expect(&b, bench_try(&b, "vecadd", 1, 1, 32, 1, "8884", 0ull, 0ull, 0ull, 0u),
               WW_ERROR_ACCESS, "astray");
        assert_int_equal(gpu_fault_status(b.gpu), WW_ERROR_ACCESS);
        gpu_clear_fault(b.gpu);
        expect_alive(&b);
        bench_close(&b);
    }
}

// The barrier of a cooperative grid begins at zero: a check for reads of what was never written has
// nothing to say of it.
static void a_grid_barrier_is_written(void **state) {
    (void)state;
    static const char text[] =
        ".version 6.0\n.target sm_20\n.address_size 64\n"
        ".visible .entry word(.param .u64 out) {\n"
        "  .reg .u32 %hi, %lo, %v; .reg .u64 %a, %o;\n"
        "  mov.u32 %hi, %envreg1; mov.u32 %lo, %envreg2; mov.b64 %a, {%lo, %hi};\n"
        "  ld.global.u32 %v, [%a+4]; add.u32 %v, %v, 7;\n"
        "  ld.param.u64 %o, [out]; st.global.u32 [%o], %v; ret;\n}\n";
    for (int functional = 0; functional < 2; functional++) {
        struct gpu_options o;
        gpu_options_init(&o);
        o.host_threads = 1;
        o.functional = functional != 0;
        o.poison = 0xff;
        o.exec.check_uninitialised = true;
        struct bench b;
        bench_open(&b, "gtx480", &o, NULL);
        bench_text(&b, "word", text);
        const uint64_t out = bench_buffer(&b, NULL, 4);
        struct gpu_kernel *k;
        bench_ok(&b, gpu_kernel_find(b.module, "word", &b.diags, &k));
        const struct gpu_launch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .params = &out,
                                     .param_bytes = 8, .cooperative = true};
        bench_ok(&b, gpu_launch(b.gpu, NULL, k, &l, &b.diags, NULL));
        bench_ok(&b, gpu_synchronize(b.gpu, &b.diags));
        uint32_t v = 0;
        bench_read(&b, &v, out, 4);
        assert_int_equal(v, 7);
        bench_close(&b);
    }
}

// A program may round upwards and flush subnormals (-ffast-math): its kernels do not.
static void the_callers_mode_stays_outside(void **state) {
    (void)state;
    static const char text[] = ".version 6.0\n.target sm_20\n.address_size 64\n"
                               ".visible .entry sums(.param .u64 out, .param .f32 tiny) {\n"
                               "  .reg .f32 %a, %b; .reg .u64 %o;\n"
                               "  ld.param.f32 %a, [tiny]; ld.param.u64 %o, [out];\n"
                               "  add.rn.f32 %b, %a, %a; st.global.f32 [%o], %b;\n"
                               "  add.rn.f32 %b, %a, 0f3f800000; st.global.f32 [%o+4], %b;\n"
                               "  add.rp.f32 %b, %a, 0f3f800000; st.global.f32 [%o+8], %b; ret;\n}\n";
    for (int k = 0; k < 4; k++) {
        struct gpu_options o;
        gpu_options_init(&o);
        o.host_threads = k & 2 ? 2 : 1;
        o.functional = k & 1;
        const int mode = fegetround();
        fesetround(FE_UPWARD);
#if defined(__SSE2__)
        __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040); // flush to zero, both ways
#endif
        struct bench b;
        bench_open(&b, "gtx480", &o, NULL);
        bench_text(&b, "sums", text);
        const uint64_t out = bench_buffer(&b, NULL, 12);
        bench_ok(&b, bench_try(&b, "sums", 20, 1, 32, 1, "84", out, 1u));
        uint32_t v[3];
        bench_read(&b, v, out, 12);
        bench_close(&b);
        assert_int_equal(fegetround(), FE_UPWARD); // and the caller's comes back
#if defined(__SSE2__)
        assert_int_equal(__builtin_ia32_stmxcsr() & 0x8040, 0x8040);
        __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~0x8040u);
#endif
        fesetround(mode);
        assert_int_equal(v[0], 2); // 2^-149 twice
        assert_int_equal(v[1], 0x3f800000);
        assert_int_equal(v[2], 0x3f800001);
    }
}

// Eight warps that sum without a barrier between the steps: on a GPU, and with time, they stay near
// enough to each other that the sums are right.
static void warps_that_race_stay_together(void **state) {
    (void)state;
    static const char text[] =
        ".version 6.0\n.target sm_20\n.address_size 64\n"
        ".visible .entry sum(.param .u64 out) {\n"
        "  .reg .u32 %t, %v, %u, %i, %s; .reg .u64 %a, %b, %o; .reg .pred %p;\n"
        "  ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mov.u32 %i, %ctaid.x;\n"
        "  mad.lo.u32 %i, %i, 256, %t; mul.wide.u32 %a, %i, 4; add.u64 %a, %a, %o;\n"
        "  mov.u32 %s, 128;\n"
        "LOOP: setp.ge.u32 %p, %t, %s; @%p bra NEXT;\n"
        "  mul.wide.u32 %b, %s, 4; add.u64 %b, %a, %b;\n"
        "  ld.global.u32 %v, [%a]; ld.global.u32 %u, [%b]; add.u32 %v, %v, %u;\n"
        "  st.global.u32 [%a], %v;\n"
        "NEXT: shr.u32 %s, %s, 1; setp.ge.u32 %p, %s, 32; @%p bra LOOP; ret;\n}\n";
    for (uint32_t blocks = 1; blocks < 3; blocks++) // one needs no log without time
        for (int functional = 0; functional < 2; functional++) {
        struct gpu_options o;
        gpu_options_init(&o);
        o.host_threads = 1;
        o.functional = functional != 0;
        struct bench b;
        bench_open(&b, "gtx480", &o, NULL);
        bench_text(&b, "sum", text);
        uint32_t in[512], out[512];
        for (uint32_t i = 0; i < 512; i++) in[i] = i % 256 * (i % 256);
        const uint64_t x = bench_buffer(&b, in, sizeof in);
        bench_ok(&b, bench_try(&b, "sum", blocks, 1, 256, 1, "8", x));
        bench_read(&b, out, x, sizeof out);
        for (uint32_t i = 0; i < 32; i++) {
            uint32_t want = 0;
            for (uint32_t j = i; j < 256; j += 32) want += j * j;
            assert_int_equal(out[i], want);
            if (blocks > 1) assert_int_equal(out[256 + i], want);
        }
        bench_close(&b);
    }
}

// Functional runs take host threads: racing atomics, stores, spinning blocks and counts come out the
// same. Blocks that end at once do their atomics in order of their numbers.
static void functional_threads_change_nothing(void **state) {
    (void)state;
    static const char text[] =
        ".version 6.0\n.target sm_20\n.address_size 64\n"
        ".global .u32 count; .global .u32 last; .global .u32 flag[1024];\n"
        ".visible .entry race(.param .u64 out) {\n"
        "  .reg .u32 %c, %t, %v, %f, %n; .reg .u64 %a, %b, %o, %l; .reg .pred %p;\n"
        "  ld.param.u64 %o, [out]; mov.u32 %c, %ctaid.x; mov.u32 %t, %tid.x;\n"
        "  mul.wide.u32 %a, %c, 8; add.u64 %a, %a, %o; mov.u64 %l, last; mov.u64 %b, count;\n"
        "  setp.ne.u32 %p, %t, 0; @%p bra ALL;\n"
        "  atom.global.add.u32 %v, [%b], 1; st.global.u32 [%a], %v;\n"
        "  mov.u64 %b, flag; mul.wide.u32 %l, %c, 4; add.u64 %b, %b, %l; st.global.u32 [%b], 1;\n"
        "  setp.eq.u32 %p, %c, 0; @%p bra ALL;\n" // wait for the block before
        "SPIN: ld.volatile.global.u32 %f, [%b+-4]; setp.eq.u32 %p, %f, 0; @%p bra SPIN;\n"
        "  mov.u64 %l, last;\n"
        "  ld.global.u32 %v, [%l]; mad.lo.u32 %v, %v, 3, %c; st.global.u32 [%l], %v;\n"
        "  st.global.u32 [%a+4], %v;\n" // racing loads and stores
        "ALL: ret;\n}\n";
    enum { BLOCKS = 700 };
    static uint32_t first[2 * BLOCKS], out[2 * BLOCKS];
    uint64_t warp = 0, thread = 0;
    for (uint32_t threads = 1; threads <= 4; threads++) {
        for (int again = 0; again < 3; again++) {
            struct gpu_options o;
            gpu_options_init(&o);
            o.host_threads = threads;
            o.functional = true;
            struct bench b;
            bench_open(&b, "gtx480", &o, NULL);
            bench_text(&b, "race", text);
            memset(out, 0, sizeof out);
            const uint64_t x = bench_buffer(&b, out, sizeof out);
            bench_ok(&b, bench_try(&b, "race", BLOCKS, 1, 64, 1, "8", x));
            bench_read(&b, out, x, sizeof out);
            const struct gpu_result *r = bench_last(&b);
            if (threads == 1 && !again) {
                memcpy(first, out, sizeof out);
                warp = r->warp_instructions;
                thread = r->thread_instructions;
                for (uint32_t i = 0; i < BLOCKS; i++) assert_int_equal(out[2 * i], i);
            }
            assert_memory_equal(first, out, sizeof out);
            assert_int_equal(r->warp_instructions, warp);
            assert_int_equal(r->thread_instructions, thread);
            bench_close(&b);
        }
    }
}

// With its pages open, memory ends with the page of the last allocation, with time and without, for one
// lane and for 32; what the host copies ends with the allocation, and a page without one is none.
static void pages_end_later_than_allocations(void **state) {
    (void)state;
    enum { PAGE = 1 << 21 };
    for (int functional = 0; functional < 2; functional++) {
        struct gpu_options o;
        gpu_options_init(&o);
        o.functional = functional != 0;
        o.exec.open_pages = o.exec.check_bounds = true;
        struct bench b;
        open_gtx480(&b, &o);
        const uint64_t first = bench_buffer(&b, NULL, 512), page = first / PAGE * PAGE;
        uint32_t word = 7;
        bench_ok(&b, bench_try(&b, "astray", 1, 1, 1, 1, "8", first + 512));
        bench_ok(&b, bench_try(&b, "astray", 1, 1, 32, 1, "8", page + PAGE - 4));
        expect(&b, bench_try(&b, "astray", 1, 1, 1, 1, "8", page + PAGE), WW_ERROR_ACCESS,
               "in no live allocation");
        gpu_clear_fault(b.gpu);
        expect(&b, gpu_read(b.gpu, &word, first + 512, 4, &b.diags), WW_ERROR_USAGE,
               "leaves what is allocated");
        bench_close(&b);
    }
}

// One past the end of an array whose size is a multiple of the alignment lies in no allocation.
static void one_past_the_end_is_found(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct gpu_options o;
        gpu_options_init(&o);
        o.host_threads = 1;
        o.functional = k == 0;
        o.exec.check_bounds = k == 1;
        o.exec.check_races = k == 2;
        struct bench b;
        open_gtx480(&b, &o);
        uint64_t before, after, total;
        gpu_memory_info(b.gpu, &before, &total);
        const uint64_t first = bench_buffer(&b, NULL, 512), second = bench_buffer(&b, NULL, 512);
        gpu_memory_info(b.gpu, &after, &total);
        assert_int_equal(before - after, 1024); // a guard is no memory of the program's
        assert_true(second > first);
        expect(&b, bench_try(&b, "astray", 1, 1, 1, 1, "8", first + 512), WW_ERROR_ACCESS,
               "1 byte before the address");
        gpu_clear_fault(b.gpu);
        // all of the memory can be had nevertheless
        uint64_t rest = 0;
        gpu_memory_info(b.gpu, &after, &total);
        bench_ok(&b, gpu_malloc(b.gpu, after - (8 << 20), NULL, &b.diags, &rest));
        bench_close(&b);
    }
}

static void copies_are_named(void **state) {
    (void)state;
    struct bench b;
    open_gtx480(&b, NULL);
    uint8_t buf[64] = {0};
    const uint64_t d = bench_buffer(&b, NULL, 32);
    struct gpu_copy c = {.src_host = buf, .dst = d + 1, .width = 64};
    expect(&b, gpu_copy(b.gpu, NULL, &c, &b.diags), WW_ERROR_USAGE, "a copy of 64 bytes to 0x");
    c = (struct gpu_copy){.src = d + 32, .dst_host = buf, .width = 1};
    expect(&b, gpu_copy(b.gpu, NULL, &c, &b.diags), WW_ERROR_USAGE, "a copy of 1 byte from 0x");
    bench_ok(&b, gpu_free(b.gpu, d, &b.diags));
    c.src = d;
    expect(&b, gpu_copy(b.gpu, NULL, &c, &b.diags), WW_ERROR_USAGE,
           "nearest is a freed allocation of 32 bytes at 0x");
    bench_close(&b);
}

static void a_deadlock_is_told(void **state) {
    (void)state;
    for (int functional = 0; functional < 2; functional++) {
        struct gpu_options o;
        gpu_options_init(&o);
        o.host_threads = 1;
        o.functional = functional != 0;
        struct bench b;
        open_gtx480(&b, &o);
        expect(&b, bench_try(&b, "stuck", 2, 1, 64, 1, "8", 0ull), WW_ERROR_DEADLOCK, "stuck");
        gpu_clear_fault(b.gpu);
        expect_alive(&b);
        bench_close(&b);
    }
}

static void limits_cut_off(void **state) {
    (void)state;
    struct gpu_options o;
    gpu_options_init(&o);
    o.host_threads = 1;
    o.max_cycles = 20000;
    struct bench b;
    open_gtx480(&b, &o);
    const uint32_t zero = 0;
    const uint64_t flag = bench_buffer(&b, &zero, 4);
    expect(&b, bench_try(&b, "forever", 4, 1, 64, 1, "8", flag), WW_ERROR_LIMIT,
           "forever ran for 20000 cycles, the limit");
    const struct gpu_result *r = bench_last(&b);
    assert_true(r->cycles >= 20000 && r->cycles < 21000);
    assert_true(r->warp_instructions > 100 && r->ctas_done == 0);
    gpu_clear_fault(b.gpu);
    expect_alive(&b);
    bench_close(&b);

    gpu_options_init(&o);
    o.max_instructions = 5000;
    open_gtx480(&b, &o);
    const uint64_t flag2 = bench_buffer(&b, &zero, 4);
    expect(&b, bench_try(&b, "forever", 4, 1, 64, 1, "8", flag2), WW_ERROR_LIMIT,
           "warp instructions");
    bench_close(&b);
}

static volatile int stop;
static void *stopper(void *arg) {
    (void)arg;
    usleep(100000);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void an_interrupt_leaves_partial_results(void **state) {
    (void)state;
    for (int functional = 0; functional < 2; functional++) {
        struct gpu_options o;
        gpu_options_init(&o);
        o.host_threads = 2;
        o.functional = functional != 0;
        o.stop = &stop;
        o.interval_cycles = 1000;
        stop = 0;
        struct bench b;
        open_gtx480(&b, &o);
        const uint32_t zero = 0;
        const uint64_t flag = bench_buffer(&b, &zero, 4);
        pthread_t t;
        assert_int_equal(pthread_create(&t, NULL, stopper, NULL), 0);
        const enum ww_status s = bench_try(&b, "forever", 4, 1, 64, 1, "8", flag);
        pthread_join(t, NULL);
        assert_int_equal(s, WW_ERROR_INTERRUPTED);
        const struct gpu_result *r = bench_last(&b);
        assert_int_equal(r->status, WW_ERROR_INTERRUPTED);
        assert_true(r->warp_instructions > 0);
        if (!functional) {
            assert_true(r->cycles > 0 && r->n_intervals > 0);
            assert_int_equal(r->interval[r->n_intervals - 1].to, r->cycles);
        }
        stop = 0;
        gpu_clear_fault(b.gpu);
        diags_free(&b.diags);
        diags_init(&b.diags);
        expect_alive(&b);
        bench_close(&b);
    }
}

static void modules_hold_their_variables(void **state) {
    (void)state;
    static const char text[] =
        ".version 4.0\n.target sm_20\n.address_size 64\n"
        ".global .align 4 .u32 numbers[4] = {1, 2, 3, 4};\n"
        ".const .align 8 .f32 factors[3] = {0.5, 1.5, 2.5};\n"
        ".global .align 8 .u64 pointer = numbers;\n"
        ".global .align 8 .u64 far = generic(numbers)+8;\n"
        ".global .align 4 .u32 total;\n"
        ".visible .entry sum()\n{\n"
        ".reg .b32 %r<8>;\n.reg .f32 %f<4>;\n.reg .b64 %a;\n"
        "ld.global.u64 %a, [pointer];\n"
        "ld.global.u32 %r1, [%a];\nld.global.u32 %r2, [%a+12];\n"
        "ld.global.u64 %a, [far];\nld.u32 %r3, [%a];\n"
        "ld.const.f32 %f1, [factors+4];\ncvt.rzi.u32.f32 %r4, %f1;\n"
        "add.u32 %r1, %r1, %r2;\nadd.u32 %r1, %r1, %r3;\nadd.u32 %r1, %r1, %r4;\n"
        "st.global.u32 [total], %r1;\nret;\n}\n"
        ".extern .global .u32 elsewhere;\n.extern .const .u32 nowhere[4];\n" // not defined at all
        ".visible .entry lost()\n{\n.reg .b32 %r;\n.global .u32 hidden = 5;\n"
        "ld.global.u32 %r, [hidden];\nld.const.u32 %r, [nowhere];\n"
        "ld.global.u32 %r, [elsewhere];\nret;\n}\n";
    struct bench b;
    bench_open(&b, "gtx480", NULL, NULL);
    bench_text(&b, "vars.ptx", text);
    uint64_t addr, bytes;
    bench_ok(&b, gpu_module_global(b.module, "numbers", &b.diags, &addr, &bytes));
    assert_int_equal(bytes, 16);
    bench_ok(&b, bench_try(&b, "sum", 1, 1, 1, 1, ""));
    uint32_t got;
    bench_ok(&b, gpu_module_global(b.module, "total", &b.diags, &addr, &bytes));
    bench_read(&b, &got, addr, 4);
    assert_int_equal(got, 1 + 4 + 3 + 1);
    // constants may be written by the host
    const float factor = 7.0f;
    bench_ok(&b, gpu_module_global(b.module, "factors", &b.diags, &addr, &bytes));
    bench_ok(&b, gpu_write(b.gpu, addr + 4, &factor, 4, &b.diags));
    bench_ok(&b, bench_try(&b, "sum", 1, 1, 1, 1, ""));
    bench_ok(&b, gpu_module_global(b.module, "total", &b.diags, &addr, &bytes));
    bench_read(&b, &got, addr, 4);
    assert_int_equal(got, 1 + 4 + 3 + 7);
    expect(&b, gpu_module_global(b.module, "numbres", &b.diags, &addr, &bytes), WW_ERROR_USAGE,
           "has no variable numbres; did you mean numbers?");
    expect(&b, bench_try(&b, "lost", 1, 1, 1, 1, ""), WW_ERROR_UNSUPPORTED,
           "`nowhere` is .extern, and nothing that was loaded with this text defines it");
    expect(&b, gpu_module_global(b.module, "elsewhere", &b.diags, &addr, &bytes), WW_ERROR_USAGE,
           "has no variable elsewhere");
    expect(&b, gpu_module_global(b.module, "hidden", &b.diags, &addr, &bytes), WW_ERROR_USAGE,
           "has no variable hidden");
    struct gpu_kernel *k;
    struct gpu_kernel_attributes a;
    bench_ok(&b, gpu_kernel_find(b.module, "sum", &b.diags, &k));
    bench_ok(&b, gpu_kernel_attributes(k, &b.diags, &a));
    assert_true(a.registers > 0 && a.registers < 20 && a.const_bytes == 12);
    assert_int_equal(a.max_threads_per_block, 1024);
    assert_int_equal(a.binary_version, 20);
    gpu_module_unload(b.gpu, b.module);
    assert_int_equal(gpu_result_count(b.gpu), 0);
    bench_close(&b);
}

static int allocations_left;
static void *failing(void *user, void *old, size_t size) {
    (void)user;
    if (!size) {
        free(old);
        return NULL;
    }
    return allocations_left-- > 0 ? realloc(old, size) : NULL;
}

static void host_memory_may_run_out(void **state) {
    (void)state;
    const struct ww_allocator a = {.realloc_fn = failing};
    struct gpu_config c;
    struct diags d;
    diags_init(&d);
    assert_int_equal(gpu_config_load("gtx480", NULL, 0, &d, &c), WW_OK);
    static const char text[] = ".version 4.0\n.target sm_20\n.entry k(){ret;}\n";
    bool done = false;
    for (int n = 0; n < 200 && !done; n++) {
        allocations_left = n;
        struct gpu_options o;
        gpu_options_init(&o);
        o.host_threads = 1;
        o.functional = true;
        o.allocator = &a;
        struct gpu *g = NULL;
        enum ww_status s = gpu_create(&c, &o, &d, &g);
        struct gpu_module *m = NULL;
        struct gpu_kernel *k = NULL;
        if (s == WW_OK) s = gpu_module_load(g, "k.ptx", text, sizeof text - 1, NULL, &d, &m);
        if (s == WW_OK) s = gpu_kernel_find(m, "k", &d, &k);
        const struct gpu_launch l = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
        if (s == WW_OK) s = gpu_launch(g, NULL, k, &l, &d, NULL);
        if (s == WW_OK) s = gpu_synchronize(g, &d);
        assert_true(s == WW_OK || s == WW_ERROR_MEMORY);
        done = s == WW_OK;
        gpu_destroy(g);
    }
    assert_true(done);
    diags_free(&d);
}

int main(void) {
    setenv("WARPWATT_GPUS", WW_SOURCE_DIR "/gpus", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impossible_launches),
        cmocka_unit_test(memory_is_checked),
        cmocka_unit_test(memory_beyond_4_gb),
        cmocka_unit_test(later_targets_are_refused),
        cmocka_unit_test(poison_fills_fresh_memory),
        cmocka_unit_test(a_bad_access_is_told),
        cmocka_unit_test(a_grid_barrier_is_written),
        cmocka_unit_test(the_callers_mode_stays_outside),
        cmocka_unit_test(warps_that_race_stay_together),
        cmocka_unit_test(functional_threads_change_nothing),
        cmocka_unit_test(one_past_the_end_is_found),
        cmocka_unit_test(pages_end_later_than_allocations),
        cmocka_unit_test(copies_are_named),
        cmocka_unit_test(a_deadlock_is_told),
        cmocka_unit_test(limits_cut_off),
        cmocka_unit_test(an_interrupt_leaves_partial_results),
        cmocka_unit_test(modules_hold_their_variables),
        cmocka_unit_test(host_memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
