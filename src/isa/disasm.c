// Printing machine code the way the field is used to: mnemonic, modifiers behind dots, results,
// sources. All from ops.def and the operand fields; modifiers have one table each, below. Control bits
// stand in front, in brackets.
#include "isa/disasm.h"
#include "isa/cfg.h"
#include "isa/op.h"
#include "isa/operands.h"

#include <inttypes.h>

struct text {
    char *buf;
    size_t size;
    int n;
    uint8_t reuse; // operands that the operand cache keeps, a bit each
};

static void put(struct text *t, const char *fmt, ...) WW_PRINTF(2, 3);
static void put(struct text *t, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    const size_t at = (size_t)t->n < t->size ? (size_t)t->n : t->size;
    t->n += vsnprintf(at < t->size ? t->buf + at : NULL, t->size - at, fmt, ap);
    va_end(ap);
}

// ---- modifiers ----------------------------------------------------------------------
static const struct {
    uint32_t flag;
    const char *text;
} flag_text[] = {
    {MF_FTZ, "FTZ"},     {MF_SAT, "SAT"},        {MF_HI, "HI"},     {MF_WIDE, "WIDE"},
    {MF_NAN, "NAN"},     {MF_RELU, "RELU"},      {MF_FULL, "FULL"}, {MF_SHIFTAMT, "SH"},
    {MF_WRAP, "W"},      {MF_LEFT, "L"},         {MF_UNIFORM, "U"}, {MF_ABS, "XORSIGN"},
    {MF_INTRND, "INT"},  {MF_SATFINITE, "SATF"}, {MF_BOOLF, "BF"},  {MF_VOLATILE, "VOL"},
    {MF_ACQUIRE, "ACQ"}, {MF_RELEASE, "REL"},    {MF_SC, "SC"},     {MF_APPROX, "APPROX"},
    {MF_FRAME, "FRAME"},
};

static const char *const cmp_text[] = {"",    "EQ",  "NE",  "LT",  "LE",  "GT",  "GE", "EQU",
                                       "NEU", "LTU", "LEU", "GTU", "GEU", "NUM", "NAN"};
static const char *const bop_text[] = {"", "AND", "OR", "XOR"};
static const char *const rnd_text[] = {"", "", "RZ", "RM", "RP", "RNA"};
static const char *const mufu_text[] = {"RCP",      "RSQ",      "SQRT",   "EX2",   "LG2",
                                        "SIN",      "COS",      "TANH",   "RCP64", "RSQ64",
                                        "SIN.TURN", "COS.TURN", "RCP64H", "RSQ64H"};
static const char *const logic_text[] = {"AND", "OR", "XOR", "PASS_B"};
static const char *const shfl_text[] = {"UP", "DOWN", "BFLY", "IDX"};
static const char *const vote_text[] = {"ALL", "ANY", "EQ", "BALLOT"};
static const char *const minmax_text[] = {"MIN", "MAX"};
static const char *const prmt_text[] = {"", "F4E", "B4E", "RC8", "ECL", "ECR", "RC16"};
static const char *const atom_text[] = {"ADD", "MIN",  "MAX", "INC",  "DEC",    "AND",      "OR",
                                        "XOR", "EXCH", "CAS", "CAST", "ARRIVE", "ARRIVE_TX"};
static const char *const bar_text[] = {"SYNC", "ARV", "RED.POPC", "RED.AND", "RED.OR"};
static const char *const fence_text[] = {"CTA", "GL", "SYS"};
static const char *const mapa_text[] = {"", "RANK"};
static const char *const cbar_text[] = {"ARV", "WAIT"};
static const char *const griddep_text[] = {"LAUNCH", "WAIT"};
static const char *const geom_text[] = {"1D",   "2D",         "3D",   "ARRAY_1D",  "ARRAY_2D",
                                        "CUBE", "ARRAY_CUBE", "2DMS", "ARRAY_2DMS"};
