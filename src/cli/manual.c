// `warpwatt manual`: man pages in roff, one a subcommand and one of the whole, from the same tables
// as parsing and --help.
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { OPT_OUT };
static const struct cli_option option[] = {
    [OPT_OUT] = {"--out", 'o', "DIR", "write every page: warpwatt.1 and warpwatt-COMMAND.1",
                 CLI_FOLDER},
};

const struct cli_spec spec_manual = {
    .name = "manual",
    .form = {"[COMMAND]", "-o DIR"},
    .prose =
        "Prints the man page of a subcommand, or of the whole, in roff: `warpwatt manual run | "
        "man -l -`.",
    .part = {CLI_PART(option)},
    .word = CLI_COMMAND,
};

// roff reads a backslash, a leading period or apostrophe, and a hyphen in its own way.
static void text(FILE *f, const char *t) {
    bool begins = true;
    for (; *t; t++) {
        if (begins && (*t == '.' || *t == '\'')) fputs("\\&", f);
        if (*t == '\\')
            fputs("\\e", f);
        else if (*t == '-')
            fputs("\\-", f);
        else
            fputc(*t, f);
        begins = *t == '\n';
    }
}

static void heading(FILE *f, const char *title) { fprintf(f, ".SH %s\n", title); }

static void head(FILE *f, const char *page) {
    fputs(".TH ", f);
    for (const char *p = page; *p; p++) fputc(*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p, f);
    fprintf(f, " 1 \"\" \"warpwatt %s\" \"User commands\"\n", WW_VERSION);
}

static void print_option(FILE *f, const struct cli_option *o) {
    fputs(".TP\n\\fB", f);
    if (o->letter) fprintf(f, "\\-%c\\fR, \\fB", o->letter);
    text(f, o->name);
    fputs("\\fR", f);
    if (o->value) {
        fputs(" \\fI", f);
        text(f, o->value);
        fputs("\\fR", f);
    }
    fputc('\n', f);
    text(f, o->prose);
    fputc('\n', f);
}

static void synopsis(FILE *f, const struct cli_spec *s) {
    for (size_t i = 0; i < CLI_MAX_FORMS && s->form[i]; i++) {
        if (i) fputs(".br\n", f);
        fprintf(f, "\\fBwarpwatt %s\\fR", s->name);
        if (*s->form[i]) fputc(' ', f);
        text(f, s->form[i]);
        fputc('\n', f);
    }
}

static void exit_codes(FILE *f) {
    heading(f, "EXIT STATUS");
    fputs("0 done; 1 the program under test failed; 2 usage or configuration; 3 unsupported; 4 the "
          "simulated GPU\ndeadlocked or met a limit, or the command was interrupted.\n",
          f);
}

static void page_of_command(FILE *f, const struct cli_command *command) {
    const struct cli_spec *s = command->spec;
    char name[64];
    snprintf(name, sizeof name, "warpwatt-%s", command->name);
    head(f, name);
    heading(f, "NAME");
    text(f, name);
    fputs(" \\- ", f);
    text(f, command->line);
    fputc('\n', f);
    heading(f, "SYNOPSIS");
    synopsis(f, s);
    heading(f, "DESCRIPTION");
    text(f, s->prose);
    fputc('\n', f);
    heading(f, "OPTIONS");
    static const struct cli_option help = {"--help", 'h', NULL, "shows this in short"};
    for (size_t p = 0; p < CLI_MAX_PARTS; p++) {
        if (s->part[p].title) {
            fputs(".SS ", f);
            text(f, s->part[p].title);
            fputc('\n', f);
        }
        for (size_t i = 0; i < s->part[p].n; i++) print_option(f, &s->part[p].option[i]);
        if (p == 0) print_option(f, &help);
    }
    if (s->notes) {
        heading(f, "NOTES");
        fputs(".nf\n", f);
        text(f, s->notes);
        fputs("\n.fi\n", f);
    }
    exit_codes(f);
    heading(f, "SEE ALSO");
    fputs(".BR warpwatt (1)\n", f);
}

