// Entry of the command: finds the subcommand and hands over.
#include "cli/cli.h"
#include "commit.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

const struct cli_command cli_command[] = {
#define X(name, ident, line) {name, cmd_##ident, &spec_##ident, line},
    CLI_COMMANDS(X)
#undef X
};
const size_t cli_command_n = WW_COUNT(cli_command);

const struct cli_command *cli_command_find(const char *name) {
    for (size_t i = 0; i < cli_command_n; i++)
        if (strcmp(cli_command[i].name, name) == 0) return &cli_command[i];
    return NULL;
}

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

const struct cli_spec spec_help = {
    .name = "help",
    .form = {"[COMMAND]"},
    .prose = "The commands there are; with a COMMAND, its words and options.",
    .word = CLI_COMMAND,
};

static void print_commands(void) {
    puts("warpwatt: a GPU you can measure\n\nusage: warpwatt COMMAND [options]\n");
    for (size_t i = 0; i < cli_command_n; i++)
        printf("  %-10s %s\n", cli_command[i].name, cli_command[i].line);
    puts("\nfirst steps:\n"
         "  warpwatt run hotspot                        a workload on the default GPU\n"
         "  warpwatt run -g gtx780 --size paper bfs     another GPU, a larger input\n"
         "  warpwatt run -- ./my-program args           your program, as nvcc built it\n"
         "  warpwatt run kernel.ptx --entry saxpy --grid 64 --block 256 ...   a bare kernel\n"
         "\nexit codes: 0 done; 1 the program failed; 2 usage or configuration; 3 unsupported;\n"
         "            4 the simulated GPU deadlocked or met a limit, or a run was interrupted");
}

// One line for a name that is no command.
static int no_command(const char *name) {
    const char *names[WW_COUNT(cli_command)];
    for (size_t i = 0; i < cli_command_n; i++) names[i] = cli_command[i].name;
    const int near = text_nearest(name, names, cli_command_n);
    return near >= 0 ? cli_usage("no such command: `%s`; did you mean `%s`?", name, names[near])
                     : cli_usage("no such command: `%s`; `warpwatt help` lists them", name);
}

int cmd_help(struct cli *c, int argc, char **argv) {
    (void)c;
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    const char *name = NULL, *value;
    for (int o; (o = cli_next(&args, &spec_help, &value)) != CLI_END;) {
        if (o == CLI_STOP) return args.code;
        if (name) return cli_usage("help takes one command; `%s` is a second", value);
        name = value;
    }
    if (!name) return print_commands(), 0;
    const struct cli_command *command = cli_command_find(name);
    if (!command) return no_command(name);
    cli_print_help(command->spec, stdout);
    return 0;
}

const struct cli_spec spec_version = {
    .name = "version",
    .form = {""},
    .prose = "The version, and the commit that it was built from.",
};

int cmd_version(struct cli *c, int argc, char **argv) {
    (void)c;
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    const char *value;
    const int o = cli_next(&args, &spec_version, &value);
    if (o == CLI_STOP) return args.code;
    if (o == CLI_WORD) return cli_usage("version takes no word like `%s`", value);
    printf("warpwatt %s%s%s%s\n", WW_VERSION, *WW_COMMIT ? " (" : "", WW_COMMIT,
           *WW_COMMIT ? ")" : "");
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
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow gets a sentence, here and in programs
    c.exe_dir = folder_of_program(&c.arena);
    int code = 2;
    if (argc < 2) {
        print_commands();
    } else {
        const char *name = argv[1];
        if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
        if (strcmp(name, "--version") == 0) name = "version";
        const struct cli_command *command = cli_command_find(name);
        code = command ? command->run(&c, argc - 1, argv + 1) : no_command(name);
    }
    if ((fflush(stdout) != 0 || ferror(stdout)) && code == 0) {
        perror("warpwatt: standard output");
        code = 2;
    }
    diags_free(&c.diags);
    arena_free(&c.arena);
    return code;
}
