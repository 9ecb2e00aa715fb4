#!/bin/bash
# CoreMark, Embench and Dhrystone, unmodified, from directories of the user's, on one core with ideal
# memories (machine cv32e40p): cycles and scores of both core models beside published ones, as tables.
#
# usage: COREMARK=DIR EMBENCH=DIR DHRYSTONE=DIR bench/bench_suite.sh BUILD     (at least one DIR)
#
# COREMARK   eembc/coremark              EMBENCH  embench/embench-iot
# DHRYSTONE  benchmarks/dhrystone of riscv-software-src/riscv-tests
# FLAGS      of the compiler (-O2); CROSS_CC: the compiler; ITERATIONS: CoreMark's (40)
# Exit status 0: all ran and their own checks passed (Dhrystone leaves them to the reader); 1: one did not; 64 usage, 66 a directory is not one of these.
set -uo pipefail
if [ $# -ne 1 ] || [ -z "${COREMARK:-}${EMBENCH:-}${DHRYSTONE:-}" ]; then
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 64
fi
build=$1 here=$(cd "$(dirname "$0")" && pwd)
cc=${CROSS_CC:-riscv64-unknown-elf-gcc} flags=${FLAGS:--O2} iterations=${ITERATIONS:-40}
read -ra options <<<"$flags"
# Semihosting's library, program and data in the 16 MB at 0.
target=(--specs=picolibc.specs --oslib=semihost --crt0=hosted -march=rv32imc -mabi=ilp32 -w
  "-Wl,--defsym=__flash=0,--defsym=__flash_size=0x400000"
  "-Wl,--defsym=__ram=0x400000,--defsym=__ram_size=0x800000,--defsym=__stack_size=0x10000")
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
status=0

# FILE DIR: DIR has to hold it.
wants() {
  [ -e "$2/$1" ] || { echo "bench_suite.sh: $2: there is no $1 in it" >&2; exit 66; }
}

# NAME ARGUMENTS...: compiles a program.
compile() {
  local name=$1
  shift
  "$cc" "${target[@]}" "${options[@]}" -o "$work/$name.elf" "$@" "$here/port/cycles.c" -lm 2> "$work/$name.log" ||
    { echo "bench_suite.sh: $name does not compile: $(grep -m 1 rror "$work/$name.log")" >&2; status=1; return 1; }
}

# NAME MODEL: what the program prints.
run() {
  timeout 300 "$build/pulpsim" -q --config cv32e40p -s "core.model=$2" "$work/$1.elf" ||
    { echo "bench_suite.sh: $1 fails on $2 (status $?)" >&2; return 1; }
}

# NAME PATTERN EXPRESSION: its row: a number of what it prints on each model, and what follows from
# the first by awk's EXPRESSION of n.
row() {
  local name=$1 pattern=$2 first='' line model number
  line="| $name"
  for model in cv32e40p ri5cy; do
    run "$name" "$model" > "$work/$name.$model" || status=1
    number=$(sed -n "s/$pattern.*/\1/p" "$work/$name.$model" | head -1)
    [ -n "$number" ] || { echo "bench_suite.sh: $name on $model says no number" >&2; status=1; return 1; }
    line="$line | $number"
    first=${first:-$number}
  done
  echo "$line | $(awk -v n="$first" "BEGIN { print $3 }") |"
}

coremark() {
  compile coremark -I"$COREMARK" -I"$COREMARK/simple" -DPERFORMANCE_RUN=1 "-DITERATIONS=$iterations" \
    "-DFLAGS_STR=\"$flags\"" "$COREMARK"/core_{list_join,main,matrix,state,util}.c "$COREMARK/simple/core_portme.c" || return
  echo
  echo "CoreMark, $iterations iterations. Published: RI5CY 3.19 CoreMark/MHz, with the PULP compiler and XpulpV2"
  echo "(Schiavone et al., PATMOS 2017)."
  echo
  echo "| program | cycles, CV32E40P | RI5CY | CoreMark/MHz |"
  echo "|---|---:|---:|---:|"
  row coremark '^Total ticks *: *\([0-9]*\)' "sprintf(\"%.2f\", $iterations * 1e6 / n)"
  local model
  for model in cv32e40p ri5cy; do
    grep -q 'Correct operation validated' "$work/coremark.$model" ||
      { echo "bench_suite.sh: CoreMark does not validate its results on $model:" >&2
        cat "$work/coremark.$model" >&2; status=1; }
  done
}

# A program's reference: milliseconds on a Cortex-M4 at 1 MHz (baseline-data/speed.json).
baseline() {
  sed -n "s/^ *\"$1\" *: *\([0-9]*\).*/\1/p" "$EMBENCH/baseline-data/speed.json"
}

# tarfind's heap lies at any halfword, and is too small then for what it asks of it.
embench() {
  local name aligned='-D_Alignas(x)=__attribute__((aligned(4)))'
  echo
  echo "Embench, scale 1. Score: how many times as fast as its reference, a Cortex-M4 of the same clock."
  echo
  echo "| program | cycles, CV32E40P | RI5CY | score |"
  echo "|---|---:|---:|---:|"
  for name in "$EMBENCH"/src/*/; do
    name=$(basename "$name")
    compile "$name" -DGLOBAL_SCALE_FACTOR=1 -DWARMUP_HEAT=1 "$aligned" -I"$EMBENCH/support" \
      "$EMBENCH/src/$name"/*.c "$EMBENCH"/support/{main,beebsc}.c || continue
    row "$name" '^cycles \([0-9]*\)' "sprintf(\"%.2f\", 1000 * $(baseline "$name") / n)"
  done > "$work/embench" # not a pipe: `status` is this shell's
  cat "$work/embench"
  awk -F '|' '{ sum += log($5); n++ } END { if (n) printf "| geometric mean of %d | | | %.2f |\n", n, exp(sum / n) }' \
    "$work/embench"
}

# By time(), for a counter that stands still, as these cores' do, makes it run for ever.
dhrystone() {
  compile dhrystone -DTIME -fno-inline -I"$DHRYSTONE" -I"$DHRYSTONE/../common" -I"$DHRYSTONE/../../env" \
    "$DHRYSTONE"/dhrystone{,_main}.c || return
  echo
  echo "Dhrystone 2.1, 500 runs, -fno-inline. A VAX 11/780 does 1757 a second."
  echo
  echo "| program | cycles, CV32E40P | RI5CY | DMIPS/MHz |"
  echo "|---|---:|---:|---:|"
  row dhrystone '^cycles \([0-9]*\)' "sprintf(\"%.2f\", 500 * 1e6 / n / 1757)"
}

[ -z "${COREMARK:-}" ] || wants simple/core_portme.h "$COREMARK"
[ -z "${EMBENCH:-}" ] || wants baseline-data/speed.json "$EMBENCH"
[ -z "${DHRYSTONE:-}" ] || wants dhrystone_main.c "$DHRYSTONE"
echo "Compiler: $("$cc" --version | head -1), $flags, rv32imc, picolibc."
[ -z "${COREMARK:-}" ] || coremark
[ -z "${EMBENCH:-}" ] || embench
[ -z "${DHRYSTONE:-}" ] || dhrystone
exit "$status"
