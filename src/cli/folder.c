// The folder of `run -o DIR`.
//
//   DIR/partial/unfinished.json  there while a run goes on, locked by its process: who it is, and
//                                what it runs. A run that was killed leaves it, unlocked.
//   DIR/partial/gpu.yaml         written first: with it and the record `report` shows a killed run
//   DIR/partial/...              the record as it grows; at the end all other files
//   DIR/partial/files.json       written last: all files are whole. From here on they are moved to
//                                DIR, by this process or, if it dies on the way, by the next that
//                                comes to the folder
//   DIR/files.json               the names and checksums of the files of one run
//
// So DIR itself holds one whole run or none, whatever is killed when, but for the moment between
// two renames, which files.json in `partial` tells.
#include "cli/how.h"

#include "base/sum.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FOLDER_FORMAT = 1, FOLDER_FILE_BYTES = 1 << 30 };
static const char unfinished_name[] = "unfinished.json", list_name[] = "files.json";

// What a run may leave. `report` writes the page again, and a database may be added to: their
// content is not held against files.json. Records of more processes than one have a number behind.
static const struct {
    const char *name;
    bool may_change;
} results[] = {{"gpu.yaml", false},         {"record.jsonl", false}, {"run.json", false},
               {"power.json", false},       {"power.csv", false},    {"power-intervals.csv", false},
               {"activity.csv", false},     {"activity.xml", false}, {"intervals.csv", false},
               {"instructions.csv", false}, {"steps.csv", false},    {"results.sqlite", true},
               {"probe.csv", false},        {"ranges.csv", false},   {"index.html", true}};

static bool is_result(const char *name, bool *may_change) {
    static const char record[] = "record.jsonl.";
    *may_change = false;
    for (size_t i = 0; i < WW_COUNT(results); i++)
        if (strcmp(results[i].name, name) == 0) {
            *may_change = results[i].may_change;
            return true;
        }
    return strncmp(name, record, sizeof record - 1) == 0 &&
           strspn(name + sizeof record - 1, "0123456789") == strlen(name + sizeof record - 1);
}

static const char *in(struct cli *c, const char *dir, const char *name) {
    return arena_printf(&c->arena, "%s/%s", dir, name);
}

static bool is_there(struct cli *c, const char *dir, const char *name) {
    return access(in(c, dir, name), F_OK) == 0;
}

// ---- the lock -----------------------------------------------------------------------------------
static long holder_of(int fd) {
    char text[64] = "";
    long pid = 0;
    if (pread(fd, text, sizeof text - 1, 0) > 0) sscanf(text, "{\"pid\":%ld", &pid);
    return pid;
}

// Of the whole file; of an open file description, so that it can be asked for without taking it.
static bool has_lock(int fd, int command) {
    struct flock l = {.l_type = command == F_OFD_GETLK ? F_RDLCK : F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, command, &l) == 0 && (command != F_OFD_GETLK || l.l_type == F_UNLCK);
}

// Locks the file, which another process may remove meanwhile: then it is made again. *fd -1 and
// *pid when another process has it; *fd -1 and *pid 0 with a diagnostic when it cannot be made.
static enum ww_status lock_file(struct cli *c, const char *path, int flags, int *fd, long *pid) {
    for (int turn = 0; turn < 100; turn++) {
        *fd = open(path, O_RDWR | O_CLOEXEC | flags, 0666);
        if (*fd < 0)
            return diag_add(&c->diags, WW_ERROR_IO, "cannot write %s: %s", path, strerror(errno));
        if (!has_lock(*fd, F_OFD_SETLK)) {
            *pid = holder_of(*fd);
            close(*fd);
            *fd = -1;
            return WW_OK;
        }
        struct stat mine, there;
        if (fstat(*fd, &mine) == 0 && stat(path, &there) == 0 && mine.st_ino == there.st_ino)
            return WW_OK;
        close(*fd);
    }
    *fd = -1;
    return diag_add(&c->diags, WW_ERROR_IO, "cannot lock %s", path);
}

static void empty(struct cli *c, const char *dir, const char *but) {
    DIR *list = opendir(dir);
    if (!list) return;
    for (const struct dirent *e; (e = readdir(list));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
            (!but || strcmp(e->d_name, but) != 0))
            unlink(in(c, dir, e->d_name));
    closedir(list);
}

