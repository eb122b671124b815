// Entry points that one simulated device has no answer for: graphics, other processes, imported
// memory. They answer cudaErrorNotSupported and name themselves, once.
#include "cudart/cudart.h"

#include "driver_private.h"

cudaError_t cudart_refuse(const char *call) {
    const struct ww_driver_table *driver;
    char sentence[256];
    snprintf(sentence, sizeof sentence, "%s is not supported by this runtime", call);
    if (cuGetExportTable((const void **)&driver, &WW_DRIVER_TABLE) == CUDA_SUCCESS)
        driver->refused(call, sentence);
    else
        cudart_say("%s", sentence); // behind another's driver
    return cudart_error(cudaErrorNotSupported);
}

// Their arguments do not matter. ENTRY(name): implemented elsewhere.
#define ENTRY(name)
#define ENTRY_PTSZ(name)
#define ENTRY_PTDS(name)
#define REFUSED(name)                                                                              \
    CUDART_API cudaError_t name(void);                                                             \
    CUDART_API cudaError_t name(void) { return cudart_refuse(#name); }
#include "cudart/api.def"
