#!/bin/sh
# kernels/rt/place.sh: finds places in the shared instruction cache for what training calls run, and writes
# them into link.ld: make all kernels && kernels/rt/place.sh && make kernels
#
# Runs the programs of suite train on eight simulated cores, takes the lines of 16 bytes that each executes in
# its measured region, and lets place.awk search.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Of each line that a program executes: program, function, its place in a way (in lines), which line of it,
# and how often core 0 waited for it. At last the program and its cycles.
lines_of() {
  {
    readelf -sW "build/kernels/$1.elf" | awk '$4 == "FUNC" { print "function", $2, $8 }'
    build/pulpsim -q --config trainlib --cores 8 --trace=log=/dev/stdout "build/kernels/$1.elf"
  } 2>&1 | awk -v program="$1" '
    function hex(text, n, i) {
      n = 0
      for (i = 1; i <= length(text); i++)
        n = 16 * n + index("0123456789abcdef", substr(text, i, 1)) - 1
      return n
    }
    $1 == "function" { name[hex($2)] = $3 }
    $5 == "slti" && $6 == "zero,ra,1" { inside[$2] = 1; begin = $1 }
    $5 == "slti" && $6 == "zero,ra,2" { inside[$2] = 0; end = $1 }
    !inside[$2] { next }
    !($3 in line) {
      split($4, at, "[+]0x")
      start = hex($3) - hex(at[2])
      line[$3] = program " " name[start] " " int(start / 16) % 64 " " int(hex($3) / 16) - int(start / 16)
      waits[line[$3]] += 0
    }
    $2 == 0 && / fetch/ { waits[line[$3]]++ }
    END {
      for (text in waits)
        print text, waits[text]
      print program, end - begin
    }'
}

awk '$3 == "trainlib" && $1 ~ /^(mmt|train)_/ && $1 !~ /_(mlp|cnn)/ { print $1 }' kernels/bench/list.txt |
  while read -r program; do
    lines_of "$program"
  done > "$work/lines"
awk -f kernels/rt/place.awk "$work/lines" > "$work/places"
awk -v places="$work/places" '
  !/[.] [+]= [(]0x/ { print }
  /[.] [+]= [(]0x/ && !done++ { while ((getline line < places) > 0) print line }' kernels/rt/link.ld > "$work/link.ld"
cp "$work/link.ld" kernels/rt/link.ld
