// `warpwatt new`: the files of a recipe of docs/, with the names put in: a technique with its mechanism and a test
// that fails until it says what the mechanism does, or a GPU whose values lack their sources. templates/ has their text.
#include "cli/cli.h"

#include <stdlib.h>
#include <unistd.h>

enum { OPT_BASE, OPT_TREE };
static const struct cli_option option[] = {
    [OPT_BASE] = {"--base", 'b', "GPU",
                  "of a GPU: the one that is nearest (default " SESSION_GPU ")", CLI_GPU},
    [OPT_TREE] = {"--tree", 0, "DIR", "the checkout of warpwatt (default: the current folder)",
                  CLI_FOLDER},
};

const struct cli_spec spec_new = {
    .name = "new",
    .form = {"technique NAME [--tree DIR]", "gpu NAME [--base GPU] [--tree DIR]"},
    .prose = "Lays the files of docs/add-a-policy.md or docs/add-a-gpu.md into a checkout, "
             "compiling and\n"
             "with a test that fails and says what to write. Outside a checkout a GPU's file is "
             "written\n"
             "into the current folder. What is there is never written over.",
    .part = {CLI_PART(option)},
    .word = CLI_CHOICE,
    .choices = "technique|gpu",
};

// What a recipe lays: a template's text as a file, or a line before the first one that begins so.
static const struct laid {
    const char *kind, *from, *to, *before;
} laid[] = {
    {"technique", "technique/mechanism.c.in", "src/savings/@IDENT@.c", NULL},
    {"technique", "technique/technique.yaml.in", "savings/@NAME@.yaml", NULL},
    {"technique", "technique/test.c.in", "tests/savings/test_@IDENT@.c", NULL},
    {"technique", "MECHANISM(@IDENT@)\n", "src/savings/mechanism.def", "SHARED("},
    {"gpu", "gpu/gpu.yaml.in", "gpus/@NAME@.yaml", NULL},
};
static const char *const next_technique =
    "next:\n"
    "  cmake -S . -B build && cmake --build build\n"
    "  build/warpwatt run -p @NAME@ vectorAdd        it counts already\n"
    "  ctest --test-dir build -R 'savings.test_@IDENT@$' --output-on-failure\n"
    "docs/add-a-policy.md says how ports, effects and areas are written\n";
static const char *const next_gpu =
    "next:\n"
    "  build/warpwatt gpus @NAME@                    it can run already, as @BASE@ with these "
    "values\n"
    "  ctest --test-dir build -R gpu.test_config --output-on-failure   values without a source\n"
    "docs/add-a-gpu.md says what a source is; warpwatt gpus --keys explains every key\n";
static const char *const next_gpu_alone = "next:\n"
                                          "  warpwatt gpus ./@NAME@.yaml\n"
                                          "  warpwatt run -g ./@NAME@.yaml vectorAdd\n";

struct filling {
    const char *name, *ident, *base;
    const struct gpu_config *config; // of the base; NULL: no GPU
};

// The text with every @WORD@ replaced: NAME, IDENT, BASE, or a key of the base's configuration. Other text between
// two @ stays as it is.
static const char *filled(struct arena *a, const struct filling *n, const char *text) {
    VEC(char) out = {0};
    while (*text) {
        const size_t len = *text == '@' ? strcspn(text + 1, "@ \n") : 0;
        char value[128] = "";
        if (len && text[len + 1] == '@') {
            const char *word = arena_printf(a, "%.*s", (int)len, text + 1);
            if (strcmp(word, "NAME") == 0 || strcmp(word, "IDENT") == 0 ||
                strcmp(word, "BASE") == 0)
                snprintf(value, sizeof value, "%s",
                         *word == 'N'   ? n->name
                         : *word == 'I' ? n->ident
                                        : n->base);
            else if (!n->config || !gpu_config_get(n->config, word, value, sizeof value))
                *value = 0;
        }
        if (*value) {
            for (const char *v = value; *v; v++) vec_push(a, &out, *v);
            text += len + 2;
        } else
            vec_push(a, &out, *text++);
    }
    vec_push(a, &out, '\0');
    return out.at;
}

static const char *templates(struct cli *c) {
    const char *const dir[] = {
        arena_printf(&c->arena, "%s/../share/warpwatt/templates", c->exe_dir),
        WW_SOURCE_DIR "/templates"};
    for (size_t i = 0; i < WW_COUNT(dir); i++)
        if (access(arena_printf(&c->arena, "%s/gpu/gpu.yaml.in", dir[i]), R_OK) == 0) return dir[i];
    diag_add(&c->diags, WW_ERROR_IO, "cannot find templates/gpu/gpu.yaml.in beside %s/warpwatt",
             c->exe_dir);
    return NULL;
}

