// Not a test: host nanoseconds a request, and how much of the DRAM's peak a stream gets.
//   bench_mem [requests in thousands]
#include <time.h>

#include "test_rig.h"

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum pattern { STREAM, RANDOM, HITS, COPY, SECTORS, IDLE_SMS };
static const char *const pattern_name[] = {"sequential read", "random read", "L2 hits", "copy",
                                           "random 32 bytes", "2 of 15 SMs"};

// Every SM keeps up to `window` requests of 128 bytes outstanding.
static void bench(const struct mem_config *c, enum pattern pattern, uint32_t sms, uint32_t window,
                  uint64_t requests) {
    struct rig r = rig_make(*c, sms, 700);
    uint32_t seed = 1;
    uint64_t sent = 0, answered = 0, bytes = 0;
    const uint32_t active = pattern == IDLE_SMS ? 2 : sms;
    const double start = seconds();
    double inside = 0;
    while (answered < requests) {
        for (uint32_t sm = 0; sm < active; sm++) {
            struct mem_port *p = mem_system_port(r.m, sm);
            uint64_t cycle = r.now;
            const struct mem_reply *x;
            while ((x = mem_port_peek(p)) && x->cycle < r.now + r.quantum) {
                bytes += x->bytes;
                mem_port_pop(p);
                answered++;
            }
            while (cycle < r.now + r.quantum && mem_port_outstanding(p) < window) {
                uint64_t addr = sent * 128;
                uint32_t n = 128;
                uint8_t kind = MEM_READ;
                if (pattern == RANDOM) addr = (uint64_t)(rig_random(&seed) & 0xFFFFFF) * 128;
                if (pattern == SECTORS)
                    addr = (uint64_t)(rig_random(&seed) & 0xFFFFFF) * 32, n = 32;
                if (pattern == HITS) addr = (uint64_t)(rig_random(&seed) & 0xFFF) * 128;
                if (pattern == COPY) {
                    kind = sent & 1 ? MEM_WRITE : MEM_READ;
                    addr = (sent >> 1) * 128 + (sent & 1 ? 1u << 30 : 0);
                }
                if (!mem_port_can_send(p, addr, mem_port_flits(p, kind, n))) break;
                cycle = mem_port_send(p, cycle + 1,
                                      (struct mem_request){.addr = addr, .bytes = n, .kind = kind});
                sent++;
            }
        }
        const double t = seconds();
        rig_memory(&r);
        inside += seconds() - t;
    }
    const double host = seconds() - start, simulated = (double)r.now / 700e6;
    const double moved =
        (double)(rig_count(&r, ACT_dram_read_bytes) + rig_count(&r, ACT_dram_write_bytes));
    printf("%-16s %2u SMs: %6.1f ns a request (%5.1f in the memory phase), %6.1f GB/s to SMs, "
           "DRAM at %4.1f %%, latency %.0f cycles\n",
           pattern_name[pattern], sms, host * 1e9 / (double)answered,
           inside * 1e9 / (double)answered, (double)bytes / simulated * 1e-9,
           100 * moved / simulated / mem_config_peak_bandwidth(c),
           (double)r.now * active * window / (double)answered);
    rig_free(&r);
}

int main(int argc, char **argv) {
    const uint64_t n = (argc > 1 ? strtoull(argv[1], NULL, 10) : 1000) * 1000;
    const struct mem_config c = rig_fermi();
    if (argc > 2) {
        bench(&c, (enum pattern)atoi(argv[2]), 15, 128, n);
        return 0;
    }
    for (enum pattern p = STREAM; p <= IDLE_SMS; p++) bench(&c, p, 15, 128, n);
    bench(&c, STREAM, 15, 32, n);
    return 0;
}
