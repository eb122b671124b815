// kmeans: which of a few centres is nearest to each point. transposeFeatures puts the points, rows
// of features, feature by feature; findNearest, one thread a point on a square grid of blocks,
// reads them so, anew for each centre, through a one-dimensional texture. Centres are in constant
// memory, where all threads read the same word.
#include "device.h"

#define CENTRE_WORDS 1088 // 32 centres of 34 features
CONSTANT(float, centres[CENTRE_WORDS]);
TEXTURE(by_feature);

extern "C" __global__ void transposeFeatures(const float *in, float *out, int points,
                                             int features) {
    const int i = (int)(threadIdx.x + blockDim.x * blockIdx.x);
    if (i >= points) return;
    for (int f = 0; f < features; f++) out[i + points * f] = in[i * features + f];
}

extern "C" __global__ void findNearest(int features, int points, int clusters, int *nearest) {
    const int i = (int)((blockIdx.x + gridDim.x * blockIdx.y) * blockDim.x + threadIdx.x);
    if (i >= points) return;
    int best = -1;
    float least = 3.40282347e+38f;
    for (int c = 0; c < clusters; c++) {
        float distance = 0.0f; // squared
        for (int f = 0; f < features; f++) {
            const float off = tex_1d_f32(by_feature, i + f * points).x - centres[c * features + f];
            distance += off * off;
        }
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    nearest[i] = best;
}
