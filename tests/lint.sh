#!/bin/sh
# Static checks over the tracked sources. usage: tests/lint.sh BUILD_DIRECTORY
# BUILD_DIRECTORY holds the generated headers. LINT_ONLY="a b" limits the C files checked.
set -eu
build=$1
status=0

step() {
  printf '  %-8s %s\n' LINT "$1"
  shift
  "$@" || status=1
}

tests/deps.sh lint
formatted=${LINT_ONLY:-$(git ls-files '*.c' '*.h')}
host_files=${LINT_ONLY:-$(git ls-files 'sim/*.c' 'isa/*.c' 'bench/*.c' 'tests/*.c')}
scripts=$(git ls-files '*.sh' .ci/run)
jobs=$(nproc 2>/dev/null || echo 1)

# shellcheck disable=SC2317 # called through step
tidy() {
  # shellcheck disable=SC2016 # expanded by the inner shell
  echo "$host_files" | BUILD=$build xargs -P "$jobs" -n 4 sh -c \
    'clang-tidy --quiet "$@" -- -std=gnu17 -D_GNU_SOURCE "-DPULPSIM_VERSION=\"0\"" \
       "-DTEST_BUILD_DIR=\"$BUILD\"" -iquote . -iquote sim -iquote tests -iquote "$BUILD/gen" 2>/dev/null' tidy
}

# cppcheck 2.10 loses track of variables that are filled in through a pointer (uninitvar,
# invalidLifetime: the compilers look for those) and of a block that is part of a larger one.
# shellcheck disable=SC2086 # lists of files
{
  step clang-format clang-format --dry-run -Werror $formatted
  step shellcheck shellcheck $scripts
  step cppcheck cppcheck --quiet --std=c11 --enable=warning,performance,portability \
    --inline-suppr --suppress=preprocessorErrorDirective --error-exitcode=1 -j "$jobs" \
    --suppress=uninitvar --suppress=invalidLifetime --suppress=memleak:sim/core/block.c --suppress="memleakOnRealloc:tests/*" \
    -D_GNU_SOURCE '-DPULPSIM_VERSION="0"' "-DTEST_BUILD_DIR=\"$build\"" -I. -Isim -Itests "-I$build/gen" \
    $host_files
  step clang-tidy tidy
}
exit "$status"
