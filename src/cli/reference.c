// `warpwatt reference`: pages of docs/, made from the tables of the code so that they stay true.
#include "activity/stall.h"
#include "isa/image.h"
#include "savings/savings.h"
#include "sm/config.h"
#include "cli/cli.h"
#include "isa/operands.h"
#include "study/study.h"
#include "power/check.h"
#include "power/declared.h"
#include "power/effect.h"
#include "power/power_gpu.h"
#include "sass/row.h"
#include "sass/translate.h"

#include <ctype.h>
#include <string.h>

static void counters(void) {
    puts("# Counters\n\nEvery counter of `counters.def`: JSON, CSV and XML files use these "
         "names.\n\n"
         "| counter | entries | unit | component | one count means |\n|---|---|---|---|---|");
    for (uint32_t i = 0; i < act_rows(); i++)
        printf("| `%s` | %u | %s | %s | %s |\n", act_row(i)->name, act_row(i)->n, act_row(i)->unit,
               act_row(i)->component, act_row(i)->prose);
}

static void stalls(void) {
    static const char *const prose[] = {
#define STALL(name, text) text,
#include "activity/stall.def"
#undef STALL
    };
    puts("# Issue slots\n\nEach scheduler cycle has exactly one owner.\n\n| owner | meaning "
         "|\n|---|---|");
    for (unsigned i = 0; i < STALL_N; i++)
        printf("| `%s` | %s |\n", stall_text((enum stall_reason)i), prose[i]);
}

// "D type, A type, B type i c, (C predicate)".
static void print_operands(const struct operand_row *row) {
    static const char *const name[MINST_DSTS + MINST_SRCS] = {"D", "D1", "D2", "A", "B",
                                                             "C", "E",  "F",  "G"};
    const char *sep = "";
    for (unsigned k = 0; k < MINST_DSTS + MINST_SRCS; k++) {
        const unsigned s = k - MINST_DSTS;
        const uint8_t slot = k < MINST_DSTS ? row->dst[k] : row->src[s];
        if (slot == 0) continue;
        const bool may_be_other = k >= MINST_DSTS && slot & SLOT_VALUE;
        printf("%s%s%s %s%s%s%s%s%s%s", sep, slot & SLOT_OPTIONAL ? "(" : "", name[k],
               slot_words_text(slot_words(slot)),
               (slot & SLOT_VALUE) && (slot & (SLOT_PREDICATE | SLOT_BARRIER)) ? " or " : "",
               slot & SLOT_BARRIER ? "barrier" : "",
               slot & SLOT_PREDICATE ? "predicate" : "",
               may_be_other && (row->imm | row->field) >> s & 1 ? " i" : "",
               may_be_other && row->con >> s & 1 ? " c" : "",
               slot & SLOT_OPTIONAL ? ")" : "");
        sep = ", ";
    }
}

static void instructions(void) {
    puts("# Machine instructions\n\nFrom `ops.def`. D, D1: destinations; A, B, C, E: sources, with the "
         "words of each; i, c: may be an immediate, a constant; in parentheses: may be absent.\n\n"
         "| operation | mnemonic | class | operands | meaning |\n|---|---|---|---|---|");
    static const char *const name[] = {
#define OP(id, ...) #id,
#include "isa/ops.def"
#undef OP
    };
    for (unsigned i = 0; i < OP_N; i++) {
        printf("| %s | `%s` | %s | ", name[i], mop_info[i].text,
               op_class_text((enum op_class)mop_info[i].klass));
        print_operands(&operand_rows[i]);
        fputs(" | ", stdout);
        for (const char *p = mop_info[i].prose; *p; p++)
            fputs(*p == '|' ? "\\|" : (char[]){*p, 0}, stdout);
        puts(" |");
    }
}

