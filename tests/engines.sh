#!/bin/sh
# All kernels, by both engines: statistics, exit status and what is printed are to be the same to
# the last bit, however the run ends. Some minutes.
# usage: tests/engines.sh BUILD_DIRECTORY [KERNEL SETTING]
set -eu
build=$1
settings='cluster.icache.model=hier cluster.icache.model=ideal'

run() {
  status=0
  "$build/pulpsim" -q --config trainlib --cores 8 -s "$setting" --engine "$1" --stats="$out.$1" \
    "$build/kernels/$kernel.elf" >"$out.$1.text" 2>&1 || status=$?
  echo "status $status" >>"$out.$1.text"
}

compare() {
  kernel=$1 setting=$2
  out=$(mktemp)
  run fast
  run plain
  if cmp -s "$out.fast" "$out.plain" && cmp -s "$out.fast.text" "$out.plain.text"; then
    echo "  ok   $kernel, $setting"
  else
    echo "  FAIL $kernel, $setting"
  fi
  rm -f "$out" "$out.fast" "$out.plain" "$out.fast.text" "$out.plain.text"
}

if [ $# -gt 1 ]; then
  compare "$2" "$3"
  exit
fi

log=$build/engines.log
for program in "$build"/kernels/*.elf; do
  for setting in $settings; do
    echo "$(basename "$program" .elf) $setting"
  done
done | xargs -P "$(nproc 2>/dev/null || echo 1)" -n 2 "$0" "$build" | tee "$log"
echo "$(grep -c '^  ok' "$log") same, $(grep -c '^  FAIL' "$log") different"
! grep -q '^  FAIL' "$log"
