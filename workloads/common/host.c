// host.c: see host.h.
#include "host.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_CALL = 3, SHOWN = 5 }; // 1: results are wrong

// The program's clock, when WARPWATT_TIMES asks for one. A launch does not know its host.
static struct {
    struct host *host; // NULL: no times
    const char *path;
    CUevent from, to;
} timer;

// What the program reads from the GPU, byte by byte, when WARPWATT_RESULTS names a file for it: two
// runs can be compared to the bit.
static FILE *results;

static _Noreturn __attribute__((format(printf, 2, 3))) void die(int code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fflush(stdout);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(code);
}

void host_check_call(CUresult result, const char *call, const char *file, int line) {
    if (result == CUDA_SUCCESS) return;
    const char *name = NULL, *words = NULL;
    if (cuGetErrorName(result, &name) != CUDA_SUCCESS || !name) name = "an unknown error";
    if (cuGetErrorString(result, &words) != CUDA_SUCCESS || !words) words = "no description";
    const char *slash = strrchr(file, '/');
    die(EXIT_CALL, "%s:%d: %s failed with %s (%d): %s.", slash ? slash + 1 : file, line, call, name,
        (int)result, words);
}

// ---------------------------------------------------------------------------- command line

static void print_usage(const struct host_program *p, FILE *to) {
    fprintf(to, "usage: %s [--seed N] [--volta] [SIZE |", p->name);
    for (size_t i = 0; i < p->params; i++) fprintf(to, " %s", p->param[i].name);
    fprintf(to, "]\n\n");
    for (size_t i = 0; i < p->params; i++)
        fprintf(to, "  %-12s %s (%lld to %lld)\n", p->param[i].name, p->param[i].words,
                (long long)p->param[i].min, (long long)p->param[i].max);
    fprintf(to, "\n--volta: kernels compiled for compute capability 7.0, as for the size of that name\n");
    fprintf(to, "\nsizes:\n");
    for (size_t i = 0; i < p->sizes; i++)
        fprintf(to, "  %-12s %-20s %s%s\n", p->size[i].name, p->size[i].args, p->size[i].note,
                i == 0 ? " (default)" : "");
}

static int64_t parse_number(const char *text, const char *name, int64_t min, int64_t max) {
    char *end;
    errno = 0;
    const long long v = strtoll(text, &end, 0);
    if (end == text || *end || errno || v < min || v > max)
        die(EXIT_USAGE, "%s is \"%s\"; it must be a number from %lld to %lld.", name, text,
            (long long)min, (long long)max);
    return v;
}

// The text of a size is numbers with commas between them, as workload.yaml has them.
static void read_size(struct host *h, const struct host_size *size) {
    const struct host_program *p = h->program;
    h->volta |= !strcmp(size->name, "volta");
    char copy[256];
    snprintf(copy, sizeof copy, "%s", size->args);
    size_t n = 0;
    for (char *save, *word = strtok_r(copy, ", ", &save); word;
         word = strtok_r(NULL, ", ", &save)) {
        if (n == p->params) die(EXIT_USAGE, "size %s has too many numbers.", size->name);
        h->arg[n] = parse_number(word, p->param[n].name, p->param[n].min, p->param[n].max);
        n++;
    }
    for (; n < p->params && p->param[n].optional; n++) h->arg[n] = p->param[n].min;
    if (n != p->params) die(EXIT_USAGE, "size %s has too few numbers.", size->name);
}

// Letters to change, add or take away (Levenshtein 1966) until one word is the other.
static size_t distance(const char *a, const char *b) {
    size_t row[32];
    const size_t n = strlen(b);
    if (n >= HOST_COUNT(row)) return SIZE_MAX;
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t left_above = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < n; j++) {
            const size_t above = row[j + 1];
            size_t least = left_above + (a[i] != b[j]);
            if (above + 1 < least) least = above + 1;
            if (row[j] + 1 < least) least = row[j] + 1;
            row[j + 1] = least;
            left_above = above;
        }
    }
    return row[n];
}