static void print_generations(void) {
    fputs("\n## Generations\n\nHow the code of one generation differs from another's "
          "(`src/isa/generation.def`).\n\n| |",
          stdout);
    for (unsigned g = 0; g < GEN_N; g++) printf(" %s |", gen_info[g].name);
    printf("\n|---|");
    for (unsigned g = 0; g < GEN_N; g++) printf("---|");
    printf("\n| compute capabilities |");
    for (unsigned g = 0; g < GEN_N; g++) {
        printf(" %u.x", gen_info[g].cc_first);
        if (gen_info[g].cc_last != gen_info[g].cc_first) printf(" to %u.x", gen_info[g].cc_last);
        printf(" |");
    }
    printf("\n| registers that an instruction can name |");
    for (unsigned g = 0; g < GEN_N; g++) printf(" %u |", gen_info[g].registers);
    for (unsigned t = 0; t < TRAIT_N; t++) {
        printf("\n| %s |", gen_trait_texts[t]);
        for (unsigned g = 0; g < GEN_N; g++)
            printf(" %s |", gen_has((enum target_gen)g, (enum gen_trait)t) ? "yes" : "");
    }
    printf("\n| from |");
    for (unsigned g = 0; g < GEN_N; g++) printf(" %s |", gen_info[g].source);
    putchar('\n');
}

static void classes(void) {
    static const char *const prose[] = {
#define OPC(name, unit, text) #unit " | " text,
#include "isa/op_class.def"
#undef OPC
    };
    puts(
        "# Operation classes\n\nWhat a GPU file gives a latency and an initiation interval for.\n\n"
        "| class | unit | what it is |\n|---|---|---|");
    for (unsigned i = 0; i < OPC_N; i++)
        printf("| `%s` | %s |\n", op_class_text((enum op_class)i), prose[i]);
    print_generations();
}

static bool names_key(const char *keys, const char *path) {
    const size_t len = strlen(path);
    for (const char *p = keys; *p; p += strcspn(p, "|"), p += *p == '|')
        if (strcspn(p, "|") == len && strncmp(p, path, len) == 0) return true;
    return false;
}

// "`sm.ways`, `sm.bytes`" of "ways|bytes" in section "sm."
static void print_keys(const char *section, const char *keys) {
    for (const char *p = keys; *p; p += strcspn(p, "|"), p += *p == '|')
        printf("%s`%s%.*s`", p == keys ? "" : ", ", section, (int)strcspn(p, "|"), p);
}

// C of a rule without the names of structs: `max_warps % schedulers == 0`.
static void print_condition(const char *holds) {
    for (const char *p = holds; *p; p++) {
        const bool begins = p == holds || !(isalnum((unsigned char)p[-1]) || p[-1] == '_');
        if (begins && p[0] && p[1] == '-' && p[2] == '>')
            p += 2;
        else
            fputs(*p == '|' ? "\\|" : (char[]){*p, 0}, stdout);
    }
}

static void gpu_keys(struct cli *c) {
    static const char *const seer[] = {"", "timing", "energy", "both"};
    const struct gpu_key *keys;
    const uint32_t n = gpu_config_keys(&c->arena, &keys);
    puts("# Keys of a GPU file\n\n"
         "Each can be overridden with `-s key=value`. Seen by: timing, the simulation, so that a "
         "kept result\n"
         "depends on it; energy, the power model, whose fields that come from it stand behind "
         "(`src/power/config.def`).\n\n"
         "| key | type | unit | range | default | seen by | meaning | power model |\n"
         "|---|---|---|---|---|---|---|---|");
    for (uint32_t i = 0; i < n; i++) {
        printf("| `%s` | %s | %s | %s | %s | %s | %s |", keys[i].path, keys[i].type, keys[i].unit,
               keys[i].range, keys[i].fallback ? keys[i].fallback : "(needed)",
               seer[keys[i].seen_by], keys[i].prose);
        bool any = false;
        for (const struct power_key *k = power_keys; k->field; k++) {
            if (!names_key(k->keys, keys[i].path)) continue;
            printf("%s%s", any ? ", " : " ", k->field);
            any = true;
        }
        puts(" |");
    }
    puts("\n# Rules between keys\n\nA file that breaks one is refused, with the line of the key "
         "that was set last.\n\n| keys | what holds |\n|---|---|");
    for (const struct gpu_rule *r = gpu_rules; r->section; r++) {
        fputs("| ", stdout);
        print_keys(r->section, r->keys);
        fputs(" | `", stdout);
        print_condition(r->holds);
        puts("` |");
    }
    puts("\n# What follows from a key\n\n| | from | how |\n|---|---|---|");
    for (const struct gpu_derived *f = gpu_derived; f->key; f++)
        printf("| `%s` | `%s` | %s |\n", f->key, f->from, f->how);
    puts(
        "\n# Warp schedulers\n\nValues of `sm.scheduler`.\n\n| scheduler | how it chooses | source "
        "|\n|---|---|---|");
    for (uint32_t i = 0; i < SCHED_KINDS; i++)
        printf("| `%s` | %s | %s |\n", sm_scheduler_info[i].name, sm_scheduler_info[i].prose,
               sm_scheduler_info[i].source);
}

