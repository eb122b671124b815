// BlackScholes: prices of European call and put options by the closed formula. One option at a
// time, a grid of fixed size striding over all of them. The cumulative normal distribution is the
// five-term polynomial of Abramowitz and Stegun, 26.2.17 (error below 7.5e-8). Logarithm,
// exponentials and most divisions are the fast instructions, as the original asks for.
#include "device.h"

DEVICE_FN float cumulative_normal(float d) {
    const float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
    const float density = 0.39894228040143267794f * __expf(-0.5f * d * d);
    const float tail =
        density *
        (k * (0.31938153f +
              k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void BlackScholes(float *call, float *put, const float *price,
                                        const float *strike, const float *years, float rate,
                                        float volatility, int options) {
    const int stride = (int)(gridDim.x * blockDim.x);
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < options; i += stride) {
        const float s = price[i], x = strike[i], t = years[i];
        const float root = volatility * sqrtf(t);
        const float d1 = __fdividef(
            __logf(__fdividef(s, x)) + (rate + 0.5f * volatility * volatility) * t, root);
        const float d2 = d1 - root;
        const float n1 = cumulative_normal(d1), n2 = cumulative_normal(d2);
        const float discounted = x * __expf(-rate * t);
        call[i] = s * n1 - discounted * n2;
        put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
    }
}