// The size whose name is at most two letters from the word, or NULL.
static const char *nearest_size(const struct host_program *p, const char *word) {
    const char *best = NULL;
    size_t least = 3;
    for (size_t i = 0; i < p->sizes; i++) {
        const size_t d = distance(word, p->size[i].name);
        if (d < least) best = p->size[i].name, least = d;
    }
    return best;
}

static void seed_random(struct host *h, uint64_t seed) {
    // splitmix64 (Steele, Lea and Flood 2014) spreads the seed over the state.
    for (int i = 0; i < 4; i++) {
        seed += 0x9e3779b97f4a7c15u;
        uint64_t z = seed;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        h->random[i] = z ^ z >> 31;
    }
}

static void read_command_line(struct host *h, int argc, char **argv) {
    const struct host_program *p = h->program;
    uint64_t seed = 1;
    char **word = argv + 1, **end = argv + argc;
    for (; word < end && !strncmp(*word, "--", 2); word++) {
        if (!strcmp(*word, "--help")) {
            print_usage(p, stdout);
            exit(0);
        }
        if (!strcmp(*word, "--volta")) {
            h->volta = true;
            continue;
        }
        if (strcmp(*word, "--seed") || word + 1 == end) {
            print_usage(p, stderr);
            die(EXIT_USAGE, "%s: unknown option %s.", p->name, *word);
        }
        seed = (uint64_t)parse_number(*++word, "the seed", 0, INT64_MAX);
    }
    seed_random(h, seed);

    const size_t words = (size_t)(end - word);
    if (words <= 1) {
        for (size_t i = 0; i < p->sizes; i++) {
            if (words == 0 || !strcmp(*word, p->size[i].name)) {
                read_size(h, &p->size[i]);
                return;
            }
        }
    }
    if (words == 1 && (**word < '0' || **word > '9')) {
        const char *near = nearest_size(p, *word);
        die(EXIT_USAGE, "%s: no size is called %s%s%s; --help lists them.", p->name, *word,
            near ? "; did you mean " : "", near ? near : "");
    }
    size_t needed = p->params;
    while (needed && p->param[needed - 1].optional) needed--;
    if (words < needed || words > p->params) {
        print_usage(p, stderr);
        die(EXIT_USAGE, "%s: give the name of a size or %zu numbers.", p->name, needed);
    }
    for (size_t i = words; i < p->params; i++) h->arg[i] = p->param[i].min;
    for (size_t i = 0; i < words; i++)
        h->arg[i] = parse_number(word[i], p->param[i].name, p->param[i].min, p->param[i].max);
}

void host_require(const struct host *h, bool holds, const char *format, ...) {
    if (holds) return;
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s: ", h->program->name);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(EXIT_USAGE);
}

// ------------------------------------------------------------------------ device and module

// Whether a module stands beside the program; its path in `path`.
static bool is_beside(const struct host *h, const char *folder, const char *kind,
                      char path[PATH_MAX]) {
    const char *const name = h->program->name;
    if (snprintf(path, PATH_MAX, "%s/%s%s.%s", folder, name, h->volta ? ".volta" : "", kind) >=
        PATH_MAX)
        die(EXIT_USAGE, "The path of %s.%s is too long.", name, kind);
    return access(path, F_OK) == 0;
}

// Machine code that the GPU takes: of its major number and the highest minor one that is not greater.
static void find_code(const struct host *h, CUdevice device, const char *folder,
                      char path[PATH_MAX]) {
    int major = 0, minor = 0;
    CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    CHECK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    for (int m = minor; m >= 0; m--) {
        char kind[32];
        snprintf(kind, sizeof kind, "sm_%d%d.cubin", major, m);
        if (is_beside(h, folder, kind, path)) return;
    }
    die(EXIT_CALL,
        "%s: --code sass: no machine code that compute capability %d.%d takes stands in %s; "
        "--code ptx runs its PTX.",
        h->program->name, major, minor, folder);
}

