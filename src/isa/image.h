// A kernel of machine code, ready to run: what a compiler or a decoder makes, and what execution,
// timing, records and pages read.
#ifndef WW_ISA_IMAGE_H
#define WW_ISA_IMAGE_H

#include "isa/generation.h"
#include "isa/isa.h"
#include "isa/register_file.h"

// Cycles from the issue of an instruction to that of one that needs its result, by class; 0: not
// known, or it varies, and the result is waited for through a counter.
struct code_latencies {
    uint8_t cycles[OPC_N];
    // Of those that are known: the unit, and for how many cycles its one pipeline then takes nothing
    // else of the warp's sub-core; 0: there are several, or that is not known.
    uint8_t unit[OPC_N], interval[OPC_N];
    // Cycles that a result of known latency takes longer to one who is not of its own pipeline: to the
    // other of the pipelines of integers and of single precision; to one behind a queue (doubles,
    // special functions, matrices) and from and to halves; to the load/store unit. `pipe`: the unit
    // that a class runs on.
    uint8_t pipe[OPC_N], across, to_queue, to_memory;
    uint8_t more_half, more_double, more_matrix; // beyond to_queue: from and to halves, to the others
    // Cycles sooner: of doubles to a queue, to memory and as a predicate, of what is theirs to doubles;
    // the low word of a product of two to additions, and what is the high word of such a one's addend.
    uint8_t early_double, early_wide;
    // Of units that a sub-core has for itself: as `cycles`, where a stall count cannot say it, too.
    uint8_t whole[OPC_N];
    // Of the uniform datapath's arithmetic: to lanes' INT and FP, to all others, to what is guarded.
    uint8_t of_uniform, of_uniform_queued, uniform_guard;
    uint8_t branch; // at least, from the issue of a branch to that of the warp's next instruction
    uint8_t guard;  // of a predicate to what it guards, if that is longer; at most CONTROL_MAX_STALL
};

// What an instruction tells the issue stage of its warp (TRAIT_CONTROL; control.h).
enum {
    CONTROL_COUNTERS = 6,
    CONTROL_NONE = 7,
    CONTROL_MAX_STALL = 15,
    CONTROL_REUSE_SLOTS = 3 // operands that the operand cache has places for
};
struct code_control {
    uint8_t stall; // cycles to the warp's next issue, 1 to CONTROL_MAX_STALL
    uint8_t write; // counter that it holds up until its results are written, or CONTROL_NONE
    uint8_t read;  // counter that it holds up until its operands are read, or CONTROL_NONE
    uint8_t wait;  // counters, a bit each, that must be down before it issues
    uint8_t reuse; // of src[], a bit each: registers that the operand cache keeps
    bool yield;    // the next cycle is another warp's
};

// The text that an image was made from, for messages, records and pages. The strings belong to
// whoever made the image and outlive it; without a text all is 0.
struct code_source {
    const char *name;    // of its file
    const char *made_by; // the compiler of machine code: "ptxas 11.8 for sm_70"; NULL: ours made it
    const char *instead; // why ours made it, though machine code of a real compiler was there
    const char *text;    // all of it: minst.ptx_line counts its lines
    uint32_t target;     // sm_XY, as XY, that it was written for
    uint32_t insts;      // instructions in the functions of the image
    const char *const *function; // names by function index, code_image.n_funcs of them
    struct code_file {           // minst.src_file names one by its number
        uint32_t number;
        const char *path;
    } *files;
    uint32_t n_files;
};

