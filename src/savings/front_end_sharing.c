// Front ends that SMs share (T. Zhang, X. Liang, Dynamic Front-End Sharing in Graphics Processing
// Units). The SM has the mechanism itself, and its counters (sm/group.h); gpu makes the groups and
// gives them blocks (gpu/front_end_group.c). Here are its options, and what it saves and costs.
#include "savings/savings_int.h"
#include "sm/group.h"

// Who waits for an instruction: names of the option `communicate`, in their order.
enum { WAIT_ALL, WAIT_FOLLOW, WAIT_NONE };

// A signal takes 0.6 ns for 5 mm of low-swing wire and 0.1 ns to be regenerated (section II-E).
static const double WIRE_UM = 5000, WIRE_NS = 0.7;

struct sm_group_config savings_group(const struct savings *s, double core_mhz) {
    const uint32_t communicate = savings_value(s, "communicate");
    const bool lock_step = savings_value(s, "lock_step") != 0;
    const double period_ns = 1e3 / (core_mhz * savings_value(s, "link_clock"));
    return (struct sm_group_config){
        .power_up = savings_value(s, "front_power_up"),
        .break_even = savings_value(s, "front_break_even"),
        .link_cycles = savings_value(s, "link_clock"),
        .link_um = (uint32_t)(WIRE_UM * period_ns / WIRE_NS),
        .has_stage = communicate == WAIT_ALL && lock_step,
        .follows = communicate == WAIT_FOLLOW,
        .sets_only = !lock_step,
        .ungroup_within = savings_value(s, "ungroup_within"),
    };
}

// ---- what it is --------------------------------------------------------------------------------
// clang-format off
static const struct savings_option options[] = {
    {.name = "front_end_group_sms", .value = 2, .low = 2, .high = 8, .unit = "SMs",
     .what = "neighbours that share a front end; they must divide the SMs of the GPU",
     .source = "Front-End Sharing, II and III-D: 2 and 4"},
    {.name = "link_clock", .value = 2, .low = 1, .high = 8, .unit = "cycles",
     .what = "of a front-end group's links in a core cycle, one packet each",
     .source = "Front-End Sharing, II-E: twice the frequency of the SMs"},
    {.name = "front_power_up", .value = 10, .high = 100000, .unit = "cycles",
     .what = "for the front ends of slaves to come on when a front-end group is ungrouped",
     .source = "assumed: Front-End Sharing, II-D, has a period for it and no value; some times the "
               "3 cycles of an execution unit"},
    {.name = "front_break_even", .value = 14, .low = 1, .high = 100000, .unit = "cycles",
     .what = "of leakage that switching a front end off and on costs",
     .source = "assumed: as execution units, Hu et al., ISLPED 2004; the paper leaves it out"},
    {.name = "ungroup_within", .value = 0, .high = 1000000000, .unit = "core cycles",
     .what = "after a kernel's start in which each front-end group is ungrouped even if nothing parts it, "
             "at a point drawn from its number and the cycle; 0: never",
     .source = "ours: to test that results do not depend on it"},
    {.name = "communicate", .names = "all follow none", .value = WAIT_ALL, .unit = "",
     .what = "who waits for an instruction to reach the farthest member: all, in a stage between "
             "issue and operands; follow, the slaves, which stay that much behind the master; "
             "none, so that what the stage costs is seen",
     .source = "Front-End Sharing, II-E: all; the others are ours"},
    {.name = "lock_step", .value = 1, .high = 1, .unit = "",
     .what = "members run in lock step behind one front end; 0: they take CTAs in sets and run "
             "alone, so that what sets cost is seen",
     .source = "ours: Front-End Sharing, II-B, has both"},
};
// clang-format on

