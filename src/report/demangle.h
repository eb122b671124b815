// Names of C++ kernels as people wrote them.
#ifndef WW_REPORT_DEMANGLE_H
#define WW_REPORT_DEMANGLE_H

struct demangler;
struct demangler *demangler_new(void); // NULL: out of memory; demangle then copies names
void demangler_free(struct demangler *d);
// The qualified name with template arguments, without result and parameters; the name itself when
// it is not mangled or nothing can demangle it. The caller frees it; NULL: out of memory.
char *demangle(struct demangler *d, const char *name);

#endif
