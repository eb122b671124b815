// nn: the distance of every record, a place by latitude and longitude, from one place. One thread a
// record; the host picks the nearest.
#include "device.h"

struct place {
    float latitude, longitude;
};

extern "C" __global__ void euclid(const place *places, float *distances, int count, float latitude,
                                  float longitude) {
    const int i = (int)(blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x);
    if (i >= count) return;
    const place *p = places + i;
    distances[i] = sqrtf((latitude - p->latitude) * (latitude - p->latitude) +
                         (longitude - p->longitude) * (longitude - p->longitude));
}