static const char *const test_text[] = {"FIN", "INF", "NUM", "NAN", "NORM", "SUB"};
static const char *const cop_text[] = {"", "CG", "CS", "CV", "LU", "", "WT", "NC"};
static const char *const sys_text[] = {"VPRINTF", "MALLOC", "FREE", "ASSERTFAIL"};
static const char *const sleep_text[] = {"", "SYNCS"};
static const char *const sync_text[] = {"", "EXCLUSIVE", "COLLECTIVE"};
static const char *const prefetch_text[] = {"",      "L1",    "L2",    "U",
                                            "L2.EL", "L2.EN", "DISCARD", "DEMOTE"};

// What minst.sub means for the operations that use it, and the form of 'type' they show.
static const struct {
    uint16_t op;
    const char *const *text;
    uint8_t n;
} sub_text[] = {
#define NAMES(array) array, WW_COUNT(array)
    {OP_MUFU, NAMES(mufu_text)},         {OP_LOP, NAMES(logic_text)},
    {OP_PSETP, NAMES(logic_text)},       {OP_SHFL, NAMES(shfl_text)},
    {OP_VOTE, NAMES(vote_text)},         {OP_VOTED, NAMES(vote_text)},
    {OP_IMNMX, NAMES(minmax_text)},      {OP_FMNMX, NAMES(minmax_text)},
    {OP_DMNMX, NAMES(minmax_text)},      {OP_HMNMX, NAMES(minmax_text)},
    {OP_IMNMX64, NAMES(minmax_text)},    {OP_PRMT, NAMES(prmt_text)},
    {OP_ATOM, NAMES(atom_text)},         {OP_REDUX, NAMES(atom_text)},
    {OP_BAR, NAMES(bar_text)},           {OP_MEMBAR, NAMES(fence_text)},
    {OP_TEX, NAMES(geom_text)},          {OP_TLD4, NAMES(geom_text)},
    {OP_SULD, NAMES(geom_text)},         {OP_TEX_PARTS, NAMES(geom_text)},
    {OP_TLD4_PARTS, NAMES(geom_text)},   {OP_SUST, NAMES(geom_text)},
    {OP_SURED, NAMES(geom_text)},        {OP_FTESTP, NAMES(test_text)},
    {OP_SYSCALL, NAMES(sys_text)},       {OP_PREFETCH, NAMES(prefetch_text)},
    {OP_DSETP_MNMX, NAMES(minmax_text)}, {OP_WARPSYNC, NAMES(sync_text)},
    {OP_NANOSLEEP, NAMES(sleep_text)},
    {OP_MAPA, NAMES(mapa_text)},
    {OP_GRIDDEP, NAMES(griddep_text)},
    {OP_CBAR, NAMES(cbar_text)},         {OP_STAS, NAMES(atom_text)},
#undef NAMES
};