// What the front end of a slave does not do is not counted there, so its dynamic energy needs no
// row; SIMT stacks stay on. A link costs what its wires are charged for each bit and millimetre,
// low swing. Of what an SM draws while it holds work, slaves do without the clock tree over their
// front ends and without the instruction part of the supply that SMs share (rest_cluster;
// rest_dispatch and rest_clock are of the chip, by what they stand for). Masters' scoreboards have
// four bits more to an entry of 17 (a designator, width, valid, seven of tag), "linearly scale the
// scoreboard power according to the ratio of the added bits over the original bits". Sleep devices
// are as those of gating.c; ends of a link are flip-flops for a packet of each kind, in the slave
// and in the master.
#define SHARE "Front-End Sharing, II and III"
// clang-format off
static const struct savings_line lines[] = {
    {.key = "front_status", .name = "warps", .kind = LINE_LEAKAGE, .component = "wst",
     .what = "table of warps of front ends that are off"},
    {.key = "front_fetch", .name = "fetch", .kind = LINE_LEAKAGE, .component = "fetch_select",
     .what = "choice of the warp to fetch for of front ends that are off"},
    {.key = "front_issue", .name = "issue", .kind = LINE_LEAKAGE, .component = "scheduler",
     .what = "schedulers of front ends that are off"},
    {.key = "front_icache", .name = "I-cache", .kind = LINE_LEAKAGE, .component = "icache",
     .what = "instruction caches of front ends that are off"},
    {.key = "front_decode", .name = "decode", .kind = LINE_LEAKAGE, .component = "decoder",
     .what = "decoders of front ends that are off"},
    {.key = "front_buffer", .name = "buffer", .kind = LINE_LEAKAGE, .component = "ibuffer",
     .what = "instruction buffers of front ends that are off"},
    {.key = "front_scoreboard", .name = "score", .kind = LINE_LEAKAGE, .component = "scoreboard",
     .what = "scoreboards of front ends that are off"},
    {.key = "front_control", .name = "control", .kind = LINE_LEAKAGE, .component = "sm_control",
     .what = "control that belongs to front ends that are off"},
    {.key = "front_clock", .name = "f. clk", .kind = LINE_EVENTS, .component = "sm_clock",
     .what = "clock trees of SMs in front ends that are off"},
    {.key = "front_supply", .name = "supply", .kind = LINE_EVENTS, .component = "rest_cluster",
     .what = "what stands ready to supply instructions to front ends that are off"},
    {.key = "links", .name = "links", .kind = LINE_ADDED, .note = " (links of front-end groups)",
     .what = "links between SMs that share a front end"},
    {.key = "ack_bits", .name = "acks", .kind = LINE_ADDED, .note = " (acknowledgement bits)",
     .what = "acknowledgement bits of masters' scoreboards"},
};
static const struct savings_effect effects[] = {
    {.line = "front_status", .counter = "front_off_cycles", .component = "wst", .sign = SAVES,
     .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 1},
     .why = "a front end that is off does not leak", .source = SHARE},
    {.line = "front_status", .counter = "front_overhead", .component = "wst", .sign = COSTS,
     .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 1},
     .why = "switching off costs the leakage of the break-even time", .source = SHARE},
    {.line = "front_fetch", .counter = "front_off_cycles", .component = "fetch_select",
     .sign = SAVES, .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 1},
     .why = "as its table of warps", .source = SHARE},
    {.line = "front_fetch", .counter = "front_overhead", .component = "fetch_select", .sign = COSTS,
     .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 1}, .why = "as its table of warps",
     .source = SHARE},
    {.line = "front_issue", .counter = "front_off_cycles", .component = "scheduler", .sign = SAVES,
     .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 1}, .why = "as its table of warps",
     .source = SHARE},
    {.line = "front_issue", .counter = "front_overhead", .component = "scheduler", .sign = COSTS,
     .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 1}, .why = "as its table of warps",
     .source = SHARE},
    {.line = "front_icache", .counter = "front_off_cycles", .component = "icache", .sign = SAVES,
     .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 1}, .why = "as its table of warps",
     .source = SHARE},
    {.line = "front_icache", .counter = "front_overhead", .component = "icache", .sign = COSTS,
     .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 1}, .why = "as its table of warps",
     .source = SHARE},
    {.line = "front_decode", .counter = "front_off_cycles", .component = "decoder", .sign = SAVES,
     .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 1}, .why = "as its table of warps",
     .source = SHARE},
    {.line = "front_decode", .counter = "front_overhead", .component = "decoder", .sign = COSTS,
     .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 1}, .why = "as its table of warps",
     .source = SHARE},
    {.line = "front_buffer", .counter = "front_off_cycles", .component = "ibuffer", .sign = SAVES,
     .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 1}, .why = "as its table of warps",
     .source = SHARE},
    {.line = "front_buffer", .counter = "front_overhead", .component = "ibuffer", .sign = COSTS,
     .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 1}, .why = "as its table of warps",
     .source = SHARE},
    {.line = "front_scoreboard", .counter = "front_off_cycles", .component = "scoreboard",
     .sign = SAVES, .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 1},
     .why = "as its table of warps", .source = SHARE},
    {.line = "front_scoreboard", .counter = "front_overhead", .component = "scoreboard",
     .sign = COSTS, .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 1},
     .why = "as its table of warps", .source = SHARE},
    {.line = "front_control", .counter = "front_off_cycles", .component = "sm_control",
     .sign = SAVES, .price = {.kind = PRICE_LEAK_FRONT, .per = PER_SM},
     .why = "control of a front end that is off, where the front end has some", .source = SHARE},
    {.line = "front_control", .counter = "front_overhead", .component = "sm_control",
     .sign = COSTS, .price = {.kind = PRICE_LEAK_FRONT, .per = PER_SM},
     .why = "as its table of warps", .source = SHARE},
    {.line = "front_clock", .counter = "front_off_cycles", .component = "sm_clock", .sign = SAVES,
     .price = {.kind = PRICE_FRONT, .event = "sm_busy_cycles"},
     .why = "the SM's clock tree is off there: its share is that of the area", .source = SHARE},
    {.line = "front_supply", .counter = "front_off_cycles", .component = "rest_cluster",
     .sign = SAVES, .price = {.kind = PRICE_FRONT, .event = "sm_busy_cycles"},
     .why = "no instruction is asked for: its share of what supplies SMs is by area the "
            "instruction cache's beside texture cache and filters", .source = SHARE},
    {.line = "ack_bits", .counter = "master_cycles", .component = "scoreboard", .sign = COSTS,
     .price = {.kind = PRICE_LEAK, .per = PER_SM, .share = 4. / 17},
     .why = "the bits leak in every master", .source = "Front-End Sharing, III-B"},
    {.line = "ack_bits", .counter = "shared_scoreboard_reads", .component = "scoreboard",
     .sign = COSTS, .price = {.kind = PRICE_ACCESS, .event = "scoreboard_reads", .share = 4. / 17},
     .why = "they are compared with the entry", .source = "Front-End Sharing, III-B"},
    {.line = "ack_bits", .counter = "shared_scoreboard_writes", .component = "scoreboard",
     .sign = COSTS, .price = {.kind = PRICE_ACCESS, .event = "scoreboard_writes", .share = 4. / 17},
     .why = "they are written with the entry", .source = "Front-End Sharing, III-B"},
    {.line = "ack_bits", .counter = "cluster_mem_packets", .component = "scoreboard", .sign = COSTS,
     .price = {.kind = PRICE_ACCESS, .event = "scoreboard_writes", .share = 4. / 17},
     .why = "an acknowledgement clears one", .source = "Front-End Sharing, III-B"},
    {.line = "links", .counter = "cluster_bit_um", .component = "scheduler", .sign = COSTS,
     .price = {.kind = PRICE_JOULES, .joules = 50e-15 * 1e-3}, .why = "50 fJ a bit and millimetre",
     .source = "Front-End Sharing, II-E, after CACTI 6.0: low-swing wires"},
};
static const struct savings_area areas[] = {
    {.line = "front_status", .counter = "front_off_cycles", .component = "wst",
     .size = {.kind = SIZE_SHARE, .per = PER_SM, .share = 0.1}, .parts = PARTS_SLAVES,
     .what = "sleep devices of slaves, a tenth of what they feed",
     .source = "assumed: the paper leaves them out"},
    {.line = "front_fetch", .counter = "front_off_cycles", .component = "fetch_select",
     .size = {.kind = SIZE_SHARE, .per = PER_SM, .share = 0.1}, .parts = PARTS_SLAVES,
     .what = "sleep devices of slaves, a tenth of what they feed",
     .source = "assumed: the paper leaves them out"},
    {.line = "front_issue", .counter = "front_off_cycles", .component = "scheduler",
     .size = {.kind = SIZE_SHARE, .per = PER_SM, .share = 0.1}, .parts = PARTS_SLAVES,
     .what = "sleep devices of slaves, a tenth of what they feed",
     .source = "assumed: the paper leaves them out"},
    {.line = "front_icache", .counter = "front_off_cycles", .component = "icache",
     .size = {.kind = SIZE_SHARE, .per = PER_SM, .share = 0.1}, .parts = PARTS_SLAVES,
     .what = "sleep devices of slaves, a tenth of what they feed",
     .source = "assumed: the paper leaves them out"},
    {.line = "front_decode", .counter = "front_off_cycles", .component = "decoder",
     .size = {.kind = SIZE_SHARE, .per = PER_SM, .share = 0.1}, .parts = PARTS_SLAVES,
     .what = "sleep devices of slaves, a tenth of what they feed",
     .source = "assumed: the paper leaves them out"},
    {.line = "front_buffer", .counter = "front_off_cycles", .component = "ibuffer",
     .size = {.kind = SIZE_SHARE, .per = PER_SM, .share = 0.1}, .parts = PARTS_SLAVES,
     .what = "sleep devices of slaves, a tenth of what they feed",
     .source = "assumed: the paper leaves them out"},
    {.line = "front_scoreboard", .counter = "front_off_cycles", .component = "scoreboard",
     .size = {.kind = SIZE_SHARE, .per = PER_SM, .share = 0.1}, .parts = PARTS_SLAVES,
     .what = "sleep devices of slaves, a tenth of what they feed",
     .source = "assumed: the paper leaves them out"},
    {.line = "ack_bits", .counter = "master_cycles", .component = "scoreboard",
     .size = {.kind = SIZE_SHARE, .per = PER_SM, .share = 4. / 17}, .parts = PARTS_MASTERS,
     .what = "acknowledgement bits of masters", .source = "Front-End Sharing, III-B",
     .published = "quite small"},
    {.line = "links", .counter = "cluster_bit_um", .component = "net",
     .size = {.kind = SIZE_WIRES, .n = 64 + 16 + 4}, .parts = PARTS_LINKS,
     .what = "wires from masters to slaves and back, counted as the network's: by their repeaters",
     .source = "Front-End Sharing, II-E", .published = "2.3 % of the network between SMs and L2"},
    {.line = "links", .counter = "front_off_cycles", .component = "net",
     .size = {.kind = SIZE_FLIPS, .per = PER_SM, .n = 2 * (64 + 16 + 4)}, .parts = PARTS_SLAVES,
     .what = "ends of links: a packet of each kind in slave and master",
     .source = "Front-End Sharing, II-E"},
};
// clang-format on

const struct savings_part part_front_end_sharing = {
    .name = "front-end-sharing",
    .what = "neighbouring SMs run in lock step: one fetches, decodes and schedules for all, the "
            "front ends of the others are off; a branch that parts them ungroups them for the "
            "rest of the kernel",
    .paper = "T. Zhang, X. Liang, Dynamic Front-End Sharing in Graphics Processing Units, II",
    .options = {PART_ROWS(options)},
    .lines = {PART_ROWS(lines)},
    .effects = {PART_ROWS(effects)},
    .areas = {PART_ROWS(areas)},
};
