#!/bin/sh
# Who has the banks beside an accelerator's wide port, from the RTL: prints tests/data/cluster/wide.tsv.
# usage: RTL=DIR wide.sh BUILD
# Needs Verilator (5.0 or later) and checkouts beside each other in RTL: hci, hwpe-stream, cluster_interconnect,
# common_cells, see README.md.
set -eu
build=$(realpath "${1:?usage: RTL=DIR wide.sh BUILD}")
rtl=$(realpath "${RTL:?set RTL to the directory of the checkouts}")
here=$(realpath "$(dirname "$0")")
work=$build/rtl-wide
mkdir -p "$work"
command -v verilator > /dev/null || { echo "wide.sh: needs verilator" >&2; exit 69; }
hci=$rtl/hci/rtl
nice verilator --cc --exe --build -j 2 --top-module wide_top -Mdir "$work/obj" -DSYNTHESIS "+incdir+$hci/common" \
  "$rtl/common_cells/src/cf_math_pkg.sv" "$rtl/hwpe-stream/rtl/hwpe_stream_package.sv" "$hci/common/hci_package.sv" "$hci/common/hci_interfaces.sv" \
  "$here/wide_top.sv" "$hci/core/hci_core_assign.sv" "$hci/interco/hci_router_reorder.sv" \
  "$hci/interco/hci_router.sv" "$hci/interco/hci_arbiter.sv" \
  "$rtl/cluster_interconnect/rtl/tcdm_interconnect/addr_dec_resp_mux.sv" "$here/wide_trace.cpp" -o trace -O3 \
  --noassert --bbox-unsup -Wno-fatal -Wno-lint -Wno-style -Wno-BLKANDNBLK -Wno-MULTIDRIVEN -Wno-TIMESCALEMOD \
  -Wno-UNOPTFLAT > "$work/build.log" 2>&1 || {
  tail -20 "$work/build.log" >&2
  exit 1
}
"$work/obj/trace" "${CYCLES:-4000}" "${SEED:-1}"
