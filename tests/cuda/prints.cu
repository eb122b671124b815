// printf on the device comes out on standard output, in order, at the next synchronisation.
// expect stdout before
// expect stdout int -5 7 unsigned 4294967291 hex ff
// expect stdout char x string word percent %
// expect stdout long 1234567890123 float 0.250 1.5e+10 width |   42|42   |00042|
// expect stdout lanes 0 of 1
// expect stdout lanes 3 of 1
// expect stdout result 31
// expect stdout after
#include "check.h"

__global__ void say(int v) {
    printf("int %d %i unsigned %u hex %x\n", v, 7, v, 255);
    printf("char %c string %s percent %%\n", 'x', "word");
    printf("long %lld float %.3f %.1e width |%5d|%-5d|%05d|\n", 1234567890123LL, 0.25f, 1.5e10, 42, 42, 42);
}
__global__ void lanes() { printf("lanes %d of %d\n", threadIdx.x, gridDim.x); }
__global__ void result(int *p) { *p = printf("%d %d %d\n", 1, 2, 3); }

int main() {
    std::puts("before");
    std::fflush(stdout);
    say<<<1, 1>>>(-5);
    lanes<<<1, 4>>>();
    int *p, n;
    OK(cudaMalloc(&p, 4));
    result<<<1, 1>>>(p);
    OK(cudaMemcpy(&n, p, 4, cudaMemcpyDeviceToHost));
    std::printf("result %d%d\n", n, 1); // printf answers the number of arguments
    std::puts("after");
    return 0;
}
