// Calls of libraries that are not simulated, with the statuses of the vendor's headers.
#include <stdio.h>
#include <string.h>

#if defined WITH_cublas
int cublasXtCgemm(void **handle);
const char *cublasGetStatusString(int status);
#define CALL cublasXtCgemm
enum { NOT_SUPPORTED = 15 }; // CUBLAS_STATUS_NOT_SUPPORTED
static const char *text(void) { return cublasGetStatusString(15); }
#elif defined WITH_cufft
int cufftXtSetCallback(void **handle);
#define CALL cufftXtSetCallback
enum { NOT_SUPPORTED = 16 }; // CUFFT_NOT_SUPPORTED
static const char *text(void) { return "cuFFT is not simulated"; }
#else
int nvrtcCreateProgram(void **handle);
const char *nvrtcGetErrorString(int status);
#define CALL nvrtcCreateProgram
enum { NOT_SUPPORTED = 11 }; // NVRTC_ERROR_INTERNAL_ERROR
static const char *text(void) { return nvrtcGetErrorString(11); }
#endif

int main(void) {
    void *handle = NULL;
    for (int i = 0; i < 2; i++)
        if (CALL(&handle) != NOT_SUPPORTED) return puts("the call answers something else"), 1;
    if (!strstr(text(), "is not simulated") && !strstr(text(), "is not installed") && !strstr(text(), "NOT_SUPPORTED")) return puts("the status has no words"), 1;
    return 0;
}
