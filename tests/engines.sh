#!/bin/sh
# All kernels, by both engines: their statistics are to be the same to the last bit. Some minutes.
# usage: tests/engines.sh BUILD_DIRECTORY [KERNEL SETTING]
# A run that does not end by itself is not compared: what the other cores have done by then is
# known to differ (docs/performance.md).
set -eu
build=$1
settings='cluster.icache.model=hier cluster.icache.model=ideal'

run() {
  "$build/pulpsim" -q --config trainlib --cores 8 -s "$setting" --engine "$1" --stats="$out.$1" \
    "$build/kernels/$kernel.elf" >/dev/null 2>&1 || true
}

compare() {
  kernel=$1 setting=$2
  out=$(mktemp)
  run fast
  if ! grep -q '"state": "exited"' "$out.fast"; then
    echo "  skip $kernel, $setting: does not end by itself"
  else
    run plain
    if cmp -s "$out.fast" "$out.plain"; then
      echo "  ok   $kernel, $setting"
    else
      echo "  FAIL $kernel, $setting"
    fi
  fi
  rm -f "$out" "$out.fast" "$out.plain"
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
echo "$(grep -c '^  ok' "$log") same, $(grep -c '^  skip' "$log") skipped, $(grep -c '^  FAIL' "$log") different"
! grep -q '^  FAIL' "$log"
