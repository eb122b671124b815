// One job: one workload at one size on one configuration. Its key is the SHA-256 of all that a
// result depends on, so that a kept result is used exactly as long as it would come out again:
// program and PTX, arguments, every key of the resolved configuration that timing may see, the
// techniques, options, and the simulator. Keys under `tech.`, `power.` and `board.` are left out:
// only the power model reads those, and energy is computed from counters whenever it is asked for.
#include "savings/savings.h"
#include "gpu/technique.h"
#include "study/digest.h"
#include "study/study.h"

#include <elf.h>
#include <stdlib.h>

// A shared library counts by what is loaded of it: lines and names for a debugger do not matter.
static bool feed_loaded(struct digest *h, const char *data, size_t len) {
    const Elf64_Ehdr *e = (const void *)data;
    if (len < sizeof *e || memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 ||
        e->e_ident[EI_CLASS] != ELFCLASS64)
        return false;
    if (e->e_phoff > len || (len - e->e_phoff) / sizeof(Elf64_Phdr) < e->e_phnum) return false;
    const Elf64_Phdr *p = (const void *)(data + e->e_phoff);
    for (unsigned i = 0; i < e->e_phnum; i++) {
        if (p[i].p_type != PT_LOAD) continue;
        if (p[i].p_offset > len || p[i].p_filesz > len - p[i].p_offset) return false;
        size_t skip = 0;
        // the file header in the first segment says where the debug sections begin
        if (p[i].p_offset == 0) skip = sizeof *e < p[i].p_filesz ? sizeof *e : p[i].p_filesz;
        digest_feed(h, data + p[i].p_offset + skip, p[i].p_filesz - skip);
    }
    return true;
}

static enum ww_status feed_file(struct digest *h, const char *path, struct diags *d) {
    struct arena a;
    arena_init(&a, NULL);
    char *text;
    size_t len;
    const enum ww_status s = file_read(&a, path, (size_t)1 << 30, &text, &len, d);
    if (s == WW_OK && !feed_loaded(h, text, len)) digest_feed(h, text, len);
    arena_free(&a);
    return s;
}

static void feed_value(void *user, const char *path, enum config_seer seen_by, const char *value) {
    struct digest *const h = user;
    if (seen_by != CONFIG_TIMING && seen_by != CONFIG_BOTH) return;
    digest_text(h, path);
    digest_text(h, value);
}

static enum ww_status make_key(const struct study_host *host, struct job *j,
                               struct diags *d) {
    struct digest h;
    digest_start(&h);
    digest_text(&h, "warpwatt result 2");
    digest_text(&h, host->build);
    digest_text(&h, j->program.name);
    digest_text(&h, j->program.size);
    digest_text(&h, j->program.args);
    for (uint32_t i = 0; i < j->configuration->n_options; i++)
        digest_text(&h, j->configuration->option[i]);
    for (uint32_t i = 0; j->row && i < j->row->n_options; i++) digest_text(&h, j->row->option[i]);
    gpu_config_each(j->gpu, feed_value, &h);
    // techniques as resolved: mechanisms and every option
    digest_feed(&h, j->savings, sizeof *j->savings);
    enum ww_status s = WW_OK;
    for (uint32_t i = 0; i < j->program.n_files && s == WW_OK; i++)
        s = feed_file(&h, j->program.file[i], d);
    if (!digest_end(&h, j->key) && s == WW_OK)
        s = diag_add(d, WW_ERROR_INTERNAL, "SHA-256 failed for the key of a job");
    return s;
}

enum ww_status study_host_build(struct arena *a, struct study_host *host, struct diags *d) {
    struct digest h;
    digest_start(&h);
    enum ww_status s = feed_file(&h, host->library, d);
    char text[DIGEST_BYTES];
    if (!digest_end(&h, text) && s == WW_OK)
        s = diag_add(d, WW_ERROR_INTERNAL, "SHA-256 failed for the simulator's build");
    host->build = arena_strdup(a, text);
    return s;
}

// Resolves the configuration of a job that has its program, and adds it if it is new.
static enum ww_status add(struct arena *a, job_list *list, const struct study_host *host,
                          struct job *j, struct diags *d, uint32_t *index) {
    const struct study_configuration *const c = j->configuration;
    struct gpu_config *const gpu = gpu_config_new(a);
    struct savings *const savings = arena_alloc(a, sizeof *savings);
    j->gpu = gpu, j->savings = savings;
    enum ww_status s = technique_configure(c->gpu, c->policy, c->set, c->n_set, d, gpu, savings);
    if (s == WW_OK) s = make_key(host, j, d);
    if (s != WW_OK) return s;
    for (*index = 0; *index < list->n; ++*index)
        if (strcmp(list->at[*index].key, j->key) == 0) return WW_OK;
    vec_push(a, list, *j);
    return WW_OK;
}

enum ww_status job_add(struct arena *a, job_list *list, const struct study_host *host,
                       const struct study_configuration *c, const struct study_workload *row,
                       const char *workload, const char *size, struct diags *d, uint32_t *index) {
    struct job j = {.configuration = c, .row = row};
    const enum ww_status s = host->find(host->user, workload, size, d, &j.program);
    if (s != WW_OK) return s;
    if (row && row->n_args && strcmp(size, row->paper) == 0) {
        j.own_args = true;
        j.program.args = "own";
        for (uint32_t i = 0; i < row->n_args; i++)
            j.program.args = arena_printf(a, "%s %s", j.program.args, row->arg[i]);
    }
    return add(a, list, host, &j, d, index);
}

enum ww_status job_add_program(struct arena *a, job_list *list, const struct study_host *host,
                               const struct study_configuration *c,
                               const struct study_program *program, struct diags *d,
                               uint32_t *index) {
    struct job j = {.configuration = c, .program = *program};
    return add(a, list, host, &j, d, index);
}
