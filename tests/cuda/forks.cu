// A program that forks: a child made before the GPU is used has one of its own; one made afterwards is
// told that it has none.
// expect stdout ok
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

__global__ void put(int *p, int v) { *p = v; }

static int use(int v) {
    int *p, got = 0;
    if (cudaMalloc(&p, 4) != cudaSuccess) return -1;
    put<<<1, 1>>>(p, v);
    if (cudaMemcpy(&got, p, 4, cudaMemcpyDeviceToHost) != cudaSuccess) return -2;
    cudaFree(p);
    return got;
}
static int child(int v) {
    const pid_t pid = fork();
    if (pid == 0) _exit(use(v) == v ? 0 : 7);
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

int main() {
    CHECK(child(5) == 0);
    CHECK(use(6) == 6);
    CHECK(child(5) == 7); // the device is the parent's, as with the vendor's driver
    CHECK(use(8) == 8);   // which goes on
    std::puts("ok");
    return 0;
}
