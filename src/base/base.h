// What every room may use: status codes, arena memory, diagnostics, growable
// arrays, bit tricks. Nothing here knows what a GPU is.
#ifndef WW_BASE_H
#define WW_BASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"

#define WW_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define ww_likely(x) __builtin_expect(!!(x), 1)
#define ww_unlikely(x) __builtin_expect(!!(x), 0)
#define WW_COUNT(a) (sizeof(a) / sizeof((a)[0]))

// ---- allocation -----------------------------------------------------------
// Every heap byte of the library comes through one of these, so that a test can
// make the n-th allocation fail. `realloc_fn(user, old, size)` frees when size
// is 0 and returns NULL when memory is out.
struct ww_allocator {
    void *(*realloc_fn)(void *user, void *old, size_t size);
    void *user;
};
extern const struct ww_allocator ww_allocator_default;

// Zeroed memory aligned to 64 bytes, which costs memory where it is touched; NULL when memory is
// out. ww_free_aligned gives it back.
void *ww_alloc_aligned(size_t size);
void ww_free_aligned(void *p);

// An arena owns everything that is made while one module is read or lowered and
// frees it at once. Running out of memory jumps to `*oom` when that is set (the
// entry point of each room sets it and returns WW_ERROR_MEMORY), so the code in
// between needs no checks.
struct arena {
    const struct ww_allocator *allocator;
    struct arena_block *head;
    char *at, *end;
    jmp_buf *oom;
    size_t total_bytes;
};
void arena_init(struct arena *a, const struct ww_allocator *allocator); // NULL: default
void arena_free(struct arena *a);
void *arena_alloc(struct arena *a, size_t size); // zeroed, 16-byte aligned
void *arena_copy(struct arena *a, const void *p, size_t size);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_strdup(struct arena *a, const char *s);
char *arena_printf(struct arena *a, const char *fmt, ...) WW_PRINTF(2, 3);

// Growable array inside an arena: `struct { T *at; uint32_t n, cap; }`.
// The old storage is abandoned to the arena when it grows.
#define VEC(T)          \
    struct {            \
        T *at;          \
        uint32_t n, cap; \
    }
#define vec_push(arena, v, value)                                                          \
    do {                                                                                   \
        if ((v)->n == (v)->cap)                                                            \
            (v)->at = arena_grow((arena), (v)->at, &(v)->cap, sizeof *(v)->at);            \
        (v)->at[(v)->n++] = (value);                                                       \
    } while (0)
void *arena_grow(struct arena *a, void *old, uint32_t *cap, size_t element_size);

// ---- names ----------------------------------------------------------------
// Maps text to a non-negative integer. Keys are kept by pointer (put them in an
// arena). `names_get` answers -1 when the key is not there.
struct names {
    struct arena *arena;
    struct names_slot *slot;
    uint32_t n, cap;
};
void names_init(struct names *m, struct arena *a);
int32_t names_get(const struct names *m, const char *key, size_t len);
void names_put(struct names *m, const char *key, size_t len, int32_t value);