static void put_sub(struct text *t, const struct minst *m) {
    if (m->op == OP_LOP3 || m->op == OP_PLOP3 || m->op == OP_PLOP3S) put(t, ".0x%02x", m->sub);
    if (m->op == OP_PLOP3 || m->op == OP_PLOP3S) put(t, ".0x%02x", m->aux);
    if (m->op == OP_LEA) put(t, ".%u", m->sub);
    if ((m->op == OP_P2RM || m->op == OP_R2PM) && m->sub) put(t, ".B%u", m->sub);
    if (m->op == OP_HMMA_884 || m->op == OP_HMMA_1688) {
        put(t, m->type == ITYPE_F32 ? ".F32" : ".F16");
        if (m->stype != m->type) put(t, m->stype == ITYPE_F32 ? ".F32" : ".F16");
    }
    if (m->op == OP_HMMA_884)
        put(t, "%s%s.STEP%u", m->sub & MMA_A_COL ? ".COL" : ".ROW",
            m->sub & MMA_B_ROW ? ".ROW" : ".COL", m->sub & MMA_STEP);
    if (m->op == OP_IMMA_8816 || m->op == OP_IMMA_8832)
        put(t, "%s%s", m->sub & MMA_A_SIGNED ? ".S" : ".U", m->sub & MMA_B_SIGNED ? ".S" : ".U");
    if (m->op == OP_IMMA_16)
        put(t, ".%ux%s%s", m->vec, m->sub & MMA_A_SIGNED ? ".S" : ".U",
            m->sub & MMA_B_SIGNED ? ".S" : ".U");
    if ((m->op == OP_IMMA_16 || m->op == OP_BMMA_88128) && m->sub & MMA_AND) put(t, ".AND");
    if (m->op == OP_HMMA_16)
        put(t, ".K%u%s.%s", m->sub, m->type == ITYPE_F32 ? ".F32" : ".F16",
            isa_type_text((enum isa_type)m->stype));
    if (m->op == OP_HMMA_16 && isa_type_bits((enum isa_type)m->stype) == 8)
        put(t, m->aux & MMA_B_E5M2 ? ".e5m2" : ".e4m3");
    if (m->op == OP_DMMA_16) put(t, ".K%u", 4u * m->vec);
    if ((m->op == OP_LDSM || m->op == OP_STSM) && m->sub) put(t, ".T");
    if (m->op == OP_PSETP && m->src[1].kind == OPND_NONE) return;
    for (size_t i = 0; i < WW_COUNT(sub_text); i++)
        if (sub_text[i].op == m->op && m->sub < sub_text[i].n && sub_text[i].text[m->sub][0])
            put(t, ".%s", sub_text[i].text[m->sub]);
}

// What machine code of real compilers says beside: of products of floats, of halves, of sources.
static bool is_half(const struct minst *m) {
    return m->op >= OP_HADD && m->op <= OP_HTANH && m->op != OP_HABSNEG;
}
static void put_aux(struct text *t, const struct minst *m) {
    static const char *const scale[] = {"", "D8", "D4", "D2", "", "M2", "M4", "M8"};
    const bool is_product = m->op == OP_FMUL || m->op == OP_FFMA;
    if (is_product && m->aux & MPRODUCT_SCALE) put(t, ".%s", scale[m->aux & MPRODUCT_SCALE]);
    if (is_product && m->aux & MPRODUCT_ZERO) put(t, ".Z");
    if (is_half(m) && m->type == ITYPE_F32) put(t, ".F32");
    if (m->op == OP_HSET && isa_type_is_float((enum isa_type)m->type)) put(t, ".BF");
    if (is_half(m) && m->aux & MHALF_ZERO) put(t, ".Z");
    if (m->op == OP_HSETP && m->aux & MHALF_AND) put(t, ".H_AND");
    if (is_half(m) && m->op != OP_HSETP && m->aux & MHALF_OOB) put(t, ".OOB");
    if (m->op == OP_CVT && m->aux & MCVT_NAN) put(t, ".OTHER_NAN");
}
static void put_part(struct text *t, const struct minst *m, unsigned source) {
    static const char *const half[] = {"", ".F32", ".H0_H0", ".H1_H1"};
    const unsigned part = m->aux & MCVT_PART;
    if (is_half(m) && source < 3) put(t, "%s", half[m->aux >> 2 * source & 3]);
    if (m->op == OP_HFMA && source == 1 && m->aux & MHALF_CROSSED) put(t, ".H0_NH1");
    if (m->op != OP_CVT || source || !part) return;
    put(t, isa_type_bits((enum isa_type)m->stype) == 8 ? ".B%u" : ".H%u", part);
}

// Types are shown where they change what happens: signedness, 16-bit and packed forms, conversions,
// memory.
static void put_upper(struct text *t, const char *s) {
    put(t, ".");
    for (; *s; s++) put(t, "%c", *s >= 'a' && *s <= 'z' ? *s - 'a' + 'A' : *s);
}

