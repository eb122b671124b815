// What is read from LLVM IR as clang 14 writes it, and rewritten in it.
#ifndef WW_OPENCL_IR_H
#define WW_OPENCL_IR_H

// The IR with each call of printf as one of the device's vprintf(format, arguments in memory), which has no variable number of
// arguments. malloc'd; NULL: host memory is out.
char *ir_with_printf(const char *ir);
// IR in which kernels that others call are inlined there, since PTX has no call of a kernel, and in which functions that a
// source calls inline are defined there: C99 wants a definition elsewhere, which sources of OpenCL C do not give.
char *ir_with_calls_resolved(const char *ir);
// IR whose variables of a group are ones that a barrier may change.
char *ir_with_visible_groups(const char *ir);

#endif
