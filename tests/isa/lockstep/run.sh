#!/bin/sh
# tests/isa/lockstep/run.sh: random programs on pulpsim and on qemu-riscv32; the outputs must agree.
#
# usage: run.sh BUILD [INSTRUCTIONS [SEED]]
#
# Runs programs of seeds SEED, SEED+1, ... (default 1), the machines below in turn, until pulpsim
# has executed that many instructions (default 1000000). Exit status: 0 agreed, 1 a difference (the
# files of that program stay in BUILD/lockstep), 77 qemu or the cross compiler is missing.
set -eu

build=$1
wanted=${2:-1000000}
seed=${3:-1}
here=$(dirname "$0")
dir=$build/lockstep
cross=riscv64-unknown-elf-gcc

for tool in qemu-riscv32 $cross; do
  command -v "$tool" >/dev/null || { echo "lockstep: $tool is missing"; exit 77; }
done
mkdir -p "$dir"
for tool in generate compare; do
  ${CC:-cc} -std=gnu17 -O1 -Wall -Wextra -Werror -o "$dir/$tool" "$here/$tool.c"
done

# The machine of a seed: options of pulpsim and of qemu, what the program is made of, and where it
# lies. Between them they take the ways that instructions are executed in: from ideal memory,
# through the instruction cache, observed, with a pipelined FPU, with floats in the x registers.
machine() {
  options="--config=cv32e40p" cpu=rv32 kind='' arch=rv32imfc abi=ilp32f text=0x10000 data=0x80000
  case $(($1 % 5)) in
  1) options="--config=pulp-open --cores=1" text=0x1c008000 data=0x1c020000 ;;
  2) options="$options --trace=log=/dev/null" ;;
  3) options="$options --set=core.fpu.addmul_latency=2 --set=core.fpu.others_latency=1" ;;
  4)
    options="$options --set=core.zfinx=true" cpu=rv32,f=false,d=false,zfinx=true
    kind=zfinx arch=rv32imc_zfinx abi=ilp32
    ;;
  esac
}

done=0
programs=0
while [ "$done" -lt "$wanted" ]; do
  machine "$seed"
  "$dir/generate" "$seed" $kind >"$dir/program.S"
  $cross -march=${arch}_zicsr_zifencei -mabi=$abi -nostdlib -static \
    -Wl,-Ttext="$text",-Tdata="$data" -o "$dir/program.elf" "$dir/program.S"
  status=0
  qemu-riscv32 -cpu "$cpu" "$dir/program.elf" >"$dir/qemu" || status=$?
  [ $status = 0 ] || { echo "lockstep: seed $seed: qemu ends with status $status"; exit 1; }
  # shellcheck disable=SC2086 # options are words
  timeout 60 "$build/pulpsim" --quiet $options --stats="$dir/stats.json" "$dir/program.elf" \
    >"$dir/pulpsim" || status=$?
  if [ $status != 0 ] || ! (cd "$dir" && ./compare qemu pulpsim); then
    echo "lockstep: seed $seed differs ($options, status $status)"
    exit 1
  fi
  count=$(sed -n 's/^  "instructions": \([0-9]*\),.*/\1/p' "$dir/stats.json")
  done=$((done + count))
  programs=$((programs + 1))
  seed=$((seed + 1))
done
echo "lockstep: $done instructions of $programs programs, no difference"