static bool is_texture(const struct minst *m) {
    return m->op == OP_TEX || m->op == OP_TLD4 || m->op == OP_TEX_PARTS || m->op == OP_TLD4_PARTS;
}
static bool is_memory(const struct minst *m) {
    return (mop_info[m->op].flags & (OPF_LOAD | OPF_STORE)) && !is_texture(m) &&
           m->klass != OPC_MBARRIER && m->klass != OPC_TMA;
}

static void put_type(struct text *t, const struct minst *m) {
    const enum isa_type type = m->type, stype = m->stype;
    if (m->op == OP_CVT || m->op == OP_CVTPACK) {
        put_upper(t, isa_type_text(type));
        put_upper(t, isa_type_text(stype));
        return;
    }
    if (is_memory(m) || is_texture(m)) {
        if (m->vec > 1) put(t, ".V%u", m->vec);
        if (type != ITYPE_B32 && type != ITYPE_U32 && type != ITYPE_F32 && type != ITYPE_NONE)
            put_upper(t, isa_type_text(type));
        return;
    }
    switch (m->op) {
    case OP_ISET:
    case OP_FSET:
    case OP_HSET:
    case OP_SLCT:
    case OP_DP4A:
    case OP_DP2A:
    case OP_VIDEO: put_upper(t, isa_type_text(stype)); break;
    case OP_MOV:
    case OP_S2R:
    case OP_SEL:
    case OP_BRA:
    case OP_LOP:
    case OP_LOP3:
    case OP_SHL:
    case OP_CALL:
    case OP_NOP:
    case OP_ISCADD:
    case OP_CVTA: break;
    default:
        if (type != ITYPE_NONE && type != ITYPE_U32 && type != ITYPE_B32 && type != ITYPE_F32 &&
            type != ITYPE_F64 && type != ITYPE_PRED && type != ITYPE_F16 && type != ITYPE_F16X2)
            put_upper(t, isa_type_text(type));
    }
}

static const char *const space_text[SPACE_N] = {"", "C", "G", "L", "P", "S", "T"};

static void put_mnemonic(struct text *t, const struct minst *m) {
    if (m->flags & MF_AS_MAD) put(t, "IMAD.");
    put(t, "%s", mop_info[m->op].text);
    if (minst_is_filler(m)) {
        put(t, ".%s", op_class_text(m->klass));
        return;
    }
    const bool shows_space = is_memory(m) && m->op != OP_LDC;
    if (shows_space) put(t, "%s", space_text[m->space]);
    if (m->op == OP_CVTA || m->op == OP_ISSPACE) put(t, ".%s", space_text[m->space]);
    put_sub(t, m);
    put_aux(t, m);
    if (m->cmp) put(t, ".%s", cmp_text[m->cmp]);
    for (size_t i = 0; i < WW_COUNT(flag_text); i++)
        if (m->flags & flag_text[i].flag) put(t, ".%s", flag_text[i].text);
    if (isa_takes_carry(m)) put(t, ".X");
    if (isa_leaves_carry(m)) put(t, ".CC");
    put_type(t, m);
    if (m->rnd < WW_COUNT(rnd_text) && rnd_text[m->rnd][0]) put(t, ".%s", rnd_text[m->rnd]);
    if (m->bop) put(t, ".%s", bop_text[m->bop]);
    if (is_memory(m) && m->cop < WW_COUNT(cop_text) && cop_text[m->cop][0])
        put(t, ".%s", cop_text[m->cop]);
}

// ---- operands -------------------------------------------------------------------------
static void put_pred(struct text *t, uint32_t p, bool allocated) {
    const bool is_uniform = allocated && p >= PRED_UNIFORM;
    if (allocated ? pred_is_true(p) : p == VPRED_TRUE)
        put(t, is_uniform ? "UPT" : "PT");
    else if (is_uniform)
        put(t, "UP%u", p - PRED_UNIFORM);
    else
        put(t, allocated ? "P%u" : "VP%u", p);
}

