// Files and small text helpers.
#include "base/base.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum ww_status file_read(struct arena *a, const char *path, size_t limit, char **text, size_t *len,
                         struct diags *d) {
    FILE *f = fopen(path, "rb");
    if (!f) return diag_add(d, WW_ERROR_IO, "cannot read %s: %s", path, strerror(errno));
    struct stat st;
    if (fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode)) {
        fclose(f);
        return diag_add(d, WW_ERROR_IO, "cannot read %s: it is a directory", path);
    }
    size_t cap = st.st_size > 0 ? (size_t)st.st_size + 1 : 4096, n = 0;
    bool too_large = cap > limit + 1;
    char *buf = too_large ? NULL : malloc(cap);
    while (buf) {
        n += fread(buf + n, 1, cap - 1 - n, f);
        if (n < cap - 1 || feof(f)) break;
        too_large = n > limit;
        if (too_large) break;
        char *more = realloc(buf, cap * 2);
        if (!more) {
            free(buf);
            buf = NULL;
            break;
        }
        buf = more;
        cap *= 2;
    }
    const bool bad = ferror(f) != 0;
    const int why = errno;
    fclose(f);
    too_large |= n > limit;
    if (bad || !buf || too_large) {
        const bool no_memory = !buf && !too_large;
        free(buf);
        if (bad) return diag_add(d, WW_ERROR_IO, "cannot read %s: %s", path, strerror(why));
        if (no_memory)
            return diag_add(d, WW_ERROR_MEMORY, "out of memory while reading %s (%zu MB)", path,
                            cap >> 20);
        return diag_add(d, WW_ERROR_IO, "cannot read %s: it is larger than %zu MB", path,
                        limit >> 20);
    }
    char *copy = arena_alloc(a, n + 1);
    if (copy) memcpy(copy, buf, n);
    free(buf);
    if (!copy) return diag_add(d, WW_ERROR_MEMORY, "out of memory while reading %s", path);
    *text = copy;
    *len = n;
    return WW_OK;
}

enum ww_status file_write_atomic(const char *path, const void *data, size_t len, struct diags *d) {
    char tmp[4096];
    const int n = snprintf(tmp, sizeof tmp, "%s.tmp%ld", path, (long)getpid());
    if (n < 0 || (size_t)n >= sizeof tmp)
        return diag_add(d, WW_ERROR_IO, "cannot write %s: the path is too long", path);
    FILE *f = fopen(tmp, "wb");
    if (!f) return diag_add(d, WW_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
    bool ok = fwrite(data, 1, len, f) == len;
    ok = fflush(f) == 0 && ok;
    ok = fsync(fileno(f)) == 0 && ok;
    const int why = errno;
    ok = fclose(f) == 0 && ok;
    if (ok && rename(tmp, path) == 0) return WW_OK;
    const int reason = ok ? errno : why;
    unlink(tmp);
    return diag_add(d, WW_ERROR_IO, "cannot write %s: %s", path, strerror(reason));
}

enum ww_status file_make_folder(const char *path, struct diags *d) {
    char at[4096];
    const int n = snprintf(at, sizeof at, "%s/warpwatt-XXXXXX", path);
    if (!*path || n < 0 || (size_t)n >= sizeof at)
        return diag_add(d, WW_ERROR_IO, "cannot make the directory `%s`: its name is %s", path,
                        *path ? "too long" : "empty");
    for (char *p = at + 1; p <= at + strlen(path); p++) {
        if (*p != '/') continue;
        *p = 0;
        if (mkdir(at, 0777) != 0 && errno != EEXIST && errno != EISDIR)
            return diag_add(d, WW_ERROR_IO, "cannot make the directory %s: %s", at,
                            strerror(errno));
        *p = '/';
    }
    const int fd = mkstemp(at);
    if (fd < 0)
        return diag_add(d, WW_ERROR_IO, "cannot write into the directory %s: %s", path,
                        strerror(errno));
    close(fd);
    unlink(at);
    return WW_OK;
}

bool file_program(char *path, size_t size) {
    const ssize_t n = readlink("/proc/self/exe", path, size);
    if (n <= 0 || (size_t)n >= size) return false;
    path[n] = 0;
    return path[0] == '/';
}

const char *file_temporary_folder(void) {
    const char *const folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
static unsigned edit_distance(const char *a, const char *b) {
    enum { LONGEST = 63 };
    uint8_t d[LONGEST + 1][LONGEST + 1];
    const size_t na = strlen(a), nb = strlen(b);
    if (na > LONGEST || nb > LONGEST) return 99;
    for (size_t i = 0; i <= na; i++) d[i][0] = (uint8_t)i;
    for (size_t j = 0; j <= nb; j++) d[0][j] = (uint8_t)j;
    for (size_t i = 1; i <= na; i++) {
        for (size_t j = 1; j <= nb; j++) {
            unsigned best = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u);
            if (d[i - 1][j] + 1u < best) best = d[i - 1][j] + 1u;
            if (d[i][j - 1] + 1u < best) best = d[i][j - 1] + 1u;
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && d[i - 2][j - 2] + 1u < best) best = d[i - 2][j - 2] + 1u;
            d[i][j] = (uint8_t)best;
        }
    }
    return d[na][nb];
}