// ---- diagnostics ----------------------------------------------------------
enum diag_severity { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

struct diag {
    enum diag_severity severity;
    enum ww_status status; // what the caller returns for an error
    const char *file;      // may be NULL; line and column are 1-based, 0 = unknown
    uint32_t line, col;
    char *text;   // one sentence
    char *source; // the source line, or NULL
};

struct diags {
    struct arena arena;
    VEC(struct diag) list;
    uint32_t errors;
};
void diags_init(struct diags *d);
void diags_free(struct diags *d);
// Adds a diagnostic; `src` is the whole source text (NULL when there is none),
// from which the line is copied for the caret. Returns `status`.
enum ww_status diag_at(struct diags *d, enum diag_severity severity, enum ww_status status,
                       const char *file, const char *src, uint32_t line, uint32_t col,
                       const char *fmt, ...) WW_PRINTF(8, 9);
enum ww_status diag_add(struct diags *d, enum ww_status status, const char *fmt, ...)
    WW_PRINTF(3, 4);
// Writes all of them as `file:line:col: error: text`, source line and caret.
void diags_print(const struct diags *d, FILE *out);
// Status of the first error, or WW_OK.
enum ww_status diags_status(const struct diags *d);
// Writes the first error as one line into `buf`.
void diags_first(const struct diags *d, char *buf, size_t size);

// ---- files ----------------------------------------------------------------
// Reads a whole file into arena memory with a NUL behind it. Refuses with one
// sentence (unreadable, a directory, larger than `limit` bytes).
enum ww_status file_read(struct arena *a, const char *path, size_t limit, char **text, size_t *len,
                         struct diags *d);
// Writes a file whole or not at all (temporary file beside it, then rename).
enum ww_status file_write_atomic(const char *path, const void *data, size_t len, struct diags *d);
// Where files that live as long as a run go: TMPDIR of the environment, /tmp when
// that is unset or empty.
const char *file_temporary_folder(void);
// The path of the running program's file. False: not known, or too long.
bool file_program(char *path, size_t size);

// Makes a folder, with those above it, and tries that files can be written there: what takes long to
// compute must not end in a refusal.
enum ww_status file_make_folder(const char *path, struct diags *d);

static inline uint64_t min64(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t max64(uint64_t a, uint64_t b) { return a > b ? a : b; }

// ---- text -----------------------------------------------------------------
// Edit distance for "did you mean"; index of the nearest name or -1.
int text_nearest(const char *word, const char *const *names, size_t n);
// Decimal, 0x or 0b integer with optional k/m/g suffix (010 is ten); false if malformed.
bool text_to_u64(const char *s, uint64_t *out);
// A number of bytes: what text_to_u64 takes, and a unit written out, of which the letter B may be
// the last one: 49152, 48k, 48KB and 48KiB are one value (units are powers of 1024).
bool text_to_bytes(const char *s, uint64_t *out);
// A copy that a terminal shows and does not obey: bytes of control characters, and those that are no
// UTF-8, stand as `\x1b`, or as `?` each where columns must stay. Tabs and line ends stay.
char *text_printable(struct arena *a, const char *s, bool keep_columns);
bool text_to_double(const char *s, double *out);
// What stands behind a noun that is counted: "1 byte", "2 bytes".
static inline const char *text_plural(uint64_t n) {
    return n == 1 ? "" : "s";
}
// One line of CSV (RFC 4180) into its fields, in place; how many, at most `max`.
uint32_t text_split_csv(char *line, char **field, uint32_t max);

// ---- bits -----------------------------------------------------------------
// The oldest x86-64 has no instruction for counts, and a call of the compiler's library costs more
// than this.
static inline unsigned bits_count64(uint64_t x) {
#ifdef __POPCNT__
    return (unsigned)__builtin_popcountll(x);
#else
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    return (unsigned)(((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
#endif
}
static inline unsigned bits_count32(uint32_t x) { return bits_count64(x); }
static inline unsigned bits_first32(uint32_t x) { return (unsigned)__builtin_ctz(x); }
static inline unsigned bits_first64(uint64_t x) { return (unsigned)__builtin_ctzll(x); }
static inline unsigned bits_last32(uint32_t x) { return 31u - (unsigned)__builtin_clz(x); }
static inline unsigned bits_last64(uint64_t x) { return 63u - (unsigned)__builtin_clzll(x); }
static inline bool bits_is_pow2(uint64_t x) { return x && !(x & (x - 1)); }
static inline uint64_t bits_align_up(uint64_t x, uint64_t a) { return (x + a - 1) / a * a; }
#define FOR_EACH_BIT32(i, mask) \
    for (uint32_t m_##i = (mask), i; m_##i && (i = bits_first32(m_##i), true); m_##i &= m_##i - 1)
#define FOR_EACH_BIT64(i, mask)                                                              \
    for (uint64_t m_##i = (mask), i; m_##i && (i = (uint64_t)bits_first64(m_##i), true);     \
         m_##i &= m_##i - 1)

#endif
