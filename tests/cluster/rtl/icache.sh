#!/bin/sh
# Cores behind the instruction cache, from the RTL: prints tests/data/cluster/fetch.tsv and says on
# standard error where the model goes another way. usage: RTL=DIR icache.sh BUILD
# Needs Verilator (5.0 or later), BUILD/rtl-icache (make build/rtl-icache) and checkouts beside each other in
# RTL, see README.md.
set -eu
build=$(realpath "${1:?usage: RTL=DIR icache.sh BUILD}")
rtl=$(realpath "${RTL:?set RTL to the directory of the checkouts}")
here=$(realpath "$(dirname "$0")")
limit=${LIMIT:-4000}
work=$build/rtl-cache
mkdir -p "$work"
command -v verilator > /dev/null || { echo "icache.sh: needs verilator" >&2; exit 69; }

cv32e40p() {
  cp -R "$rtl/cv32e40p/rtl" "$rtl/cv32e40p/bhv" "$work/src"
  [ ! -d "$rtl/cv32e40p/sva" ] || cp -R "$rtl/cv32e40p/sva" "$work/src"
  "$here/../../timing/rtl/prepare.sh" "$work/src"
  sed "s#\${DESIGN_RTL_DIR}#$work/src/rtl#g" "$rtl/cv32e40p/cv32e40p_manifest.flist" |
    grep -v 'tb_wrapper\|tracer_pkg\|^//' > "$work/cv32e40p.f"
  echo "-f $work/cv32e40p.f $rtl/pulp_cluster/rtl/obi_pulp_adapter.sv"
  echo "$here/../../timing/rtl/core_cv32e40p.sv"
}

ri5cy() {
  src=$rtl/riscv/rtl
  echo "-DRI5CY +incdir+$src/include $rtl/fpnew/src/fpnew_pkg.sv"
  echo "$src/include/apu_core_package.sv $src/include/riscv_defines.sv $src/riscv_[b-k]*.sv"
  echo "$src/riscv_[m-s]*.sv $src/riscv_alu*.sv $src/riscv_apu_disp.sv"
  echo "$src/riscv_load_store_unit.sv $src/riscv_L0_buffer.sv $src/register_file_test_wrap.sv"
  echo "$here/../../timing/rtl/core_ri5cy.sv"
}

# simulator CORE CORES
simulator() {
  rm -rf "$work/src"
  mkdir -p "$work/src"
  cells=$rtl/common_cells/src cache=$rtl/hier-icache/RTL
  sources=$("$1")
  # shellcheck disable=SC2086 # a list of files and options
  nice verilator --cc --exe --build -j 2 --top-module icache_top -Mdir "$work/$1-$2" \
    "-DCORES=$2" -CFLAGS "-DCORES=$2" -DSYNTHESIS -DPULP_FPGA_EMUL -DFEATURE_ICACHE_STAT \
    -DHIERARCHY_ICACHE_32BIT "+incdir+$rtl/common_cells/include" "+incdir+$rtl/axi/include" \
    "+incdir+$rtl/pulp_cluster/include" "$cells/cf_math_pkg.sv" "$cells/lzc.sv" \
    "$cells/rr_arb_tree.sv" "$cells/fifo_v3.sv" "$cells/spill_register_flushable.sv" \
    "$cells/spill_register.sv" "$cells/onehot_to_bin.sv" "$cells/lfsr_8bit.sv" \
    "$cells/deprecated/generic_fifo.sv" "$cells/deprecated/fifo_v1.sv" \
    "$cells/deprecated/fifo_v2.sv" "$rtl/tech_cells_generic/src/rtl/tc_clk.sv" \
    "$rtl/axi/src/axi_pkg.sv" "$rtl/axi/src/axi_intf.sv" "$rtl/axi/src/axi_id_prepend.sv" \
    "$rtl/axi/src/axi_mux.sv" "$rtl/axi_slice/src/axi_single_slice.sv" \
    "$rtl/axi_slice/src/axi_ar_buffer.sv" "$rtl/pulp_cluster/include/pulp_interfaces.sv" \
    "$rtl/scm/fpga_scm/register_file_1r_1w.sv" \
    "$rtl/scm/fpga_scm/register_file_1w_multi_port_read.sv" "$rtl"/icache-intc/*_intc.sv \
    "$rtl/icache-intc/lint_mux.sv" "$cache/L1_CACHE/refill_arbiter.sv" \
    "$cache"/L1_CACHE/pri_icache*.sv "$cache"/L1.5_CACHE/*.sv "$cache"/TOP/*.sv $sources \
    "$here/icache_top.sv" "$here/icache_trace.cpp" -o trace -O3 --noassert --x-assign fast \
    --x-initial fast --bbox-unsup -Wno-fatal -Wno-lint -Wno-style -Wno-UNOPTFLAT -Wno-LATCH \
    -Wno-BLKANDNBLK -Wno-MULTIDRIVEN -Wno-TIMESCALEMOD > "$work/$1-$2.log" 2>&1 || {
    tail -20 "$work/$1-$2.log" >&2
    exit 1
  }
}

# runs CORE CORES LATENCY PREFETCH COUNT
runs() {
  first=$(($2 * 100000 + $3 * 1000 + 1))
  for seed in $(seq "$first" $((first + $5 - 1))); do
    "$build/rtl-icache" generate "$1" "$seed" "$work/program.elf"
    "$work/$1-$2/trace" "$3" "$4" "$limit" "$work/program.elf" |
      "$build/rtl-icache" check "$1" "$2" "$3" "$4" "$seed" "$limit" || true
  done
}

printf 'core\tcores\tlatency\tprefetch\tseed\tcycles\tper core: instructions, cycle of the last, hash\n'
for cores in 4 8; do
  for latency in 1 4 15 40; do
    for core in cv32e40p ri5cy; do
      [ -x "$work/$core-$cores/trace" ] || simulator "$core" "$cores"
      runs "$core" "$cores" "$latency" 1 "${COUNT:-4}"
      runs "$core" "$cores" "$latency" 0 $((${COUNT:-4} / 2))
    done
  done
done