int text_nearest(const char *word, const char *const *names, size_t n) {
    int best = -1;
    unsigned best_distance = (unsigned)strlen(word) / 2 + 1;
    for (size_t i = 0; i < n; i++) {
        const unsigned dist = edit_distance(word, names[i]);
        if (dist < best_distance) {
            best_distance = dist;
            best = (int)i;
        }
    }
    return best;
}

bool text_to_u64(const char *s, uint64_t *out) {
    if (!s || *s < '0' || *s > '9') return false;
    char *end;
    errno = 0;
    int base = 10; // 010 is ten, as in YAML 1.2
    if (s[0] == '0' && (s[1] == 'b' || s[1] == 'B')) base = 2;
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) base = 16;
    if (base != 10) s += 2;
    if (!isxdigit((unsigned char)*s)) return false;
    uint64_t v = strtoull(s, &end, base);
    if (errno || end == s) return false;
    unsigned shift = 0;
    if (*end == 'k' || *end == 'K') shift = 10;
    if (*end == 'm' || *end == 'M') shift = 20;
    if (*end == 'g' || *end == 'G') shift = 30;
    if (shift) {
        if (v > (UINT64_MAX >> shift)) return false;
        v <<= shift;
        end++;
    }
    if (*end) return false;
    *out = v;
    return true;
}

bool text_to_bytes(const char *s, uint64_t *out) {
    if (text_to_u64(s, out)) return true; // a B at the end of 0x1B is a digit
    char number[32];
    size_t n = s ? strlen(s) : 0;
    if (n < 2 || n >= sizeof number || s[n - 1] != 'B') return false;
    n--;
    if (s[n - 1] == 'i') {
        if (n < 3 || !strchr("kKmMgG", s[n - 2])) return false;
        n--;
    }
    snprintf(number, sizeof number, "%.*s", (int)n, s);
    return text_to_u64(number, out);
}

bool text_to_double(const char *s, double *out) {
    if (!s || !*s) return false;
    char *end;
    errno = 0;
    const double v = strtod(s, &end);
    if (errno || end == s || *end) return false;
    *out = v;
    return true;
}

// Bytes of the character at `p`, 0 where none stands that may be printed.
static unsigned printable(const unsigned char *p) {
    if (*p < 0x80) return (*p >= 0x20 && *p != 0x7f) || *p == '\t' || *p == '\n';
    const unsigned n = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;
    if (*p < 0xc2 || *p > 0xf4) return 0;
    for (unsigned i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    return *p == 0xc2 && p[1] < 0xa0 ? 0 : n; // U+0080 to U+009F control terminals too
}

char *text_printable(struct arena *a, const char *s, bool keep_columns) {
    char *const out = arena_alloc(a, 4 * strlen(s) + 1);
    if (!out) return NULL;
    char *to = out;
    for (const char *p = s; *p;) {
        const unsigned n = printable((const unsigned char *)p);
        if (n) {
            memcpy(to, p, n);
            to += n, p += n;
        } else if (keep_columns) {
            *to++ = '?', p++;
        } else {
            to += snprintf(to, 5, "\\x%02x", (unsigned char)*p++);
        }
    }
    *to = 0;
    return out;
}

uint32_t text_split_csv(char *line, char **field, uint32_t max) {
    uint32_t n = 0;
    for (char *p = line; n < max;) {
        char *out = p;
        field[n++] = out;
        if (*p == '"') {
            for (p++; *p && !(*p == '"' && p[1] != '"'); p++) {
                if (*p == '"') p++;
                *out++ = *p;
            }
            if (*p) p++;
        } else {
            while (*p && *p != ',') *out++ = *p++;
        }
        const char stop = *p;
        *out = 0;
        if (!stop) return n;
        p++;
    }
    return n;
}
