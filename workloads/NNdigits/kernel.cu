// NNdigits: a convolutional network that reads handwritten digits, a kernel a layer, an image a row
// of the grid. Images of 29x29 become 6 maps of 13x13, then 50 maps of 5x5, each neuron seeing
// windows of 5x5 two apart; then come 100 neurons that see all of those and 10 that see all of
// these. A map is a block, a thread a neuron: blocks of 169 and of 25 threads, and of a single one
// in the last two. Weights of a map or neuron follow its bias. Everything is read from global
// memory; the places of a window's pixels come from constant memory.
#include "device.h"

#define IMAGE 29
#define MAPS1 6
#define SIDE1 13
#define MAPS2 50
#define SIDE2 5
#define MANY3 100
#define MANY4 10

CONSTANT(int, window1[25]);
CONSTANT(int, window2[25]);

// 1.7159 tanh(2x / 3), of one ex2.approx and one division.
DEVICE_FN float activation(float x) {
    return 1.7159f - __fdividef(2.0f * 1.7159f, 1.0f + __expf(1.33333333f * x));
}

extern "C" __global__ void executeFirstLayer(const float *images, const float *weights,
                                             float *neurons) {
    const int map = (int)blockIdx.x, image = (int)blockIdx.y;
    const int x = (int)threadIdx.x, y = (int)threadIdx.y;
    const float *w = weights + map * 26;
    const float *in = images + image * IMAGE * IMAGE + 2 * y * IMAGE + 2 * x;
    float sum = w[0];
#pragma unroll
    for (int i = 0; i < 25; i++) sum += in[window1[i]] * w[1 + i];
    neurons[((image * MAPS1 + map) * SIDE1 + y) * SIDE1 + x] = activation(sum);
}

extern "C" __global__ void executeSecondLayer(const float *before, const float *weights,
                                              float *neurons) {
    const int map = (int)blockIdx.x, image = (int)blockIdx.y;
    const int x = (int)threadIdx.x, y = (int)threadIdx.y;
    const float *w = weights + map * (1 + 25 * MAPS1);
    const float *in = before + image * MAPS1 * SIDE1 * SIDE1 + 2 * y * SIDE1 + 2 * x;
    float sum = w[0];
#pragma unroll
    for (int i = 0; i < 25; i++)
        for (int m = 0; m < MAPS1; m++)
            sum += in[m * SIDE1 * SIDE1 + window2[i]] * w[1 + i * MAPS1 + m];
    neurons[((image * MAPS2 + map) * SIDE2 + y) * SIDE2 + x] = activation(sum);
}

template <int INPUTS, int NEURONS>
DEVICE_FN void connect_all(const float *before, const float *weights, float *neurons) {
    const int neuron = (int)blockIdx.x, image = (int)blockIdx.y;
    const float *w = weights + neuron * (1 + INPUTS), *in = before + image * INPUTS;
    float sum = w[0];
    for (int i = 0; i < INPUTS; i++) sum += in[i] * w[1 + i];
    neurons[image * NEURONS + neuron] = activation(sum);
}
extern "C" __global__ void executeThirdLayer(const float *before, const float *weights,
                                             float *neurons) {
    connect_all<MAPS2 * SIDE2 * SIDE2, MANY3>(before, weights, neurons);
}
extern "C" __global__ void executeFourthLayer(const float *before, const float *weights,
                                              float *neurons) {
    connect_all<MANY3, MANY4>(before, weights, neurons);
}
