// Signatures of kernels. clang leaves them as metadata of IR: `define ... @NAME(...) ... !kernel_arg_type !7` and a line
// `!7 = !{!"float*", !"uint"}`. In PTX they stand as comments, so that a program made of a binary has them too.
#include "ir.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "opencl.h"

void ocl_signatures_free(struct ocl_signature *s) {
    while (s) {
        struct ocl_signature *next = s->next;
        for (unsigned i = 0; i < s->n_arguments; i++) {
            struct ocl_argument *a = &s->arguments[i];
            free(a->access), free(a->type), free(a->qualifiers), free(a->name);
        }
        free(s->arguments), free(s->name), free(s->vector_hint), free(s);
        s = next;
    }
}

// ---- from IR ------------------------------------------------------------------------------------
// The list that `!key !N` of a definition names, or NULL: behind its `!{`.
static const char *list_of(const char *ir, const char *define, const char *end, const char *key) {
    char words[64];
    snprintf(words, sizeof words, " !%s !", key);
    const char *at = memmem(define, (size_t)(end - define), words, strlen(words));
    if (!at) return NULL;
    snprintf(words, sizeof words, "\n!%lu = !{", strtoul(at + strlen(words), NULL, 10));
    at = strstr(ir, words);
    return at ? at + strlen(words) : NULL;
}
// The next element: a string without quotes, or a number without its type; NULL: there is none.
static char *next_element(const char **at) {
    const char *p = *at;
    while (*p == ',' || *p == ' ') p++;
    if (*p == '}' || *p == '\n' || !*p) return NULL;
    char *out = NULL;
    if (p[0] == '!' && p[1] == '"') {
        const char *const end = strchr(p + 2, '"');
        if (!end) return NULL;
        out = strndup(p + 2, (size_t)(end - p - 2));
        p = end + 1;
    } else {
        const size_t n = strcspn(p, ",}\n");
        const char *number = memchr(p, ' ', n);
        number = number ? number + 1 : p;
        out = strndup(number, (size_t)(p + n - number));
        p += n;
    }
    *at = p;
    return out;
}
static unsigned count_of(const char *list) {
    unsigned n = 0;
    for (char *e; list && (e = next_element(&list)); n++) free(e);
    return n;
}
static void sizes_of(const char *list, size_t out[3]) {
    for (int i = 0; i < 3 && list; i++) {
        char *e = next_element(&list);
        if (!e) return;
        out[i] = strtoull(e, NULL, 10);
        free(e);
    }
}

// A hint of vectors: `<3 x i8> undef, i32 0`, whose number says whether the type is signed; as a source spells it.
static char *hint_of(const char *list) {
    static const struct {
        const char *ir, *type;
        bool is_number;
    } of[] = {{"i8 ", "char", true},       {"i16 ", "short", true},  {"i32 ", "int", true},
              {"i64 ", "long", true},      {"half ", "half", false}, {"float ", "float", false},
              {"double ", "double", false}};
    if (!list) return NULL;
    unsigned long lanes = 0;
    if (*list == '<') {
        char *rest;
        lanes = strtoul(list + 1, &rest, 10);
        if (strncmp(rest, " x ", 3) != 0) return NULL;
        list = rest + 3;
    }
    const char *const sign = strstr(list, ", i32 ");
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const size_t n = strlen(of[i].ir) - 1;
        if (strncmp(list, of[i].ir, n) != 0 || (list[n] != ' ' && list[n] != '>')) continue;
        const bool is_unsigned = of[i].is_number && sign && sign[6] == '0';
        return lanes ? ocl_printf("%s%s%lu", is_unsigned ? "u" : "", of[i].type, lanes)
                     : ocl_printf("%s%s", is_unsigned ? "u" : "", of[i].type);
    }
    return NULL;
}

static void classify(struct ocl_argument *a) {
    if (!a->type || !a->access || !a->qualifiers) return;
    a->is_image = strncmp(a->type, "image", 5) == 0 && strcmp(a->access, "none") != 0;
    a->is_sampler = strcmp(a->type, "sampler_t") == 0;
    a->is_const = strstr(a->qualifiers, "const") != NULL;
}

