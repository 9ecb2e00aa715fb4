#!/bin/sh
# kernels/examples/fine_tune.sh [OPTION...]: quantizes fashion.onnx to 8 bits, deploys it, and lets its last
# layer learn on the machine (fine_tune.c). OPTIONs are the compiler's: -DTRAINED=100 -DHELD=50 -DRATE=0.02f.
# CORES: of the machine. Wants the kernels (make kernels) and Debian's dataset-fashion-mnist, to calibrate.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
data=${FASHION:-/usr/share/datasets/fashion-mnist}
place=$build/fine_tune
[ -r "$data/train-images-idx3-ubyte.gz" ] || { echo "fine_tune.sh: no images in $data: install the package" \
  "dataset-fashion-mnist, or name another folder: FASHION=DIR" >&2; exit 66; }
[ -r "$build/kernels/libkernels.a" ] || { echo "fine_tune.sh: no kernels: make kernels" >&2; exit 66; }
cc=${KCC:-riscv64-unknown-elf-gcc}
mkdir -p "$place"
"$build/pulpsim-deploy" quantize deploy/models/fashion.onnx --scale 255 --samples 64 \
  --calibrate "$data/train-images-idx3-ubyte.gz" -o "$place/fashion.int" > "$place/quantize.txt"
# What the last layer multiplies is an output, too.
sed 's/^outputs: \[13\]/outputs: [13, 12]/' "$place/fashion.int" > "$place/both.int"
"$build/pulpsim-deploy" "$place/both.int" -o "$place" --tiles estimate --l1 32k > "$place/deploy.txt" 2>&1
of() { sed -n "s/.*name: \"$1\".* $2: \([-0-9.e]*\).*/\1/p" "$place/fashion.int"; }
"$cc" -march=rv32imfc_zicsr -mabi=ilp32f -std=gnu17 -O2 -ffreestanding -fno-common -ffunction-sections \
  -fdata-sections -msmall-data-limit=0 -Wall -Wextra -Werror -I. -I"$build/gen" -I"$place" \
  -DFEATURE_SCALE="$(of means scale)f" -DSCORE_SCALE="$(of scores scale)f" -DSCORE_ZERO="$(of scores zero)" "$@" \
  -nostdlib -static -Wl,--defsym=rt_stack_size=1408 -Wl,--defsym=rt_l2_size=0x1f8000 -Wl,-T,kernels/rt/link.ld \
  -Wl,--gc-sections -o "$place/fine_tune.elf" kernels/examples/fine_tune.c "$place/net.c" kernels/data/fashion.S \
  "$build/kernels/libkernels.a" "$("$cc" -march=rv32imfc -mabi=ilp32f -print-libgcc-file-name)"
exec "$build/pulpsim" --config trainlib --set l3.size=8M --cores "${CORES:-8}" \
  --load "$place/l3.bin@0x60000000" "$place/fine_tune.elf"
