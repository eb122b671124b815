// nw, host: a launch for each anti-diagonal of tiles.
#include <stdlib.h>

#include "host.h"
#include "sizes.h"

enum { TILE = 16, LETTERS = 24 };

static const struct host_param params[] = {
    {"LENGTH", TILE, 1 << 13, "letters of each sequence, a multiple of 16"},
    {"PENALTY", 0, 1000, "what a gap costs"},
};
static const struct host_program program = {"nw", params, HOST_COUNT(params), host_sizes,
                                            HOST_COUNT(host_sizes)};

int main(int argc, char **argv) {
    struct host h;
    host_open(&h, argc, argv, &program);
    const int n = (int)h.arg[0];
    int cols = n + 1, penalty = (int)h.arg[1], width = n / TILE;
    host_require(&h, n % TILE == 0, "LENGTH must be a multiple of %d.", TILE);
    const size_t pitch = (size_t)cols, count = pitch * pitch;

    // A table of gains with the statistics of the usual protein tables: letters like themselves,
    // most others cost a little.
    int32_t gains[LETTERS][LETTERS];
    for (int i = 0; i < LETTERS; i++)
        for (int j = 0; j <= i; j++)
            gains[i][j] = gains[j][i] = i == j ? 4 + (int32_t)host_random_below(&h, 5)
                                               : -4 + (int32_t)host_random_below(&h, 6);
    uint8_t *down = host_memory(pitch, 1), *across = host_memory(pitch, 1);
    for (int i = 1; i <= n; i++) {
        across[i] = (uint8_t)host_random_below(&h, LETTERS);
        // Related sequences: two letters of three are the other's.
        down[i] = host_random_below(&h, 3) ? across[i] : (uint8_t)host_random_below(&h, LETTERS);
    }

    int32_t *match = host_memory(count, sizeof *match), *score = host_memory(count, sizeof *score);
    int32_t *want = host_memory(count, sizeof *want);
    for (size_t y = 1; y < pitch; y++)
        for (size_t x = 1; x < pitch; x++) match[y * pitch + x] = gains[down[y]][across[x]];
    for (int i = 1; i <= n; i++) score[(size_t)i] = score[(size_t)i * pitch] = -i * penalty;

    CUdeviceptr match_dev = host_upload(&h, match, count * sizeof *match);
    CUdeviceptr score_dev = host_upload(&h, score, count * sizeof *score);
    const CUfunction grow = host_kernel(&h, "nwGrow"), shrink = host_kernel(&h, "nwShrink");
    for (int tiles = 1; tiles <= width; tiles++)
        host_launch(grow, (struct dim){(unsigned)tiles}, (struct dim){TILE}, 0, &match_dev,
                    &score_dev, &cols, &penalty, &tiles);
    for (int tiles = width - 1; tiles > 0; tiles--)
        host_launch(shrink, (struct dim){(unsigned)tiles}, (struct dim){TILE}, 0, &match_dev,
                    &score_dev, &cols, &penalty, &tiles, &width);
    host_read(score, score_dev, count * sizeof *score);

    // Column by column, each cell from the letters and its three neighbours.
    for (int x = 0; x <= n; x++) {
        for (int y = 0; y <= n; y++) {
            int32_t *at = &want[(size_t)y * pitch + x];
            if (x == 0 || y == 0) {
                *at = -(x + y) * penalty;
                continue;
            }
            *at = at[-(ptrdiff_t)pitch - 1] + gains[across[x]][down[y]];
            const int32_t gap =
                (at[-1] > at[-(ptrdiff_t)pitch] ? at[-1] : at[-(ptrdiff_t)pitch]) - penalty;
            if (gap > *at) *at = gap;
        }
    }
    host_check_int(&h, "scores", score, want, count); // integers: exact

    free(down);
    free(across);
    free(match);
    free(score);
    free(want);
    return host_close(&h);
}