static void find_module(const struct host *h, CUdevice device, char path[PATH_MAX]) {
    const char *given = getenv("WW_WORKLOAD_PTX");
    if (given && *given) {
        if (snprintf(path, PATH_MAX, "%s", given) >= PATH_MAX)
            die(EXIT_USAGE, "WW_WORKLOAD_PTX is too long a path.");
        return;
    }
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash) *slash = '\0';
    const char *const folder = slash ? self : ".", *const code = getenv("WARPWATT_CODE");
    if (code && !strcmp(code, "sass"))
        find_code(h, device, folder, path);
    else
        is_beside(h, folder, "ptx", path);
}

static void start_timer(struct host *h) {
    timer.path = getenv("WARPWATT_TIMES");
    if (!timer.path || !*timer.path) return;
    CHECK(cuEventCreate(&timer.from, CU_EVENT_DEFAULT));
    CHECK(cuEventCreate(&timer.to, CU_EVENT_DEFAULT));
    timer.host = h;
}

static void open_results(const struct host *h) {
    const char *path = getenv("WARPWATT_RESULTS");
    if (!path || !*path) return;
    results = fopen(path, "wb");
    if (!results)
        die(EXIT_CALL, "%s: cannot write %s: %s.", h->program->name, path, strerror(errno));
}

void host_open(struct host *h, int argc, char **argv, const struct host_program *program) {
    *h = (struct host){.program = program, .volta = program->only_volta};
    read_command_line(h, argc, argv);
    open_results(h);

    CUdevice device;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuCtxCreate(&h->context, 0, device));

    char path[PATH_MAX];
    find_module(h, device, path);
    const CUresult loaded = cuModuleLoad(&h->module, path);
    if (loaded == CUDA_ERROR_FILE_NOT_FOUND)
        die(EXIT_CALL, "%s: there is no %s; set WW_WORKLOAD_PTX to the module.", program->name,
            path);
    CHECK(loaded);
    start_timer(h);
}

static void write_times(const struct host *h) {
    if (!timer.host) return;
    CHECK(cuEventDestroy(timer.from));
    CHECK(cuEventDestroy(timer.to));
    FILE *f = fopen(timer.path, "w");
    if (!f)
        die(EXIT_CALL, "%s: cannot write %s: %s.", h->program->name, timer.path, strerror(errno));
    fprintf(f, "program,kernel,launches,milliseconds\n");
    for (size_t i = 0; i < h->kernels; i++)
        fprintf(f, "%s,%s,%lu,%.6f\n", h->program->name, h->timed[i].name, h->timed[i].launches,
                h->timed[i].milliseconds);
    if (fclose(f) != 0)
        die(EXIT_CALL, "%s: cannot write %s: %s.", h->program->name, timer.path, strerror(errno));
}

static void add_time(CUfunction function, float milliseconds) {
    struct host *h = timer.host;
    for (size_t i = 0; i < h->kernels; i++) {
        if (h->timed[i].function != function) continue;
        h->timed[i].launches++;
        h->timed[i].milliseconds += (double)milliseconds;
        return;
    }
}

int host_close(struct host *h) {
    write_times(h);
    if (results && fclose(results) != 0)
        die(EXIT_CALL, "%s: the results cannot be written: %s.", h->program->name, strerror(errno));
    for (size_t i = 0; i < h->buffers; i++) CHECK(cuMemFree(h->buffer[i]));
    CHECK(cuModuleUnload(h->module));
    for (size_t i = 0; i < h->arrays; i++) CHECK(cuArrayDestroy(h->array[i]));
    CHECK(cuCtxDestroy(h->context));
    if (h->checks == 0) die(EXIT_FAILED, "%s: nothing was checked.", h->program->name);
    printf("%s: %s\n", h->program->name, h->failures ? "FAILED" : "passed");
    return h->failures ? EXIT_FAILED : 0;
}