// A component's events, from trees that together have every part.
static void power_events(const struct power_tree *tree, const char *part, bool *any,
                         uint64_t *seen) {
    for (int i = 0; i < tree->events; i++) {
        const struct power_event *e = &tree->event[i];
        if (strcmp(tree->component[e->component].name, part) != 0 || !(e->energy_j > 0)) continue;
        for (uint32_t k = 0; k < act_rows(); k++) {
            if (e->act < act_row(k)->first || e->act >= act_row(k)->first + act_row(k)->n) continue;
            if (seen[k / 64] >> (k % 64) & 1) continue;
            seen[k / 64] |= 1ull << (k % 64);
            printf("%s`%s`", *any ? ", " : "", act_row(k)->name);
            *any = true;
        }
    }
}

// Counters of one effect: names, with their entries where it takes only some.
static void effect_counters(const struct power_effect *e) {
    for (uint32_t k = 0; k < 2; k++) {
        const struct power_run r = e->run[k];
        if (r.n == 0) continue;
        const int i = act_row_of(r.act);
        const uint32_t from = r.act - act_row(i)->first;
        printf("%s`%s`", k ? ", " : "", act_row(i)->name);
        if (r.n == 1 && act_row(i)->n > 1) printf(" %u", from);
        if (r.n > 1 && r.n < act_row(i)->n) printf(" %u to %u", from, from + r.n - 1);
    }
}

static void print_mechanisms(uint32_t mechanisms) {
    const char *comma = "";
    FOR_EACH_BIT32(m, mechanisms) {
        printf("%s%s", comma, savings_mechanism(m).name);
        comma = ", ";
    }
}

static void effects(const struct power_rows *rows) {
    puts("\n# Effects of techniques\n\n"
         "What a technique saves and costs: a count of its counters times what one is worth. "
         "Leakage is by\n"
         "the core cycle, of the component's; a part is what the technique switches. Components' "
         "energies have\n"
         "these in them.\n\n"
         "| line | mechanisms | counters | component | | a count is worth | | why | source |\n"
         "|---|---|---|---|---|---|---|---|---|");
    for (uint32_t i = 0; i < rows->effects; i++) {
        const struct savings_effect *const e = rows->effect[i].is;
        char price[128];
        printf("| %s | ", rows->line[rows->effect[i].line].is->name);
        print_mechanisms(rows->effect[i].mechanisms);
        fputs(" | ", stdout);
        effect_counters(&rows->effect[i]);
        printf(" | `%s` | %s | %s | %s | %s | %s |\n", e->component,
               e->sign == SAVES ? "saves" : "costs",
               power_price_text(&e->price, price, sizeof price),
               power_price_is_leakage(&e->price) ? "leakage" : "event", e->why, e->source);
    }
}

static void areas(const struct power_rows *rows) {
    puts("\n# Hardware of techniques\n\n"
         "What a technique adds to the chip, from the array and logic models at the GPU's node; in "
         "the savings\n"
         "of a run where the mechanism ran. Published: what the source says of it.\n\n"
         "| line | mechanisms | in or beside | what | source | published "
         "|\n|---|---|---|---|---|---|");
    for (uint32_t i = 0; i < rows->areas; i++) {
        const struct savings_area *const r = rows->area[i].is;
        printf("| %s | ", rows->line[rows->area[i].line].is->name);
        print_mechanisms(rows->area[i].mechanisms);
        printf(" | `%s` | %s | %s | %s |\n", r->component, r->what, r->source,
               r->published ? r->published : "");
    }
}

