// Memory in which products leave the sums of parts of k, with the counters of tiles behind it (parts.h). Products of one stream come
// one after the other and share a room. Those of two streams run at once, and so may those that were recorded in one stream at two
// times. A stream that needs a room takes one whose last product is done, whoever had it, before there is a new one. A recording's
// room is its graph's, and comes back when the last graph that was made of it has ended: a user object tells. Where the handle has
// ended before, the memory stays the graph's until the context ends.
#include "room.h"
#include "plan.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { NO_SYNC = 1 }; // CU_USER_OBJECT_NO_DESTRUCTOR_SYNC

struct blas_room {
    struct blas_rooms *all;
    struct blas_room *next;
    unsigned long long stream;    // the number of the one that used it last
    _Atomic cuuint64_t recording; // 0: none
    unsigned takers;              // that have not launched yet
    CUdeviceptr at;
    CUevent done; // behind the last product
};
struct blas_rooms {
    pthread_mutex_t lock;
    struct blas_room *first;
    atomic_size_t users; // the handle, and rooms that are graphs'
};

struct blas_rooms *blas_rooms_new(void) {
    struct blas_rooms *const all = calloc(1, sizeof *all);
    if (!all) return NULL;
    pthread_mutex_init(&all->lock, NULL);
    all->users = 1;
    return all;
}
static void leave(struct blas_rooms *all) {
    if (atomic_fetch_sub(&all->users, 1) > 1) return;
    while (all->first) { // their memory is the context's
        struct blas_room *const room = all->first;
        all->first = room->next;
        free(room);
    }
    pthread_mutex_destroy(&all->lock);
    free(all);
}
void blas_rooms_delete(struct blas_rooms *all) {
    pthread_mutex_lock(&all->lock);
    for (struct blas_room **at = &all->first; *at;) {
        struct blas_room *const room = *at;
        cuEventDestroy_v2(room->done);
        room->done = NULL;
        if (room->recording) {
            at = &room->next;
            continue;
        }
        cuMemFree_v2(room->at);
        *at = room->next;
        free(room);
    }
    pthread_mutex_unlock(&all->lock);
    leave(all);
}

// The counters are 0 between products.
static struct blas_room *room_new(const struct blas_handle *h) {
    struct blas_room *const room = calloc(1, sizeof *room);
    CUstream own = NULL;
    if (!room) return NULL;
    CUresult r = cuMemAlloc_v2(&room->at, plan_room(h) + plan_turns(h));
    if (r == CUDA_SUCCESS) r = cuEventCreate(&room->done, CU_EVENT_DISABLE_TIMING);
    if (r == CUDA_SUCCESS) r = cuStreamCreate(&own, CU_STREAM_NON_BLOCKING);
    if (r == CUDA_SUCCESS) r = cuMemsetD32Async(room->at + plan_room(h), 0, plan_turns(h) / 4, own);
    if (r == CUDA_SUCCESS) r = cuStreamSynchronize(own);
    if (own) cuStreamDestroy_v2(own);
    if (r == CUDA_SUCCESS) return room;
    if (room->at) cuMemFree_v2(room->at);
    if (room->done) cuEventDestroy_v2(room->done);
    free(room);
    return NULL;
}
// A graph that had it has ended, and what was launched of it. The driver waits for this call: it may ask nothing of the driver, nor
// take the lock, with which others ask.
static void come_back(void *user) {
    struct blas_room *const room = user;
    struct blas_rooms *const all = room->all;
    atomic_store(&room->recording, 0);
    leave(all);
}
static bool belong_to(struct blas_room *room, CUgraph graph, cuuint64_t recording) {
    CUuserObject object;
    if (cuUserObjectCreate(&object, room, come_back, 1, NO_SYNC) != CUDA_SUCCESS) return false;
    atomic_store(&room->recording, recording);
    atomic_fetch_add(&room->all->users, 1);
    if (cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE) == CUDA_SUCCESS)
        return true;
    atomic_store(&room->recording, 0); // the object is left alone, whose end would be told
    atomic_fetch_sub(&room->all->users, 1);
    return false;
}
static struct blas_room *find(const struct blas_handle *h, unsigned long long stream,
                              cuuint64_t recording) {
    struct blas_rooms *const all = h->rooms;
    for (struct blas_room *room = all->first; room; room = room->next)
        if (room->stream == stream && room->recording == recording) return room;
    for (struct blas_room *room = all->first; room; room = room->next)
        if (!room->recording && !room->takers && cuEventQuery(room->done) == CUDA_SUCCESS)
            return room;
    struct blas_room *const room = room_new(h);
    if (!room) return NULL;
    room->all = all;
    room->next = all->first;
    return all->first = room;
}

struct blas_room *blas_room_take(struct blas_handle *h, CUstream stream, uint64_t *part,
                                 uint64_t *turns) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    CUgraph graph = NULL;
    cuuint64_t recording = 0;
    unsigned long long number;
    CUresult r = cuStreamGetCaptureInfo_v2(stream, &status, &recording, &graph, NULL, NULL);
    if (r != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_ACTIVE) recording = 0;
    if (cuStreamGetId(stream, &number) != CUDA_SUCCESS) return NULL;
    // a stream may be recorded meanwhile, which these calls must not break off
    cuThreadExchangeStreamCaptureMode(&mode);
    pthread_mutex_lock(&h->rooms->lock);
    struct blas_room *room = find(h, number, recording);
    if (room && room->recording != recording && !belong_to(room, graph, recording)) room = NULL;
    if (room) {
        room->stream = number;
        room->takers++;
        *part = room->at;
        *turns = room->at + plan_room(h);
    }
    pthread_mutex_unlock(&h->rooms->lock);
    cuThreadExchangeStreamCaptureMode(&mode);
    return room;
}

blas_status blas_room_leave(struct blas_room *room, CUstream stream) {
    CUresult r = CUDA_SUCCESS;
    if (!room) return CUBLAS_SUCCESS;
    pthread_mutex_lock(&room->all->lock);
    room->takers--;
    if (!room->recording) r = cuEventRecord(room->done, stream);
    pthread_mutex_unlock(&room->all->lock);
    return blas_of(r);
}