// IADD.X and IADD.CC say it of the predicate that is the carry of our compiler's code.
static bool is_said(const struct minst *m, const struct opnd *o, bool allocated) {
    return o->kind == OPND_PRED && o->reg == (allocated ? (uint32_t)PRED_CARRY : VPRED_CARRY) &&
           isa_has_carry(m);
}

static void put_operand(struct text *t, const struct minst *m, const struct opnd *o,
                        bool allocated) {
    if (o->mods & OPND_NEG) put(t, "-");
    if (o->mods & OPND_NOT) put(t, o->kind == OPND_PRED ? "!" : "~");
    if (o->mods & OPND_ABS) put(t, "|");
    switch (o->kind) {
    case OPND_GPR:
        put(t, allocated ? "R%u" : "V%u", o->reg);
        if (!allocated && o->sub) put(t, ".%u", o->sub);
        if (o->words > 1) put(t, ".%u", o->words * 32);
        break;
    case OPND_PRED: put_pred(t, o->reg, allocated); break;
    case OPND_IMM:
        if (!o->imm)
            put(t, "RZ");
        else if (o->imm < 10)
            put(t, "%" PRIu64, o->imm);
        else
            put(t, "0x%" PRIx64, o->imm);
        break;
    case OPND_CONST: put(t, "c[0x%x][0x%x]", o->bank, o->reg); break;
    case OPND_UGPR:
        put(t, "UR%u", o->reg);
        if (o->words > 1) put(t, ".%u", o->words * 32);
        break;
    case OPND_BARRIER: put(t, "B%u", o->reg); break;
    case OPND_RESULT: put(t, "RESULT"); break;
    default: put(t, "RZ");
    }
    if (o->mods & OPND_ABS) put(t, "|");
    (void)m;
}

static void put_address(struct text *t, const struct minst *m, const struct opnd *o,
                        bool allocated) {
    put(t, "[");
    if (o->kind != OPND_NONE) put_operand(t, m, o, allocated);
    if (o->mods >> OPND_SCALE_AT) put(t, ".X%u", 1u << (o->mods >> OPND_SCALE_AT));
    const uint64_t offset = (uint64_t)(m->offset < 0 ? -m->offset : m->offset);
    if (o->kind == OPND_NONE)
        put(t, "0x%" PRIx64, (uint64_t)m->offset);
    else if (offset)
        put(t, "%s0x%" PRIx64, m->offset < 0 ? "-" : "+", offset);
    put(t, "]");
}

static void put_operands(struct text *t, const struct minst *m, bool allocated) {
    const char *sep = " ";
    for (unsigned i = 0; i < MINST_DSTS; i++) {
        if (m->dst[i].kind == OPND_NONE || is_said(m, &m->dst[i], allocated)) continue;
        put(t, "%s", sep);
        put_operand(t, m, &m->dst[i], allocated);
        sep = ", ";
    }
    if (minst_is_filler(m)) return;
    if (m->op == OP_S2R) put(t, "%s%s", sep, isa_sreg_text((enum isa_sreg)m->aux));
    const bool memory = slot_words(operand_rows[m->op].src[0]) == SLOT_ADDRESS;
    const bool has_policy = minst_has_policy(m);
    int last = has_policy ? MINST_POLICY - 1 : MINST_SRCS - 1;
    while (last >= 0 && m->src[last].kind == OPND_NONE) last--;
    if (memory && last < 0) last = 0;
    for (int i = 0; i <= last; i++) {
        if (is_said(m, &m->src[i], allocated)) continue;
        put(t, "%s", sep);
        if (m->op == OP_LDC && i == 0) put(t, "c[0x%x]", m->sub);
        if (i == 0 && memory)
            put_address(t, m, &m->src[i], allocated);
        else
            put_operand(t, m, &m->src[i], allocated);
        put_part(t, m, (unsigned)i);
        if (t->reuse >> i & 1) put(t, ".reuse");
        sep = ", ";
    }
    if (has_policy) {
        put(t, "%spolicy ", sep);
        put_operand(t, m, &m->src[MINST_POLICY], allocated);
    }
    if (m->op == OP_ISSPACE && m->offset) put(t, "+0x%" PRIx64, (uint64_t)m->offset);
    if (m->op == OP_ISCADD) put(t, "%s0x%x", sep, m->sub);
    if (m->op == OP_CPASYNC) put(t, "%s0x%x", sep, m->aux);
}

