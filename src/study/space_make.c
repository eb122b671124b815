// What runs for a point of a tuning space: its file, compiled with the point's macros unless the
// source runs as it is. Files stay in the sweep's folder under the digest of command and source, so
// that a sweep which goes on compiles only what is missing; a header that changes is not seen.
#include "study/digest.h"
#include "study/pool.h"
#include "study/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *replace(struct arena *a, const char *text, const char *what, const char *with) {
    const char *out = "", *at;
    for (; (at = strstr(text, what)); text = at + strlen(what))
        out = arena_printf(a, "%s%.*s%s", out, (int)(at - text), text, with);
    return arena_printf(a, "%s%s", out, text);
}

// What a compiler says first of what is wrong; its last words where no line has the word.
static const char *why_of(struct arena *a, int status, const char *log) {
    struct diags quiet;
    diags_init(&quiet);
    char *text, *save = NULL;
    size_t len;
    const char *found = NULL;
    if (file_read(a, log, 1 << 20, &text, &len, &quiet) == WW_OK)
        for (char *l = strtok_r(text, "\n", &save); l && !found; l = strtok_r(NULL, "\n", &save))
            if (strstr(l, "error") || strstr(l, "Error")) found = l;
    diags_free(&quiet);
    int code;
    return found ? found : child_why(a, status, log, &code);
}

struct maker {
    struct arena *arena;
    const struct sweep *s;
    const struct study_host *host;
    const struct space_tool *tool;
    const char *folder, *arch;
    char source[DIGEST_BYTES]; // digest of its text
};

static enum ww_status plan_one(const struct maker *m, const struct sweep_point *p, struct diags *d,
                               struct space_made *out) {
    const struct space_program *const q = &m->s->program;
    if (!m->tool->makes) {
        out->path = q->source;
        return WW_OK;
    }
    struct arena *const a = m->arena;
    const char *command;
    enum ww_status s = space_text(a, m->s, p, m->tool->compile, true, d, &command);
    if (s != WW_OK) return s;
    command = replace(a, command, "{arch}", m->arch);
    struct digest h;
    char key[DIGEST_BYTES];
    digest_start(&h);
    digest_text(&h, command);
    digest_text(&h, m->source);
    if (!digest_end(&h, key)) return diag_add(d, WW_ERROR_INTERNAL, "SHA-256 failed for a program");
    out->path = arena_printf(a, "%s/%.20s%s%s", m->folder, key, q->is_command ? "" : ".",
                             q->is_command ? "" : m->tool->makes);
    if (access(out->path, R_OK) == 0) return WW_OK;
    command = replace(a, command, "{include}", space_quoted(a, m->host->page));
    command = replace(a, command, "{source}", space_quoted(a, q->source));
    // in a file of its own first: one that was cut short is never taken
    const char *const part =
        arena_printf(a, "%s/part-%.20s%s%s", m->folder, key, q->is_command ? "" : ".",
                     q->is_command ? "" : m->tool->makes);
    out->command =
        arena_printf(a, "%s && mv -f %s %s", replace(a, command, "{out}", space_quoted(a, part)),
                     space_quoted(a, part), space_quoted(a, out->path));
    return WW_OK;
}

struct child {
    int pid;
    struct space_made *made;
    const char *log;
};

// Waits for a child that ends.
static void reap(struct arena *a, struct child *child, uint32_t n) {
    int status;
    const pid_t pid = waitpid(-1, &status, 0);
    for (uint32_t i = 0; i < n; i++) {
        if (child[i].pid != pid) continue;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            child[i].made->why =
                arena_printf(a, "not compiled: %s", why_of(a, status, child[i].log));
            child[i].made->path = NULL;
        }
        unlink(child[i].log);
        child[i].pid = 0;
    }
}

static uint32_t running(const struct child *child, uint32_t n) {
    uint32_t r = 0;
    for (uint32_t i = 0; i < n; i++) r += child[i].pid > 0;
    return r;
}

// Compiles what several points share once.
static enum ww_status compile_all(const struct maker *m, uint32_t processes, uint32_t n,
                                  struct space_made *made, struct diags *d) {
    enum { MOST = 64 };
    struct child child[MOST] = {{0}};
    const uint32_t slots = processes < 1 ? 1 : processes > MOST ? MOST : processes;
    struct names seen;
    names_init(&seen, m->arena);
    enum ww_status s = WW_OK;
    for (uint32_t i = 0; i < n && s == WW_OK; i++) {
        if (!made[i].command || names_get(&seen, made[i].path, strlen(made[i].path)) >= 0) continue;
        names_put(&seen, made[i].path, strlen(made[i].path), (int32_t)i);
        while (running(child, slots) == slots) reap(m->arena, child, slots);
        uint32_t free_one = 0;
        while (child[free_one].pid) free_one++;
        const char *const log = arena_printf(m->arena, "%s/part-%u.log", m->folder, free_one);
        char *const words[] = {"/bin/sh", "-c", (char *)(uintptr_t)made[i].command, NULL};
        child[free_one] = (struct child){child_start(words, log), &made[i], log};
        if (child[free_one].pid < 0)
            s = diag_add(d, WW_ERROR_IO, "cannot start /bin/sh: %s", strerror(errno));
    }
    while (running(child, slots)) reap(m->arena, child, slots);
    for (uint32_t i = 0; i < n && s == WW_OK; i++) {
        if (!made[i].command || !made[i].path) continue;
        const int32_t first = names_get(&seen, made[i].path, strlen(made[i].path));
        if (first >= 0 && !made[first].path) made[i].why = made[first].why, made[i].path = NULL;
    }
    return s;
}

enum ww_status space_make(struct arena *a, const struct sweep *s, const struct study_host *host,
                          const struct space_tool *tool, const char *folder, uint32_t processes,
                          const sweep_points *points, struct space_made *made, struct diags *d) {
    const struct space_program *const q = &s->program;
    struct maker m = {.arena = a, .s = s, .host = host, .tool = tool, .folder = folder};
    enum ww_status status = WW_OK;
    if (tool->makes) {
        char *text;
        size_t len;
        status = file_read(a, q->source, 64 << 20, &text, &len, d);
        struct digest h;
        digest_start(&h);
        if (status == WW_OK) digest_feed(&h, text, len);
        if (!digest_end(&h, m.source) && status == WW_OK)
            status = diag_add(d, WW_ERROR_INTERNAL, "SHA-256 failed for %s", q->source);
        if (status == WW_OK) status = file_make_folder(folder, d);
    }
    if (status != WW_OK) return status;
    m.arch = arena_printf(a, "sm_%u", tool->arch);
    for (uint32_t i = 0; i < points->n && status == WW_OK; i++) {
        made[i] = (struct space_made){.path = NULL};
        status = plan_one(&m, &points->at[i], d, &made[i]);
    }
    return status == WW_OK ? compile_all(&m, processes, points->n, made, d) : status;
}