static int power_page(struct cli *c) {
    static struct power_tree tree[2]; // crossbar and mesh
    struct gpu_config *const g = gpu_config_new(&c->arena);
    enum ww_status s = gpu_config_load("gtx480", NULL, 0, &c->diags, g);
    for (int i = 0; s == WW_OK && i < 2; i++) {
        struct power_config config;
        s = power_config_of(g, &config, &c->diags);
        config.mesh = i == 1;
        if (s == WW_OK) s = power_build(&config, &tree[i], &c->diags);
    }
    if (s != WW_OK) return cli_fail(c, s);
    puts("# Components of the power model\n\n"
         "Every component, what it rests on, the counters whose counts cost energy there, and how "
         "its\n"
         "figures come about. Areas and leakages add up to the parent; energy is the sum over "
         "counters of\n"
         "count times energy. `warpwatt chip` has the numbers. What stands behind a basis: "
         "analytic, from\n"
         "devices and geometry; empirical, from published or measured numbers, scaled; assumed, a "
         "declared\n"
         "number; fitted, a number fitted to a real chip.\n\n"
         "| component | part of | basis | model | counters | figures |\n|---|---|---|---|---|---|");
    for (unsigned i = 0; i < power_parts_n; i++) {
        const struct power_part *p = &power_parts[i];
        uint64_t seen[8] = {0};
        bool any = false;
        printf("| `%s` | %s | %s | %s | ", p->name, i ? p->parent : "", power_basis_name(p->basis),
               p->prose);
        for (int k = 0; k < 2; k++) power_events(&tree[k], p->name, &any, seen);
        printf(" | %s |\n", p->formula);
    }
    effects(&tree[0].rows);
    areas(&tree[0].rows);
    puts("\n# Counters that cost nothing\n\n| counter | why |\n|---|---|");
    for (uint32_t k = 0; k < act_rows(); k++) {
        const char *why = power_free_reason(act_row(k)->first);
        if (why) printf("| `%s` | %s |\n", act_row(k)->name, why);
    }
    return 0;
}

// Reasons are long and few: rows carry a number, the list below the table says it.
static unsigned reason_number(const char *why, const char *reason[], unsigned *n) {
    for (unsigned i = 0; i < *n; i++)
        if (strcmp(reason[i], why) == 0) return i + 1;
    reason[(*n)++] = why;
    return *n;
}

static void circuits(void) {
    puts("# Circuit models\n\nWhat the components of the power model are built of.\n\n"
         "| model | how |\n|---|---|");
    for (unsigned i = 0; i < power_circuits_n; i++)
        printf("| %s | %s |\n", power_circuits[i].name, power_circuits[i].prose);
    puts("\n# Declared circuit data\n\nPublished values that are used as they are.\n\n"
         "| name | node, nm | supply, V | value | unit | source |\n|---|---|---|---|---|---|");
    for (unsigned i = 0; i < DECLARED_N; i++) {
        const struct declared_info *p = &declared_info[i];
        printf("| `%s` | %g | %g | %g | %s | %s |\n", p->name, p->node_nm, p->vdd_v, p->value,
               p->unit, p->source);
    }
    static struct power_check row[POWER_CHECK_MAX];
    const unsigned n = power_check_arrays(row);
    static const char *reason[POWER_CHECK_MAX];
    unsigned reasons = 0;
    puts("\n# Ours beside published values\n\nAnalytic rows outside of 20 % and declared rows "
         "carry the "
         "number of their reason. The model runs CACTI's rows at CACTI's own partitions; half of "
         "the\n"
         "data lines charge in an access, as everywhere here, but for the read energy of commit "
         "b288fc2, which\n"
         "charges all (what the earlier revision assumes is not known).\n\n"
         "| source | what | configuration | metric | ours | published | unit | ratio | basis | "
         "reason |\n"
         "|---|---|---|---|---|---|---|---|---|---|");
    for (unsigned i = 0; i < n; i++) {
        const struct power_check *r = &row[i];
        printf("| %s | %s | %s | %s | %.4g | %.4g | %s | %.2f | %s | ", r->source, r->workload,
               r->configuration, r->metric, r->ours, r->published, r->unit, r->ours / r->published,
               power_check_basis_name(r->basis));
        if (*r->why) printf("%u", reason_number(r->why, reason, &reasons));
        puts(" |");
    }
    puts("");
    for (unsigned i = 0; i < reasons; i++) printf("%u. %s.\n", i + 1, reason[i]);
}

