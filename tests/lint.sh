#!/bin/sh
# Static checks over the tracked sources. usage: tests/lint.sh BUILD_DIRECTORY [FILE...]
# BUILD_DIRECTORY holds the generated headers, and remembers in lint/ which C files clang-tidy has
# passed: one is looked at again when what the compiler sees of it, or .clang-tidy, has changed.
# With FILEs, only these are checked; `--tidy` before them is how this script calls itself.
set -eu
build=$1
shift
status=0

# NAME LIST COMMAND...: the command over the list, if that has any.
step() {
  [ -n "$2" ] || return 0
  printf '  %-8s %s\n' LINT "$1"
  shift 2
  "$@" || status=1
}

# The kernels are compiled for this machine, as the tests do; a program of kernels/bench with the
# options of the first line of list.txt that names it.
tidy_one() {
  file=$1 compiler=gcc target=
  set -- -std=gnu17 -D_GNU_SOURCE '-DPULPSIM_VERSION="0"' "-DTEST_BUILD_DIR=\"$build\"" \
    -iquote . -iquote sim -iquote tests -iquote "$build/gen"
  case $file in
  kernels/examples/fine_tune.c) return 0 ;; # wants a net.h that pulpsim-deploy writes
  kernels/bench/*)
    options=$(awk -v source="$(basename "$file" .c)" '$2 == source {
      for (i = 5; i <= NF; i++) if ($i ~ /^-D/) print $i
      exit }' kernels/bench/list.txt)
    # shellcheck disable=SC2086 # a list
    set -- "$@" $options
    ;;
  kernels/libc/* | kernels/compat/* | tests/programs/libc/* | tests/programs/peer/* | bench/port/*) # of the target's C library alone
    compiler=riscv64-unknown-elf-gcc target=--target=riscv32-unknown-elf
    set -- -std=gnu17 -march=rv32imfc -mabi=ilp32f -DRT_LIBC -I. -Ikernels/compat "-I$build/gen" \
      -isystem /usr/lib/picolibc/riscv64-unknown-elf/include
    case $file in
    tests/programs/peer/*) set -- "$@" -DNUM_CORES=8 -DLENGTH=100 -Itests/programs/peer/include ;;
    esac
    ;;
  tests/kernels/target/*) set -- "$@" -DGRID_NAME=grid_axpy ;;
  esac
  # Comments count (-C): they hold the NOLINTs.
  key=$({ cat .clang-tidy kernels/bench/.clang-tidy && "$compiler" -E -C -w "$@" "$file"; } | sha256sum | cut -c 1-40)
  [ ! -e "$build/lint/$key" ] || return 0
  # shellcheck disable=SC2086 # nothing, or one word
  if messages=$(clang-tidy --quiet "$file" -- $target "$@" 2>&1); then
    : >"$build/lint/$key"
  else
    printf '%s\n' "$messages" | grep -v ' generated\.$'
    return 1
  fi
}

mkdir -p "$build/lint"
if [ "${1-}" = --tidy ]; then
  shift
  for file; do
    tidy_one "$file" || status=1
  done
  exit "$status"
fi

[ $# -gt 0 ] || set -- '*.c' '*.h' '*.sh' .ci/run
formatted=$(git ls-files "$@" | grep '\.[ch]$' || :)
sources=$(git ls-files "$@" | grep '\.c$' || :)
scripts=$(git ls-files "$@" | grep -E '\.sh$|^\.ci/run$' || :)
jobs=$(nproc 2>/dev/null || echo 1)

# shellcheck disable=SC2317 # called through step
tidy() {
  echo "$sources" | xargs -P "$jobs" -n 2 "$0" "$build" --tidy
}

# Arrows of docs/architecture.md: core knows nobody of those around it; the cluster and the SoC know
# of core its interface.
# shellcheck disable=SC2317 # called through step
arrows() {
  broken=$(
    grep -n '#include "\(cluster\|observe\|soc\|cli\|sim\)/' sim/core/*.[ch]
    grep -n '#include "\(core\|observe\|cli\)/' sim/cluster/*.[ch] sim/soc/*.[ch] |
      grep -v '"core/ports\.h"'
  ) || :
  [ -z "$broken" ] || { echo "$broken" && return 1; }
}

# cppcheck 2.10 loses track of variables that are filled in through a pointer (uninitvar,
# invalidLifetime: the compilers look for those) and of a block that is part of a larger one. Floats
# are moved as words by the instructions of train_patches.c.
# shellcheck disable=SC2086 # lists of files
{
  step clang-format "$formatted" clang-format --dry-run -Werror $formatted
  step arrows sim arrows
  step shellcheck "$scripts" shellcheck $scripts
  step cppcheck "$sources" cppcheck --quiet --std=c11 --enable=warning,performance,portability \
    --inline-suppr --suppress=preprocessorErrorDirective --error-exitcode=1 -j "$jobs" \
    --suppress=uninitvar --suppress=legacyUninitvar --suppress=invalidLifetime --suppress=memleak:sim/core/block.c --suppress="memleakOnRealloc:tests/*" --suppress=invalidPointerCast:kernels/train/train_patches.c \
    -D_GNU_SOURCE '-DPULPSIM_VERSION="0"' "-DTEST_BUILD_DIR=\"$build\"" -I. -Isim -Itests "-I$build/gen" \
    $sources
  step clang-tidy "$sources" tidy
}
exit "$status"
