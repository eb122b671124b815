// Thrust and CUB, which choose their algorithms by what cudaFuncGetAttributes and the device say: sort,
// scan, reduction, selection, histogram. Expected values come from the C++ standard library.
// expect stdout thrust: sort sort_by_key scan reduce transform_reduce select unique
// expect stdout cub: sort_pairs scan reduce reduce_by_key segmented select histogram
// expect stderr algorithms
#include "check.h"

#include <algorithm>
#include <cstdint>
#include <cub/cub.cuh>
#include <numeric>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <vector>

static const int N = 5003, BINS = 16; // no multiple of any tile

static std::vector<uint32_t> numbers(uint32_t most) {
    std::vector<uint32_t> v(N);
    uint32_t x = 12345;
    for (auto &e : v) e = (x = x * 1664525u + 1013904223u) >> 7, e = most ? e % most : e;
    return v;
}
template <class T> static std::vector<T> host(const thrust::device_vector<T> &d) {
    std::vector<T> h(d.size());
    thrust::copy(d.begin(), d.end(), h.begin());
    return h;
}
struct is_odd {
    __host__ __device__ bool operator()(uint32_t v) const { return v & 1; }
};
struct add {
    __host__ __device__ uint32_t operator()(uint32_t a, uint32_t b) const { return a + b; }
};
struct square {
    __host__ __device__ uint64_t operator()(uint32_t v) const { return (uint64_t)v * v; }
};

static void by_thrust() {
    const std::vector<uint32_t> in = numbers(0), few = numbers(5);
    std::vector<uint32_t> want = in, order(N), expected;
    thrust::device_vector<uint32_t> d = in, e(N);
    thrust::sort(d.begin(), d.end());
    std::sort(want.begin(), want.end());
    CHECK(host(d) == want);

    thrust::device_vector<uint32_t> keys = few, place(N);
    std::iota(order.begin(), order.end(), 0u);
    place = order;
    thrust::stable_sort_by_key(keys.begin(), keys.end(), place.begin());
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return few[a] < few[b]; });
    CHECK(host(place) == order);

    d = in;
    thrust::inclusive_scan(d.begin(), d.end(), e.begin());
    std::partial_sum(in.begin(), in.end(), want.begin());
    CHECK(host(e) == want);
    thrust::exclusive_scan(d.begin(), d.end(), e.begin(), 7u);
    CHECK(host(e)[0] == 7 && host(e)[N - 1] == want[N - 2] + 7);

    CHECK(thrust::reduce(d.begin(), d.end()) == want[N - 1]);
    CHECK(thrust::transform_reduce(d.begin(), d.end(), square(), uint64_t(0), thrust::plus<uint64_t>()) ==
          std::accumulate(in.begin(), in.end(), uint64_t(0), [](uint64_t s, uint32_t v) { return s + (uint64_t)v * v; }));

    const auto end = thrust::copy_if(d.begin(), d.end(), e.begin(), is_odd());
    std::copy_if(in.begin(), in.end(), std::back_inserter(expected), is_odd());
    e.resize(end - e.begin());
    CHECK(host(e) == expected);

    d = few;
    d.resize(thrust::unique(d.begin(), d.end()) - d.begin());
    expected = few;
    expected.resize(std::unique(expected.begin(), expected.end()) - expected.begin());
    CHECK(host(d) == expected);
    std::puts("thrust: sort sort_by_key scan reduce transform_reduce select unique");
}

// A call of CUB twice: how much room it needs, then with that room.
#define CUB(call, ...)                                                                                       \
    do {                                                                                                     \
        size_t bytes_ = 0;                                                                                   \
        OK(call(nullptr, bytes_, __VA_ARGS__));                                                              \
        thrust::device_vector<char> room_(bytes_ + 1);                                                       \
        OK(call(thrust::raw_pointer_cast(room_.data()), bytes_, __VA_ARGS__));                               \
    } while (0)

static void by_cub() {
    const std::vector<uint32_t> in = numbers(0), few = numbers((uint32_t)BINS);
    thrust::device_vector<uint32_t> k = in, v(N), k2(N), v2(N), out(N), count(1);
    std::vector<uint32_t> order(N), want(N), expected;
    std::iota(order.begin(), order.end(), 0u);
    v = order;
    uint32_t *const pk = thrust::raw_pointer_cast(k.data()), *const pv = thrust::raw_pointer_cast(v.data());
    uint32_t *const pk2 = thrust::raw_pointer_cast(k2.data()), *const pv2 = thrust::raw_pointer_cast(v2.data());
    uint32_t *const po = thrust::raw_pointer_cast(out.data()), *const pc = thrust::raw_pointer_cast(count.data());
    CUB(cub::DeviceRadixSort::SortPairsDescending, pk, pk2, pv, pv2, N);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return in[a] > in[b]; });
    CHECK(host(v2) == order);

    CUB(cub::DeviceScan::InclusiveSum, pk, po, N);
    std::partial_sum(in.begin(), in.end(), want.begin());
    CHECK(host(out) == want);

    CUB(cub::DeviceReduce::Sum, pk, pc, N);
    CHECK(host(count)[0] == want[N - 1]);
    CUB(cub::DeviceReduce::Max, pk, pc, N);
    CHECK(host(count)[0] == *std::max_element(in.begin(), in.end()));

    // runs of equal keys
    std::vector<uint32_t> sorted = few;
    std::sort(sorted.begin(), sorted.end());
    k2 = sorted;
    CUB(cub::DeviceReduce::ReduceByKey, pk2, pk, pv2, po, pc, add(), N);
    CHECK(host(count)[0] == (uint32_t)BINS);
    for (uint32_t b = 0, at = 0; b < (uint32_t)BINS; b++) {
        uint32_t sum = 0;
        for (; at < N && sorted[at] == b; at++) sum += order[at];
        CHECK(host(out)[b] == sum);
    }

    k = in;
    const std::vector<int> begin = {0, 0, 17, 1000, N};
    thrust::device_vector<int> offsets = begin;
    const int *const at = thrust::raw_pointer_cast(offsets.data());
    CUB(cub::DeviceSegmentedReduce::Sum, pk, po, 4, at, at + 1);
    for (int s = 0; s < 4; s++)
        CHECK(host(out)[s] == std::accumulate(in.begin() + begin[s], in.begin() + begin[s + 1], 0u));

    CUB(cub::DeviceSelect::If, pk, po, pc, N, is_odd());
    std::copy_if(in.begin(), in.end(), std::back_inserter(expected), is_odd());
    out.resize(host(count)[0]);
    CHECK(host(out) == expected);
    out.resize(N);

    k = few;
    thrust::device_vector<int> bins(BINS);
    CUB(cub::DeviceHistogram::HistogramEven, pk, thrust::raw_pointer_cast(bins.data()), BINS + 1, 0, BINS, N);
    for (int b = 0; b < BINS; b++) CHECK(host(bins)[b] == std::count(few.begin(), few.end(), (uint32_t)b));
    std::puts("cub: sort_pairs scan reduce reduce_by_key segmented select histogram");
}

int main() {
    by_thrust();
    by_cub();
    return 0;
}
