// printf in IR (ir.h). NVPTX has no calls with a variable number of arguments; the device has vprintf, which takes the
// format and the address of the arguments, each at a multiple of its size. A line
//
//     %5 = call i32 (i8 addrspace(4)*, ...) @printf(i8 addrspace(4)* noundef FORMAT, i32 noundef %3, double noundef %4) #8
//
// becomes stores into memory of the function and a call of vprintf. A vector is stored element by element, and the format
// gets a conversion for each: `%v4hlf` becomes `%f,%f,%f,%f` (OpenCL C 1.2, 6.12.13.2).
#include "ir.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 64, MOST_VALUES = 256, ARGUMENT_BYTES = 8 * MOST_VALUES };
static const char callee[] = "@printf(i8 addrspace(4)* ";

struct piece {
    const char *at;
    size_t n;
};

// Parts a list at its commas, those in brackets apart; answers how many, 0: more than there is room for.
static size_t split(const char *at, const char *end, struct piece *out, size_t room) {
    size_t n = 0;
    int depth = 0;
    const char *from = at;
    for (; at <= end; at++) {
        const bool is_end = at == end || (*at == ',' && depth == 0);
        if (at < end && strchr("([{<", *at)) depth++;
        if (at < end && strchr(")]}>", *at)) depth--;
        if (!is_end) continue;
        if (n == room) return 0;
        while (*from == ' ') from++;
        out[n++] = (struct piece){from, (size_t)(at - from)};
        from = at + 1;
    }
    return n;
}

// ---- types --------------------------------------------------------------------------------------
// A type of an argument in IR, what is stored for one of its elements, and how an element becomes that: signed and unsigned.
static const struct type {
    const char *name, *stored, *widen[2], *length;
    size_t bytes;
    bool is_alone; // the others come in vectors only: alone they are promoted
} types[] = {
    {"i32", "i32", {NULL, NULL}, "", 4, true},
    {"i64", "i64", {NULL, NULL}, "l", 8, true},
    {"double", "double", {NULL, NULL}, "", 8, true},
    {"i8 addrspace(4)*", "i8*", {"addrspacecast", "addrspacecast"}, "", 8, true}, // a text
    {"i8*", "i8*", {NULL, NULL}, "", 8, true},
    {"i8", "i32", {"sext", "zext"}, "", 4, false},
    {"i16", "i32", {"sext", "zext"}, "", 4, false},
    {"half", "double", {"fpext", "fpext"}, "", 8, false},
    {"float", "double", {"fpext", "fpext"}, "", 8, false},
};
// Any other pointer: its number. The name is in the line.
static const struct type of_pointer = {NULL, "i64", {"ptrtoint", "ptrtoint"}, "", 8};
struct argument {
    const struct type *type;
    struct piece name; // of the type
    unsigned lanes;    // 0: no vector
    struct piece value;
};
// Reads `i32 noundef %3` or `<4 x float> noundef %3`; false: no type that printf takes.
static bool read_argument(struct piece a, struct argument *out) {
    *out = (struct argument){0};
    const char *const end = a.at + a.n, *const from = a.at;
    if (*a.at == '<') {
        char *rest;
        out->lanes = (unsigned)strtoul(a.at + 1, &rest, 10);
        if (strncmp(rest, " x ", 3) != 0 || out->lanes < 2 || out->lanes > 16) return false;
        a.at = rest + 3;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types && !out->type; i++) {
        const size_t n = strlen(types[i].name);
        if (strncmp(a.at, types[i].name, n) == 0 && a.at[n] == (out->lanes ? '>' : ' ') &&
            (out->lanes || types[i].is_alone)) {
            out->type = &types[i];
            a.at += n + (out->lanes ? 2 : 1);
        }
    }
    // `float addrspace(1)* noundef %3`
    const char *const star = out->type || out->lanes ? NULL : memmem(a.at, a.n, "* ", 2);
    if (star) {
        out->type = &of_pointer;
        a.at = star + 2;
    }
    if (!out->type) return false;
    out->name = out->type->name ? (struct piece){out->type->name, strlen(out->type->name)}
                                : (struct piece){from, (size_t)(star + 1 - from)};
    while (strncmp(a.at, "noundef ", 8) == 0 || strncmp(a.at, "signext ", 8) == 0 ||
           strncmp(a.at, "zeroext ", 8) == 0)
        a.at += 8;
    out->value = (struct piece){a.at, (size_t)(end - a.at)};
    return a.at < end;
}

