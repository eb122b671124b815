// Which partition, slice and channel an address belongs to, and where in it.
//
// Plain: blocks of interleave_bytes go round the partitions (Tesla's linear buffers: (addr / 256)
// mod N, envytools), within a partition round its slices, within a slice round its channels.
// Hashed: each group of N consecutive blocks still covers all N, but its start is rotated by a hash
// of the group's number, so that no stride stays in one partition. NVIDIA's function is not known;
// this one folds the number by xor and multiplies (the fold, or strides near a convergent of the
// multiplier's fraction would beat). Both work for any number of partitions (GF100: 6) and leave
// each slice and channel an address space without holes.
//
// Two channels of a slice that `channel_xor` chooses between are GT215's subpartitions: the parity
// of bits 0 and 4 to 13 of the block's number in its partition (envytools, VRAM of G80 to GT218;
// bits 1 to 3 count as a register of the board says, and are taken as left out).
#include "mem/system.h"

// 2^64 / golden ratio, and a second odd constant so that slices do not follow partitions.
#define HASH_PARTITION 0x9E3779B97F4A7C15u
#define HASH_SLICE     0xC2B2AE3D27D4EB4Fu
#define HASH_CHANNEL   0x165667B19E3779F9u
#define SUBPARTITION_BITS 0x3FF1u

static inline uint64_t rotate_within(uint64_t place, uint64_t group, uint64_t factor, uint64_t n) {
    const uint64_t mixed = (group ^ group >> 5 ^ group >> 11) * factor;
    const uint64_t turn = ((mixed >> 32) * n) >> 32;
    const uint64_t r = place + turn;
    return r >= n ? r - n : r;
}

struct mem_place map_place(const struct mem_map *m, uint64_t addr) {
    const uint64_t block = addr >> m->block_shift;
    uint64_t group = fastdiv_quotient(&m->partitions, block);
    uint64_t partition = block - group * m->partitions.d;
    if (m->hash) partition = rotate_within(partition, group, HASH_PARTITION, m->partitions.d);
    uint64_t slice = 0;
    if (m->slices > 1) {
        const uint64_t of = group;
        group = fastdiv_quotient(&m->by_slices, of);
        slice = of - group * m->slices;
        if (m->hash) slice = rotate_within(slice, group, HASH_SLICE, m->slices);
    }
    const uint64_t low = addr & ((UINT64_C(1) << m->block_shift) - 1);
    return (struct mem_place){.partition = (uint32_t)partition,
                              .slice = (uint32_t)slice,
                              .local = group << m->block_shift | low};
}

uint64_t map_channel(const struct mem_map *m, uint32_t slice, uint64_t local, uint32_t *channel) {
    if (m->channels == 1 && m->slices == 1) {
        *channel = 0;
        return local;
    }
    const uint64_t block = local >> m->block_shift;
    const uint64_t low = local & ((UINT64_C(1) << m->block_shift) - 1);
    if (m->channels_a_slice == 1) {
        *channel = slice % m->channels;
        return (block * m->slices_a_channel + slice / m->channels) << m->block_shift | low;
    }
    const uint64_t group = fastdiv_quotient(&m->by_channels_a_slice, block);
    uint64_t k = block - group * m->channels_a_slice;
    if (m->channel_xor)
        k = (uint64_t)__builtin_parityll(block & SUBPARTITION_BITS);
    else if (m->hash)
        k = rotate_within(k, group, HASH_CHANNEL, m->channels_a_slice);
    *channel = slice + m->slices * (uint32_t)k;
    return group << m->block_shift | low;
}
