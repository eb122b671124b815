# CUPTI's callbacks: calls of the driver and the runtime as they begin and end, with their parameters, results, kernels' names and the
# number that their activity's records have; what is made, ends and is waited for. A subscriber's own calls are not told.
. "$HERE/lib.sh"
command -v cc >/dev/null || { echo "skipped: no C compiler"; exit 77; }
build=${WARPWATT%/*}
cp "$HERE/../sass/data/kernels_sm_70.cubin" code.cubin
cat >layout.h <<'C'
#define LAYOUT(X) \
    X(CUpti_CallbackData, callbackSite, 0) X(CUpti_CallbackData, functionName, 8) X(CUpti_CallbackData, functionParams, 16) \
    X(CUpti_CallbackData, functionReturnValue, 24) X(CUpti_CallbackData, symbolName, 32) X(CUpti_CallbackData, context, 40) \
    X(CUpti_CallbackData, contextUid, 48) X(CUpti_CallbackData, correlationData, 56) X(CUpti_CallbackData, correlationId, 64) \
    X(CUpti_ResourceData, context, 0) X(CUpti_ResourceData, resourceHandle, 8) X(CUpti_ResourceData, resourceDescriptor, 16) \
    X(CUpti_ModuleResourceData, cubinSize, 8) X(CUpti_ModuleResourceData, pCubin, 16) X(CUpti_GraphData, graph, 0) \
    X(CUpti_GraphData, node, 16) X(CUpti_GraphData, nodeType, 32) X(CUpti_GraphData, graphExec, 48) \
    X(CUpti_SynchronizeData, context, 0) X(CUpti_SynchronizeData, stream, 8)
C
for folder in /usr/local/cuda/include /usr/local/cuda/extras/CUPTI/include; do
    [ -f $folder/cupti.h ] || continue
    cat >held.c <<'C'
#include <stddef.h>
#include <cupti.h>
#include "layout.h"
#define HELD(type, field, at) _Static_assert(offsetof(type, field) == at, #type "." #field);
LAYOUT(HELD)
C
    cc -I/usr/local/cuda/include -I$folder -c held.c -o held.o || fail "layouts differ from $folder"
done
cat >watched.c <<'C'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda.h"
struct dim3 { unsigned x, y, z; };
int cudaMalloc(void **, size_t), cudaMemset(void *, int, size_t), cudaMemcpy(void *, const void *, size_t, int), cudaFree(void *);
int cudaLaunchKernel(const void *, struct dim3, struct dim3, void **, size_t, void *), cudaDeviceSynchronize(void), cudaGetDevice(int *);
int cudaLibraryLoadData(void **, const void *, void *, void **, unsigned, void *, void **, unsigned), cudaLibraryGetKernel(void **, void *, const char *);
int cuptiSubscribe(void **, void *, void *), cuptiSubscribe_v2(void **, void *, void *, void *), cuptiUnsubscribe(void *), cuptiEnableCallback(uint32_t, void *, int, uint32_t);
int cuptiEnableDomain(uint32_t, void *, int), cuptiGetCallbackName(int, uint32_t, const char **), cuptiGetCallbackState(uint32_t *, void *, int, uint32_t);
int cuptiActivityEnable(int), cuptiActivityFlushAll(uint32_t), cuptiActivityGetNextRecord(uint8_t *, size_t, void **);
int cuptiActivityRegisterCallbacks(void *, void *);
struct data { int site; const char *name; const void *given; const int *result; const char *symbol; CUcontext context; uint32_t uid; uint64_t *own; uint32_t number; };
struct resource { CUcontext context; CUstream stream; const void *more; };
struct module { uint32_t id; size_t bytes; const char *code; };
struct graph { CUgraph graph, original; CUgraphNode node, original_node; int type; CUgraphNode depends; CUgraphExec exec; };
struct wait { CUcontext context; CUstream stream; };
static const char ptx[] = ".version 4.2\n.target sm_20\n.address_size 64\n.visible .entry work(.param .u64 p) {\n"
    " .reg .u64 %a; .reg .u32 %x;\n ld.param.u64 %a, [p]; mov.u32 %x, %tid.x; st.global.u32 [%a], %x; ret; }\n";
static void told(void *user, int domain, uint32_t number, const void *p) {
    int device;
    *(int *)user += 1;
    if (cudaGetDevice(&device)) exit(3); // not told
    if (domain <= 2) {
        const struct data *d = p;
        const char *name = "";
        if (cuptiGetCallbackName(domain, number, &name)) exit(4);
        if (d->site == 0) *d->own = 1000 + d->number;
        printf("%s %d %u %s %s %u %d %s", d->site ? "end" : "begin", domain, number, d->name, name, d->number, *d->own == 1000 + d->number, d->symbol ? d->symbol : "-");
        if (d->site) printf(" %d", *d->result);
        if (domain == 2 && number == 20) printf(" %zu", ((const struct { void **p; size_t bytes; } *)d->given)->bytes);
        if (domain == 2 && number == 211) { const struct { const void *f; struct dim3 grid, block; } *l = d->given; printf(" %u %u %u", l->grid.x, l->grid.y, l->block.x); }
        if (domain == 1 && number == 307) { const struct { void *f; unsigned g[3], b[3], shared; CUstream s; void **args; } *l = d->given;
            printf(" %u %u %u %d", l->g[0], l->g[1], l->b[0], **(CUdeviceptr **)l->args != 0); }
        puts("");
    } else if (domain == 3) {
        const struct resource *r = p;
        printf("resource %u %d %d", number, r->context != NULL, r->stream != NULL);
        static uint32_t made;
        if (number == 7) printf(" %d", ((const struct module *)r->more)->id == made);
        if (number == 6) { const struct module *m = r->more; made = m->id; printf(" %zu %d", m->bytes, m->code && !memcmp(m->code, "\177ELF", 4)); }
        if (number >= 9) { const struct graph *g = r->more; printf(" %d %d %d %d", g->graph != NULL, g->node != NULL, g->type, g->exec != NULL); }
        puts("");
    } else { const struct wait *w = p; printf("wait %u %d %d\n", number, w->context != NULL, w->stream != NULL); }
}
static void want(uint8_t **buffer, size_t *size, size_t *most) { *size = 100000, *most = 0, *buffer = malloc(*size); }
static void take(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid) {
    void *p = NULL;
    (void)context, (void)stream, (void)size;
    while (!cuptiActivityGetNextRecord(buffer, valid, &p)) {
        uint32_t r[10], correlation;
        memcpy(r, p, sizeof r);
        memcpy(&correlation, (char *)p + (r[0] == 10 ? 92 : 32), 4);
        printf("record %u %u %u\n", r[0], correlation, r[0] == 10 ? 0 : r[1]);
    }
    free(buffer);
}
int main(void) {
    void *s, *other, *library, *kernel, *a, *b;
    int calls = 0;
    uint32_t is_on;
    CUmodule m;
    CUfunction f;
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode node;
    if (cuptiSubscribe(&s, NULL, NULL) || cuptiSubscribe(&other, told, &calls) != 39 || cuptiUnsubscribe(s)) return 9;
    char old[8];
    struct params { size_t size; const char *name; char *old; size_t room; uint8_t more; } first = {sizeof first, "watcher", NULL, 0, 0},
        second = {sizeof second, "second", old, sizeof old, 1};
    if (cuptiSubscribe_v2(&s, told, &calls, &first) || cuptiSubscribe_v2(&other, told, &calls, &second) != 39 || strcmp(old, "watcher") || cuptiUnsubscribe(s)) return 9;
    if (cuptiSubscribe(&s, told, &calls) || cuptiSubscribe(&other, told, &calls) != 39) return 9;
    if (cuptiEnableDomain(1, s, 3) || cuptiEnableDomain(1, s, 4) || cuptiEnableCallback(1, s, 2, 20) || cuptiEnableCallback(1, s, 2, 211) || cuptiEnableCallback(1, s, 1, 307)) return 9;
    if (cuptiGetCallbackState(&is_on, s, 2, 20) || !is_on || cuptiGetCallbackState(&is_on, s, 2, 31) || is_on) return 9;
    if (cuptiActivityRegisterCallbacks(want, take) || cuptiActivityEnable(10) || cuptiActivityEnable(5) || cuptiActivityEnable(4)) return 9;
    puts("runtime");
    if (cudaMalloc(&a, 4096) || cudaMalloc(NULL, 7) != 1 || cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0) || cudaLibraryGetKernel(&kernel, library, "work")) return 8;
    void *args[] = {&a};
    if (cudaLaunchKernel(kernel, (struct dim3){3, 2, 1}, (struct dim3){32, 1, 1}, args, 0, NULL) || cudaDeviceSynchronize()) return 8;
    puts("driver");
    CUlibrary l;
    if (cuLibraryLoadData(&l, ptx, NULL, NULL, 0, NULL, NULL, 0) || cuLibraryUnload(l) || cuModuleLoad(&m, "code.cubin") || cuModuleUnload(m) || cuModuleLoadData(&m, ptx) || cuModuleGetFunction(&f, m, "work") || cuStreamCreate(&stream, 1)) return 8;
    if (cuLaunchKernel(f, 5, 1, 1, 64, 1, 1, 0, stream, args, 0) || cuStreamSynchronize(stream) || cuCtxSynchronize()) return 8;
    if (cuGraphCreate(&graph, 0) || cuGraphAddEmptyNode(&node, graph, NULL, 0) || cuGraphInstantiate(&exec, graph, 0) || cuGraphExecDestroy(exec) || cuGraphDestroy(graph)) return 8;
    if (cuStreamDestroy(stream)) return 8;
    puts("records");
    if (cuptiActivityFlushAll(0)) return 8;
    puts("silence");
    const int before = calls;
    if (cuptiEnableDomain(0, s, 3) || cuptiEnableDomain(1, s, 2) || cudaMemset(a, 0, 100) || cuptiEnableDomain(0, s, 2) || cudaMalloc(&b, 8)) return 8;
    if (cuptiUnsubscribe(s) || cudaMalloc(&b, 8) || cuptiUnsubscribe(s) != 1) return 8;
    return calls != before + 2; // cudaMemset
}
C
for version in 12 13; do
    cc -I"$HERE/../../include" watched.c "$build/libcudart.so.$version" "$build/libcuda.so.1" "$build/libcupti.so.$version" -Wl,-rpath-link,"$build" -o watched || fail "no program"
    run 0 run -q --no-power --functional -g v100 -- ./watched
    python3 - <<'P' || fail "callbacks"
part, by = None, {}
for line in open('out').read().splitlines():
    if ' ' not in line: part = line; by[part] = []; continue
    by[part].append(line.split())
runtime = [l for l in by['runtime'] if l[0] in ('begin', 'end')]
assert [l[:5] for l in runtime] == [[s, *r] for s, r in (
    ('begin', ('2', '20', 'cudaMalloc', 'cudaMalloc_v3020')), ('end', ('2', '20', 'cudaMalloc', 'cudaMalloc_v3020')),
    ('begin', ('2', '20', 'cudaMalloc', 'cudaMalloc_v3020')), ('end', ('2', '20', 'cudaMalloc', 'cudaMalloc_v3020')),
    ('begin', ('2', '211', 'cudaLaunchKernel', 'cudaLaunchKernel_v7000')), ('begin', ('1', '307', 'cuLaunchKernel', 'cuLaunchKernel')),
    ('end', ('1', '307', 'cuLaunchKernel', 'cuLaunchKernel')), ('end', ('2', '211', 'cudaLaunchKernel', 'cudaLaunchKernel_v7000')))], runtime
assert all(l[6] == '1' for l in runtime)             # what the begin left is there at the end
assert runtime[0][5] == runtime[1][5] != runtime[2][5] == runtime[3][5]
assert runtime[1][8:] == ['0', '4096'] and runtime[3][8:] == ['1', '7'] and runtime[0][8:] == ['4096']
assert len({l[5] for l in runtime[4:]}) == 1         # the driver's call inside has the runtime's number
assert [l[7] for l in runtime] == 4 * ['-'] + 4 * ['work']
assert runtime[4][8:] == ['3', '2', '32'] and runtime[5][8:] == ['3', '2', '32', '1'] and runtime[7][8:] == ['0', '3', '2', '32']
made = [l[1:] for l in by['runtime'] if l[0] == 'resource']
assert ['5', '0', '0'] in made and made.count(['1', '1', '0']) == 1 and ['6', '1', '0', '0', '0'] in made, made # PTX: no machine code
assert ['wait', '2', '1', '0'] in by['runtime']
driver = by['driver']
launch = [l for l in driver if l[0] in ('begin', 'end')]
assert [l[0] for l in launch] == ['begin', 'end'] and launch[1][7:] == ['work', '0', '5', '1', '64', '1'], launch
made = [l[1:] for l in driver if l[0] == 'resource']
size = len(open('code.cubin', 'rb').read())
assert made == [['6', '1', '0', '0', '0'], ['7', '1', '0', '1'], ['6', '1', '0', str(size), '1'], ['7', '1', '0', '1'], ['6', '1', '0', '0', '0'], ['3', '1', '1'], ['9', '1', '0', '1', '0', '0', '0'],
                ['13', '1', '0', '1', '1', '5', '0'], ['20', '1', '0', '1', '1', '5', '0'], ['18', '1', '0', '0', '0', '0', '1'], ['19', '1', '0', '0', '0', '0', '1'],
                ['10', '1', '0', '1', '0', '0', '0'], ['4', '1', '1']], made
assert [l for l in driver if l[0] == 'wait'] == [['wait', '1', '1', '1'], ['wait', '2', '1', '0']]
records = [tuple(map(int, l[1:])) for l in by['records']]
number = {'runtime': int(runtime[4][5]), 'driver': int(launch[0][5])}
assert sorted(r[1] for r in records if r[0] == 10) == sorted(number.values())
assert (5, number['runtime'], 211) in records and (4, number['driver'], 307) in records
assert (4, number['runtime'], 307) not in records    # inside the runtime's: no record of its own
assert sum(r[0] == 5 and r[2] == 20 for r in records) == 2
assert [l[:4] for l in by['silence']] == [['begin', '2', '49', 'cudaMemset'], ['end', '2', '49', 'cudaMemset']], by['silence']
P
done
finish