static void page_of_all(FILE *f) {
    static const char *const variable[][2] = {
        {"WARPWATT_GPUS", "Folders with GPU files, separated by colons."},
        {"WARPWATT_SAVINGS", "Folders with technique files, separated by colons."},
        {"WARPWATT_STUDIES", "A folder with studies of your own."},
        {"XDG_CACHE_HOME", "Where results are kept, in warpwatt/results.db; else ~/.cache."},
        {"NO_COLOR", "No colours."}};
    head(f, "warpwatt");
    heading(f, "NAME");
    fputs("warpwatt \\- a GPU you can measure\n", f);
    heading(f, "SYNOPSIS");
    fputs("\\fBwarpwatt\\fR \\fICOMMAND\\fR [options]\n", f);
    heading(f, "DESCRIPTION");
    fputs("Runs a GPU program on a simulated GPU, cycle by cycle, with the right results, and says "
          "how long it\ntook, what every part of the chip did and where the energy went. The "
          "program is a workload that comes\nwith warpwatt, any program that nvcc built or that "
          "calls the CUDA driver API, or a bare kernel in PTX.\n",
          f);
    heading(f, "COMMANDS");
    for (size_t i = 0; i < cli_command_n; i++) {
        fputs(".TP\n\\fB", f);
        text(f, cli_command[i].name);
        fputs("\\fR\n", f);
        text(f, cli_command[i].line);
        fputc('\n', f);
    }
    heading(f, "ENVIRONMENT");
    for (size_t i = 0; i < WW_COUNT(variable); i++) {
        fputs(".TP\n.B ", f);
        text(f, variable[i][0]);
        fputc('\n', f);
        text(f, variable[i][1]);
        fputc('\n', f);
    }
    exit_codes(f);
    heading(f, "SEE ALSO");
    for (size_t i = 0; i < cli_command_n; i++)
        fprintf(f, ".BR warpwatt\\-%s (1)%s\n", cli_command[i].name,
                i + 1 < cli_command_n ? "," : "");
}

// One page as a file in `dir`; `command` NULL: of the whole.
static enum ww_status write_page(struct cli *c, const char *dir,
                                 const struct cli_command *command) {
    char *page = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&page, &len);
    if (!f) return diag_add(&c->diags, WW_ERROR_MEMORY, "out of memory for a man page");
    if (command)
        page_of_command(f, command);
    else
        page_of_all(f);
    enum ww_status s = WW_OK;
    if (fclose(f) != 0)
        s = diag_add(&c->diags, WW_ERROR_MEMORY, "out of memory for a man page");
    else
        s = file_write_atomic(arena_printf(&c->arena, "%s/warpwatt%s%s.1", dir, command ? "-" : "",
                                           command ? command->name : ""),
                              page, len, &c->diags);
    free(page);
    return s;
}

int cmd_manual(struct cli *c, int argc, char **argv) {
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    const char *name = NULL, *dir = NULL, *value;
    for (int o; (o = cli_next(&args, &spec_manual, &value)) != CLI_END;) {
        if (o == CLI_STOP) return args.code;
        if (o == CLI_WORD && name)
            return cli_usage("one command's page at a time: `%s` is too much", value);
        *(o == CLI_WORD ? &name : &dir) = value;
    }
    if (name && dir) return cli_usage("-o writes every page: `%s` is too much", name);
    if (!dir) {
        const struct cli_command *command = name ? cli_command_find(name) : NULL;
        if (name && !command)
            return cli_usage("no such command: `%s`; `warpwatt help` lists them", name);
        if (command)
            page_of_command(stdout, command);
        else
            page_of_all(stdout);
        return 0;
    }
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return cli_fail(c, diag_add(&c->diags, WW_ERROR_IO, "cannot make the directory %s: %s", dir,
                                    strerror(errno)));
    enum ww_status s = write_page(c, dir, NULL);
    for (size_t i = 0; i < cli_command_n && s == WW_OK; i++)
        s = write_page(c, dir, &cli_command[i]);
    return s == WW_OK ? 0 : cli_fail(c, s);
}
