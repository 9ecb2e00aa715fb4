#!/bin/bash
# Applies the mutants of tests/mutants.txt, one at a time, in a copy of the tree, builds and runs the
# suites that each names: at least one has to fail.
# usage: tests/mutate.sh BUILD_DIRECTORY [PART/PARTS [FILE]]
# PART/PARTS: every PARTS-th mutant, from PART on (0 ...): several may run at a time. FILE: only
# mutants of files whose names begin so.
# Exit status: 0 if every mutant was caught, or is listed as equivalent and was not; 1 otherwise; 64
# usage, 65 if a mutant does not apply or does not compile, or suites fail without one.
set -u
build=${1:?usage: tests/mutate.sh BUILD_DIRECTORY [PART/PARTS [FILE]]}
part=${2:-0/1}
only=${3:-}
tree=$build/mutate/${part%/*}
mkdir -p "$tree" || exit 73
tree=$(cd "$tree" && pwd)
# What is there already and the same is left alone, so that it is not built again.
git ls-files | while IFS= read -r file; do
  cmp -s "$file" "$tree/$file" || install -D -m "$(stat -c %a "$file")" "$file" "$tree/$file" || exit 73
done || exit 73
cp tests/mutants.txt "$tree/tests/"
cd "$tree" || exit 73
mkdir -p build/tests
ln -sf /bin/true build/tests/grids_sanitized

make_quietly() {
  make -s MUTATE=1 "$@" > "$tree.make" 2>&1
}

# grid:NAME is a program of the simulated machine, on three cores of trainlib; anything else a suite.
run_one() {
  case $1 in
  grid:*)
    make_quietly build/pulpsim "build/kernels/test/grid_${1#grid:}.elf" || return 2
    timeout 300 build/pulpsim -q --config trainlib --cores 3 "build/kernels/test/grid_${1#grid:}.elf" ;;
  nn_variants) # the one suite here that needs a program
    make_quietly build/tests/check build/kernels/test/nn_variants.elf || return 2
    timeout 300 build/tests/check "$1" ;;
  *)
    make_quietly build/tests/check || return 2
    timeout 300 build/tests/check "$1" ;;
  esac > "$tree.out" 2>&1
}

# 0: all passed; 1: one did not; 2: it does not compile.
run_all() {
  local status
  for suite in $1; do
    run_one "$suite"
    status=$?
    [ $status -eq 0 ] || return $((status == 2 ? 2 : 1))
  done
}

# Replaces `old`, which has to be there once, by `new`.
replace() {
  OLD=$2 NEW=$3 perl -0777 -i -pe '
    my $n = () = /\Q$ENV{OLD}\E/g; $n == 1 or die "found $n times\n"; s/\Q$ENV{OLD}\E/$ENV{NEW}/' "$1"
}

started=$SECONDS
number=0 caught=0 equivalent=0 bad=0 wrong=0
suites=$(awk -F ' @@ ' -v only="$only" '!/^#/ && NF >= 4 && index($0, only) == 1 { print $4 }' \
  tests/mutants.txt | tr ' ' '\n' | sort -u)
for suite in $suites; do
  run_one "$suite" || { echo "mutate: $suite fails without a mutant: see $tree.out, $tree.make" >&2; exit 65; }
done
while IFS= read -r line; do
  case $line in '' | '#'*) continue ;; esac
  number=$((number + 1))
  [ $((number % ${part#*/})) -eq "${part%/*}" ] || continue
  case $line in "$only"*) ;; *) continue ;; esac
  mapfile -t field < <(printf '%s' "$line" | sed 's/ @@ /\n/g')
  cp -p "${field[0]}" "$tree.kept"
  if ! replace "${field[0]}" "${field[1]}" "${field[2]}" 2> "$tree.out"; then
    echo "mutant $number: ${field[0]}: $(head -1 "$tree.out")"
    wrong=$((wrong + 1))
    cp "$tree.kept" "${field[0]}"
    continue
  fi
  run_all "${field[3]}"
  case $?/${field[4]:+equivalent} in
  1/) caught=$((caught + 1)) ;;
  0/equivalent) equivalent=$((equivalent + 1)) ;;
  2/*) wrong=$((wrong + 1)); echo "mutant $number: ${field[0]}: does not compile: $line" ;;
  *) bad=$((bad + 1)); echo "mutant $number: ${field[4]:+caught, but listed as }${field[4]:+equivalent}${field[4]:-survived}: $line" ;;
  esac
  cp "$tree.kept" "${field[0]}"
done < tests/mutants.txt
echo "mutants: $caught caught, $equivalent equivalent, $bad not as listed, $wrong not applied; $((SECONDS - started)) s"
[ $wrong -eq 0 ] || exit 65
[ $bad -eq 0 ]
