// The seal of a record: its last line, which `warpwatt run` adds when the program's processes have
// ended, however they did. It names how many wrote records and the checksum of each, so that a
// record that was cut short later, or lost a process, is told from one of a program that died.
#include "report/record_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

// Reads a record to its end: its checksum, and where its last whole line ends.
static bool sum_file(int fd, uint64_t *sum, off_t *whole) {
    char block[1 << 14];
    uint64_t all = SUM_START;
    off_t at = 0;
    *sum = SUM_START, *whole = 0;
    for (ssize_t n; (n = read(fd, block, sizeof block)) != 0;) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        ssize_t done = 0;
        for (ssize_t i = n; i > 0 && !done; i--)
            if (block[i - 1] == '\n') done = i;
        if (done) {
            *sum = all = sum_feed(all, block, (size_t)done);
            *whole = at + done;
        }
        all = sum_feed(all, block + done, (size_t)(n - done));
        at += n;
    }
    return true;
}

// Half a line, of a process that was killed or had no room, is cut off.
static bool sum_process(const char *path, uint64_t *sum, bool *is_torn) {
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    off_t whole = 0;
    bool ok = fd >= 0 && sum_file(fd, sum, &whole);
    const off_t end = ok ? lseek(fd, 0, SEEK_END) : 0;
    if (ok && end > whole) {
        *is_torn = true;
        ok = ftruncate(fd, whole) == 0;
    }
    const int why = errno;
    if (fd >= 0) close(fd);
    errno = why;
    return ok;
}

static bool append(const char *path, const char *text, size_t len) {
    const int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    size_t done = 0;
    while (fd >= 0 && done < len) {
        const ssize_t n = write(fd, text + done, len - done);
        if (n < 0 && errno != EINTR) break;
        if (n > 0) done += (size_t)n;
    }
    const int why = errno;
    const bool ok = fd >= 0 && done == len;
    if (fd >= 0 && close(fd) != 0) return false;
    errno = why;
    return ok;
}

// The seal as a line of the first process's record, whose checksum so far is `sum`. To be freed.
static char *seal_line(json_t *sums, bool is_torn, uint64_t sum, size_t *len) {
    json_t *o = json_pack("{s:s,s:O,s:b}", "type", "seal", "processes", sums, "torn", is_torn);
    char *head = json_dumps(o, JSON_COMPACT), digits[SUM_TEXT_BYTES];
    json_decref(o);
    const size_t n = head ? strlen(head) - 1 : 0; // without the brace
    char *line = head ? realloc(head, n + RECORD_SUM_BYTES + 1) : NULL;
    if (!line) {
        free(head);
        return NULL;
    }
    snprintf(line + n, RECORD_SUM_BYTES + 1, RECORD_SUM_FORMAT,
             sum_text(sum_feed(sum, line, n), digits));
    *len = n + RECORD_SUM_BYTES;
    return line;
}

enum ww_status record_seal(const char *path, struct diags *d) {
    json_t *sums = json_array();
    uint64_t first = SUM_START;
    bool is_torn = false, ok = true;
    errno = 0;
    for (uint32_t p = 1; p <= RECORD_PROCESSES && ok; p++) {
        char name[RECORD_PATH_BYTES], digits[SUM_TEXT_BYTES];
        uint64_t sum = SUM_START;
        record_path_of(path, p, name, sizeof name);
        if (access(name, F_OK) != 0) break;
        ok = sum_process(name, &sum, &is_torn);
        if (p == 1) first = sum;
        json_array_append_new(sums, json_string(sum_text(sum, digits)));
    }
    size_t len = 0;
    char *line = NULL;
    if (ok && json_array_size(sums)) {
        line = seal_line(sums, is_torn, first, &len);
        ok = line && append(path, line, len);
    }
    free(line);
    json_decref(sums);
    if (ok) return WW_OK;
    return diag_add(d, WW_ERROR_IO, "cannot end the record %s: %s", path,
                    strerror(errno ? errno : ENOMEM));
}

enum ww_status record_copy_to(struct arena *a, const char *from, const char *to, struct diags *d) {
    enum ww_status s = WW_OK;
    record_remove(to);
    for (uint32_t p = 1; p <= RECORD_PROCESSES && s == WW_OK; p++) {
        char name[RECORD_PATH_BYTES], other[RECORD_PATH_BYTES], *text;
        size_t len;
        record_path_of(from, p, name, sizeof name);
        if (access(name, F_OK) != 0) break;
        s = file_read(a, name, (size_t)1 << 40, &text, &len, d);
        if (s == WW_OK)
            s = file_write_atomic(record_path_of(to, p, other, sizeof other), text, len, d);
    }
    return s;
}