// ---- formats ------------------------------------------------------------------------------------
// The text of the constant that a value names, as it stands in IR between its quotes; n is 0 where none is found.
static struct piece format_text(const char *ir, struct piece value) {
    const char *name = memchr(value.at, '@', value.n);
    if (!name) return (struct piece){"", 0};
    const size_t n = strcspn(name, ",) ");
    for (const char *at = ir; (at = strchr(at, '@')); at++) {
        if ((at != ir && at[-1] != '\n') || strncmp(at, name, n) != 0 || at[n] != ' ') continue;
        const char *const line_end = strchrnul(at, '\n'),
                          *from = memmem(at, (size_t)(line_end - at), " c\"", 3);
        if (!from) break;
        from += 3;
        const char *const to = memchr(from, '"', (size_t)(line_end - from));
        return (struct piece){from, to ? (size_t)(to - from) : 0};
    }
    return (struct piece){"", 0};
}
// A conversion from its `%` on: what it consists of.
struct conversion {
    struct piece before; // flags, width, precision, with the `%`
    unsigned lanes;
    char letter;
    size_t n; // of all of it
};
static struct conversion read_conversion(const char *at, const char *end) {
    struct conversion c = {.before = {at, 1}};
    const char *p = at + 1;
    while (p < end && strchr("-+ #0123456789.*", *p)) p++;
    c.before.n = (size_t)(p - at);
    if (p < end && *p == 'v') {
        char *rest;
        c.lanes = (unsigned)strtoul(p + 1, &rest, 10);
        p = rest;
    }
    while (p < end && strchr("hljztL", *p)) p++;
    c.letter = p < end ? *p++ : 0;
    c.n = (size_t)(p - at);
    return c;
}
// Writes the format with a conversion for each element, in IR's spelling; answers its bytes with the 0 at the end.
static size_t put_format(FILE *f, struct piece text, const struct argument *arguments, size_t n) {
    size_t bytes = 0, next = 1;
    const char *const end = text.at + text.n;
    for (const char *at = text.at; at < end;) {
        if (*at == '%') {
            const struct conversion c = read_conversion(at, end);
            const struct argument *const a = next < n && c.letter != '%' ? &arguments[next] : NULL;
            for (const char *p = at; p < at + c.before.n; p++) next += *p == '*';
            next += c.letter != '%';
            if (c.lanes && a && a->lanes == c.lanes) {
                for (unsigned i = 0; i < c.lanes; i++)
                    bytes += (size_t)fprintf(f, "%s%.*s%s%c", i ? "," : "", (int)c.before.n,
                                             c.before.at, a->type->length, c.letter);
            } else
                bytes += fwrite(at, 1, c.n, f);
            at += c.n;
        } else {
            const size_t of_one = *at == '\\' ? 3 : 1; // \0A
            fwrite(at, 1, of_one, f);
            at += of_one;
            bytes++;
        }
    }
    return bytes;
}
// Whether an element of the argument is printed as an unsigned number.
static bool is_unsigned(struct piece text, size_t argument) {
    const char *const end = text.at + text.n;
    size_t next = 1;
    for (const char *at = text.at; at < end; at++) {
        if (*at != '%') continue;
        const struct conversion c = read_conversion(at, end);
        for (const char *p = at; p < at + c.before.n; p++) next += *p == '*';
        if (c.letter != '%' && next++ == argument) return strchr("uxXo", c.letter) != NULL;
        at += c.n - 1;
    }
    return false;
}

// ---- calls --------------------------------------------------------------------------------------
// Stores one value behind the others. `name` tells it from all others of the function.
static size_t store(FILE *f, const char *name, const struct argument *a, struct piece value,
                    bool zero_extends, size_t offset) {
    const struct type *const type = a->type;
    offset = (offset + type->bytes - 1) / type->bytes * type->bytes;
    fprintf(f, "  %%ww.at.%s = getelementptr i8, i8* %%ww.arguments, i64 %zu\n", name, offset);
    fprintf(f, "  %%ww.to.%s = bitcast i8* %%ww.at.%s to %s*\n", name, name, type->stored);
    if (type->widen[zero_extends]) {
        fprintf(f, "  %%ww.wide.%s = %s %.*s %.*s to %s\n", name, type->widen[zero_extends],
                (int)a->name.n, a->name.at, (int)value.n, value.at, type->stored);
        fprintf(f, "  store %s %%ww.wide.%s, %s* %%ww.to.%s, align %zu\n", type->stored, name,
                type->stored, name, type->bytes);
    } else
        fprintf(f, "  store %s %.*s, %s* %%ww.to.%s, align %zu\n", type->stored, (int)value.n,
                value.at, type->stored, name, type->bytes);
    return offset + type->bytes;
}

