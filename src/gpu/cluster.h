// Clusters of blocks and the GPCs that they lie in (cluster.c).
#ifndef WW_GPU_CLUSTER_H
#define WW_GPU_CLUSTER_H

#include "gpu/fields.h"

enum { GPC_MOST = 32 };
// The numbers of `gpc_sms`; 0: the text is none.
uint32_t gpc_sizes(const char *text, uint32_t size[GPC_MOST]);
// Of each SM: its GPC, and the how manieth it is there.
void gpc_assign(const struct gpu_config *c, uint8_t *gpc, uint8_t *place);

// ---- while kernels run ----------------------------------------------------------------------------
struct gpu;
struct flight;
struct gpu_clusters;
enum ww_status clusters_create(struct gpu *g, struct diags *d); // once SMs and memory are there
void clusters_destroy(struct gpu *g);
// Clusters of the kernel go to GPCs that have room for a whole one.
void clusters_dispatch(struct gpu *g, struct flight *r);
bool clusters_can_dispatch(const struct gpu *g, const struct flight *r);
// The end of a quantum, behind its commit: what SMs sent each other, who has ended, which barriers
// open.
void clusters_quantum(struct gpu *g);

#endif