static int expressions(void) {
    eval_print_reference(stdout);
    return 0;
}

// "7.0, 7.2": of the bits of enum sass_gen.
static void print_capabilities(uint32_t gens) {
    static const char *const name[] = {"7.0", "7.2", "7.5", "8.0", "8.6", "8.9", "9.0"};
    const char *sep = "";
    for (uint32_t i = 0; i < WW_COUNT(name); i++) {
        if (!(gens >> i & 1)) continue;
        printf("%s%s", sep, name[i]);
        sep = ", ";
    }
}
static void machine_code_row(const struct sass_row *row, uint32_t forms, uint32_t gens) {
    uint32_t runs = 0;
    for (uint32_t g = SASS_70; g <= SASS_90; g <<= 1)
        if (gens & g && sass_is_executed(row->op, g)) runs |= g;
    printf("| `%03x` | `%s` | ", row->op, row->name);
    for (uint32_t f = 0; f < 8; f++)
        if (forms >> f & 1) printf("%u", f);
    fputs(" | ", stdout);
    print_capabilities(gens);
    fputs(" | ", stdout);
    if (runs == gens) fputs("all", stdout);
    if (runs == 0) fputs("no", stdout);
    if (runs != gens && runs != 0) print_capabilities(runs);
    puts(" |");
}
static void machine_code(void) {
    puts("# Machine code\n\nFrom `src/sass/encoding.def` and `translate.def`: opcodes (bits 0 to 8, "
         "hexadecimal), forms of their operands\n(bits 9 to 11), the compute capabilities in which "
         "they are known (8.6 stands for 8.7 too), and those in which they run.\nWhat single "
         "values of their fields are refused: docs/machine-code.md.\n\n"
         "| opcode | name | forms | known in | runs in |\n|---|---|---|---|---|");
    for (uint32_t i = 0, n = 0; i < sass_rows_n; i += n) {
        const struct sass_row *const row = &sass_rows[i];
        uint32_t forms = 0, gens = 0;
        for (n = 0; i + n < sass_rows_n && row[n].op == row->op && !strcmp(row[n].name, row->name);
             n++) {
            forms |= row[n].forms;
            gens |= row[n].gens;
        }
        machine_code_row(row, forms, gens);
    }
}

#define PAGES "machine-code|counters|stalls|instructions|classes|gpu-keys|power|circuits|expressions"
const struct cli_spec spec_reference = {
    .name = "reference",
    .form = {PAGES},
    .prose = "A page of the reference in Markdown, made from the tables of the code.",
    .word = CLI_CHOICE,
    .choices = PAGES,
};

int cmd_reference(struct cli *c, int argc, char **argv) {
    struct cli_args args = {.argc = argc, .argv = argv, .at = 1};
    const char *what = "", *value;
    for (int o; (o = cli_next(&args, &spec_reference, &value)) != CLI_END;) {
        if (o == CLI_STOP) return args.code;
        if (*what) return cli_usage("one page at a time: `%s` is too much", value);
        what = value;
    }
    if (strcmp(what, "machine-code") == 0) return machine_code(), 0;
    if (strcmp(what, "counters") == 0) return counters(), 0;
    if (strcmp(what, "stalls") == 0) return stalls(), 0;
    if (strcmp(what, "instructions") == 0) return instructions(), 0;
    if (strcmp(what, "classes") == 0) return classes(), 0;
    if (strcmp(what, "gpu-keys") == 0) return gpu_keys(c), 0;
    if (strcmp(what, "power") == 0) return power_page(c);
    if (strcmp(what, "circuits") == 0) return circuits(), 0;
    if (strcmp(what, "expressions") == 0) return expressions();
    return cli_usage("reference of what? machine-code, counters, stalls, instructions, classes, "
                     "gpu-keys, power, circuits or expressions");
}