static int put_all(const struct minst *m, bool allocated, uint8_t reuse, char *buf, size_t size) {
    struct text t = {buf, size, 0, reuse};
    if (size) buf[0] = 0;
    if (minst_is_guarded(m, allocated)) {
        put(&t, m->guard_not ? "@!" : "@");
        put_pred(&t, m->guard, allocated);
        put(&t, " ");
    }
    put_mnemonic(&t, m);
    put_operands(&t, m, allocated);
    return t.n;
}

int disasm_minst(const struct minst *m, bool allocated, char *buf, size_t size) {
    struct text t = {buf, size, put_all(m, allocated, 0, buf, size), 0};
    if (m->op == OP_BRA || m->op == OP_CALL) put(&t, allocated ? " %d" : " L%d", m->target);
    if (m->op == OP_BRX) put(&t, ", table %u", m->aux);
    return t.n;
}

// ---- images -----------------------------------------------------------------------------
static const struct code_block *block_at(const struct code_image *im, uint32_t pc,
                                         uint32_t *index) {
    uint32_t low = 0, high = im->n_blocks;
    while (low < high) {
        const uint32_t mid = (low + high) / 2;
        if (im->blocks[mid].first + im->blocks[mid].n <= pc)
            low = mid + 1;
        else
            high = mid;
    }
    if (low >= im->n_blocks || im->blocks[low].first > pc) return NULL;
    *index = low;
    return &im->blocks[low];
}

static void put_place(struct text *t, const struct code_image *im, int32_t pc) {
    uint32_t index;
    const struct code_block *b = pc < 0 ? NULL : block_at(im, (uint32_t)pc, &index);
    if (!b)
        put(t, "?");
    else if (b->first == (uint32_t)pc)
        put(t, ".L_%u", index);
    else
        put(t, "0x%04x", (uint32_t)pc * 8);
}

static const char *function_at(const struct code_image *im, uint32_t pc) {
    for (uint32_t i = 0; i < im->n_funcs; i++)
        if (im->func_pc[i] == pc && im->source.function) return im->source.function[i];
    return NULL;
}

int disasm_inst(const struct code_image *im, uint32_t pc, char *buf, size_t size) {
    if (pc >= im->n_insts) return snprintf(buf, size, "?");
    const struct minst *m = &im->inst[pc];
    const uint8_t reuse = im->control ? im->control[pc].reuse : 0;
    struct text t = {buf, size, put_all(m, true, reuse, buf, size), 0};
    if (m->op == OP_BRA) {
        put(&t, " `(");
        put_place(&t, im, m->target);
        put(&t, ")");
    } else if (m->op == OP_CALL && m->target >= 0) {
        const char *name = function_at(im, (uint32_t)m->target);
        put(&t, " `(%s)", name ? name : "?");
    } else if (m->op == OP_BRX && m->aux < im->n_tables) {
        put(&t, " {");
        for (uint32_t i = 0; i < im->tables[m->aux].n; i++) {
            put(&t, i ? ", " : "");
            put_place(&t, im, (int32_t)im->tables[m->aux].pc[i]);
        }
        put(&t, "}");
    }
    return t.n;
}