struct code_image {
    struct arena arena;
    struct code_source source;
    const char *name;
    // Made of a real compiler's words and not by ours: lanes meet at barrier registers, operands
    // stand where the encoding has them, 16 bytes an instruction.
    bool is_machine_code, uses_uniform;
    struct {
        enum target_gen gen;
        struct code_latencies latencies; // what control bits were made for
    } target;
    struct minst *inst;          // physical registers, targets are indices
    uint32_t n_insts;
    uint32_t entry;              // where threads begin
    uint32_t n_regs;             // 32-bit registers a thread that the code names
    uint32_t granted;            // registers a thread takes; 0: what image_registers counts
    uint32_t n_preds;
    uint32_t param_bytes;
    struct code_param {
        uint32_t offset, bytes, align; // offset from where bank0_info[] has parameters
        enum isa_type type;            // of an element
    } *params;
    uint32_t n_params;
    uint32_t shared_bytes;       // static; dynamic shared begins at shared_dynamic
    uint32_t shared_dynamic;     // aligned offset of .extern .shared arrays
    uint32_t shared_system;      // bytes of both that are the system's, as a GPU takes them for each block
    uint32_t local_bytes; // a thread: frames of the deepest static chain, or with a stack
    bool needs_stack;     // recursion, indirect calls, alloca: local_bytes holds the configured stack
    uint32_t stack_frame_bytes;  // the kernel's own frame (first callee frame starts here)
    enum bank0_layout bank0;     // c[0]
    uint8_t *literals;           // c[2]
    uint32_t literal_bytes;
    const uint8_t *addresses;    // c[4]; NULL: none
    uint32_t address_bytes;
    const uint8_t *handles;      // of textures and surfaces, behind the parameters in c[0]
    uint32_t handle_bytes;
    uint32_t n_barriers;         // highest named barrier used + 1; 16 if a register names it
    bool uses_globals_by_generic, uses_texture, uses_clock, uses_grid_sync,
        uses_cluster_barrier;
    struct code_table { uint32_t *pc; uint32_t n; } *tables; // BRX, by aux
    uint32_t n_tables;
    uint32_t system_call[MSYS_N]; // pc of the code for a jump to a system call; 0: there is none
    uint32_t *func_pc;           // function index -> pc, UINT32_MAX when not in the image
    uint32_t n_funcs;
    struct code_block { uint32_t first, n; int32_t ipdom; uint16_t loop_depth; } *blocks;
    uint32_t n_blocks;
    // By instruction, a bit for each register that it reads, in the order of its operands, each
    // register once: no thread reads this value again once its threads have. NULL: not known.
    uint16_t *last_reads;
    struct code_control *control; // by instruction; NULL: the machine has a scoreboard
    struct code_stats {          // for the docs and `disasm`
        uint32_t spill_loads, spill_stores, spilled_regs, fillers;
    } stats;
};

// Registers that each thread of the kernel takes, as cuFuncGetAttribute and ptxas count them.
static inline uint32_t image_registers(const struct code_image *im) {
    return im->granted ? im->granted : im->n_regs + register_file_kept(im->target.gen);
}

// A function's code address, as stored in function pointers: recognisable and never a data address.
#define CODE_FUNC_ADDRESS(index) (0x00100000u + 16u * (uint32_t)(index))

enum { CODE_STACK_BYTES = 1024 }; // default stack a thread when needs_stack

// NULL: no file has this number.
const char *code_file_path(const struct code_source *s, uint32_t number);

// Where instruction `pc` stands, for sentences: "PTX line 12"; in machine code of a real compiler
// "offset 0x0150", from the start of the kernel, or of the functions in front of it.
struct code_place {
    char text[32];
};
struct code_place code_place(const struct code_image *im, uint32_t pc);

// Frees an image and all that lies in its arena. NULL is fine.
void code_free(struct code_image *im);

// Refuses an image that breaks a promise of the machine code with WW_ERROR_INTERNAL: the kernel, the
// instruction, what is wrong with it. Whoever makes an image ends in it, so that no broken one runs.
enum ww_status image_check(const struct code_image *im, struct diags *d);

// Checks an image more closely, for tests, and writes what it finds to `out`, which may be NULL.
struct image_faults {
    uint32_t broken;    // operands, targets or tables out of range: a bug of ours
    uint32_t undefined; // reads of what some path has not written: ours or the program's
    uint32_t early;     // control bits that let an operand be read, or a result written, too early
};
struct image_faults image_verify(const struct code_image *im, FILE *out);

// Fills in what the code uses: barriers, textures, clocks, uniform registers, the grid barrier.
void image_note_uses(struct code_image *im);

// Fills im->last_reads of a linked image. `scratch` is for working memory.
void image_last_reads(struct code_image *im, struct arena *scratch);

// Text of one machine instruction ("IADD R2, R3, c[0x0][0x24]") into buf; of a whole image to a
// file with blocks, reconvergence points and PTX lines beside the code.
int disasm_inst(const struct code_image *im, uint32_t pc, char *buf, size_t size);
void disasm_image(const struct code_image *im, FILE *out);

#endif
