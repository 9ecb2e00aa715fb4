#!/bin/sh
# bench/networks.sh: deploys the networks of networks.tsv, runs them on the simulated GAP8 and prints
# what they take beside what is published. usage: bench/networks.sh BUILD (make bench SUITE=networks)
#
# Cluster and SoC at 100 MHz, L3 at a byte a cycle, weights drawn from a seed, every layer compared
# with the interpreter; cycles of the second image. Waits for L3: while a core waits for filters.
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
      "\t" value["binds"] "\t" ("unverified" in value ? "†" : "")
  }'
}

# A member of the report's first line.
member() { sed -n "1s/.*\"$2\": \([0-9.]*\).*/\1/p" "$1"; }

# As many at a time as there are processors; the largest ones first.
# shellcheck disable=SC2016 # the other shell expands them
names | xargs -P "$(nproc)" -I NAME sh -c '
  "$1/pulpsim-deploy" "$3" -o "$2/$3" --check --json "$2/$3.json" > "$2/$3.log" ||
    { tail -1 "$2/$3.log" >&2; exit 255; }' sh "$build" "$work" NAME
for name in $(names); do
  rows "$work/$name.json" > "$work/$name.tsv"
done

echo "# Networks, end to end"
echo
echo "| network | MAC | cycles | first image | MAC/clk | ms at 100 MHz | waits for L3 | program, bytes | bar, goal (M) | published |"
echo "|---|---|---|---|---|---|---|---|---|---|"
for name in $(names); do
  awk -F '\t' -v name="$name" -v wait="$(member "$work/$name.json" l3_wait)" \
    -v program="$(member "$work/$name.json" program)" '
    NR == FNR && $1 == "network" && $2 == name { bars = $3 ", " $4 }
    NR == FNR && $1 == "published" && $2 == name {
      others = others (others == "" ? "" : "; ") $5 ": " $3 " M" ($4 == "-" ? "" : ", " $4)
    }
    NR == FNR { next }
    $1 == "all" && FNR == 1 {
      printf "| %s | %.2f M | %.3f M%s | %.3f M%s | %.2f | %.2f | %.1f %% | %d | %s | %s |\n", name,
        $4 / 1e6, $2 / 1e6, $8, $3 / 1e6, $8, $5, $2 / 1e5, 100 * wait, program, bars, others
    }' "$here/networks.tsv" "$work/$name.tsv"
done

if grep -q † "$work"/*.tsv; then
  echo
  echo "† depends on what is unverified of gap8: by layer in the reports of \`pulpsim-deploy --json\`."
fi
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

# Of published averages, those of the layer's kind; the paper has no single layers' numbers.
for name in $(names); do
  echo
  echo "## $name"
  echo
  awk -F '\t' -v name="$name" '
    function kind(layer) { return layer ~ /^pw/ ? 3 : layer ~ /^dw/ ? 4 : 0 }
    NR == FNR && $1 == "layers" && name ~ /^mobilenet_v1/ && $2 ~ /GAP8/ {
      systems = systems " " $2 " (average) |"
      rule = rule "---|"
      pw[++count] = $3
      dw[count] = $4
    }
    NR == FNR { next }
    FNR == 1 {
      print "| layer | cycles | MAC | MAC/clk |" systems " least cycles | which binds |"
      print "|---|---|---|---|" rule "---|---|"
      next
    }
    {
      beside = ""
      for (i = 1; i <= count; i++)
        beside = beside " " (kind($1) == 3 ? pw[i] : kind($1) == 4 ? dw[i] : "") " |"
      printf "| %s | %d%s | %d | %.2f |%s %d | %s |\n", $1, $2, $8, $4, $4 / $2, beside, $6, $7
    }' "$here/networks.tsv" "$work/$name.tsv"
done
