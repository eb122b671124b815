// exec as the source of an SM's instructions.
#include "exec/source.h"
#include "exec/launch.h"

const struct exec_source exec_computes = {.launch_create = exec_launch_create,
                                          .launch_destroy = exec_launch_destroy,
                                          .cta_bytes = exec_cta_bytes,
                                          .cta_init = exec_cta_init,
                                          .cluster_blocks = exec_cluster_blocks,
                                          .cluster_cta = exec_cluster_cta,
                                          .cluster_join = exec_cluster_join,
                                          .cluster_opens = exec_cluster_opens,
                                          .step = exec_step,
                                          .barrier_release = exec_barrier_release,
                                          .policy = exec_policy,
                                          .log_create = exec_log_create,
                                          .log_destroy = exec_log_destroy,
                                          .log_is_empty = exec_log_is_empty,
                                          .commit = exec_commit};
