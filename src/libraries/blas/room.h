// Memory for the sums of parts of products (room.c).
#ifndef WW_LIBRARIES_ROOM_H
#define WW_LIBRARIES_ROOM_H

#include "blas.h"

// The rooms of a handle. Nothing of it runs any more when they end.
struct blas_rooms *blas_rooms_new(void);
void blas_rooms_delete(struct blas_rooms *all);
// A room for a product that is to be launched in a stream (or recorded there), and where its sums and its counters lie; NULL: it
// cannot be had. The launch is followed by blas_room_leave, to which NULL says nothing.
BLAS_API struct blas_room *blas_room_take(struct blas_handle *h, CUstream stream, uint64_t *part,
                                          uint64_t *turns);
BLAS_API blas_status blas_room_leave(struct blas_room *room, CUstream stream);

#endif
