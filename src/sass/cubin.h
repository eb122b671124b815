// Cubins: what a file of machine code holds. An ELF file of machine 190; a kernel's code lies in
// section .text.NAME, what the driver must know of it in .nv.info.NAME, its constants in
// .nv.constant0.NAME (parameters) and .nv.constant2.NAME (literals). Constants of the module are
// .nv.constant3 (.const variables) and .nv.constant4 (addresses); its variables .nv.global.init and
// .nv.global. Reading a cubin finds all this and leaves it where it is, inside the image: words are
// decoded, and line tables read, when they are asked for. All numbers are bounded by the image's
// size, so that a loader may trust them.
#ifndef WW_SASS_CUBIN_H
#define WW_SASS_CUBIN_H

#include "base/base.h"
#include "sass/word.h"

struct cubin_parameter {
    uint32_t offset, bytes; // in bank 0, behind the first parameter's address
};

struct cubin_attribute {
    uint32_t code, value; // `value` is what an attribute without data says
    const uint8_t *data;
    uint32_t bytes;
};

enum cubin_symbol_kind {
    CUBIN_NOTYPE,
    CUBIN_OBJECT,
    CUBIN_FUNCTION,
    CUBIN_SECTION,
    CUBIN_TEXTURE = 10, // the vendor's own kinds
    CUBIN_SAMPLER,
    CUBIN_SURFACE
};
struct cubin_symbol {
    const char *name;
    enum cubin_symbol_kind kind;
    bool global, entry; // visible to other files; a kernel
    bool shared;        // a variable of a block
    uint32_t section;   // 0: defined elsewhere (vprintf, malloc ...)
    uint64_t value, bytes; // of a shared variable that no linker has placed the value is its alignment
};

// What must be filled into code or data before it is used; types are those of the vendor's ELF
// (2: a 64-bit address, 56 and 57: halves of one in the immediate of a MOV ...).
struct cubin_relocation {
    uint32_t offset, type, symbol;
    int64_t addend;
};

struct cubin_relocations {
    struct cubin_relocation *at;
    uint32_t n, cap;
};

// Bytes of a section: constants of a bank, or initial values of variables.
struct cubin_data {
    uint32_t bank;       // of constants
    const uint8_t *data; // NULL: zeros
    uint32_t bytes, align, section;
    struct cubin_relocations relocation;
};

struct cubin_kernel {
    const char *name;
    const uint8_t *code; // inside the image; 16-byte words, at any alignment
    uint32_t words;
    uint32_t section;      // its number, for symbols that lie in it
    uint32_t registers;    // of a thread
    uint32_t shared_bytes; // static, as the section says
    uint32_t shared_section; // where its shared variables are declared; 0: there are none
    uint32_t local_bytes;  // of a thread: its frame and those of what it calls by name
    uint32_t inner_bytes;  // largest frame of the functions within its code: beyond local_bytes they
                           // call each other without a bound
    bool recurses;         // ... of which no number is known
    uint32_t barriers;
    uint32_t max_threads[3];      // 0: not said
    uint32_t required_threads[3]; // 0: not said
    uint32_t cluster[3], max_cluster; // blocks of a cluster, the most of them; 0: not said
    bool is_explicit_cluster;         // a launch must have clusters
    uint32_t max_registers;
    uint32_t toolkit;      // 129 of CUDA 12.9; 0: not said
    uint32_t parameter_at; // where parameters begin in bank 0
    uint32_t parameter_bytes;
    VEC(struct cubin_parameter) parameter; // by ordinal
    VEC(uint32_t) exit;                    // offsets of EXIT instructions
    VEC(uint32_t) system_call;             // offsets of calls into the driver
    VEC(struct cubin_attribute) attribute; // all, as they stand in the file
    struct cubin_relocations relocation;   // of the code
    VEC(struct cubin_data) constant;       // its own banks
    bool is_entry;                         // a kernel; otherwise a function that is called
};

struct cubin_call {
    uint32_t caller, callee; // symbols
};

struct cubin {
    const char *name; // for sentences
    uint32_t arch;    // 70 of sm_70
    bool is_unit;     // is to be linked: its shared variables have no places
    uint32_t gen;     // enum sass_gen; 0 when its words are not known
    VEC(struct cubin_kernel) kernel;
    VEC(struct cubin_symbol) symbol;
    VEC(struct cubin_data) constant;              // banks of the module
    VEC(struct cubin_call) call;                  // between functions of different sections
    struct cubin_data initialised;                // .nv.global.init
    struct cubin_data zeroed;                     // .nv.global
    const char *tool, *version, *build, *options; // what made the file; NULL: it does not say
    struct cubin_data line_ptx, line_sass;        // .debug_line, .nv_debug_line_sass
    struct cubin_data strings;                    // .debug_str
};

// Whether an image is a cubin: an ELF file of that machine.
bool cubin_is(const void *image, size_t bytes);
// Reads an image, which must outlive `out`; lists live in `a`. `name` is for sentences.
enum ww_status cubin_read(struct arena *a, const void *image, size_t bytes, const char *name,
                          struct diags *d, struct cubin *out);
// Name of an attribute's code, without EIATTR_; NULL when it is not known.
const char *cubin_attribute_name(uint32_t code);
// Word number `i` of a kernel.
struct sass_word cubin_word(const struct cubin_kernel *k, uint32_t i);

// Where an instruction comes from. Code that was inlined names the line that calls it.
struct cubin_line {
    uint32_t offset; // of the first instruction; the line holds until the next one's
    uint32_t file, line, column;
    uint32_t caller;      // 1 + index of the line that called the inlined function; 0: not inlined
    const char *function; // that was inlined; NULL: none, or not said
};
struct cubin_lines {
    VEC(const char *) file;      // by number; number 0 stands for the PTX that the file holds
    VEC(struct cubin_line) line; // by offset
};
// Line table of a kernel: of the source, or, with `ptx`, of the PTX. Empty when the file has none.
enum ww_status cubin_lines(struct arena *a, const struct cubin *c, const struct cubin_kernel *k,
                           bool ptx, struct diags *d, struct cubin_lines *out);
// The line of an offset; NULL when none holds there.
const struct cubin_line *cubin_line_at(const struct cubin_lines *l, uint32_t offset);

// What a file says of its code, and the code, one word a line:
//   /*0010*/  @P0 EXIT ;   B------ R- W- - S05
// With `lines` (may be NULL) each change of the source's line stands before its first word.
// Answers how many words are not known.
uint32_t cubin_disassemble(const struct cubin *c, const struct cubin_kernel *k,
                           const struct cubin_lines *lines, FILE *out);

#endif