// ---- from partial to the folder -----------------------------------------------------------------
static json_t *read_list(struct cli *c, const char *dir) {
    json_t *o = json_load_file(in(c, dir, list_name), 0, NULL);
    if (json_is_object(json_object_get(o, "files"))) return o;
    json_decref(o);
    return NULL;
}

// Moves what files.json of `partial` names; may be done again from any point.
static enum ww_status move_all(struct cli *c, const char *dir, const char *partial) {
    json_t *o = read_list(c, partial), *files = json_object_get(o, "files"), *sum;
    if (!o) return WW_OK;
    const char *name;
    enum ww_status s = WW_OK;
    DIR *list = opendir(dir);
    for (const struct dirent *e; list && (e = readdir(list));) { // of the run before
        bool may_change;
        if (is_result(e->d_name, &may_change) && !json_object_get(files, e->d_name))
            unlink(in(c, dir, e->d_name));
    }
    if (list) closedir(list);
    json_object_foreach(files, name, sum) {
        if (s == WW_OK && is_there(c, partial, name) &&
            rename(in(c, partial, name), in(c, dir, name)) != 0)
            s = diag_add(&c->diags, WW_ERROR_IO, "cannot write %s/%s: %s", dir, name,
                         strerror(errno));
    }
    json_decref(o);
    if (s == WW_OK && rename(in(c, partial, list_name), in(c, dir, list_name)) != 0)
        s = diag_add(&c->diags, WW_ERROR_IO, "cannot write %s/%s: %s", dir, list_name,
                     strerror(errno));
    if (s != WW_OK) return s;
    empty(c, partial, NULL);
    rmdir(partial);
    return WW_OK;
}

static enum ww_status write_gpu(struct cli *c, const struct gpu_config *g, const char *path) {
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f) return diag_add(&c->diags, WW_ERROR_MEMORY, "out of memory for gpu.yaml");
    gpu_config_print(g, f);
    const bool bad = fclose(f) != 0;
    const enum ww_status s =
        bad ? diag_add(&c->diags, WW_ERROR_MEMORY, "out of memory for gpu.yaml")
            : file_write_atomic(path, text, len, &c->diags);
    free(text);
    return s;
}

enum ww_status run_folder_open(struct cli *c, const char *dir, const struct gpu_config *g,
                               const char *how, struct run_folder *out) {
    *out = (struct run_folder){.dir = dir, .partial = in(c, dir, "partial"), .lock = -1};
    enum ww_status s = file_make_folder(dir, &c->diags);
    if (s == WW_OK) s = file_make_folder(out->partial, &c->diags);
    long pid = 0;
    if (s == WW_OK)
        s = lock_file(c, in(c, out->partial, unfinished_name), O_CREAT, &out->lock, &pid);
    if (s != WW_OK) return s;
    if (out->lock < 0)
        return diag_add(&c->diags, WW_ERROR_USAGE,
                        "process %ld writes a run into %s: choose another folder, or wait until "
                        "it has ended",
                        pid, dir);
    const char *text = arena_printf(&c->arena, "{\"pid\":%d,\"format\":%d,\"run\":%s}\n",
                                    (int)getpid(), FOLDER_FORMAT, how ? how : "null");
    const size_t n = strlen(text);
    if (is_there(c, out->partial, list_name)) { // of a run that was killed at its very end
        s = move_all(c, dir, out->partial);
        run_folder_close(out);
        return s == WW_OK ? run_folder_open(c, dir, g, how, out) : s;
    }
    empty(c, out->partial, unfinished_name); // of a run that was killed
    if (ftruncate(out->lock, 0) != 0 || pwrite(out->lock, text, n, 0) != (ssize_t)n)
        s = diag_add(&c->diags, WW_ERROR_IO, "cannot write %s/%s: %s", out->partial,
                     unfinished_name, strerror(errno ? errno : EIO));
    if (s == WW_OK) s = write_gpu(c, g, in(c, out->partial, "gpu.yaml"));
    if (s != WW_OK) run_folder_close(out);
    return s;
}

