# A table of 300,000 branch targets is loaded in time that grows with their number, not with its square (which
# took minutes).
. "$HERE/lib.sh"
python3 - >many.ptx <<'P'
n = 300000
print(".version 6.0\n.target sm_30\n.address_size 64\n.visible .entry many(.param .u64 p)\n{")
print(".reg .b32 %r<2>; .reg .b64 %d<2>;\nld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;")
print("ts: .branchtargets " + ", ".join(f"L{i}" for i in range(n)) + ";\nbrx.idx %r1, ts;")
for i in range(n): print(f"L{i}: st.global.u32 [%d1], {i + 7};\nbra end;")
print("end: ret;\n}")
P
if timeout 100 "$WARPWATT" run many.ptx -g gtx780 --functional --no-power --block 1 --arg 'u32[1]=zero?print=1' >out 2>err
then says out '^argument 1: 7$'; else fail "exit code $?"; head -3 err; fi
finish
