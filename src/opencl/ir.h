// What is read from LLVM IR as clang 14 writes it, and rewritten in it.
#ifndef WW_OPENCL_IR_H
#define WW_OPENCL_IR_H

// The IR with each call of printf as one of the device's vprintf(format, arguments in memory), which has no variable number of
// arguments. malloc'd; NULL: host memory is out.
char *ir_with_printf(const char *ir);
// IR in which kernels that others call are inlined there: PTX has no call of a kernel.
char *ir_with_kernels_inlined(const char *ir);

#endif
