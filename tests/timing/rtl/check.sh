#!/bin/sh
# Random programs on the RTL of the CV32E40P and on the cycle model: every instruction must leave ID
# in the same cycle. usage: check.sh RTL BUILD [COUNT]
# RTL: a checkout of openhwgroup/cv32e40p. Nothing is written there. See README.md.
set -eu
rtl=${1:?usage: check.sh RTL BUILD [COUNT]}
build=${2:?usage: check.sh RTL BUILD [COUNT]}
count=${3:-100}
first=${FIRST:-1}
limit=${LIMIT:-3000}
here=$(dirname "$0")
work=$build/rtl
mkdir -p "$work"

command -v verilator > /dev/null || { echo "check-rtl: needs verilator" >&2; exit 69; }
[ -f "$rtl/cv32e40p_manifest.flist" ] || {
  echo "check-rtl: $rtl is no checkout of openhwgroup/cv32e40p; set RTL=" >&2
  exit 64
}

prepare() {
  rm -rf "$work/src"
  mkdir -p "$work/src"
  cp -R "$rtl/rtl" "$rtl/bhv" "$work/src"
  [ ! -d "$rtl/sva" ] || cp -R "$rtl/sva" "$work/src"
  "$here/prepare.sh" "$work/src"
}

# simulator CONFIG: int, or fpXY for FPU_ADDMUL_LAT X and FPU_OTHERS_LAT Y; zfXY with ZFINX.
simulator() {
  list=$rtl/cv32e40p_fpu_manifest.flist
  case $1 in
  int) list=$rtl/cv32e40p_manifest.flist defines="-DFPU=0 -DADDMUL=0 -DOTHERS=0 -DZFINX=0" ;;
  *)
    x=${1#??}
    zfinx=0
    [ "$1" = "fp$x" ] || zfinx=1
    defines="-DFPU=1 -DADDMUL=${x%?} -DOTHERS=${x#?} -DZFINX=$zfinx"
    ;;
  esac
  sed "s#\${DESIGN_RTL_DIR}#$work/src/rtl#g" "$list" | grep -v 'tb_wrapper\|tracer_pkg\|^//' \
    > "$work/$1.f"
  # shellcheck disable=SC2086 # several defines
  nice verilator --cc --exe --build -j 2 --top-module top -Mdir "$work/$1" $defines \
    -f "$work/$1.f" "+incdir+$work/src/rtl/vendor/pulp_platform_common_cells/include" \
    "$here/core_cv32e40p.sv" "$here/top.sv" "$(realpath "$here")/trace.cpp" -o trace -O3 --x-assign fast --x-initial fast --noassert \
    -Wno-fatal -Wno-lint -Wno-style -Wno-UNOPTFLAT -Wno-LATCH -Wno-BLKANDNBLK -Wno-MULTIDRIVEN \
    -Wno-TIMESCALEMOD > "$work/$1.log" 2>&1 || { tail -20 "$work/$1.log" >&2; exit 1; }
}

# The same for RI5CY, from checkouts of riscv, fpnew and common_cells in RI5CY.
simulator_ri5cy() {
  src=$RI5CY/riscv/rtl
  nice verilator --cc --exe --build -j 2 --top-module top -Mdir "$work/ri5cy" -DRI5CY \
    "+incdir+$src/include" "$RI5CY/common_cells/src/cf_math_pkg.sv" \
    "$RI5CY/fpnew/src/fpnew_pkg.sv" "$src/include/apu_core_package.sv" \
    "$src/include/riscv_defines.sv" "$src"/riscv_[b-k]*.sv "$src"/riscv_[m-s]*.sv \
    "$src"/riscv_alu*.sv "$src/riscv_apu_disp.sv" "$src/riscv_load_store_unit.sv" \
    "$src/riscv_L0_buffer.sv" "$src/register_file_test_wrap.sv" "$here/core_ri5cy.sv" "$here/top.sv" \
    "$(realpath "$here")/trace.cpp" -o trace -O3 --noassert --bbox-unsup -Wno-fatal -Wno-lint \
    -Wno-style -Wno-UNOPTFLAT -Wno-LATCH -Wno-BLKANDNBLK -Wno-MULTIDRIVEN -Wno-TIMESCALEMOD \
    > "$work/ri5cy.log" 2>&1 || { tail -20 "$work/ri5cy.log" >&2; exit 1; }
}

# compare CONFIG FLAVOUR DELAYS
compare() {
  rm -rf "$work/elf"
  mkdir -p "$work/elf"
  "$build/rtl-compare" generate "$1" "$2" "$first" "$count" "$work/elf"
  # shellcheck disable=SC2046 # a list of numbers, a list of files
  "$work/$1/trace" "$limit" $(echo "$3" | tr ',' ' ') \
    $(seq -f "$work/elf/%.0f.elf" "$first" $((first + count - 1))) |
    grep -E '^(program|end|store .*|[0-9]+ [0-9a-f]{8} [01])$' > "$work/trace.txt"
  "$build/rtl-compare" check "$1" "$2" "$first" "$count" "$limit" "$3" < "$work/trace.txt" ||
    failed=1
}

failed=0
if [ -n "${RI5CY:-}" ]; then
  [ -x "$work/ri5cy/trace" ] || simulator_ri5cy
  for flavour in mixed plain loops memory; do
    compare ri5cy "$flavour" 0,0,0,0,0
  done
  compare ri5cy interrupts 0,0,0,0,1
  compare ri5cy interrupts 1,1,1,0,1
fi
prepare
for config in ${CONFIGS:-int fp00 fp11 fp22}; do
  [ -x "$work/$config/trace" ] || simulator "$config"
  kinds="mixed plain loops memory"
  [ "$config" = int ] || kinds="mixed float"
  for flavour in $kinds; do
    compare "$config" "$flavour" 0,0,0,0,0
  done
  compare "$config" mixed 1,1,1,2,0
  compare "$config" interrupts 0,0,0,0,1
  compare "$config" interrupts 1,1,1,2,1
done
exit $failed
