// `warpwatt completion`: what a shell reads to complete the words of this command. The scripts of
// bash, zsh and fish are written from the tables of the command line; names of GPUs, workloads,
// techniques and studies are asked for when a word is completed, so that a new file is there at
// once.
#include "gpu/technique.h"
#include "savings/savings.h"
#include "cli/cli.h"

#define SHELLS "bash|zsh|fish"
#define NAMES  "gpus|workloads|savings|studies|keys|commands"

enum { OPT_NAMES };
static const struct cli_option option[] = {
    [OPT_NAMES] = {"--names", 0, NAMES, "the names there are, one a line", CLI_CHOICE},
};

const struct cli_spec spec_completion = {
    .name = "completion",
    .form = {SHELLS, "--names " NAMES},
    .prose = "Prints the script that teaches a shell this command's words, for example\n"
             "  . <(warpwatt completion bash)",
    .part = {CLI_PART(option)},
    .word = CLI_CHOICE,
    .choices = SHELLS,
};

// Which list of names completes a kind, and whether a file may stand there too.
static const struct {
    const char *names; // of --names, or NULL
    bool files, folders;
} complete[] = {
    [CLI_TEXT] = {NULL, false, false},          [CLI_FILE] = {NULL, true, true},
    [CLI_FOLDER] = {NULL, false, true},         [CLI_GPU] = {"gpus", true, true},
    [CLI_WORKLOAD] = {"workloads", true, true}, [CLI_TECHNIQUE] = {"savings", true, true},
    [CLI_STUDY] = {"studies", true, true},      [CLI_KEY] = {"keys", false, false},
    [CLI_CHOICE] = {NULL, false, false},        [CLI_COMMAND] = {"commands", false, false},
    [CLI_PROGRAM] = {NULL, true, true},
};

// ---- names ------------------------------------------------------------------------------------
static int print_gpus(struct cli *c) {
    struct gpu_listing *list;
    uint32_t n;
    const enum ww_status s = gpu_config_list(&c->arena, &list, &n, &c->diags);
    if (s != WW_OK) return cli_fail(c, s);
    for (uint32_t i = 0; i < n; i++) puts(list[i].name);
    return 0;
}

static int print_workloads(struct cli *c) {
    struct workload *list;
    uint32_t n;
    const enum ww_status s = workloads_list(c, &list, &n);
    if (s != WW_OK) return cli_fail(c, s);
    for (uint32_t i = 0; i < n; i++) puts(list[i].name);
    return 0;
}

static int print_techniques(struct cli *c) {
    struct technique *list;
    uint32_t n;
    const enum ww_status s = technique_list(&c->arena, &list, &n, &c->diags);
    if (s != WW_OK) return cli_fail(c, s);
    for (uint32_t i = 0; i < n; i++)
        if (!list[i].broken) puts(list[i].name);
    return 0;
}

static int print_studies(struct cli *c) {
    const char *const *names;
    const uint32_t n = study_names(c, &names);
    for (uint32_t i = 0; i < n; i++) puts(names[i]);
    return 0;
}

static int print_keys(struct cli *c) {
    const struct gpu_key *keys;
    const uint32_t n = gpu_config_keys(&c->arena, &keys);
    for (uint32_t i = 0; i < n; i++) printf("%s=\n", keys[i].path);
    return 0;
}

static int print_commands(struct cli *c) {
    (void)c;
    for (size_t i = 0; i < cli_command_n; i++) puts(cli_command[i].name);
    return 0;
}

static int print_names(struct cli *c, const char *what) {
    static const struct {
        const char *name;
        int (*print)(struct cli *);
    } list[] = {{"gpus", print_gpus},          {"workloads", print_workloads},
                {"savings", print_techniques}, {"studies", print_studies},
                {"keys", print_keys},          {"commands", print_commands}};
    for (size_t i = 0; i < WW_COUNT(list); i++)
        if (strcmp(list[i].name, what) == 0) return list[i].print(c);
    return cli_usage("--names is `%s`; it must be one of " NAMES, what);
}

// ---- bash -------------------------------------------------------------------------------------
// Words of `a|b|c` with blanks between.
static void choices(const char *text) {
    for (; *text; text++) putchar(*text == '|' ? ' ' : *text);
}

