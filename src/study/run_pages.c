// Pages of single runs (run_pages.h). Beside a folder stands NAME.key, what it was made of: the job's key and all words,
// since prices of the power model, which no result depends on, change the page.
#include "study/run_pages.h"

#include "study/pool.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BESIDE_MOST = 64 }; // runs that `report` takes

const char *run_page_name(struct arena *a, const char *first, const char *second, uint32_t number) {
    char *const name = arena_printf(a, "%s-%s", first, second);
    bool is_other = false;
    for (char *c = name; *c; c++) {
        if (isalnum((unsigned char)*c) || strchr("._+-", *c)) continue;
        *c = '_';
        is_other = true;
    }
    return is_other ? arena_printf(a, "%s-%u", name, number) : name;
}

static const char *made_of(struct arena *a, const struct run_page *p) {
    const char *text = p->key;
    for (uint32_t i = 0; p->words[i]; i++) text = arena_printf(a, "%s\n%s", text, p->words[i]);
    return text;
}

static const char *key_file(struct arena *a, const struct run_page *p) {
    return arena_printf(a, "%s.key", p->folder);
}

static bool is_up_to_date(struct arena *a, const struct run_page *p) {
    if (access(arena_printf(a, "%s/index.html", p->folder), R_OK) != 0) return false;
    struct diags quiet;
    diags_init(&quiet);
    char *text;
    size_t len;
    const bool same = file_read(a, key_file(a, p), 1 << 20, &text, &len, &quiet) == WW_OK &&
                      strcmp(text, made_of(a, p)) == 0;
    diags_free(&quiet);
    return same;
}

static int start_run(struct arena *a, const struct study_host *host, const struct run_page *p, const char *log) {
    const char *const head[] = {host->self, "run", "--no-progress", "--quiet", "-o", p->folder};
    uint32_t n = 0;
    while (p->words[n]) n++;
    char **const words = arena_alloc(a, (WW_COUNT(head) + n + 1) * sizeof *words);
    for (uint32_t i = 0; i < WW_COUNT(head); i++) words[i] = (char *)(uintptr_t)head[i];
    for (uint32_t i = 0; i <= n; i++) words[WW_COUNT(head) + i] = (char *)(uintptr_t)p->words[i];
    unlink(key_file(a, p));
    return child_start(words, log);
}

static void end_run(struct arena *a, struct run_page *p, int status, const char *log, struct diags *d) {
    int code;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        const char *const text = made_of(a, p);
        p->is_there = file_write_atomic(key_file(a, p), text, strlen(text), d) == WW_OK;
    } else {
        p->why = child_why(a, status, log, &code);
        fprintf(stderr, "no page of %s: %s\n", p->name, p->why);
    }
    unlink(log);
}

enum ww_status run_pages_make(struct arena *a, const struct study_host *host, struct run_page *list,
                              uint32_t n, const char *dir, uint32_t processes, struct diags *d) {
    const char *const runs = arena_printf(a, "%s/runs", dir);
    enum ww_status s = file_make_folder(runs, d);
    int *const pid = arena_alloc(a, (n + 1) * sizeof *pid);
    uint32_t next = 0, running = 0, made = 0;
    while (s == WW_OK && (next < n || running)) {
        while (next < n && running < (processes ? processes : 1) && s == WW_OK) {
            struct run_page *const p = &list[next];
            p->folder = arena_printf(a, "%s/%s", runs, p->name);
            p->is_there = is_up_to_date(a, p);
            pid[next] = 0;
            if (!p->is_there) {
                pid[next] = start_run(a, host, p, arena_printf(a, "%s.log", p->folder));
                if (pid[next] < 0)
                    s = diag_add(d, WW_ERROR_IO, "cannot start %s: %s", host->self, strerror(errno));
                else
                    running++, made++;
            }
            next++;
        }
        int status;
        const pid_t ended = running ? waitpid(-1, &status, 0) : 0;
        for (uint32_t i = 0; i < next && ended > 0; i++) {
            if (pid[i] != ended) continue;
            running--;
            end_run(a, &list[i], status, arena_printf(a, "%s.log", list[i].folder), d);
        }
    }
    if (made) fprintf(stderr, "pages of runs: %u made, %u kept from before\n", made, n - made);
    return s;
}

bool run_pages_beside(struct arena *a, const struct study_host *host, const struct run_page *list,
                      uint32_t n, const char *file) {
    char *words[BESIDE_MOST + 6] = {(char *)(uintptr_t)host->self, (char *)(uintptr_t) "report",
                                    (char *)(uintptr_t) "-o", (char *)(uintptr_t)file};
    uint32_t at = 4, there = 0;
    for (uint32_t i = 0; i < n; i++) there += list[i].is_there;
    if (there < 2 || there > BESIDE_MOST) return false;
    // of two runs the second is the base, of more the first
    for (uint32_t k = 0; k < n; k++) {
        const struct run_page *const p = &list[there == 2 ? n - 1 - k : k];
        if (p->is_there) words[at++] = (char *)(uintptr_t)p->folder;
    }
    words[at] = NULL;
    const char *const log = arena_printf(a, "%s.log", file);
    int status = 0;
    const int pid = child_start(words, log);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    unlink(log);
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