void run_folder_close(struct run_folder *f) {
    if (f->lock >= 0) close(f->lock);
    f->lock = -1;
}

void run_folder_drop(struct cli *c, struct run_folder *f) {
    if (f->lock < 0) return;
    empty(c, f->partial, NULL);
    rmdir(f->partial);
    run_folder_close(f);
}

// ---- files.json ---------------------------------------------------------------------------------
static json_t *sum_of(struct cli *c, const char *path, enum ww_status *s) {
    struct arena a;
    arena_init(&a, NULL);
    char *text, digits[SUM_TEXT_BYTES];
    size_t len;
    json_t *sum = NULL;
    const enum ww_status read = file_read(&a, path, FOLDER_FILE_BYTES, &text, &len, &c->diags);
    if (read == WW_OK)
        sum = json_string(sum_text(sum_feed(SUM_START, text, len), digits));
    else
        *s = read;
    arena_free(&a);
    return sum;
}

enum ww_status run_folder_commit(struct cli *c, struct run_folder *f, uint64_t record_sum) {
    json_t *files = json_object();
    char digits[SUM_TEXT_BYTES];
    enum ww_status s = WW_OK;
    DIR *list = opendir(f->partial);
    for (const struct dirent *e; list && s == WW_OK && (e = readdir(list));) {
        bool may_change;
        if (!is_result(e->d_name, &may_change)) continue;
        json_t *sum = may_change ? json_null() : sum_of(c, in(c, f->partial, e->d_name), &s);
        if (sum) json_object_set_new(files, e->d_name, sum);
    }
    if (list) closedir(list);
    json_t *o = json_pack("{s:i,s:s,s:o}", "format", FOLDER_FORMAT, "record",
                          sum_text(record_sum, digits), "files", files);
    char *text = json_dumps(o, JSON_INDENT(1) | JSON_SORT_KEYS);
    json_decref(o);
    if (s == WW_OK && !text)
        s = diag_add(&c->diags, WW_ERROR_MEMORY, "out of memory for files.json");
    if (s == WW_OK)
        s = file_write_atomic(in(c, f->partial, list_name), text, strlen(text), &c->diags);
    free(text);
    if (s == WW_OK) s = move_all(c, f->dir, f->partial);
    run_folder_close(f);
    return s;
}

// ---- for report ---------------------------------------------------------------------------------
// A run that was killed while its files were moved: this goes on where it was.
static void finish_moving(struct cli *c, const char *dir, const char *partial) {
    if (!is_there(c, partial, list_name)) return;
    int fd;
    long pid = 0;
    struct diags *const d = &c->diags;
    const uint32_t before = d->list.n;
    if (lock_file(c, in(c, partial, unfinished_name), O_CREAT, &fd, &pid) == WW_OK && fd >= 0) {
        move_all(c, dir, partial);
        close(fd);
    }
    if (d->list.n > before) diags_print(d, stderr);
}

// Who left the file that marks a run without its end, and whether that process still has it; 0:
// there is no such file.
static long who_left(const char *path, bool *is_live) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    *is_live = false;
    if (fd < 0) return 0;
    *is_live = !has_lock(fd, F_OFD_GETLK);
    const long pid = holder_of(fd);
    close(fd);
    return pid ? pid : -1;
}

enum ww_status run_folder_record(struct cli *c, const char *dir, const char **record) {
    const char *const partial = in(c, dir, "partial");
    finish_moving(c, dir, partial);
    *record = in(c, dir, "record.jsonl");
    const bool has_partial = is_there(c, partial, "record.jsonl");
    if (is_there(c, dir, "record.jsonl") && is_there(c, dir, "gpu.yaml")) {
        bool is_live;
        who_left(in(c, partial, unfinished_name), &is_live);
        if (has_partial)
            fprintf(stderr,
                    "warpwatt: note: this is of the last run that came to its end; a later one "
                    "%s %s\n",
                    is_live ? "goes on in" : "left", partial);
        return WW_OK;
    }
    if (has_partial && is_there(c, partial, "gpu.yaml")) {
        *record = in(c, partial, "record.jsonl");
        return WW_OK;
    }
    if (is_there(c, partial, unfinished_name) || is_there(c, dir, unfinished_name))
        return diag_add(&c->diags, WW_ERROR_USAGE,
                        "the run into %s was left before its program used the GPU: there is "
                        "nothing to report",
                        dir);
    return diag_add(&c->diags, WW_ERROR_USAGE,
                    "%s holds no record.jsonl and gpu.yaml: it is not what `warpwatt run -o` "
                    "leaves",
                    dir);
}