// What sets COMPREPLY for a value or a word of a kind; `list` has the words of a choice.
static void bash_reply(enum cli_kind kind, const char *list) {
    if (kind == CLI_CHOICE) {
        fputs("COMPREPLY=($(compgen -W '", stdout);
        choices(list);
        fputs("' -- \"$cur\"))", stdout);
        return;
    }
    fputs("COMPREPLY=(", stdout);
    if (complete[kind].names)
        printf("$(compgen -W \"$(warpwatt completion --names %s 2>/dev/null)\" -- \"$cur\") ",
               complete[kind].names);
    if (complete[kind].files)
        fputs("$(compgen -f -- \"$cur\")", stdout);
    else if (complete[kind].folders)
        fputs("$(compgen -d -- \"$cur\")", stdout);
    putchar(')');
    if (kind == CLI_KEY) fputs("; compopt -o nospace", stdout);
    if (complete[kind].folders) fputs("; compopt -o filenames", stdout);
}

static void bash_command(const struct cli_command *command) {
    const struct cli_spec *s = command->spec;
    printf("    %s)\n        case $prev in\n", command->name);
    for (size_t p = 0; p < CLI_MAX_PARTS; p++)
        for (size_t i = 0; i < s->part[p].n; i++) {
            const struct cli_option *o = &s->part[p].option[i];
            if (!o->value) continue;
            fputs("        ", stdout);
            if (o->letter) printf("-%c|", o->letter);
            printf("%s) ", o->name);
            bash_reply(o->kind, o->value);
            puts("; return ;;");
        }
    puts("        esac\n        case $cur in");
    fputs("        -*) COMPREPLY=($(compgen -W '--help", stdout);
    for (size_t p = 0; p < CLI_MAX_PARTS; p++)
        for (size_t i = 0; i < s->part[p].n; i++) printf(" %s", s->part[p].option[i].name);
    fputs("' -- \"$cur\")) ;;\n        *) ", stdout);
    if (s->word == CLI_TEXT)
        putchar(':');
    else
        bash_reply(s->word, s->choices);
    puts(" ;;\n        esac ;;");
}

static void bash_script(void) {
    puts("# bash completion of warpwatt, made by `warpwatt completion bash`.\n"
         "_warpwatt() {\n"
         "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i\n"
         "    COMPREPLY=()\n"
         "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
         "        if [[ ${COMP_WORDS[i]} == -- ]]; then\n"
         "            COMPREPLY=($(compgen -f -- \"$cur\")); compopt -o filenames; return\n"
         "        fi\n"
         "    done\n"
         "    if ((COMP_CWORD == 1)); then");
    fputs("        COMPREPLY=($(compgen -W '--help --version", stdout);
    for (size_t i = 0; i < cli_command_n; i++) printf(" %s", cli_command[i].name);
    puts("' -- \"$cur\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in");
    for (size_t i = 0; i < cli_command_n; i++) bash_command(&cli_command[i]);
    puts("    esac\n}\ncomplete -F _warpwatt warpwatt");
}

// ---- zsh --------------------------------------------------------------------------------------
// In a specification of _arguments: within single quotes, and brackets and colons are its own.
static void zsh_text(const char *t) {
    for (; *t; t++) {
        if (*t == '\'')
            fputs("'\\''", stdout);
        else if (*t == '[' || *t == ']' || *t == ':' || *t == '\\')
            printf("\\%c", *t);
        else
            putchar(*t);
    }
}

static void zsh_action(enum cli_kind kind, const char *list) {
    if (kind == CLI_CHOICE) {
        putchar('(');
        choices(list);
        putchar(')');
    } else if (complete[kind].names) {
        printf("{_warpwatt_names %s%s}", complete[kind].names,
               complete[kind].files ? " files" : "");
    } else if (complete[kind].files) {
        fputs("_files", stdout);
    } else if (complete[kind].folders) {
        fputs("_files -/", stdout);
    } else {
        putchar(' ');
    }
}

static void zsh_option(const struct cli_option *o) {
    for (int form = o->letter ? 0 : 1; form < 2; form++) {
        fputs("            '*", stdout);
        if (form)
            printf("%s", o->name);
        else
            printf("-%c", o->letter);
        if (o->value) putchar(form ? '=' : '+');
        putchar('[');
        zsh_text(o->prose);
        putchar(']');
        if (o->value) {
            putchar(':');
            zsh_text(o->value);
            putchar(':');
            zsh_action(o->kind, o->value);
        }
        puts("' \\");
    }
}