CUfunction host_kernel(struct host *h, const char *name) {
    CUfunction function;
    const CUresult found = cuModuleGetFunction(&function, h->module, name);
    if (found == CUDA_ERROR_NOT_FOUND)
        die(EXIT_CALL, "%s: the module has no kernel %s.", h->program->name, name);
    CHECK(found);
    for (size_t i = 0; i < h->kernels; i++)
        if (h->timed[i].function == function) return function;
    if (h->kernels == HOST_KERNELS)
        die(EXIT_CALL, "%s: more than %d kernels.", h->program->name, HOST_KERNELS);
    h->timed[h->kernels++] = (struct host_timed){.function = function, .name = name};
    return function;
}

CUdeviceptr host_alloc(struct host *h, size_t bytes) {
    if (h->buffers == HOST_BUFFERS) die(EXIT_CALL, "More than %d device buffers.", HOST_BUFFERS);
    CUdeviceptr address;
    CHECK(cuMemAlloc(&address, bytes));
    return h->buffer[h->buffers++] = address;
}

void host_write(CUdeviceptr to, const void *from, size_t bytes) {
    CHECK(cuMemcpyHtoD(to, from, bytes));
}

void host_read(void *to, CUdeviceptr from, size_t bytes) {
    CHECK(cuMemcpyDtoH(to, from, bytes));
    if (results && fwrite(to, 1, bytes, results) != bytes)
        die(EXIT_CALL, "The results cannot be written: %s.", strerror(errno));
}

CUdeviceptr host_upload(struct host *h, const void *data, size_t bytes) {
    const CUdeviceptr address = host_alloc(h, bytes);
    host_write(address, data, bytes);
    return address;
}

void host_write_symbol(struct host *h, const char *symbol, const void *from, size_t bytes) {
    CUdeviceptr address;
    size_t room;
    CHECK(cuModuleGetGlobal(&address, &room, h->module, symbol));
    if (bytes > room)
        die(EXIT_CALL, "%s: %s holds %zu bytes, not %zu.", h->program->name, symbol, room, bytes);
    host_write(address, from, bytes);
}

// --------------------------------------------------------------------------------- textures

static CUtexref find_texture(struct host *h, const char *name, CUarray_format format,
                             unsigned channels) {
    CUtexref texture;
    const CUresult found = cuModuleGetTexRef(&texture, h->module, name);
    if (found == CUDA_ERROR_NOT_FOUND)
        die(EXIT_CALL, "%s: the module has no texture %s.", h->program->name, name);
    CHECK(found);
    CHECK(cuTexRefSetFormat(texture, format, (int)channels));
    CHECK(cuTexRefSetFlags(texture, CU_TRSF_READ_AS_INTEGER));
    CHECK(cuTexRefSetFilterMode(texture, CU_TR_FILTER_MODE_POINT));
    return texture;
}

void host_bind_linear(struct host *h, const char *name, CUdeviceptr address, size_t bytes,
                      CUarray_format format, unsigned channels) {
    const CUtexref texture = find_texture(h, name, format, channels);
    CHECK(cuTexRefSetAddress(NULL, texture, address, bytes));
}

void host_bind_image(struct host *h, const char *name, const void *texels, size_t width,
                     size_t height, CUarray_format format, unsigned channels) {
    size_t component = 4;
    if (format == CU_AD_FORMAT_UNSIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT8) component = 1;
    if (format == CU_AD_FORMAT_UNSIGNED_INT16 || format == CU_AD_FORMAT_SIGNED_INT16 ||
        format == CU_AD_FORMAT_HALF)
        component = 2;
    if (h->arrays == HOST_ARRAYS) die(EXIT_CALL, "More than %d device arrays.", HOST_ARRAYS);
    const CUDA_ARRAY_DESCRIPTOR shape = {
        .Width = width, .Height = height, .Format = format, .NumChannels = channels};
    CUarray array;
    CHECK(cuArrayCreate(&array, &shape));
    h->array[h->arrays++] = array;
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = texels,
                                .srcPitch = width * channels * component,
                                .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                .dstArray = array,
                                .WidthInBytes = width * channels * component,
                                .Height = height};
    CHECK(cuMemcpy2D(&copy));
    const CUtexref texture = find_texture(h, name, format, channels);
    for (int i = 0; i < 2; i++) CHECK(cuTexRefSetAddressMode(texture, i, CU_TR_ADDRESS_MODE_CLAMP));
    CHECK(cuTexRefSetArray(texture, array, CU_TRSA_OVERRIDE_FORMAT));
}

