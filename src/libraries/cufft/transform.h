// Plans of cuFFT of our own, and how a plan runs.
#ifndef WW_LIBRARIES_CUFFT_TRANSFORM_H
#define WW_LIBRARIES_CUFFT_TRANSFORM_H

#include "blas/blas.h"
#include "fourier/call.h"

typedef enum {
    FFT_SUCCESS = 0,
    FFT_INVALID_PLAN = 1,
    FFT_ALLOC_FAILED = 2,
    FFT_INVALID_TYPE = 3,
    FFT_INVALID_VALUE = 4,
    FFT_EXEC_FAILED = 6,
    FFT_SETUP_FAILED = 7,
    FFT_INVALID_SIZE = 8,
    FFT_NO_WORKSPACE = 13,
    FFT_NOT_SUPPORTED = 16,
} fft_status;

// What a transform takes and gives; cufftType but for its bit of double precision.
enum fft_kind { FFT_C2C = 0x29, FFT_R2C = 0x2a, FFT_C2R = 0x2c, FFT_DOUBLE = 0x40 };

// The transform of one length: its factors, and tables on the device.
struct fft_length {
    uint64_t n;
    uint64_t
        inner; // n where n has no factor above 7; else the length of the convolution, a power of two
    uint32_t radix_count;
    uint8_t radices[FOURIER_RADICES]; // of `inner`
    CUdeviceptr table;                // exp(-2 pi i k / inner)
    CUdeviceptr chirp, other;         // 0: no convolution
    CUdeviceptr turn;                 // of 2 n real numbers: exp(-pi i k / n); else 0
};

struct fft_plan {
    struct blas_handle *device;
    CUstream stream;
    bool is_made, is_double,
        keeps_area; // keeps_area: the program gives a work area (cufftSetAutoAllocation)
    enum fft_kind kind;
    uint32_t width; // of numbers in memory: enum fourier_width
    int rank;       // 1 to 3; the lengths are the last `rank` of these, the others 1
    int64_t n[3], batch;
    bool is_basic; // no layout was given: rows lie one after another
    int64_t in_embed[3], in_stride, in_distance, out_embed[3], out_stride, out_distance;
    struct fft_length length[3];
    size_t work_bytes;
    CUdeviceptr work, own_work;
};

fft_status fft_plan_make(struct fft_plan *p);    // factors, tables, the work area's size
void fft_plan_forget(struct fft_plan *p);        // what fft_plan_make has made
size_t fft_work_bytes(const struct fft_plan *p); // of the plan's lengths
fft_status fft_run(struct fft_plan *p, CUdeviceptr in, CUdeviceptr out, bool is_inverse);

#endif
