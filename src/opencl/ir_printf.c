// printf in IR (ir.h). NVPTX has no calls with a variable number of arguments; the device has vprintf, which takes the
// format and the address of the arguments, each at a multiple of its size. A line
//
//     %5 = call i32 (i8 addrspace(4)*, ...) @printf(i8 addrspace(4)* noundef FORMAT, i32 noundef %3, double noundef %4) #8
//
// becomes stores into memory of the function and a call of vprintf. A call with a vector is left, and does not link.
#include "ir.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ARGUMENTS = 32, ARGUMENT_BYTES = 8 * MOST_ARGUMENTS };
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

static const char *const types[] = {"i32", "i64", "double", "i8 addrspace(4)*", "i8*"};
static const char *type_of(struct piece a) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (a.n > strlen(types[i]) && memcmp(a.at, types[i], strlen(types[i])) == 0 &&
            a.at[strlen(types[i])] == ' ')
            return types[i];
    return NULL;
}
// What stands behind an argument's type and attributes.
static struct piece value_of(struct piece a, const char *type) {
    a.at += strlen(type) + 1, a.n -= strlen(type) + 1;
    while (a.n > 8 && memcmp(a.at, "noundef ", 8) == 0) a.at += 8, a.n -= 8;
    return a;
}

static bool rewrite(FILE *f, const char *line, size_t n, unsigned number) {
    const char *const call = memmem(line, n, " call ", 6), *const name = memmem(line, n, callee,
                                                                                strlen(callee));
    if (!call || !name) return false;
    const char *const list = name + strlen("@printf(");
    const char *end = line + n;
    int depth = 1;
    const char *at = list;
    for (; at < end && depth; at++) depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
    struct piece argument[MOST_ARGUMENTS + 1];
    const size_t arguments = split(list, at - 1, argument, MOST_ARGUMENTS + 1);
    for (size_t i = 0; i < arguments; i++)
        if (!type_of(argument[i])) return false;
    if (!arguments) return false;
    size_t offset = 0;
    for (size_t i = 1; i < arguments; i++) {
        const char *type = type_of(argument[i]);
        const struct piece v = value_of(argument[i], type);
        const bool is_text = strcmp(type, "i8 addrspace(4)*") == 0;
        const size_t bytes = strcmp(type, "i32") == 0 ? 4 : 8;
        offset = (offset + bytes - 1) / bytes * bytes;
        fprintf(f, "  %%ww.%u.at%zu = getelementptr i8, i8* %%ww.arguments, i64 %zu\n", number, i,
                offset);
        if (is_text)
            fprintf(f, "  %%ww.%u.v%zu = addrspacecast %s %.*s to i8*\n", number, i, type, (int)v.n,
                    v.at);
        if (is_text) type = "i8*";
        fprintf(f, "  %%ww.%u.p%zu = bitcast i8* %%ww.%u.at%zu to %s*\n", number, i, number, i,
                type);
        if (is_text)
            fprintf(f, "  store i8* %%ww.%u.v%zu, i8** %%ww.%u.p%zu, align 8\n", number, i, number,
                    i);
        else
            fprintf(f, "  store %s %.*s, %s* %%ww.%u.p%zu, align %zu\n", type, (int)v.n, v.at, type,
                    number, i, bytes);
        offset += bytes;
    }
    const struct piece format = value_of(argument[0], type_of(argument[0]));
    fprintf(f, "  %%ww.%u.format = addrspacecast i8 addrspace(4)* %.*s to i8*\n", number,
            (int)format.n, format.at);
    const char *const equals = memchr(line, '=', (size_t)(call - line));
    fprintf(f, "%.*s call i32 @vprintf(i8* %%ww.%u.format, i8* %%ww.arguments)\n",
            (int)(equals ? equals + 1 - line : 1), line, number);
    return true;
}

char *ir_with_printf(const char *ir) {
    if (!strstr(ir, callee)) return strdup(ir);
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    unsigned n = 0;
    for (const char *line = ir; *line;) {
        const char *const end = strchrnul(line, '\n');
        const size_t length = (size_t)(end - line);
        if (!rewrite(f, line, length, n++)) fprintf(f, "%.*s\n", (int)length, line);
        if (strncmp(line, "define ", 7) == 0 && end[-1] == '{')
            fprintf(f,
                    "  %%ww.memory = alloca [%d x i8], align 8\n  %%ww.arguments = bitcast [%d x "
                    "i8]* %%ww.memory to i8*\n",
                    ARGUMENT_BYTES, ARGUMENT_BYTES);
        line = *end ? end + 1 : end;
    }
    fputs("declare i32 @vprintf(i8*, i8*)\n", f);
    return fclose(f) == 0 ? text : NULL;
}