static void print_head(const struct code_image *im, FILE *out) {
    fprintf(out, "// kernel %s\n", im->name);
    fprintf(out, "// %u instructions (%u of PTX), %u blocks\n", im->n_insts, im->source.insts,
            im->n_blocks);
    fprintf(out, "// %u registers, %u predicates, %u bytes of parameters\n", im->n_regs,
            im->n_preds, im->param_bytes);
    fprintf(out, "// %u bytes of shared memory, %u bytes of local memory a thread%s\n",
            im->shared_bytes, im->local_bytes, im->needs_stack ? " (stack)" : "");
    fprintf(out, "// %u spilled registers, %u spill loads, %u spill stores, %u barriers\n",
            im->stats.spilled_regs, im->stats.spill_loads, im->stats.spill_stores, im->n_barriers);
    if (im->literal_bytes) fprintf(out, "// %u bytes of literals in c[2]\n", im->literal_bytes);
}

static void print_block(const struct code_image *im, uint32_t index, FILE *out) {
    const struct code_block *b = &im->blocks[index];
    fprintf(out, ".L_%u:", index);
    if (b->loop_depth) fprintf(out, "  // loop depth %u", b->loop_depth);
    fputc('\n', out);
}

// A line of PTX, without the blanks in front of it.
static void print_ptx_line(const struct code_image *im, uint32_t line, const char **at,
                           uint32_t *at_line, FILE *out) {
    if (!im->source.text || !line) return;
    if (line < *at_line || !*at) {
        *at = im->source.text;
        *at_line = 1;
    }
    while (*at_line < line) {
        const char *end = strchr(*at, '\n');
        if (!end) return;
        *at = end + 1;
        ++*at_line;
    }
    const char *text = *at + strspn(*at, " \t");
    fprintf(out, "                                    // %u: %.*s\n", line,
            (int)strcspn(text, "\r\n"), text);
}

// Control bits in the form that CuAssembler's documentation has for them: counters that are waited
// for, the one of operands, the one of results, yield, stall count.
static void print_control(const struct code_control *k, FILE *out) {
    char wait[CONTROL_COUNTERS + 1] = "------";
    for (uint32_t i = 0; i < CONTROL_COUNTERS; i++)
        if (k->wait >> i & 1) wait[i] = (char)('0' + i);
    fprintf(out, "[B%s:R%c:W%c:%c:S%02u] ", wait, k->read < CONTROL_COUNTERS ? '0' + k->read : '-',
            k->write < CONTROL_COUNTERS ? '0' + k->write : '-', k->yield ? 'Y' : '-', k->stall);
}

void disasm_image(const struct code_image *im, FILE *out) {
    print_head(im, out);
    const char *text = NULL;
    uint32_t text_line = 0, last_line = 0, next_block = 0;
    for (uint32_t pc = 0; pc < im->n_insts; pc++) {
        const char *function = function_at(im, pc);
        if (function) fprintf(out, "\n%s:\n", function);
        if (next_block < im->n_blocks && im->blocks[next_block].first == pc)
            print_block(im, next_block++, out);
        const struct minst *m = &im->inst[pc];
        if (m->ptx_line != last_line) print_ptx_line(im, m->ptx_line, &text, &text_line, out);
        last_line = m->ptx_line;
        char buf[512];
        disasm_inst(im, pc, buf, sizeof buf);
        fprintf(out, "        /*%04x*/  ", pc * 8);
        if (im->control) print_control(&im->control[pc], out);
        fprintf(out, "%-48s", buf);
        fprintf(out, "  // %s", op_class_text(m->klass));
        if (m->reconv >= 0) {
            char place[32];
            struct text t = {place, sizeof place, 0, 0};
            put_place(&t, im, m->reconv);
            fprintf(out, ", meets at %s", place);
        } else if (m->op == OP_BRX || (m->op == OP_BRA && m->guard != PRED_TRUE)) {
            fprintf(out, ", meets at the end");
        }
        fputc('\n', out);
    }
}
