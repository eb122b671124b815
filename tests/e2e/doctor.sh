# What a program needs and what is missing, before anything runs.
. "$HERE/lib.sh"
data="$HERE/../fatbin/data" build=${WARPWATT%/*}
# a fat binary and no runtime inside: a program of the driver's interface
run 3 doctor -- "$data/program.elf"; says out "1, of which 1 can run on v100"; says out 'runtime   none'; says out 'missing   loader'
run 3 doctor -- "$data/linked.elf"; lacks out 'unit 0' # what nvcc's linker made for 7.5 is not missed: the units' PTX runs
says out 'PTX +2 units, version 9.0, for compute_75'; says out 'kernels   1, of which 1 can run on v100'
# a kernel that is there as linked machine code and in a unit's PTX is one
run 3 doctor -g rtx2060s -- "$data/linked.elf"; says out 'kernels   1, of which 1 can run on rtx2060s'
# files of code, which no program surrounds
code="$HERE/../sass/data"
run 0 doctor -g v100 "$code/module_sm_70.cubin"
says out '1 unit of machine code, 5 kernels of it run; the first is of ptxas of CUDA 11.8 for sm_70'
says out 'kernels   5, of which 5 can run on v100'; lacks out 'loader|runtime'
run 0 doctor -g gtx480 "$code/both_sm_70.fatbin"; says out 'PTX +1 unit, version 7.8, for compute_70'
run 3 doctor -g v100 "$code/module_sm_80.cubin"; says out 'unit 0: machine code for compute capability 8.0'
run 0 doctor -g v100 "$code/module.ptx"; says out 'kernels   5, of which 5 can run on v100'
run 2 doctor -- "$HERE/lib.sh"; one_sentence err
run 2 doctor -- /no/such/program; one_sentence err
run 2 doctor; says err 'needs a program'
run 2 doctor ls cat; says err 'one program; `cat` is a second'
run 2 doctor $(seq -f '--set sm.max_warps=%.0f' 1000) -- ls; says err 'more than [0-9]+ times --set'
run 0 doctor -- ls; says out 'nothing is missing'

# programs as a linker makes them, with a fat binary put in
command -v cc >/dev/null && command -v objcopy >/dev/null || { finish; exit; }
cat >needs.c <<'C'
int cudaMalloc(void **, unsigned long), cudaGraphicsMapResources(void), cublasUint8gemmBias(void **), cublasCreate_v2(void **), __cudaRegisterFatBinary(void *);
int main(int argc, char **argv) {
    void *p;
    if (argc > 1) return cudaGraphicsMapResources() + cublasUint8gemmBias(&p) + cublasCreate_v2(&p);
    return argv == 0 ? __cudaRegisterFatBinary(argv) : cudaMalloc(&p, 4);
}
C
# no GPU named: the newest that the program's code fits, where the usual one does not
cat >main.c <<'C'
int main(void) { return 0; }
C
cc main.c -o main
objcopy --add-section .nv_fatbin="$data/machine-code.fatbin" main newer
run 0 doctor -- ./newer; says out '^./newer on l40s$'; says err '^warpwatt: note: l40s is taken .-g l40s.: the machine code of newer is for compute capability 8.0 to 8.0$'
run 3 doctor -g v100 -- ./newer; lacks err 'note:'
run 0 run -q --no-power -- ./newer; says err 'note: l40s is taken'
# one whose code has been compared with what its PTX does comes before a newer one
mkdir -p venv/bin venv/lib/python3.99/site-packages/torch/lib
python3 - "$code" <<'P'
import struct, sys
def entry(arch, name):
    code = open(sys.argv[1] + '/' + name, 'rb').read()
    code += bytes(-len(code) % 8)
    return struct.pack('<HHIQIIHHIIIQQQ', 2, 0x0101, 64, len(code), 0, 0, 1, 8, arch, 0, 0, 0x11, 0, 0) + code
body = entry(75, 'module_sm_70.cubin') + entry(80, 'module_sm_80.cubin') + entry(86, 'module_sm_80.cubin') + entry(90, 'module_sm_80.cubin')
open('torch.fatbin', 'wb').write(struct.pack('<IHHQ', 0xBA55ED50, 1, 16, len(body)) + body)
P
objcopy --add-section .nv_fatbin=torch.fatbin main venv/lib/python3.99/site-packages/torch/lib/libtorch_cuda.so
printf '#!/bin/sh\nexit 0\n' >venv/bin/python3; chmod +x venv/bin/python3
run 0 run -q --no-power -- venv/bin/python3 any.py; says err 'h100 is taken .*: the machine code of libtorch_cuda.so is for compute capability 7.5 to 9.0'
printf '#!%s/venv/bin/python3\n' "$PWD" >tool; chmod +x tool
run 0 run -q --no-power -- ./tool; says err 'h100 is taken'
# Python: what a script imports is loaded, and nothing else of it runs
cat >calls.c <<'C'
int cudaGraphicsMapResources(void), cublasUint8gemmBias(void **), cublasCreate_v2(void **);
int all(void) { void *p; return cudaGraphicsMapResources() + cublasUint8gemmBias(&p) + cublasCreate_v2(&p); }
C
cc -shared -fPIC calls.c "$build/libcudart.so.12" "$build/libcublas.so.12" -Wl,-rpath-link,"$build" -o libcalls.so
echo "import ctypes; ctypes.CDLL('$TMP/libcalls.so')" >package.py
printf 'def f():\n    import not_there\nimport package\nopen("ran", "w")\n' >script.py
run 3 doctor -- python3 script.py
says out '^python3 script.py on v100$'; says out '^  missing   import not_there: No module named'
says out '^  missing   cudaGraphicsMapResources: libcalls.so calls it'; says out '^  missing   libcublas.so: libcalls.so calls 1 function of it that is .* such as cublasUint8gemmBias$'
says out '^  ours .*libcublas.so.12'; says out '^3 things are missing'; [ ! -e ran ] || fail "the script was run"
echo 'import json, sys' >plain.py; run 0 doctor -- python3 plain.py; says out 'nothing is missing'
echo 'import (' >wrong.py; run 2 doctor -- python3 wrong.py; says err 'could not read the imports of wrong.py'
run 2 doctor -- python3; says err 'doctor -- python3 SCRIPT.py'
cc needs.c "$build/libcudart.so.12" "$build/libcublas.so.12" -Wl,-rpath-link,"$build" -o plain
objcopy --add-section .nv_fatbin="$data/size.fatbin" plain needs
run 3 doctor -g gtx780 -- ./needs
says out 'runtime   CUDA 12, shared'; says out 'calls     3 of the runtime, 2 answered'
says out 'missing   cudaGraphicsMapResources: a call of it is named'; says out 'library   libcublas.so.12: warpwatt.s own; [0-9]+ of its calls compute'
says out 'kernels   2, of which 2 can run on gtx780'; says out '2 things are missing'
says out 'missing   libcublas.so: cublasUint8gemmBias is called'
# a runtime inside is told by its table of errors; without symbols it cannot be replaced
echo 'char name[] = "cudaErrorCudartUnloading"; int main(void) { return name[0] == 0; }' >inside.c
cc inside.c -o inside.plain && strip inside.plain && objcopy --add-section .nv_fatbin="$data/size.fatbin" inside.plain inside
run 3 doctor -- ./inside; says out 'missing   runtime: linked in.*nvcc -cudart shared'
# calls of the driver's interface that are refused, kernels whose parameters do not fit
echo 'int cuGLInit(void), cuInit(unsigned); int main(int n, char **v) { return n > 1 ? cuGLInit() : cuInit(0) * (v == 0); }' >gl.c
cc gl.c "$build/libcuda.so.1" -o gl
run 3 doctor -- ./gl; says out 'missing   cuGLInit: a call of it is named'; says out 'runtime   none: the driver'
run 0 run --no-power -- ./gl
echo 'int main(void) { return 0; }' >empty.c
# every library that stands in for the vendor's is named
for list in "$HERE"/../../src/libraries/names/*.txt; do
    name=lib$(basename "$list" .txt).so
    set -- "$build/$name".*
    cc empty.c -Wl,--no-as-needed "$1" -o links || fail "no program that links $1"
    run 0 doctor -- ./links; says out "library   $name.[0-9.]*: (not simulated|not installed|needs no GPU|warpwatt.s own)"
done
run 3 run --no-power -- ./needs all
says err 'cudaGraphicsMapResources is not supported'
run 0 run --no-power -- ./needs # what is missing is not used
# parameters beyond the limit, in a container written by hand (src/fatbin/fatbin.h)
python3 - "$data/size.fatbin" <<'P' || fail "no container"
import struct, sys
def container(ptx):
    text = ptx.encode() + b'\0'
    text += b'\0' * (-len(text) % 8)
    entry = struct.pack('<HHIQIIHHIIIQQQ', 1, 0x0101, 64, len(text), 0, 0, 1, 8, 75, 0, 0, 0x11, 0, 0)
    return struct.pack('<IHHQ', 0xBA55ED50, 1, 16, len(entry) + len(text)) + entry + text
ptx = '.version %s\n.target sm_%d\n.address_size 64\n.visible .entry big(.param .b8 p[%d]) { ret; }\n'
for name, args in (('large', ('8.1', 70, 32764)), ('larger', ('8.1', 70, 32768)), ('old', ('8.0', 70, 8000))):
    open(name + '.fatbin', 'wb').write(container(ptx % args))
P
cc empty.c -o none; for f in large larger old; do objcopy --add-section .nv_fatbin=$f.fatbin none $f; done
run 0 doctor -- ./large; says out '1, of which 1 can run'
run 3 doctor -- ./larger; says out 'its parameters take 32768 bytes'
run 3 doctor -- ./old; says out 'its parameters take 8000 bytes; PTX 8.0 for sm_70 on v100 takes 4096'
finish
