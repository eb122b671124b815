// For files that must not see cuda.h, whose macros rename what they define.
#ifndef WW_DRIVER_REFUSE_H
#define WW_DRIVER_REFUSE_H

int driver_refuse(const char *call); // names it once on stderr; CUDA_ERROR_NOT_SUPPORTED

// The entry point of a name at a version of the API (symbols.c).
enum driver_symbol_status { SYMBOL_FOUND, SYMBOL_UNKNOWN, SYMBOL_TOO_NEW };
enum driver_symbol_status driver_symbol(const char *name, int version, int of_thread,
                                        void (**out)(void));

#endif
