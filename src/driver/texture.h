// What texture.c, texobject.c and surface.c share: descriptions to exec's struct exec_texture.
#ifndef WW_DRIVER_TEXTURE_H
#define WW_DRIVER_TEXTURE_H

#include "driver/driver.h"

// How a texture reads, as the API says it.
struct texture_modes {
    CUaddress_mode address[3];
    CUfilter_mode filter;
    unsigned int flags; // CU_TRSF_*
    float border[4];
};

// Fills in format and channels; false: not a format or a number of channels that there is.
bool texture_format(struct exec_texture *t, CUarray_format format, unsigned int channels);
// Base, extents and format of an array.
void texture_of_array(struct exec_texture *t, const struct CUarray_st *a);
// 1D fetches from linear memory of so many bytes (whole texels count).
CUresult texture_of_memory(struct exec_texture *t, uint64_t address, uint64_t bytes);
CUresult texture_of_pitch(struct exec_texture *t, uint64_t address, uint64_t width, uint64_t height,
                          uint64_t pitch);
void texture_set_modes(struct exec_texture *t, const struct texture_modes *m);
bool texture_modes_valid(const struct texture_modes *m);
// The handle of a texture or surface reference of a module; CUDA_ERROR_NOT_FOUND, without a
// sentence.
CUresult texture_of_module(CUmodule m, const char *name, bool surface, uint64_t *handle);

#endif
