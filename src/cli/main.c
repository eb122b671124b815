// Entry of the command: finds the subcommand and hands over.
#include "cli/cli.h"

#include <stdlib.h>
#include <unistd.h>

static const struct {
    const char *name;
    int (*run)(struct cli *, int, char **);
    const char *synopsis, *line;
} command[] = {
#define X(name, function, synopsis, line) {name, function, synopsis, line},
    CLI_COMMANDS(X)
#undef X
};

int cli_fail(struct cli *c, enum ww_status s) {
    fflush(stdout);
    diags_print(&c->diags, stderr);
    return ww_status_exit_code(s);
}

int cli_usage(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    fputs("warpwatt: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    return 2;
}

const char *cli_program_path(struct cli *c, const char *name) {
    const char *path = getenv("PATH");
    if (strchr(name, '/') || !path) return name;
    for (const char *end; *path; path = *end ? end + 1 : end) {
        end = strchrnul(path, ':');
        const char *file = arena_printf(&c->arena, "%.*s/%s", (int)(end - path), path, name);
        if (access(file, X_OK) == 0) return file;
    }
    return name;
}

static int option_match(const char *word, const struct cli_option *o, const char **value) {
    *value = NULL;
    if (word[1] == '-') {
        const size_t n = strlen(o->name);
        if (strncmp(word, o->name, n) != 0 || (word[n] && word[n] != '=')) return 0;
        if (word[n] == '=') *value = word + n + 1;
        return 1;
    }
    if (!o->letter || word[1] != o->letter) return 0;
    if (word[2]) *value = word + 2;
    return 1;
}

int cli_next(struct cli_args *a, const struct cli_option *table, size_t n, const char **value) {
    if (a->at >= a->argc) return -2;
    const char *word = a->argv[a->at++];
    if (strcmp(word, "--") == 0) {
        a->after_dashes = true;
        return -2;
    }
    if (word[0] != '-' || !word[1]) {
        *value = word;
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        if (!option_match(word, &table[i], value)) continue;
        if (!table[i].value && *value) {
            cli_usage("%s takes no value, but got `%s`", table[i].name, *value);
            return -3;
        }
        if (table[i].value && !*value) {
            if (a->at >= a->argc) {
                cli_usage("%s needs a value: %s", table[i].name, table[i].value);
                return -3;
            }
            *value = a->argv[a->at++];
        }
        return (int)i;
    }
    const char *names[64];
    size_t known = 0;
    for (; known < n && known < WW_COUNT(names); known++) names[known] = table[known].name;
    const int near = text_nearest(word, names, known);
    if (near >= 0)
        cli_usage("unknown option `%s`; did you mean %s?", word, names[near]);
    else
        cli_usage("unknown option `%s`", word);
    return -3;
}

void cli_print_options(const struct cli_option *table, size_t n, FILE *out) {
    for (size_t i = 0; i < n; i++) {
        char head[64], letter[8] = "    ";
        if (table[i].letter) snprintf(letter, sizeof letter, "-%c, ", table[i].letter);
        snprintf(head, sizeof head, "%s%s%s%s", letter, table[i].name, table[i].value ? " " : "",
                 table[i].value ? table[i].value : "");
        fprintf(out, "  %-32s %s\n", head, table[i].prose);
    }
}

int cmd_help(struct cli *c, int argc, char **argv) {
    if (argc > 1) {
        for (size_t i = 0; i < WW_COUNT(command); i++) {
            if (strcmp(argv[1], command[i].name) != 0 || command[i].run == cmd_help) continue;
            char *args[] = {argv[1], (char *)"--help", NULL};
            return command[i].run(c, 2, args);
        }
        return cli_usage("no such command: `%s`", argv[1]);
    }
    puts("warpwatt: a GPU you can measure\n\nusage: warpwatt COMMAND [options]\n");
    for (size_t i = 0; i < WW_COUNT(command); i++)
        printf("  %-10s %s\n", command[i].name, command[i].line);
    puts("\nfirst steps:\n"
         "  warpwatt run hotspot                        a workload on the default GPU\n"
         "  warpwatt run -g gtx780 --size paper bfs     another GPU, a larger input\n"
         "  warpwatt run -- ./my-program args           your program, as nvcc built it\n"
         "  warpwatt run kernel.ptx --entry saxpy --grid 64 --block 256 ...   a bare kernel\n"
         "\nexit codes: 0 done; 1 the program failed; 2 usage or configuration; 3 unsupported;\n"
         "            4 the simulated GPU deadlocked or met a limit, or a run was interrupted");
    return 0;
}

int cmd_version(struct cli *c, int argc, char **argv) {
    (void)c, (void)argc, (void)argv;
    puts("warpwatt " WW_VERSION);
    return 0;
}

static const char *folder_of_program(struct arena *a) {
    char path[4096];
    if (!file_program(path, sizeof path)) return ".";
    *strrchr(path, '/') = 0;
    return arena_strdup(a, path);
}

int main(int argc, char **argv) {
    struct cli c = {.colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR")};
    arena_init(&c.arena, NULL);
    diags_init(&c.diags);
    c.exe_dir = folder_of_program(&c.arena);
    int code = 2;
    if (argc < 2) {
        cmd_help(&c, 1, argv);
    } else {
        const char *name = argv[1];
        if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
        if (strcmp(name, "--version") == 0) name = "version";
        const char *names[WW_COUNT(command)];
        size_t i = 0;
        for (; i < WW_COUNT(command); i++) {
            names[i] = command[i].name;
            if (strcmp(name, command[i].name) == 0) break;
        }
        if (i < WW_COUNT(command)) {
            code = command[i].run(&c, argc - 1, argv + 1);
        } else {
            const int near = text_nearest(name, names, WW_COUNT(command));
            code = near >= 0
                       ? cli_usage("no such command: `%s`; did you mean `%s`?", name, names[near])
                       : cli_usage("no such command: `%s`; `warpwatt help` lists them", name);
        }
    }
    if (fflush(stdout) != 0 && code == 0) {
        perror("warpwatt: standard output");
        code = 2;
    }
    diags_free(&c.diags);
    arena_free(&c.arena);
    return code;
}
