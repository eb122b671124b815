# Machine code of real GPUs as text: of a cubin, of what nvcc put into a program, of what it cannot be.
. "$HERE/lib.sh"
data="$HERE/../sass/data"; fat="$HERE/../fatbin/data"
run 0 disasm "$data/kernels_sm_70.cubin" --entry saxpy
says out '^// kernel saxpy of sm_70: 10 registers, 0 bytes shared, 0 bytes local, 28 bytes of parameters at c\[0x0\]\[0x160\]'
says out 'FFMA R7, R2, c\[0x0\]\[0x160\], R7 +;  // B'
says out '@P0 EXIT +;  // B------ R- W- - S05'
lacks out 'reverse|unknown'
run 0 disasm "$data/kernels_sm_80.cubin" --summary
says out '^saxpy sm_80 registers 10 shared 0 local 0 instructions [0-9]+ unknown 0'
says out '^reverse sm_80 registers 10 shared 1024 local 0 instructions [0-9]+ unknown 0'
# where instructions come from, when they were inlined, too
run 0 disasm -l "$data/lines_sm_90.cubin"
says out '^    // /src/main.cu:10$'
says out '^    // /src/help.h:3 in _Z6innerf, inlined at /src/main.cu:13$'
run 0 disasm --lines "$data/kernels_sm_70.cubin"; lacks out '^    // '
# each file of this folder that nvcc made with machine code in it, packed or not
run 0 disasm "$fat/machine-code.fatbin" --summary; says out '^scale sm_80 .* unknown 0'; mv out plain
run 0 disasm "$fat/machine-code-packed.fatbin" --summary; cmp -s out plain || fail "packed code reads as other code"
# a library holds units of several generations: one that has no table is left out, -g asks for those of a GPU
python3 - "$data" <<'P'
import struct, sys
def entry(arch, code):
    code += bytes(-len(code) % 8)
    return struct.pack('<HHIQIIHHIIIQQQ', 2, 0x0101, 64, len(code), 0, 0, 1, 8, arch, 0, 0, 0x11, 0, 0) + code
read = lambda n: open(sys.argv[1] + '/kernels_sm_%d.cubin' % n, 'rb').read()
old = bytearray(read(70))
flags = struct.unpack_from('<I', old, 48)[0] # e_flags: the architecture in both halves
struct.pack_into('<I', old, 48, flags & ~0xff00ff | 50 << 16 | 50)
for name, units in (('units', ((50, bytes(old)), (70, read(70)), (80, read(80)))), ('old', ((50, bytes(old)), (52, bytes(old))))):
    body = b''.join(entry(a, c) for a, c in units)
    open(name + '.fatbin', 'wb').write(struct.pack('<IHHQ', 0xBA55ED50, 1, 16, len(body)) + body)
P
run 0 disasm units.fatbin --summary; says out '^saxpy sm_70 '; says out '^saxpy sm_80 '; says err '1 unit of machine code is left out, such as of sm_50'
run 0 disasm -g a100 units.fatbin --summary; says out '^saxpy sm_80 '; lacks out 'sm_70'; lacks err 'left out'
run 2 disasm -g rtx4090 "$data/kernels_sm_70.cubin" --entry nothing
run 2 disasm -g h100 units.fatbin; one_sentence err; says err 'holds no machine code that the GPU takes, of sm_90'
run 3 disasm old.fatbin; one_sentence err; says err 'holds machine code of other generations alone, such as sm_5'
run 2 disasm "$data/kernels_sm_70.cubin" --entry saxpi; one_sentence err; says err 'has no kernel `saxpi`'
run 2 disasm "$WARPWATT"; one_sentence err; says err 'holds no machine code'
# an instruction without a meaning is named, with its bits, and the rest is printed
cp "$data/kernels_sm_70.cubin" broken
at=$(LC_ALL=C grep -obaP '\x23\x7a\x07\x02' broken | head -1 | cut -d: -f1) # its FFMA
[ -n "$at" ] || { fail "no FFMA found"; at=0; }
printf '\376' | dd of=broken bs=1 seek="$at" conv=notrunc 2>dd.txt
run 3 disasm broken; one_sentence err; says err 'broken holds 1 word that is not known'
says out 'unknown 0x[0-9a-f]{32} \(opcode 0x[0-9a-f]{3} in form 5\)'; says out 'EXIT'
# an architecture that is not known; a file cut off
cp "$data/kernels_sm_70.cubin" old; printf '\074' | dd of=old bs=1 seek=48 conv=notrunc 2>dd.txt
run 3 disasm old; one_sentence err; says err 'machine code of sm_60, whose encoding is not known'
head -c 700 "$data/kernels_sm_70.cubin" >cut; run 2 disasm cut; one_sentence err; says err 'cut is no cubin that can be read'
finish
