// mri-q: the Q matrix of a reconstruction from non-Cartesian samples of k-space: at every voxel a
// sum over all samples of their magnitude times cosine and sine of the phase. computePhiMag makes
// the magnitudes; computeQ takes up to 1024 samples a launch from constant memory, two a step,
// where all threads read the same one. Sines and cosines are the special-function unit's.
#include "device.h"

#define SAMPLES 1024
#define TWO_PI  6.2831853071795864769252867665590058f

struct sample {
    float kx, ky, kz, magnitude;
};
#ifdef WW_VOLTA // the vendor's assembler takes two words of a constant at once, as the counted requests say
CONSTANT(float2, samples[2 * SAMPLES]);
DEVICE_FN sample sample_at(int k) {
    const float2 xy = samples[2 * k], zm = samples[2 * k + 1];
    return sample{xy.x, xy.y, zm.x, zm.y};
}
#else
CONSTANT(sample, samples[SAMPLES]);
DEVICE_FN sample sample_at(int k) { return samples[k]; }
#endif

extern "C" __global__ void computePhiMag(const float *re, const float *im, float *magnitude,
                                         int count) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) magnitude[i] = re[i] * re[i] + im[i] * im[i];
}

extern "C" __global__ void computeQ(int count, const float *xs, const float *ys, const float *zs,
                                    float *q_re, float *q_im) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const float x = xs[i], y = ys[i], z = zs[i];
    float re = q_re[i], im = q_im[i];

    int k = 0;
    if (count % 2) {
        const sample s = sample_at(0);
        const float phase = TWO_PI * (s.kx * x + s.ky * y + s.kz * z);
        re += s.magnitude * __cosf(phase);
        im += s.magnitude * __sinf(phase);
        k++;
    }
    for (; k < count; k += 2) {
        const sample s = sample_at(k), s2 = sample_at(k + 1);
        const float phase = TWO_PI * (s.kx * x + s.ky * y + s.kz * z);
        re += s.magnitude * __cosf(phase);
        im += s.magnitude * __sinf(phase);
        const float phase2 = TWO_PI * (s2.kx * x + s2.ky * y + s2.kz * z);
        re += s2.magnitude * __cosf(phase2);
        im += s2.magnitude * __sinf(phase2);
    }
    q_re[i] = re;
    q_im[i] = im;
}
