// The command line's words and options, read by the table of a subcommand; and the page of --help,
// which is printed from the same table.
#include "cli/cli.h"

#include <jansson.h>

static const struct cli_option help_option = {"--help", 'h', NULL, "this text"};

enum { MAX_NAMES = 64 };

const struct cli_option cli_json_option = {"--json", 0, NULL, "as JSON on standard output"};
enum { LIST_FORMAT = 1 }; // of every list's JSON: raised when a reader would have to change

void cli_print_json(const char *name, json_t *value) {
    json_t *o = json_pack("{s:i,s:O}", "format", LIST_FORMAT, name, value);
    json_dumpf(o, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(o);
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

static int stop(struct cli_args *a, int code) {
    a->code = code;
    return CLI_STOP;
}

static int unknown(struct cli_args *a, const struct cli_spec *spec, const char *word) {
    const char *names[MAX_NAMES] = {help_option.name};
    size_t n = 1;
    for (size_t p = 0; p < CLI_MAX_PARTS; p++)
        for (size_t i = 0; i < spec->part[p].n && n < MAX_NAMES; i++)
            names[n++] = spec->part[p].option[i].name;
    const int near = text_nearest(word, names, n);
    return stop(a, near >= 0 ? cli_usage("unknown option `%s`; did you mean %s?", word, names[near])
                             : cli_usage("unknown option `%s`", word));
}

// The value of an option that was found, from the same word or the next one.
static bool take_value(struct cli_args *a, const struct cli_option *o, const char **value) {
    if (!o->value && *value) {
        cli_usage("%s takes no value, but got `%s`", o->name, *value);
        return false;
    }
    if (!o->value || *value) return true;
    if (a->at >= a->argc) {
        cli_usage("%s needs a value: %s", o->name, o->value);
        return false;
    }
    *value = a->argv[a->at++];
    return true;
}

int cli_next(struct cli_args *a, const struct cli_spec *spec, const char **value) {
    if (a->at >= a->argc) return CLI_END;
    const char *word = a->argv[a->at++];
    if (strcmp(word, "--") == 0) {
        a->after_dashes = true;
        return CLI_END;
    }
    if (word[0] != '-' || !word[1]) {
        *value = word;
        return CLI_WORD;
    }
    if (option_match(word, &help_option, value)) {
        if (!take_value(a, &help_option, value)) return stop(a, 2);
        cli_print_help(spec, stdout);
        return stop(a, 0);
    }
    int index = 0;
    for (size_t p = 0; p < CLI_MAX_PARTS; p++)
        for (size_t i = 0; i < spec->part[p].n; i++, index++) {
            const struct cli_option *o = &spec->part[p].option[i];
            if (!option_match(word, o, value)) continue;
            return take_value(a, o, value) ? index : stop(a, 2);
        }
    return unknown(a, spec, word);
}

// ---- the page of --help -----------------------------------------------------------------------
static void print_option(const struct cli_option *o, FILE *out) {
    char head[64], letter[8] = "    ";
    if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(head, sizeof head, "%s%s%s%s", letter, o->name, o->value ? " " : "",
             o->value ? o->value : "");
    fprintf(out, "  %-32s %s\n", head, o->prose);
}

void cli_print_help(const struct cli_spec *spec, FILE *out) {
    for (size_t i = 0; i < CLI_MAX_FORMS && spec->form[i]; i++)
        fprintf(out, "%s warpwatt %s%s%s\n", i ? "      " : "usage:", spec->name,
                *spec->form[i] ? " " : "", spec->form[i]);
    if (spec->prose) fprintf(out, "\n%s\n", spec->prose);
    fputc('\n', out);
    for (size_t p = 0; p < CLI_MAX_PARTS; p++) {
        const struct cli_part *part = &spec->part[p];
        if (part->title) fprintf(out, "\n%s\n", part->title);
        for (size_t i = 0; i < part->n; i++) print_option(&part->option[i], out);
        if (p == 0) print_option(&help_option, out);
    }
    if (spec->notes) fprintf(out, "\n%s\n", spec->notes);
}

enum ww_status cli_time(struct cli *c, const char *name, const char *text, uint64_t *ns) {
    static const struct {
        const char *unit;
        double ns;
    } unit[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const size_t digits = strspn(text, "0123456789.+-eE");
    double v;
    for (size_t i = 0; i < WW_COUNT(unit); i++)
        if (strcmp(text + digits, unit[i].unit) == 0 &&
            text_to_double(arena_printf(&c->arena, "%.*s", (int)digits, text), &v) && v >= 0 &&
            v * unit[i].ns < 9e18) {
            *ns = (uint64_t)(v * unit[i].ns + 0.5);
            return WW_OK;
        }
    return diag_add(&c->diags, WW_ERROR_USAGE,
                    "%s takes a time such as 250us, 1.5ms or 0.01s, not `%s`", name, text);
}