static struct ocl_signature *signature_of(const char *ir, const char *define) {
    const char *const end = strchr(define, '\n'), *const name =
                                                      memchr(define, '@', (size_t)(end - define));
    if (!name) return NULL;
    struct ocl_signature *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->name = strndup(name + 1, strcspn(name + 1, "("));
    const char *space = list_of(ir, define, end, "kernel_arg_addr_space"),
               *access = list_of(ir, define, end, "kernel_arg_access_qual"),
               *type = list_of(ir, define, end, "kernel_arg_type"),
               *base = list_of(ir, define, end, "kernel_arg_base_type"),
               *qualifiers = list_of(ir, define, end, "kernel_arg_type_qual"),
               *names = list_of(ir, define, end, "kernel_arg_name");
    s->n_arguments = count_of(space);
    s->arguments = calloc(s->n_arguments + 1, sizeof *s->arguments);
    for (unsigned i = 0; i < s->n_arguments && s->arguments; i++) {
        struct ocl_argument *a = &s->arguments[i];
        char *number = next_element(&space), *of_base = base ? next_element(&base) : NULL;
        a->space = number ? (unsigned)atoi(number) : 0;
        free(number);
        a->access = access ? next_element(&access) : NULL;
        a->type = type ? next_element(&type) : NULL;
        a->qualifiers = qualifiers ? next_element(&qualifiers) : NULL;
        a->name = names ? next_element(&names) : NULL;
        classify(a);
        // a typedef of an image or sampler
        if (of_base && strncmp(of_base, "image", 5) == 0 && a->access &&
            strcmp(a->access, "none") != 0)
            a->is_image = true;
        if (of_base && strcmp(of_base, "sampler_t") == 0) a->is_sampler = true;
        free(of_base);
    }
    sizes_of(list_of(ir, define, end, "reqd_work_group_size"), s->required);
    sizes_of(list_of(ir, define, end, "work_group_size_hint"), s->hint);
    s->vector_hint = hint_of(list_of(ir, define, end, "vec_type_hint"));
    return s;
}

struct ocl_signature *ocl_signatures_of_ir(const char *ir) {
    struct ocl_signature *all = NULL, **end = &all;
    for (const char *at = ir; (at = strstr(at, "\ndefine ")); at++) {
        const char *const line_end = strchr(at + 1, '\n');
        if (!line_end) break;
        if (!memmem(at, (size_t)(line_end - at), " spir_kernel ", 13) ||
            !memmem(at, (size_t)(line_end - at), "!kernel_arg_addr_space", 22))
            continue;
        *end = signature_of(ir, at + 1);
        if (*end) end = &(*end)->next;
    }
    return all;
}

// ---- memory of a group ----------------------------------------------------------------------------
// clang makes a variable of a group internal, and LLVM takes it that no barrier changes an internal variable whose address
// nobody has: what other items stored would not be seen behind one. So it is visible instead, under a name that PTX takes.
static const char internal[] = " = internal addrspace(3) ";
static bool is_of_group(const char *ir, const char *name, size_t n) {
    for (const char *at = ir; (at = memmem(at, strlen(at), name, n)); at++)
        if (at != ir && at[-1] == '\n' && strncmp(at + n, internal, strlen(internal)) == 0)
            return true;
    return false;
}
char *ir_with_visible_groups(const char *ir) {
    if (!strstr(ir, internal)) return strdup(ir);
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$-";
    for (const char *at = ir; *at;) {
        const size_t n = *at == '@' ? 1 + strspn(at + 1, letters) : 0;
        if (n < 2 || !memchr(at, '.', n) || !is_of_group(ir, at, n)) {
            fputc(*at++, f);
            continue;
        }
        for (size_t i = 0; i < n; i++) fputc(at[i] == '.' ? '$' : at[i], f);
        const bool is_definition = strncmp(at + n, internal, strlen(internal)) == 0;
        at += n;
        if (is_definition) {
            fputs(" = addrspace(3) ", f);
            at += strlen(internal);
        }
    }
    return fclose(f) == 0 ? text : NULL;
}

