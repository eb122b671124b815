# tools/regs-vs-ptxas with a ptxas and an nvdisasm that say what stands here: what it reads out of them, and
# what it counts as executed.
. "$HERE/lib.sh"
command -v python3 >/dev/null || exit 77
cat >ptxas <<'END'
#!/bin/sh
[ "$1" = --version ] && { echo 'Cuda compilation tools, release 12.9, V12.9.86'; exit; }
cat >&2 <<'SAID'
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'saxpy' for 'sm_75'
ptxas info    : Function properties for saxpy
    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 14 registers, 380 bytes cmem[0]
SAID
END
# Ten instructions, one of a slow way, and filling. The block behind the branch
# stands there twice, as in a loop that was unrolled.
cat >nvdisasm <<'END'
#!/bin/sh
cat <<'SAID'
//--------------------- .text.saxpy               --------------------------
	.section	.text.saxpy,"ax",@progbits
saxpy:
.text.saxpy:
	//## File ".nv_debug_ptx_txt", line 15
        /*0000*/                   S2R R0, SR_CTAID.X ;
	//## File ".nv_debug_ptx_txt", line 17
        /*0010*/                   S2R R3, SR_TID.X ;
	//## File ".nv_debug_ptx_txt", line 18
        /*0020*/                   IMAD R0, R0, c[0x0][0x0], R3 ;
	//## File ".nv_debug_ptx_txt", line 19
        /*0030*/                   ISETP.GE.U32.AND P0, PT, R0, c[0x0][0x178], PT ;
	//## File ".nv_debug_ptx_txt", line 20
        /*0040*/               @P0 EXIT ;
	//## File ".nv_debug_ptx_txt", line 26
        /*0050*/                   LDG.E.SYS R5, [R2] ;
	//## File ".nv_debug_ptx_txt", line 29
        /*0060*/                   STG.E.SYS [R4], R5 ;
.L_x_1:
	//## File ".nv_debug_ptx_txt", line 26
        /*0070*/                   LDG.E.SYS R5, [R2] ;
	//## File ".nv_debug_ptx_txt", line 29
        /*0080*/                   STG.E.SYS [R4], R5 ;
.L_x_2:
	//## File ".nv_debug_ptx_txt", line 31
        /*0090*/                   EXIT ;
        .weak           $__internal_0_$__cuda_sm20_rcp_rn_f32_slowpath
$__internal_0_$__cuda_sm20_rcp_rn_f32_slowpath:
	//## File ".nv_debug_ptx_txt", line 26
        /*00a0*/                   MOV R4, R5 ;
.L_x_3:
        /*00b0*/                   BRA `(.L_x_3);
        /*00c0*/                   NOP;
.L_x_4:
SAID
END
chmod +x ptxas nvdisasm
build=$(dirname "$WARPWATT")
compare() { python3 "$HERE/../../tools/regs-vs-ptxas" -b "$build" -p ./ptxas -d ./nvdisasm -g rtx2060s "$@" >out 2>err; }
cp "$HERE/ptx/saxpy.ptx" k.ptx
"$WARPWATT" disasm --summary -g rtx2060s k.ptx >summary
ours=$(sed -n 's/.*registers \([0-9]*\) .* instructions \([0-9]*\) .*/\1 \2/p' summary)
compare k.ptx --csv o.csv || fail "$(cat err)"
says out "^\| k \| saxpy \| ${ours% *} \| 12 \| .* \| 0 \| 12 \| ${ours#* } \| 11 \|"
says out '^1 kernels, ours for rtx2060s beside ptxas 12.9 for sm_75'; says out 'by ptxas alone 1\.'
[ "$(tail -n +2 o.csv | tr -d '\r')" = "k.ptx,saxpy,${ours% *},12,0,12,${ours#* },11,0" ] || fail "rows: $(cat o.csv)"
# 32 warps: five instructions in front of the branch, twice two behind it that took turns, one EXIT
"$WARPWATT" run -g rtx2060s k.ptx --grid 4 --block 256 --arg f32=2 --arg 'f32[1000]=iota' --arg 'f32[1000]=zero' \
    --arg u32=1000 -o dir --no-power -q || fail "the run"
compare --executed dir || fail "$(cat err)"
says out "^\| k \| saxpy \| $((32 * ${ours#* })) \| $((32 * (5 + 2 + 1))) \|"
printf '.version 8.0\n.target sm_70\n.visible .entry saxpy() { wgmma.fence.sync.aligned; ret; }\n' >no.ptx
compare no.ptx k.ptx --summary --refused refused || fail "$(cat err)"
says out 'Refused by ours alone: 1 kernels in 1 files'; says refused 'wgmma'
compare && fail "no files pass"
finish
