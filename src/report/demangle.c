// Names of C++ kernels as people wrote them, by the C++ library's own demangler where that library
// is at hand; else they stay as they are.
#include "report/demangle.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct demangler {
    void *library;
    char *(*demangle)(const char *, char *, size_t *, int *); // Itanium C++ ABI, 3.4
};

struct demangler *demangler_new(void) {
    struct demangler *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (d->library) *(void **)&d->demangle = dlsym(d->library, "__cxa_demangle");
    return d;
}

void demangler_free(struct demangler *d) {
    if (d && d->library) dlclose(d->library);
    free(d);
}

// `void f<int>(int*)` as `f<int>`: up to the parameters, without the result's type, which templates
// have.
static void shorten(char *s) {
    const char *const anonymous = "(anonymous namespace)";
    int depth = 0;
    size_t start = 0, end = strlen(s);
    for (size_t i = 0; s[i]; i++) {
        if (strncmp(s + i, anonymous, strlen(anonymous)) == 0) {
            i += strlen(anonymous) - 1;
        } else if (s[i] == '<') {
            depth++;
        } else if (s[i] == '>') {
            depth--;
        } else if (s[i] == '(' && depth == 0) {
            end = i;
            break;
        } else if (s[i] == '(') {
            depth++;
        } else if (s[i] == ')') {
            depth--;
        } else if (s[i] == ' ' && depth == 0) {
            start = i + 1;
        }
    }
    memmove(s, s + start, end - start);
    s[end - start] = 0;
}

char *demangle(struct demangler *d, const char *name) {
    int status = -1;
    char *s = d && d->demangle && strncmp(name, "_Z", 2) == 0
                  ? d->demangle(name, NULL, NULL, &status)
                  : NULL;
    if (!s || status != 0) return free(s), strdup(name);
    shorten(s);
    return s;
}