// Writes what stands for a call of printf; false: the line is none, or takes what printf does not. New formats go to
// `formats`.
static bool rewrite(FILE *f, FILE *formats, const char *ir, const char *line, size_t n,
                    unsigned number) {
    const char *const call = memmem(line, n, " call ", 6), *const name = memmem(line, n, callee,
                                                                                strlen(callee));
    if (!call || !name) return false;
    const char *const list = name + strlen("@printf(");
    const char *end = line + n;
    int depth = 1;
    const char *at = list;
    for (; at < end && depth; at++) depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
    struct piece pieces[MOST_ARGUMENTS];
    struct argument arguments[MOST_ARGUMENTS];
    const size_t count = split(list, at - 1, pieces, MOST_ARGUMENTS);
    size_t values = 0, vectors = 0;
    for (size_t i = 0; i < count; i++) {
        if (!read_argument(pieces[i], &arguments[i])) return false;
        values += arguments[i].lanes ? arguments[i].lanes : 1;
        vectors += arguments[i].lanes != 0;
    }
    if (!count || values > MOST_VALUES) return false;
    const struct piece text = vectors ? format_text(ir, arguments[0].value) : (struct piece){"", 0};
    if (vectors && !text.n) return false;
    size_t offset = 0;
    char id[64];
    for (size_t i = 1; i < count; i++) {
        const struct argument *const a = &arguments[i];
        if (!a->lanes) {
            snprintf(id, sizeof id, "%u.%zu", number, i);
            offset = store(f, id, a, a->value, false, offset);
        }
        const bool zero_extends = a->lanes && is_unsigned(text, i);
        for (unsigned lane = 0; lane < a->lanes; lane++) {
            char element[80];
            snprintf(id, sizeof id, "%u.%zu.%u", number, i, lane);
            const int length = snprintf(element, sizeof element, "%%ww.element.%s", id);
            fprintf(f, "  %s = extractelement <%u x %s> %.*s, i32 %u\n", element, a->lanes,
                    a->type->name, (int)a->value.n, a->value.at, lane);
            offset = store(f, id, a, (struct piece){element, (size_t)length}, zero_extends, offset);
        }
    }
    if (vectors) {
        char *format = NULL;
        size_t size = 0;
        FILE *const m = open_memstream(&format, &size);
        if (!m) return false;
        const size_t bytes = put_format(m, text, arguments, count);
        fclose(m);
        fprintf(formats,
                "@ww.format.%u = private unnamed_addr addrspace(4) constant [%zu x i8] c\"%s\", "
                "align 1\n",
                number, bytes, format);
        fprintf(f,
                "  %%ww.format.%u = addrspacecast i8 addrspace(4)* getelementptr inbounds ([%zu x "
                "i8], [%zu x i8] addrspace(4)* @ww.format.%u, i64 0, i64 0) to i8*\n",
                number, bytes, bytes, number);
        free(format);
    } else
        fprintf(f, "  %%ww.format.%u = addrspacecast i8 addrspace(4)* %.*s to i8*\n", number,
                (int)arguments[0].value.n, arguments[0].value.at);
    const char *const equals = memchr(line, '=', (size_t)(call - line));
    fprintf(f, "%.*s call i32 @vprintf(i8* %%ww.format.%u, i8* %%ww.arguments)\n",
            (int)(equals ? equals + 1 - line : 1), line, number);
    return true;
}

char *ir_with_printf(const char *ir) {
    if (!strstr(ir, callee)) return strdup(ir);
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    char *formats = NULL;
    size_t formats_size = 0;
    FILE *more = open_memstream(&formats, &formats_size);
    if (!more) {
        fclose(f);
        free(text);
        return NULL;
    }
    unsigned n = 0;
    for (const char *line = ir; *line;) {
        const char *const end = strchrnul(line, '\n');
        const size_t length = (size_t)(end - line);
        if (!rewrite(f, more, ir, line, length, n++)) fprintf(f, "%.*s\n", (int)length, line);
        if (strncmp(line, "define ", 7) == 0 && end[-1] == '{')
            fprintf(f,
                    "  %%ww.memory = alloca [%d x i8], align 8\n  %%ww.arguments = bitcast [%d x "
                    "i8]* %%ww.memory to i8*\n",
                    ARGUMENT_BYTES, ARGUMENT_BYTES);
        line = *end ? end + 1 : end;
    }
    fclose(more);
    fprintf(f, "declare i32 @vprintf(i8*, i8*)\n%s", formats);
    free(formats);
    return fclose(f) == 0 ? text : NULL;
}
