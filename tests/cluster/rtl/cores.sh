#!/bin/sh
# Random float programs on cores that share float units: every instruction must leave ID in the
# same cycle on the RTL and on the model. usage: RTL=DIR cores.sh BUILD [SETS]
# RTL: as for fpu.sh, common_cells with its include directory. BUILD holds rtl-cores (make build/rtl-cores).
set -eu
build=$(realpath "${1:?usage: RTL=DIR cores.sh BUILD [SETS]}")
sets=${2:-20}
rtl=$(realpath "${RTL:?set RTL to the directory of the checkouts}")
here=$(realpath "$(dirname "$0")")
cores=${CORES:-4} units=${UNITS:-2} limit=${LIMIT:-1200} first=${FIRST:-1}
work=$build/rtl-cores-$cores-$units
mkdir -p "$work"
command -v verilator > /dev/null || { echo "cores.sh: needs verilator" >&2; exit 69; }

simulator() {
  src=$rtl/riscv/rtl hdl=$rtl/fpu_div_sqrt_mvp/hdl fp=$rtl/fpnew/src
  nice verilator --cc --exe --build -j 2 --top-module cores_top -Mdir "$work/obj" \
    "-DCORES=$cores" "-DUNITS=$units" -DSHARED=2 "+incdir+$src/include" "+incdir+$rtl/common_cells/include" \
    "$rtl/common_cells/src/cf_math_pkg.sv" "$rtl/common_cells/src/lzc.sv" \
    "$rtl/common_cells/src/rr_arb_tree.sv" "$fp/fpnew_pkg.sv" "$src/include/apu_core_package.sv" \
    "$src/include/riscv_defines.sv" "$src"/riscv_[b-k]*.sv "$src"/riscv_[m-s]*.sv \
    "$src"/riscv_alu*.sv "$src/riscv_apu_disp.sv" "$src/riscv_load_store_unit.sv" \
    "$src/riscv_L0_buffer.sv" "$src/register_file_test_wrap.sv" "$hdl/defs_div_sqrt_mvp.sv" \
    "$hdl/control_mvp.sv" "$hdl/iteration_div_sqrt_mvp.sv" "$hdl/norm_div_sqrt_mvp.sv" \
    "$hdl/nrbd_nrsc_mvp.sv" "$hdl/preprocess_mvp.sv" "$hdl/div_sqrt_top_mvp.sv" \
    "$fp"/fpnew_[cdfnort]*.sv "$rtl"/fpu_interco/FP_WRAP/*.sv "$rtl"/fpu_interco/RTL/*.sv \
    "$here/../../timing/rtl/core_ri5cy.sv" "$here/cores_top.sv" "$here/cores_trace.cpp" -o trace -O3 --noassert --bbox-unsup -Wno-fatal \
    -Wno-lint -Wno-style -Wno-BLKANDNBLK -Wno-MULTIDRIVEN -Wno-TIMESCALEMOD -Wno-ENUMVALUE \
    > "$work/build.log" 2>&1 || { tail -20 "$work/build.log" >&2; exit 1; }
}

[ -x "$work/obj/trace" ] || simulator
for seed in $(seq "$first" 100 $((first + 100 * sets - 100))); do
  "$build/rtl-cores" generate "$cores" "$seed" "$work"
  # shellcheck disable=SC2046 # a list of files
  "$work/obj/trace" "$limit" $(seq -f "$work/%.0f.elf" 0 $((cores - 1))) |
    grep -E '^(program|end|[0-9]+ [0-9a-f]{8} 0)$' |
    "$build/rtl-cores" check "$cores" "$units" "$seed" "$limit" || true
done
