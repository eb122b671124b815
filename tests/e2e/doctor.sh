# What a program needs and what is missing, before anything runs.
. "$HERE/lib.sh"
data="$HERE/../fatbin/data" build=${WARPWATT%/*}
run 3 doctor -- "$data/program.elf"; says out '1, of which 1 can run on gtx480'; says out 'missing   runtime: linked in.*nvcc -cudart shared'
run 3 doctor -- "$data/linked.elf"; says out 'unit 0: machine code for real GPUs only; nvcc -gencode arch=compute_75,code=compute_75 adds PTX'
says out 'PTX +2 units, version 9.0, for compute_75'
run 2 doctor -- "$HERE/lib.sh"; one_sentence err
run 2 doctor -- /no/such/program; one_sentence err
run 2 doctor; says err 'needs a program'
run 2 doctor ls cat; says err 'one program; `cat` is a second'
run 2 doctor $(seq -f '--set sm.max_warps=%.0f' 1000) -- ls; says err 'more than [0-9]+ times --set'
run 0 doctor -- ls; says out 'nothing is missing'

# programs as a linker makes them, with a fat binary put in
command -v cc >/dev/null && command -v objcopy >/dev/null || { finish; exit; }
cat >needs.c <<'C'
int cudaMalloc(void **, unsigned long), cudaGraphicsMapResources(void), cublasCreate_v2(void **), __cudaRegisterFatBinary(void *);
int main(int argc, char **argv) {
    void *p;
    if (argc > 1) return cudaGraphicsMapResources() + cublasCreate_v2(&p);
    return argv == 0 ? __cudaRegisterFatBinary(argv) : cudaMalloc(&p, 4);
}
C
cc needs.c "$build/libcudart.so.12" "$build/libcublas.so.12" -Wl,-rpath-link,"$build" -o plain
objcopy --add-section .nv_fatbin="$data/size.fatbin" plain needs
run 3 doctor -g gtx780 -- ./needs
says out 'runtime   CUDA 12, shared'; says out 'calls     3 of the runtime, 2 answered'
says out 'missing   cudaGraphicsMapResources: a call of it is named'; says out 'library   libcublas.so.12: not simulated; the program starts'
says out 'kernels   2, of which 2 can run on gtx780'; says out '1 thing is missing'
echo 'int main(void) { return 0; }' >empty.c
# every library that stands in for the vendor's is named
for list in "$HERE"/../../src/libraries/names/*.txt; do
    name=lib$(basename "$list" .txt).so
    set -- "$build/$name".*
    cc empty.c -Wl,--no-as-needed "$1" -o links || fail "no program that links $1"
    run 0 doctor -- ./links; says out "library   $name.[0-9.]*: not simulated"
done
run 1 run --no-power -- ./needs all
says err 'cudaGraphicsMapResources is not supported'
run 0 run --no-power -- ./needs # what is missing is not used
finish
