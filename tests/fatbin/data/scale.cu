// What the fixtures beside this file were made from, with nvcc 13.0:
//   nvcc -fatbin -gencode arch=compute_75,code=compute_75 -gencode arch=compute_80,code=[compute_80,sm_80]
//        -gencode arch=compute_90a,code=compute_90a --compress-mode=MODE scale.cu -o MODE.fatbin
//   machine-code.fatbin: -gencode arch=compute_80,code=sm_80 alone; machine-code-packed.fatbin: with
//        --compress-mode=size
//   program.elf, linked.elf: the sections .nv_fatbin, __nv_relfatbin and .nvFatBinSegment of a program
//        built plainly and with -rdc=true (objcopy -O elf64-x86-64 --only-section=...)
extern "C" __global__ void scale(float *p, float f, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= f;
}
extern "C" __global__ void fill(int *p, int v) { p[threadIdx.x] = v; }
