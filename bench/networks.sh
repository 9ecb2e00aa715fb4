#!/bin/sh
# bench/networks.sh: deploys the networks of networks.tsv, runs them on the simulated GAP8 and prints
# what they take beside what is published. usage: bench/networks.sh BUILD (make bench SUITE=networks)
#
# Cluster and SoC at 100 MHz, L3 at a byte a cycle, weights drawn from a seed, every layer compared
# with the interpreter; cycles of the second image.
set -eu
here=$(dirname "$0")
build=$1
work=$build/bench/networks
mkdir -p "$work"

names() { awk -F '\t' '$1 == "network" { print $2 }' "$here/networks.tsv"; }

# The report's lines as: name, cycles, first image, MAC, MAC/clk, bound, what binds; all first.
rows() {
  sed -e 's/[{}"\[]//g' -e 's/\]//g' "$1" | awk -F ', ' '{
    delete value
    for (i = 1; i <= NF; i++) {
      split($i, pair, ": ")
      sub(/^ /, "", pair[1])
      value[pair[1]] = pair[2]
    }
    print (value["name"] == "" ? "all" : value["name"]) "\t" value["cycles"] "\t" \
      value["first_cycles"] "\t" value["macs"] "\t" value["mac_per_cycle"] "\t" value["bound"] \
      "\t" value["binds"]
  }'
}

for name in $(names); do
  "$build/pulpsim-deploy" "$name" -o "$work/$name" --check --json "$work/$name.json" \
    > "$work/$name.log" || { tail -1 "$work/$name.log" >&2; exit 1; }
  rows "$work/$name.json" > "$work/$name.tsv"
done

echo "# Networks, end to end"
echo
echo "| network | MAC | cycles | first image | MAC/clk | ms at 100 MHz | bar, goal (M) | published |"
echo "|---|---|---|---|---|---|---|---|"
for name in $(names); do
  awk -F '\t' -v name="$name" '
    NR == FNR && $1 == "network" && $2 == name { bars = $3 ", " $4 }
    NR == FNR && $1 == "published" && $2 == name {
      others = others (others == "" ? "" : "; ") $5 ": " $3 " M" ($4 == "-" ? "" : ", " $4)
    }
    NR == FNR { next }
    $1 == "all" && FNR == 1 {
      printf "| %s | %.2f M | %.3f M | %.3f M | %.2f | %.2f | %s | %s |\n", name, $4 / 1e6,
        $2 / 1e6, $3 / 1e6, $5, $2 / 1e5, bars, others
    }' "$here/networks.tsv" "$work/$name.tsv"
done

echo
echo "MAC/clk over MobileNetV1's layers (1.0-128): MACs of all of a kind over their cycles."
echo
echo "| | pointwise | depthwise |"
echo "|---|---|---|"
awk -F '\t' '
  $1 ~ /^pw/ { pw += $4; pw_cycles += $2 }
  $1 ~ /^dw/ { dw += $4; dw_cycles += $2 }
  END { printf "| here | %.2f | %.2f |\n", pw / pw_cycles, dw / dw_cycles }
' "$work/mobilenet_v1:128:1.0.tsv"
awk -F '\t' '$1 == "layers" { print "| " $2 " | " $3 " | " $4 " |" }' "$here/networks.tsv"

for name in $(names); do
  echo
  echo "## $name"
  echo
  echo "| layer | cycles | MAC | MAC/clk | least cycles | which binds |"
  echo "|---|---|---|---|---|---|"
  awk -F '\t' 'NR > 1 {
    printf "| %s | %d | %d | %.2f | %d | %s |\n", $1, $2, $4, $4 / $2, $6, $7
  }' "$work/$name.tsv"
done