// The content that a row makes of its file. *content NULL: the line stands there already.
static enum ww_status content_of(struct cli *c, const struct laid *l, const struct filling *n,
                                 const char *folder, const char *path, const char **content) {
    char *text;
    size_t len;
    const char *from = l->before ? path : arena_printf(&c->arena, "%s/%s", folder, l->from);
    const enum ww_status s = file_read(&c->arena, from, 1 << 20, &text, &len, &c->diags);
    if (s != WW_OK) return s;
    if (!l->before) {
        *content = filled(&c->arena, n, text);
        return WW_OK;
    }
    const char *at = text;
    while (at && strncmp(at, l->before, strlen(l->before)) != 0)
        at = (at = strchr(at, '\n')) ? at + 1 : NULL;
    if (!at)
        return diag_add(&c->diags, WW_ERROR_SYNTAX, "%s has no line that begins with %s", path,
                        l->before);
    *content = arena_printf(&c->arena, "%.*s%s%s", (int)(at - text), text,
                            filled(&c->arena, n, l->from), at);
    return WW_OK;
}

// A name as files and options have it: small letters, digits, single hyphens.
static bool is_name(const char *name) {
    enum { LONGEST = 32 };
    const size_t n = strlen(name);
    return n <= LONGEST && *name >= 'a' && *name <= 'z' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == n && name[n - 1] != '-' &&
           !strstr(name, "--");
}

static enum ww_status lay(struct cli *c, const char *kind, const struct filling *n,
                          const char *tree, bool alone) {
    enum { MOST = 8 };
    const char *const folder = templates(c), *content[MOST], *path[MOST];
    if (!folder) return WW_ERROR_IO;
    static_assert(WW_COUNT(laid) <= MOST, "each row has its place");
    enum ww_status s = WW_OK;
    for (size_t i = 0; s == WW_OK && i < WW_COUNT(laid);
         i++) { // nothing is written where something is wrong
        if (strcmp(laid[i].kind, kind) != 0) continue;
        path[i] = alone ? arena_printf(&c->arena, "%s.yaml", n->name)
                        : arena_printf(&c->arena, "%s/%s", tree, filled(&c->arena, n, laid[i].to));
        if (!laid[i].before && access(path[i], F_OK) == 0)
            s = diag_add(&c->diags, WW_ERROR_USAGE, "%s is there already; nothing was written",
                         path[i]);
        if (s == WW_OK) s = content_of(c, &laid[i], n, folder, path[i], &content[i]);
    }
    for (size_t i = 0; s == WW_OK && i < WW_COUNT(laid); i++) {
        if (strcmp(laid[i].kind, kind) != 0) continue;
        s = file_write_atomic(path[i], content[i], strlen(content[i]), &c->diags);
        if (s == WW_OK) printf("%s %s\n", laid[i].before ? "a line in" : "written  ", path[i]);
    }
    return s;
}

// A file with the name of an installed GPU would be found in its place, also as its own base.
static enum ww_status refuse_known(struct cli *c, const char *name) {
    struct gpu_listing *list;
    uint32_t n;
    const enum ww_status s = gpu_config_list(&c->arena, &list, &n, &c->diags);
    if (s != WW_OK) return s;
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0)
            return diag_add(&c->diags, WW_ERROR_USAGE, "there is a GPU %s already; choose another name",
                            name);
    return WW_OK;
}

int cmd_new(struct cli *c, int argc, char **argv) {
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    const char *kind = NULL, *name = NULL, *base = SESSION_GPU, *tree = ".";
    bool given = false; // the tree
    for (;;) {
        const char *value = NULL;
        const int o = cli_next(&args, &spec_new, &value);
        if (o == CLI_STOP) return args.code;
        if (o == CLI_END) break;
        if (o == OPT_BASE) base = value;
        if (o == OPT_TREE) {
            tree = value;
            given = true;
        }
        if (o == CLI_WORD && name)
            return cli_usage("new takes a kind and one name, not also `%s`", value);
        if (o == CLI_WORD) *(kind ? &name : &kind) = value;
    }
    if (!kind || !name) return cli_usage("new needs a kind, technique or gpu, and a name");
    const bool is_gpu = strcmp(kind, "gpu") == 0;
    if (!is_gpu && strcmp(kind, "technique") != 0)
        return cli_usage("new makes a technique or a gpu, not a `%s`", kind);
    if (!is_name(name))
        return cli_usage(
            "`%s` is no name: small letters, digits and single hyphens, a letter first, at most 32",
            name);
    const bool has_tree =
        access(arena_printf(&c->arena, "%s/src/savings/mechanism.def", tree), R_OK) == 0;
    if (!has_tree && (!is_gpu || given))
        return cli_usage("%s is no checkout of warpwatt: src/savings/mechanism.def is not there",
                         tree);
    char *const ident = arena_strdup(&c->arena, name);
    for (char *p = ident; *p; p++)
        if (*p == '-') *p = '_';
    struct gpu_config *const config = is_gpu ? gpu_config_new(&c->arena) : NULL;
    enum ww_status s = is_gpu ? gpu_config_load(base, NULL, 0, &c->diags, config) : WW_OK;
    const struct filling n = {.name = name, .ident = ident, .base = base, .config = config};
    if (s == WW_OK && is_gpu && !has_tree) s = refuse_known(c, name);
    if (s == WW_OK) s = lay(c, kind, &n, tree, is_gpu && !has_tree);
    if (s != WW_OK) return cli_fail(c, s);
    fputs(filled(&c->arena, &n,
                 !is_gpu    ? next_technique
                 : has_tree ? next_gpu
                            : next_gpu_alone),
          stdout);
    return 0;
}