// ---- calls ------------------------------------------------------------------------------------------
static const char elsewhere[] = "define available_externally ";
// clang forbids to inline a kernel; its attributes are the only ones with a uniform-work-group-size.
char *ir_with_calls_resolved(const char *ir) {
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    for (const char *line = ir; *line;) {
        const char *const end = strchrnul(line, '\n');
        const size_t n = (size_t)(end - line);
        const char *split = NULL; // where a word goes or comes
        if (strncmp(line, "attributes #", 12) == 0 &&
            memmem(line, n, "\"uniform-work-group-size\"", 25)) {
            split = memmem(line, n, " noinline ", 10);
            if (split)
                fprintf(f, "%.*s%.*s\n", (int)(split - line), line, (int)(end - split - 9),
                        split + 9);
        } else if (memmem(line, n, " call spir_kernel ", 18)) {
            for (const char *p = line; (p = memmem(p, (size_t)(end - p), ") #", 3)); p++)
                split = p + 1;
            if (split)
                fprintf(f, "%.*s alwaysinline%.*s\n", (int)(split - line), line, (int)(end - split),
                        split);
        }
        if (!split && strncmp(line, elsewhere, strlen(elsewhere)) == 0) {
            split = line + strlen(elsewhere);
            fprintf(f, "define linkonce_odr %.*s\n", (int)(end - split), split);
        }
        if (!split) fprintf(f, "%.*s\n", (int)n, line);
        line = *end ? end + 1 : end;
    }
    return fclose(f) == 0 ? text : NULL;
}

// ---- as comments --------------------------------------------------------------------------------
static const char no_text[] = "";
char *ocl_signatures_text(const struct ocl_signature *s) {
    char *text = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&text, &n);
    if (!f) return NULL;
    fputs("// warpwatt OpenCL 1\n", f);
    for (; s; s = s->next) {
        fprintf(f, "// kernel %s %zu %zu %zu %zu %zu %zu %s\n", s->name, s->required[0],
                s->required[1], s->required[2], s->hint[0], s->hint[1], s->hint[2],
                s->vector_hint ? s->vector_hint : no_text);
        for (unsigned i = 0; i < s->n_arguments; i++) {
            const struct ocl_argument *a = &s->arguments[i];
            fprintf(f, "// argument %u|%d|%d|%s|%s|%s|%s|\n", a->space, a->is_image, a->is_sampler,
                    a->access ? a->access : no_text, a->type ? a->type : no_text,
                    a->qualifiers ? a->qualifiers : no_text, a->name ? a->name : no_text);
        }
    }
    return fclose(f) == 0 ? text : NULL;
}

static char *field(const char **at) {
    const size_t n = strcspn(*at, "|\n");
    char *out = strndup(*at, n);
    *at += n;
    if (**at == '|') ++*at;
    return out;
}
struct ocl_signature *ocl_signatures_parse(const char *text) {
    struct ocl_signature *all = NULL, **end = &all, *now = NULL;
    if (strncmp(text, "// warpwatt OpenCL 1\n", 21) != 0) return NULL;
    for (const char *at = strchr(text, '\n') + 1; strncmp(at, "// ", 3) == 0;
         at = strchr(at, '\n') + 1) {
        if (!strchr(at, '\n')) break;
        if (strncmp(at, "// kernel ", 10) == 0) {
            now = calloc(1, sizeof *now);
            if (!now) break;
            at += 10;
            const size_t n = strcspn(at, " \n");
            now->name = strndup(at, n);
            char *number = (char *)(uintptr_t)(at + n);
            for (int i = 0; i < 3; i++) now->required[i] = strtoull(number, &number, 10);
            for (int i = 0; i < 3; i++) now->hint[i] = strtoull(number, &number, 10);
            if (*number == ' ' && number[1] != '\n')
                now->vector_hint = strndup(number + 1, strcspn(number + 1, "\n"));
            *end = now;
            end = &now->next;
        } else if (strncmp(at, "// argument ", 12) == 0 && now) {
            struct ocl_argument *grown =
                realloc(now->arguments, (now->n_arguments + 1) * sizeof *grown);
            if (!grown) break;
            now->arguments = grown;
            struct ocl_argument *a = &grown[now->n_arguments++];
            *a = (struct ocl_argument){0};
            at += 12;
            char *space = field(&at), *image = field(&at), *sampler = field(&at);
            a->access = field(&at), a->type = field(&at), a->qualifiers = field(&at),
            a->name = field(&at);
            classify(a);
            a->space = (unsigned)atoi(space);
            a->is_image = atoi(image) != 0;
            a->is_sampler = atoi(sampler) != 0;
            free(space), free(image), free(sampler);
        }
    }
    return all;
}
