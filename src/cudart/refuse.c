// Entry points that one simulated device has no answer for: graphics, other processes, imported
// memory. They answer cudaErrorNotSupported and name themselves, once.
#include "cudart/cudart.h"

#include <pthread.h>

cudaError_t cudart_refuse(const char *call) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static const char *said[256];
    static unsigned n;
    pthread_mutex_lock(&lock);
    bool first = true;
    for (unsigned i = 0; i < n; i++) first &= strcmp(said[i], call) != 0;
    if (first && n < COUNT(said)) said[n++] = call;
    pthread_mutex_unlock(&lock);
    if (first) cudart_say("%s is not supported by this runtime", call);
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
