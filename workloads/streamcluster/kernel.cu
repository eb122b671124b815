// streamcluster: what each point would gain if a candidate became a centre. One thread a point; its
// coordinates are by dimension, so lanes read neighbouring words, and all lanes read the same word
// of the candidate. What a point adds to a sum, for its centre or for the candidate, goes to a row
// of its own in a work array, which the host adds up.
#include "device.h"

struct point {
    float weight, cost; // cost: weight times squared distance to its centre
    int64_t centre;     // the point that is its centre
    int64_t spare[2];   // as wide as the original's record
};

extern "C" __global__ void computeCost(int count, int dimensions, int64_t candidate,
                                       const point *points, int centres, const float *coordinates,
                                       float *work, const int *centre_number, uint8_t *switches) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    float *row = work + i * (centres + 1);

    float distance = 0.0f;
    for (int d = 0; d < dimensions; d++) {
        const float off = coordinates[d * count + i] - coordinates[d * count + candidate];
        distance += off * off;
    }
    const float cost = distance * points[i].weight;
    if (cost < points[i].cost) {
        switches[i] = 1;
        row[centres] += cost - points[i].cost;
    } else {
        row[centre_number[points[i].centre]] += points[i].cost - cost;
    }
}
