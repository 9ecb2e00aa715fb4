#!/bin/sh
# Deploys the 16 MobileNetV1s (224, 192, 160, 128 pixels; width 1.0, 0.75, 0.5, 0.25) with the bits
# that fit a device (Rusci et al., MLSys 2020: 2 MiB and 512 KiB), and runs them on the simulated
# machine: every layer of two images is compared with the integer interpreter. Weights are drawn from
# a seed. Prints a row each: network, bits of weights and of outputs, cycles, MAC per cycle.
#
# usage: bench/mixed_mobilenets.sh [--on local|parallel|slurm] [--jobs N] [-o DIR] [NAME...]
#   --on local     on this machine's cores (default), --jobs at a time
#   --on parallel  through GNU parallel; PARALLEL_OPTIONS, such as --sshloginfile HOSTS, say where;
#                  the project's folder and DIR are the same on all hosts
#   --on slurm     as an array of jobs by sbatch; SBATCH_OPTIONS say where
#   -o DIR         folders, reports and logs (build/mixed_mobilenets)
#   NAME           RESOLUTION:WIDTH; all by default
# DEPLOY: the program; DEPLOY_OPTIONS: more of its options; L2: what the machine has (640k: program
# and weights in use stand beside the activations); READ_ONLY, READ_WRITE: the device's bytes (2M,
# 512k). Needs `make` and `make KMACHINE=gap8 build/kernels-gap8/libkernels.a`. Exit status 0: all
# ran and were equal.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
on=local jobs=$(nproc) out=$here/build/mixed_mobilenets
names='' deploy=${DEPLOY:-build/pulpsim-deploy}

while [ $# -gt 0 ]; do
  case $1 in
    --on | --jobs | -o)
      [ $# -gt 1 ] || { echo "$0: $1 needs a value" >&2; exit 64; }
      case $1 in
        --on) on=$2 ;;
        --jobs) jobs=$2 ;;
        *) mkdir -p "$2" && out=$(cd "$2" && pwd) ;;
      esac
      shift ;;
    --one) # a task: the rest is its name, or its number in an array of jobs
      shift
      names=one; break ;;
    -h | --help) sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"; exit 0 ;;
    -*) echo "$0: $1 is not an option; --help lists them" >&2; exit 64 ;;
    *) names="$names $1" ;;
  esac
  shift
done

# One network: its bits, its folder, its report; a log in any case.
one() {
  dir=$out/$(echo "$1" | tr : _)
  mkdir -p "$dir"
  cd "$here"
  # shellcheck disable=SC2086 # a list of options
  if "$deploy" fit "mobilenet_v1:$1" --read-only "${READ_ONLY:-2M}" \
       --read-write "${READ_WRITE:-512k}" --json -o "$dir/net.int" > "$dir/bits.json" 2> "$dir/log" &&
     "$deploy" "$dir/net.int" -o "$dir/c" --l2 "${L2:-640k}" --check --json "$dir/report.json" ${DEPLOY_OPTIONS:-} \
       >> "$dir/log" 2>&1; then
    bits=$(sed -n 's/.*"\(weight\|output\)_bits": \[\(.*\)\].*/\2/p' "$dir/bits.json" | tr -d ', ' | tr '\n' ' ')
    figures=$(sed -n '1s/.*"cycles": \([0-9]*\), "first_cycles".*"mac_per_cycle": \([0-9.]*\).*/\1 \2/p' "$dir/report.json")
    echo "mobilenet_v1:$1 $bits$figures" > "$dir/row"
  else
    rm -f "$dir/row"
    echo "mobilenet_v1:$1: $(tail -n 1 "$dir/log")" >&2
    return 1
  fi
}

if [ "$names" = one ]; then
  number=${SLURM_ARRAY_TASK_ID:-0} # of a list of names
  [ $# -gt 1 ] && shift "$number"
  one "$1"
  exit
fi

[ -n "$names" ] || for resolution in 224 192 160 128; do
  for width in 1.0 0.75 0.5 0.25; do names="$names $resolution:$width"; done
done
mkdir -p "$out"
status=0
# shellcheck disable=SC2086 # lists of words
case $on in
  local) printf '%s\n' $names | xargs -P "$jobs" -n 1 "$here/bench/mixed_mobilenets.sh" -o "$out" --one || status=1 ;;
  parallel) parallel --quote --jobs "$jobs" ${PARALLEL_OPTIONS:-} "$here/bench/mixed_mobilenets.sh" -o "$out" --one ::: $names || status=1 ;;
  slurm)
    count=$(echo $names | wc -w)
    sbatch --wait --array="0-$((count - 1))" --output="$out/slurm-%a.log" ${SBATCH_OPTIONS:-} \
      --wrap "'$here/bench/mixed_mobilenets.sh' -o '$out' --one$names" || status=1 ;;
  *) echo "$0: --on $on: local, parallel and slurm are supported" >&2; exit 64 ;;
esac

printf '%-24s %28s %28s %10s %8s\n' network outputs weights cycles MAC/clk
for name in $names; do
  row=$out/$(echo "$name" | tr : _)/row
  if [ -r "$row" ]; then
    # shellcheck disable=SC2046,SC2183 # a row's words
    printf '%-24s %28s %28s %10s %8s\n' $(cat "$row")
  else
    printf '%-24s failed: %s\n' "mobilenet_v1:$name" "$(dirname "$row")/log"
    status=1
  fi
done
exit $status
