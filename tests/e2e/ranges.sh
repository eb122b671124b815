# Ranges that a program names by NVTX, of both kinds of programs: those that link libnvToolsExt.so.1, and those whose headers load
# the library that NVTX_INJECTION64_PATH names (played here as the headers do it; tests/clients/nvtx.sh has the real ones).
# Launches and copies belong to the ranges that are open for their thread; --nvtx and --profiled say what is timed.
. "$HERE/lib.sh"
command -v cc >/dev/null || { echo "skipped: no C compiler"; exit 77; }
build=${WARPWATT%/*}
cat >named.c <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include "cuda.h"
static const char ptx[] = ".version 4.2\n.target sm_20\n.address_size 64\n.visible .entry work(.param .u64 p) {\n"
    " .reg .u64 %a; .reg .u32 %x;\n ld.param.u64 %a, [p]; mov.u32 %x, %tid.x; st.global.u32 [%a], %x; ret; }\n";
static CUfunction work;
static CUdeviceptr memory;
static CUcontext context;
static void launch(int n) {
    void *args[] = {&memory};
    while (n-- > 0)
        if (cuLaunchKernel(work, 1, 1, 1, 32, 1, 1, 0, NULL, args, NULL)) exit(9);
}
struct attributes {
    uint16_t version, size; uint32_t category; int32_t colour_type; uint32_t colour; int32_t payload_type, reserved;
    uint64_t payload; int32_t message_type; const void *message;
};
// The places of NVTX 3's functions, which a tool fills: [core or core2][number].
static void (*core[16])(void), (*core2[16])(void);
static void (**core_place[16])(void), (**core2_place[16])(void);
static int functions_of(int module, void (****out)(void), unsigned *n) {
    if (module != 1 && module != 5) return 0;
    *out = module == 1 ? core_place : core2_place;
    *n = 16;
    return 1;
}
static const struct { size_t size; int (*functions_of)(int, void (****)(void), unsigned *); } callbacks = {sizeof callbacks, functions_of};
static const void *table_of(uint32_t id) { return id == 1 ? &callbacks : NULL; }
static int (*push)(const char *), (*pop)(void), (*push_wide)(const wchar_t *);
static uint64_t (*start)(const char *);
static void (*end)(uint64_t);
static int (*push_in)(void *, const struct attributes *), (*pop_in)(void *);
static void *(*domain_of)(const char *), *(*registered)(void *, const char *);
static void by_injection(void) {
    for (int i = 0; i < 16; i++) core_place[i] = &core[i], core2_place[i] = &core2[i];
    void *library = dlopen(getenv("NVTX_INJECTION64_PATH"), RTLD_LAZY);
    int (*init)(const void *(*)(uint32_t)) = (int (*)(const void *(*)(uint32_t)))dlsym(library, "InitializeInjectionNvtx2");
    if (!init || init(table_of) != 1) exit(8);
    push = (int (*)(const char *))core[9], push_wide = (int (*)(const wchar_t *))core[10], pop = (int (*)(void))core[11];
    start = (uint64_t (*)(const char *))core[5], end = (void (*)(uint64_t))core[7];
    push_in = (int (*)(void *, const struct attributes *))core2[4], pop_in = (int (*)(void *))core2[5];
    registered = (void *(*)(void *, const char *))core2[10], domain_of = (void *(*)(const char *))core2[12];
}
static void by_library(void) {
    void *l = dlopen("libnvToolsExt.so.1", RTLD_LAZY);
    if (!l) exit(8);
    push = (int (*)(const char *))dlsym(l, "nvtxRangePushA"), push_wide = (int (*)(const wchar_t *))dlsym(l, "nvtxRangePushW");
    pop = (int (*)(void))dlsym(l, "nvtxRangePop"), start = (uint64_t (*)(const char *))dlsym(l, "nvtxRangeStartA");
    end = (void (*)(uint64_t))dlsym(l, "nvtxRangeEnd"), domain_of = (void *(*)(const char *))dlsym(l, "nvtxDomainCreateA");
    push_in = (int (*)(void *, const struct attributes *))dlsym(l, "nvtxDomainRangePushEx");
    pop_in = (int (*)(void *))dlsym(l, "nvtxDomainRangePop"), registered = (void *(*)(void *, const char *))dlsym(l, "nvtxDomainRegisterStringA");
}
static void *backward(void *unused) { // a library's thread, while the first one waits
    cuCtxSetCurrent(context);
    launch(1);
    push("aten::mul, seq = 3, op_id = 17");
    launch(2);
    pop();
    push("aten::mul, seq = 4, op_id = 18");
    launch(2);
    pop();
    return unused;
}
int main(int argc, char **argv) {
    CUmodule m;
    pthread_t t;
    int word = 0;
    if (argc > 1 && argv[1][0] == 'i') by_injection(); else by_library();
    if (cuInit(0) || cuCtxCreate(&context, 0, 0) || cuModuleLoadData(&m, ptx) || cuModuleGetFunction(&work, m, "work") || cuMemAlloc(&memory, 4)) return 9;
    launch(1);
    for (int step = 0; step < 2; step++) {
        char name[16];
        sprintf(name, "step %d", step);
        if (push(name) != 0 || push("forward") != 1) return 7;
        launch(3);
        cuMemcpyDtoH(&word, memory, 4);
        if (pop() != 1) return 7;
        push_wide(L"backward");
        if (pthread_create(&t, NULL, backward, NULL) || pthread_join(t, NULL)) return 9;
        pop();
        if (pop() != 0) return 7;
    }
    if (pop() != -2) return 6; // none is open
    void *domain = domain_of("lib");
    struct attributes a = {.version = 2, .size = sizeof a, .message_type = 3, .message = registered(domain, "inner")};
    uint64_t whole = start("whole");
    push_in(domain, &a);
    push("user");
    launch(1);
    pop_in(domain); // each domain closes its own
    cuProfilerStart();
    launch(4);
    cuProfilerStop();
    pop();
    end(whole);
    launch(1);
    return cuCtxSynchronize() || word != 31;
}
C
cc -I"$HERE/../../include" named.c "$build/libcuda.so.1" -Wl,-rpath-link,"$build" -lpthread -ldl -o named || fail "no program"
cat >check.py <<'P'
import csv, json, sqlite3, sys
near = lambda a, b: abs(a - b) <= 1e-9 * abs(b) + 1e-18
out = sys.argv[1]
rows = list(csv.DictReader(open(out + '/ranges.csv')))
got = {r['path']: (int(r['times']), int(r['launches']), int(r['copies'])) for r in rows}
want = {'whole': (1, 5, 0), 'whole/lib: inner': (1, 1, 0), 'whole/lib: inner/user': (1, 1, 0), 'whole/user': (1, 4, 0), '(in no range)': (0, 2, 0)}
for s in ('step 0', 'step 1'):
    want.update({s: (1, 8, 1), s + '/forward': (1, 3, 1), s + '/backward': (1, 5, 0), s + '/backward/aten::mul': (2, 4, 0)})
assert got == want, got
run, power = json.load(open(out + '/run.json')), json.load(open(out + '/power.json'))
steps = run['steps']['list']
# ranges and what belongs to none are all steps; what lies inside is part of what is around it
top = [r for r in rows if r['depth'] == '0']
assert near(sum(float(r['energy_j']) for r in top), sum(s['energy_j'] for s in steps))
assert near(sum(float(r['own_j']) for r in rows), sum(s['energy_j'] for s in steps))
assert near(sum(float(r['seconds']) for r in top), sum(s['seconds'] for s in steps if 'launch' in s))
assert near(sum(float(r['copy_s']) for r in top), sum(s['seconds'] for s in steps if 'bytes' in s))
by = {r['path']: r for r in rows}
assert float(by['step 0']['energy_j']) > float(by['step 0/backward']['energy_j']) > float(by['step 0/backward/aten::mul']['energy_j']) > 0
assert [r['path'] for r in run['ranges']] == [r['path'] for r in rows]
for c, r in zip(rows, run['ranges']): assert near(float(c['energy_j']), r['energy_j']) and int(c['range']) == r['range']
db = sqlite3.connect(out + '/results.sqlite').execute('select path, launches, energy_j from ranges').fetchall()
assert sorted((p, n) for p, n, _ in db) == sorted((p, w[1]) for p, w in want.items())
assert '"ranges":[{' in open(out + '/index.html').read()
P
for way in injection library; do
    run 0 run -q -o $way -- ./named $way
    python3 check.py $way || fail "ranges by $way"
done
cmp injection/ranges.csv library/ranges.csv || fail "the two ways differ"
run 0 run --trace all.json -- ./named injection
says err '^  ranges  \(NVTX; each with those inside it\)$'
says err '^      backward +1 +5 .*J$'
python3 - <<'P' || fail "ranges on the timeline"
import json
events = json.load(open('all.json'))['traceEvents']
ns = lambda us: round(1000 * us)
kernels = [(ns(e['ts']), ns(e['ts']) + ns(e['dur'])) for e in events if e.get('cat') == 'kernel']
ranges = [(e['name'], ns(e['ts']), ns(e['ts']) + ns(e['dur'])) for e in events if e.get('cat') == 'range']
count = lambda r: sum(r[1] <= a and b <= r[2] for a, b in kernels)
want = [('step 0', 8), ('forward', 3), ('backward', 5), ('aten::mul', 2), ('aten::mul', 2), ('whole', 5), ('user', 4)]
have = [(r[0], count(r)) for r in ranges]
for w in set(want): assert have.count(w) >= want.count(w), (w, have)
for a in ranges: # of a track, one lies in another or beside it
    for b in ranges: assert a[2] <= b[1] or b[2] <= a[1] or (a[1] <= b[1] and b[2] <= a[2]) or (b[1] <= a[1] and a[2] <= b[2])
P
# what is timed
run 0 run -q --record nvtx.jsonl --nvtx '^step 1/(forward|backward/aten)' -- ./named injection
run 0 run -q --record profiled.jsonl --profiled -- ./named injection
python3 - <<'P' || fail "what is timed"
import json
for name, want in (('nvtx', 3 + 4), ('profiled', 4)):
    launches = [l for l in map(json.loads, open(name + '.jsonl')) if l['type'] == 'launch']
    assert len(launches) == 23
    timed = [l for l in launches if not l['functional']]
    assert len(timed) == want and all(l['cycles'] > 0 for l in timed), (name, len(timed))
P
run 0 run --nvtx 'step 1/forward' -- ./named injection
says err '^  untimed +20 launches computed without time'
says err '^    step 0 +1 +8 +untimed'
run 0 run -q --nvtx nowhere -- ./named injection
says err '^warpwatt: --nvtx `nowhere` leaves none of 23 launches to be timed'
run 2 run -q --nvtx '(' -- ./named injection
says err '^error: --nvtx is `\(`, which is no regular expression: '; one_sentence err
run 2 run -q --functional --profiled -- ./named injection
says err -- '--profiled would change nothing'
finish
