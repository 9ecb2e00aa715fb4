#!/bin/sh
# Cycles of the way from the cluster to L2 and back, from the RTL. usage: RTL=DIR l2.sh BUILD
# Needs Verilator (5.0 or later) and checkouts beside each other in RTL: axi, common_cells, tech_cells_generic, see
# README.md.
set -eu
build=$(realpath "${1:?usage: RTL=DIR l2.sh BUILD}")
rtl=$(realpath "${RTL:?set RTL to the directory of the checkouts}")
here=$(realpath "$(dirname "$0")")
work=$build/rtl-l2
mkdir -p "$work"
command -v verilator > /dev/null || { echo "l2.sh: needs verilator" >&2; exit 69; }
cells=$rtl/common_cells/src axi=$rtl/axi/src
nice verilator --cc --exe --build -j 2 --top-module l2_top -Mdir "$work/obj" -DSYNTHESIS \
  "+incdir+$rtl/common_cells/include" "+incdir+$rtl/axi/include" "-I$cells" "-I$cells/deprecated" "-I$axi" \
  "-I$rtl/tech_cells_generic/src/rtl" "$cells/cf_math_pkg.sv" "$cells/cdc_fifo_gray.sv" "$axi/axi_pkg.sv" \
  "$rtl/tech_cells_generic/src/rtl/tc_clk.sv" "$axi/axi_demux.sv" "$axi/axi_intf.sv" "$axi/axi_to_mem.sv" \
  "$here/l2_top.sv" "$here/l2_trace.cpp" -o trace -O3 --noassert --bbox-unsup -Wno-fatal -Wno-lint -Wno-style \
  -Wno-BLKANDNBLK -Wno-MULTIDRIVEN -Wno-TIMESCALEMOD -Wno-UNOPTFLAT > "$work/build.log" 2>&1 || {
  tail -20 "$work/build.log" >&2
  exit 1
}
"$work/obj/trace"
