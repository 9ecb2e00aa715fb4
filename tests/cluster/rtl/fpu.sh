#!/bin/sh
# Who gets a shared float unit, from the RTL: prints tests/data/cluster/fpu.tsv. usage: fpu.sh BUILD
# Needs Verilator (5.0 or later) and checkouts beside each other in RTL: fpu_interco,
# fpnew, fpu_div_sqrt_mvp, common_cells and riscv (tag pulpissimo-v3.4.0) of github.com/pulp-platform.
set -eu
build=$(realpath -m "${1:?usage: RTL=DIR fpu.sh BUILD}")/rtl-fpu
rtl=$(realpath "${RTL:?set RTL to the directory of the checkouts}")
here=$(realpath "$(dirname "$0")")
cycles=${CYCLES:-600}
mkdir -p "$build"
command -v verilator > /dev/null || { echo "fpu.sh: needs verilator" >&2; exit 69; }

# simulator CORES UNITS
simulator() {
  hdl=$rtl/fpu_div_sqrt_mvp/hdl
  nice verilator --cc --exe --build -j 2 --top-module fpu_top -Mdir "$build/$1-$2" \
    "-DCORES=$1" "-DUNITS=$2" "$rtl/common_cells/src/cf_math_pkg.sv" \
    "$rtl/common_cells/src/lzc.sv" "$rtl/fpnew/src/fpnew_pkg.sv" \
    "$rtl/riscv/rtl/include/riscv_defines.sv" "$hdl/defs_div_sqrt_mvp.sv" "$hdl/control_mvp.sv" \
    "$hdl/iteration_div_sqrt_mvp.sv" "$hdl/norm_div_sqrt_mvp.sv" "$hdl/nrbd_nrsc_mvp.sv" \
    "$hdl/preprocess_mvp.sv" "$hdl/div_sqrt_top_mvp.sv" "$rtl"/fpu_interco/FP_WRAP/*.sv \
    "$rtl"/fpu_interco/RTL/*.sv "$here/fpu_top.sv" "$here/fpu_trace.cpp" -o trace -O3 -Wno-fatal \
    -Wno-lint -Wno-style --bbox-unsup > "$build/$1-$2.log" 2>&1 || {
    tail -20 "$build/$1-$2.log" >&2
    exit 1
  }
}

for machine in 8-4 8-2 9-4 4-1; do
  cores=${machine%-*} units=${machine#*-}
  [ -x "$build/$machine/trace" ] || simulator "$cores" "$units"
  echo "# $cores $units"
  "$build/$machine/trace" "$cores" "$cycles" "${SEED:-1}"
done