static enum ww_status another(struct cli *c, const char *dir, const char *name) {
    return diag_add(&c->diags, WW_ERROR_IO,
                    "%s/%s is not of the run whose record lies beside it, or was changed since: "
                    "make the run again, or take it out of the folder",
                    dir, name);
}

// What a file says that its record is: run.json, files.json.
static bool names_record(const json_t *o, uint64_t sum) {
    char digits[SUM_TEXT_BYTES];
    const char *const named = json_string_value(json_object_get(o, "record"));
    return named && strcmp(named, sum_text(sum, digits)) == 0;
}

static enum ww_status check_list(struct cli *c, const char *dir, const struct run *run) {
    if (!is_there(c, dir, list_name)) return WW_OK;
    json_t *o = read_list(c, dir), *sum;
    const char *name;
    enum ww_status s = names_record(o, run->sum) ? WW_OK : another(c, dir, list_name);
    json_object_foreach(json_object_get(o, "files"), name, sum) {
        if (s != WW_OK || !json_is_string(sum) || !is_there(c, dir, name)) continue;
        json_t *now = sum_of(c, in(c, dir, name), &s);
        if (s == WW_OK && !json_equal(sum, now)) s = another(c, dir, name);
        json_decref(now);
    }
    json_decref(o);
    return s;
}

static const char *where_it_stopped(struct cli *c, const struct run *run) {
    uint64_t launches = 0;
    size_t i;
    json_t *l;
    json_array_foreach(run->launches, i, l) launches += run_launches(l);
    if (!launches) return "before a kernel had ended";
    l = json_array_get(run->launches, json_array_size(run->launches) - 1);
    const double end = json_number_value(json_object_get(l, "start_s")) +
                       json_number_value(json_object_get(l, "seconds"));
    char at[32];
    return arena_printf(&c->arena,
                        "after %llu launch%s; the last that had ended is %s (launch %lld), at %s "
                        "of simulated time",
                        (unsigned long long)launches, launches == 1 ? "" : "es",
                        json_string_value(json_object_get(l, "kernel")),
                        (long long)json_integer_value(json_object_get(l, "id")),
                        table_scaled(end, "s", at));
}

static const char *state_of(struct cli *c, const char *path, const struct run *run) {
    bool is_live;
    const long pid = who_left(path, &is_live);
    if (!pid) return NULL;
    if (is_live)
        return arena_printf(&c->arena,
                            "the run goes on (process %ld): this is what there is now, %s", pid,
                            where_it_stopped(c, run));
    return arena_printf(&c->arena, "the run (process %ld) was killed: it stopped %s", pid,
                        where_it_stopped(c, run));
}

enum ww_status run_folder_check(struct cli *c, const char *record, const struct run *run,
                                const char **unfinished) {
    const char *const slash = strrchr(record, '/');
    const char *const dir = arena_strndup(&c->arena, record, (size_t)(slash - record));
    *unfinished = state_of(c, in(c, dir, unfinished_name), run);
    const char *const gpu = json_string_value(json_object_get(run->header, "gpu_file"));
    if (!gpu) return WW_OK; // format 1
    enum ww_status s = WW_OK;
    if (!run->is_sealed && !*unfinished)
        return diag_add(&c->diags, WW_ERROR_IO,
                        "%s is cut short: its last line, which a run leaves at its end, is missing",
                        record);
    json_t *sum = sum_of(c, in(c, dir, "gpu.yaml"), &s);
    if (s == WW_OK && strcmp(json_string_value(sum), gpu) != 0)
        s = diag_add(&c->diags, WW_ERROR_IO,
                     "%s/gpu.yaml is not the GPU file of the run that %s is of: it was changed "
                     "since, or is of another run",
                     dir, record);
    json_decref(sum);
    return s == WW_OK ? check_list(c, dir, run) : s;
}
