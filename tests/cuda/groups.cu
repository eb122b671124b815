// Cooperative groups: tiles, coalesced groups, and a barrier of the whole grid.
// expect stderr 1 launch refused
// expect exit 3
// expect stdout ok
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

__global__ void tiles(int *sums, int *ballots) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int v = block.thread_rank();
    for (int k = tile.size() / 2; k; k /= 2) v += tile.shfl_down(v, k);
    if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = v;
    if (threadIdx.x % 3 == 0) {
        auto active = cg::coalesced_threads();
        if (active.thread_rank() == 0) ballots[threadIdx.x / 32] = active.size();
    }
    block.sync();
}
__global__ void reduce(int *out) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int all = cg::reduce(warp, int(threadIdx.x), cg::plus<int>());
    const int most = cg::reduce(warp, int(threadIdx.x), cg::greater<int>());
    const int before = cg::exclusive_scan(warp, 1, cg::plus<int>());
    if (threadIdx.x == 31) out[0] = all, out[1] = most, out[2] = before;
}
// Every block writes, the grid meets, every block reads what its neighbour wrote; several times.
__global__ void ring(int *cells, int rounds) {
    auto grid = cg::this_grid();
    for (int r = 0; r < rounds; r++) {
        const int mine = cells[blockIdx.x];
        grid.sync();
        if (threadIdx.x == 0) cells[(blockIdx.x + 1) % gridDim.x] = mine + 1;
        grid.sync();
    }
}

int main() {
    int *d, h[64];
    OK(cudaMalloc(&d, sizeof h));
    tiles<<<1, 64>>>(d, d + 16);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 8; t++) CHECK(h[t] == 64 * t + 28);
    CHECK(h[16] == 11 && h[17] == 11); // 0, 3 .. 30 and 33 .. 63
    reduce<<<1, 32>>>(d);
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    CHECK(h[0] == 496 && h[1] == 31 && h[2] == 31);
    int can = 0, blocks = 0;
    OK(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, ring, 64, 0));
    CHECK(can == 1 && blocks > 0);
    for (int i = 0; i < 64; i++) h[i] = i;
    OK(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    int rounds = 3;
    void *args[] = {&d, &rounds};
    OK(cudaLaunchCooperativeKernel((void *)ring, dim3(10), dim3(64), args, 0, 0));
    OK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    for (int b = 0; b < 10; b++) CHECK(h[(b + 3) % 10] == b + 3);
    IS(cudaLaunchCooperativeKernel((void *)ring, dim3(10000), dim3(64), args, 0, 0), cudaErrorCooperativeLaunchTooLarge);
    std::puts("ok");
    return 0;
}
