// How near a kernel ran to each limit of the machine, and the roofs of the roofline: what the
// units, the caches' ports, the network and DRAM could do in the time, by the GPU's configuration.
#include "isa/op_class.h"
#include "view/view.h"

#include <math.h>

static double key(const struct gpu_config *c, const char *key) { return gpu_config_real(c, key); }
static double ratio(double a, double b) { return b > 0 ? a / b : NAN; }

// Slots of all schedulers, without those of second instructions, which stand beside the first's.
static double slots(const struct activity *a) {
    return (double)(act_sum(a, "issue_slots") - act_at(a, "issue_slots", STALL_dual));
}

static double net_ports(const struct gpu_config *c) {
    return fmin(key(c, "sm_count"), key(c, "mem.partitions") * key(c, "mem.slices_per_partition"));
}

static double slice_count(const struct gpu_config *c) {
    return key(c, "mem.partitions") * key(c, "mem.slices_per_partition");
}

// Command clocks of all channels in the time of what was counted.
double peak_dram_clocks(const struct gpu_config *c, const struct activity *a) {
    return act_real(a, "cycles") * key(c, "clocks.dram_mhz") / key(c, "clocks.core_mhz") *
           key(c, "mem.partitions") * key(c, "mem.dram.channels_per_partition");
}

uint32_t peak_limits(const struct gpu_config *c, const struct activity *a,
                     struct peak_limit out[PEAK_LIMITS]) {
    const double cycles = act_real(a, "cycles"), sm_cycles = cycles * key(c, "sm_count"),
                 net_cycles = cycles * key(c, "clocks.net_mhz") / key(c, "clocks.core_mhz"),
                 l2_cycles = cycles * key(c, "clocks.l2_mhz") / key(c, "clocks.core_mhz");
    const double idle_slots = act_real(a, "sm_idle_cycles") * key(c, "sm.schedulers");
    const double pass_cycles = 0.5 * key(c, "sm.shared_pass_cycles");
    uint32_t n = 0;
#define LIMIT(label, used, room) out[n++] = (struct peak_limit){label, ratio(used, room)}
    LIMIT("issue", (double)act_at(a, "issue_slots", STALL_issued), slots(a) + idle_slots);
    LIMIT("INT", (double)act_sum(a, "int_busy_cycles"), sm_cycles * key(c, "sm.lane_groups"));
    LIMIT("FP", (double)act_sum(a, "fp_busy_cycles"), sm_cycles * key(c, "sm.lane_groups"));
    LIMIT("SFU", act_real(a, "sfu_busy_cycles"), sm_cycles * key(c, "sm.sfus"));
    if (gpu_config_count(c, "sm.dp_units") && strcmp(gpu_config_word(c, "sm.dp_pipe"), "dp") == 0)
        LIMIT("DP", act_real(a, "dp_busy_cycles"), sm_cycles * key(c, "sm.dp_units"));
    LIMIT("LD/ST", act_real(a, "ldst_busy_cycles"), sm_cycles);
    LIMIT("shared", act_real(a, "shared_passes") * (pass_cycles > 0 ? pass_cycles : 1),
          sm_cycles);
    if (key(c, "sm.l1d.bytes") > 0)
        LIMIT("L1", (double)(act_get(a, "l1_reads") + act_get(a, "l1_writes")),
              sm_cycles * fmax(key(c, "sm.l1d.ports"), 1));
    LIMIT("L2",
          (double)(act_get(a, "l2_reads") + act_get(a, "l2_writes") + act_get(a, "l2_atomics")),
          l2_cycles * slice_count(c) * fmax(key(c, "mem.l2.ports"), 1));
    LIMIT("network", fmax(act_real(a, "net_request_flits"), act_real(a, "net_reply_flits")),
          net_cycles * net_ports(c));
    LIMIT("DRAM", act_real(a, "dram_bus_cycles"), peak_dram_clocks(c, a));
#undef LIMIT
    return n;
}

double peak_operations(const struct activity *a) {
    double n = 0;
    for (uint32_t k = 0; k < OPC_N; k++) {
        const double lanes = (double)act_at(a, "thread_by_class", k);
        switch (op_class_unit[k]) {
        case UNIT_INT:
            if (k == OPC_MOV || k == OPC_WARP) break;
            n += k == OPC_INT_MAD ? 2 * lanes : lanes;
            break;
        case UNIT_FP: n += k == OPC_FP_FMA ? 2 * lanes : lanes; break;
        case UNIT_DP: n += k == OPC_DP_FMA ? 2 * lanes : lanes; break;
        case UNIT_SFU: n += lanes; break;
        default: break;
        }
    }
    return n;
}

double peak_operations_per_s(const struct gpu_config *c) {
    const double interval = key(c, "sm.timing.fp_fma.interval");
    return 2.0 * 32 * key(c, "sm_count") * key(c, "sm.lane_groups") / fmax(interval, 1) *
           key(c, "clocks.core_mhz") * 1e6;
}

const char *peak_level_name(enum peak_level level) {
    static const char *const name[] = {"shared memory", "L1", "L2", "DRAM"};
    return name[level];
}

double peak_bytes(const struct gpu_config *c, const struct activity *a, enum peak_level level) {
    switch (level) {
    case PEAK_SHARED: return 4.0 * act_real(a, "shared_lanes");
    case PEAK_L1: return 4.0 * act_real(a, "l1_words");
    case PEAK_L2:
        return key(c, "mem.net.flit_bytes") *
               (double)(act_get(a, "net_request_flits") + act_get(a, "net_reply_flits"));
    default: return (double)(act_get(a, "dram_read_bytes") + act_get(a, "dram_write_bytes"));
    }
}

double peak_bytes_per_s(const struct gpu_config *c, enum peak_level level) {
    const double core_hz = key(c, "clocks.core_mhz") * 1e6;
    switch (level) {
    case PEAK_SHARED: {
        const double passes =
            key(c, "sm.shared_pass_cycles") > 0 ? 2.0 / key(c, "sm.shared_pass_cycles") : 1;
        return key(c, "sm_count") * key(c, "sm.shared_lanes_a_pass") *
               key(c, "sm.shared_bank_bytes") * passes * core_hz;
    }
    case PEAK_L1:
        return key(c, "sm.l1d.bytes") > 0
                   ? key(c, "sm_count") * key(c, "sm.l1d.line_bytes") *
                         fmax(key(c, "sm.l1d.ports"), 1) * core_hz
                   : 0;
    case PEAK_L2:
        return net_ports(c) * key(c, "mem.net.flit_bytes") * key(c, "clocks.net_mhz") * 1e6;
    default:
        return key(c, "mem.partitions") * key(c, "mem.dram.channels_per_partition") *
               key(c, "mem.dram.bus_bits") / 8.0 * key(c, "mem.dram.data_rate") *
               key(c, "clocks.dram_mhz") * 1e6;
    }
}