static void zsh_script(void) {
    puts("#compdef warpwatt\n"
         "# zsh completion of warpwatt, made by `warpwatt completion zsh`.\n"
         "_warpwatt_names() {\n"
         "    local -a names\n"
         "    names=(${(f)\"$(warpwatt completion --names $1 2>/dev/null)\"})\n"
         "    if [[ $1 == keys ]]; then compadd -S '' -a names; else compadd -a names; fi\n"
         "    [[ -n $2 ]] && _files\n"
         "}\n"
         "_warpwatt() {\n"
         "    local -a commands\n"
         "    if ((CURRENT == 2)); then\n"
         "        commands=(");
    for (size_t i = 0; i < cli_command_n; i++) {
        printf("            '%s:", cli_command[i].name);
        zsh_text(cli_command[i].line);
        puts("'");
    }
    puts("        )\n        _describe command commands\n        return\n    fi\n"
         "    local command=$words[2]\n"
         "    shift words\n    ((CURRENT--))\n    case $command in");
    for (size_t i = 0; i < cli_command_n; i++) {
        const struct cli_spec *s = cli_command[i].spec;
        printf(
            "    %s)\n        _arguments -s \\\n            '(- *)'{-h,--help}'[this text]' \\\n",
            cli_command[i].name);
        for (size_t p = 0; p < CLI_MAX_PARTS; p++)
            for (size_t k = 0; k < s->part[p].n; k++) zsh_option(&s->part[p].option[k]);
        fputs("            '*:", stdout);
        zsh_text(s->form[0]);
        putchar(':');
        zsh_action(s->word, s->choices ? s->choices : "");
        puts("' ;;");
    }
    puts("    esac\n}\n"
         "if [[ $funcstack[1] == _warpwatt ]]; then _warpwatt \"$@\"; else compdef _warpwatt "
         "warpwatt; fi");
}

// ---- fish -------------------------------------------------------------------------------------
static void fish_text(const char *t) {
    putchar('\'');
    for (; *t; t++) {
        if (*t == '\'' || *t == '\\') putchar('\\');
        putchar(*t);
    }
    putchar('\'');
}

static void fish_words(enum cli_kind kind, const char *list) {
    if (kind == CLI_CHOICE) {
        fputs(" -a '", stdout);
        choices(list);
        putchar('\'');
    } else if (complete[kind].names) {
        printf(" -a '(warpwatt completion --names %s 2>/dev/null)'", complete[kind].names);
    } else if (complete[kind].folders && !complete[kind].files) {
        fputs(" -a '(__fish_complete_directories)'", stdout);
    }
}

static void fish_script(void) {
    puts("# fish completion of warpwatt, made by `warpwatt completion fish`.");
    for (size_t i = 0; i < cli_command_n; i++) {
        printf("complete -c warpwatt -f -n __fish_use_subcommand -a %s -d ", cli_command[i].name);
        fish_text(cli_command[i].line);
        putchar('\n');
    }
    for (size_t i = 0; i < cli_command_n; i++) {
        const struct cli_command *command = &cli_command[i];
        const struct cli_spec *s = command->spec;
        char when[96];
        snprintf(when, sizeof when, "complete -c warpwatt -n '__fish_seen_subcommand_from %s'",
                 command->name);
        printf("%s -l help -s h -d 'this text'\n", when);
        for (size_t p = 0; p < CLI_MAX_PARTS; p++)
            for (size_t k = 0; k < s->part[p].n; k++) {
                const struct cli_option *o = &s->part[p].option[k];
                printf("%s -l %s", when, o->name + 2);
                if (o->letter) printf(" -s %c", o->letter);
                fputs(" -d ", stdout);
                fish_text(o->prose);
                if (o->value) {
                    fputs(complete[o->kind].files ? " -r" : " -x", stdout);
                    fish_words(o->kind, o->value);
                }
                putchar('\n');
            }
        printf("%s %s", when, complete[s->word].files ? "-F" : "-f");
        fish_words(s->word, s->choices ? s->choices : "");
        putchar('\n');
    }
}

int cmd_completion(struct cli *c, int argc, char **argv) {
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    const char *shell = NULL, *names = NULL, *value;
    for (int o; (o = cli_next(&args, &spec_completion, &value)) != CLI_END;) {
        if (o == CLI_STOP) return args.code;
        if (o == CLI_WORD && shell)
            return cli_usage("one shell at a time: `%s` is too much", value);
        *(o == CLI_WORD ? &shell : &names) = value;
    }
    if (names) return print_names(c, names);
    static const struct {
        const char *name;
        void (*print)(void);
    } script[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};
    for (size_t i = 0; shell && i < WW_COUNT(script); i++) {
        if (strcmp(script[i].name, shell) != 0) continue;
        script[i].print();
        return 0;
    }
    return cli_usage("completion of which shell? bash, zsh or fish");
}