void *host_memory(size_t count, size_t bytes) {
    void *p = calloc(count ? count : 1, bytes);
    if (!p) die(EXIT_CALL, "Out of memory: %zu times %zu bytes.", count, bytes);
    return p;
}

void host_launch_with(CUfunction function, struct dim grid, struct dim block, unsigned shared_bytes,
                      void **params) {
    if (timer.host) CHECK(cuEventRecord(timer.from, NULL));
    CHECK(cuLaunchKernel(function, grid.x, grid.y ? grid.y : 1, grid.z ? grid.z : 1, block.x,
                         block.y ? block.y : 1, block.z ? block.z : 1, shared_bytes, NULL, params,
                         NULL));
    if (!timer.host) return;
    float milliseconds;
    CHECK(cuEventRecord(timer.to, NULL));
    CHECK(cuEventSynchronize(timer.to));
    CHECK(cuEventElapsedTime(&milliseconds, timer.from, timer.to));
    add_time(function, milliseconds);
}

void host_wait(void) { CHECK(cuCtxSynchronize()); }

// ---------------------------------------------------------------------------------- numbers

static uint64_t rotate(uint64_t x, int by) { return x << by | x >> (64 - by); }

uint64_t host_random(struct host *h) {
    uint64_t *s = h->random;
    const uint64_t result = rotate(s[1] * 5, 7) * 9;
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint32_t host_random_below(struct host *h, uint32_t bound) {
    return (uint32_t)((host_random(h) >> 32) * bound >> 32);
}

float host_random_float(struct host *h, float low, float high) {
    const float unit = (float)(host_random(h) >> 40) * 0x1p-24f;
    return low + unit * (high - low);
}

// ----------------------------------------------------------------------------------- checks

static void finish_check(struct host *h, const char *what, size_t count, size_t wrong) {
    h->checks++;
    if (!wrong) return;
    h->failures++;
    printf("%s: %s: %zu of %zu elements are wrong.\n", h->program->name, what, wrong, count);
}

void host_check_float(struct host *h, const char *what, const float *got, const double *want,
                      size_t count, double relative, double absolute) {
    size_t wrong = 0;
    double worst = 0; // as a part of what is allowed
    for (size_t i = 0; i < count; i++) {
        const double error = fabs((double)got[i] - want[i]);
        const double allowed = absolute + relative * fabs(want[i]);
        if (error <= allowed) {
            if (error > worst * allowed) worst = error / allowed;
            continue;
        }
        if (wrong++ < SHOWN)
            printf("%s: %s[%zu] is %.9g, expected %.9g within %.3g.\n", h->program->name, what, i,
                   (double)got[i], want[i], allowed);
    }
    finish_check(h, what, count, wrong);
    if (!wrong)
        printf("%s: %s: %zu elements right (largest error %.2g of what is allowed).\n",
               h->program->name, what, count, worst);
}

void host_check_int(struct host *h, const char *what, const int32_t *got, const int32_t *want,
                    size_t count) {
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        if (got[i] == want[i]) continue;
        if (wrong++ < SHOWN)
            printf("%s: %s[%zu] is %d, expected %d.\n", h->program->name, what, i, got[i], want[i]);
    }
    finish_check(h, what, count, wrong);
    if (!wrong) printf("%s: %s: %zu elements right.\n", h->program->name, what, count);
}

void host_check_that(struct host *h, bool holds, const char *format, ...) {
    h->checks++;
    if (holds) return;
    h->failures++;
    va_list args;
    va_start(args, format);
    printf("%s: ", h->program->name);
    vprintf(format, args);
    putchar('\n');
    va_end(args);
}
