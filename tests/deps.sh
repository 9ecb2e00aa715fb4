#!/bin/sh
# Installs the Debian packages that the named groups need and this machine lacks.
# usage: tests/deps.sh GROUP...   (build, test, browser, lint, gnu, llvm, libc, rust)
#
# What is there is found by looking for the command, header or file itself, not for the package:
# so a toolchain installed by hand counts, and a complete machine never reaches apt.
set -eu

# group  package  probe (a command, a header that the compiler must find, or a file)
table='
build gcc                     cmd:gcc
build libc6-dev               hdr:stdio.h
build binutils                cmd:ar
build libelf-dev              hdr:libelf.h
build libyaml-dev             hdr:yaml.h
build libdw-dev               hdr:elfutils/libdw.h
build libzstd-dev             hdr:zstd.h
build libpng-dev              hdr:png.h
build libglpk-dev             hdr:glpk.h
build libsqlite3-dev          hdr:sqlite3.h
build libprotobuf-c-dev       hdr:protobuf-c/protobuf-c.h
build protobuf-c-compiler     cmd:protoc-c
test  gdb-multiarch           cmd:gdb-multiarch
test  valgrind                cmd:callgrind_annotate
test  gtkwave                 cmd:vcd2fst
test  zstd                    cmd:zstd
test  python3                 cmd:python3
test  python3-venv            file:/usr/share/doc/python3-venv
test  python3-numpy           file:/usr/lib/python3/dist-packages/numpy
test  python3-setuptools      file:/usr/lib/python3/dist-packages/setuptools
test  python3-wheel           file:/usr/lib/python3/dist-packages/wheel
test  mypy                    cmd:mypy
test  pkgconf                 cmd:pkg-config
test  check                   hdr:check.h
test  picolibc-riscv64-unknown-elf file:/usr/lib/picolibc/riscv64-unknown-elf/picolibc.specs
test  libmpfr-dev             hdr:mpfr.h
test  qemu-user               cmd:qemu-riscv32
test  libonnx-testdata        file:/usr/share/libonnx-testdata/data
browser chromium              cmd:chromium
build zlib1g-dev              hdr:zlib.h
gnu   gcc-riscv64-unknown-elf cmd:riscv64-unknown-elf-gcc
libc  picolibc-riscv64-unknown-elf file:/usr/lib/picolibc/riscv64-unknown-elf/picolibc.specs
rust  rustc                   cmd:rustc
rust  rust-src                file:/usr/lib/rustlib/src/rust/library/core
llvm  gcc-riscv64-unknown-elf cmd:riscv64-unknown-elf-gcc
llvm  clang-19                cmd:clang-19
llvm  lld-19                  cmd:ld.lld-19
lint  clang-format            cmd:clang-format
lint  clang-tidy              cmd:clang-tidy
lint  cppcheck                cmd:cppcheck
lint  shellcheck              cmd:shellcheck
'

present() {
  case $1 in
  file:*) [ -e "${1#file:}" ] ;;
  cmd:*) command -v "${1#cmd:}" >/dev/null 2>&1 ;;
  hdr:*)
    command -v gcc >/dev/null 2>&1 || return 1
    echo "#include <${1#hdr:}>" | gcc -E -x c -o /dev/null - 2>/dev/null
    ;;
  esac
}

missing=
for group in "$@"; do
  while read -r member package probe; do
    [ "$member" = "$group" ] || continue
    present "$probe" || missing="$missing $package"
  done <<END
$table
END
done
[ -n "$missing" ] || exit 0

echo "deps: missing:$missing"
if ! command -v apt-get >/dev/null 2>&1; then
  echo "deps: no apt-get here; install the equivalents of these Debian packages by hand" >&2
  exit 1
fi
if [ "$(id -u)" -eq 0 ]; then
  sudo=
elif command -v sudo >/dev/null 2>&1; then
  sudo=sudo
else
  echo "deps: not root and no sudo; ask an administrator to run: apt-get install$missing" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
echo "deps: installing with apt-get"
# shellcheck disable=SC2086 # $sudo may be empty, $missing is a list
if ! { $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends $missing; }; then
  echo "deps: apt-get failed (its messages are above); install by hand:$missing" >&2
  exit 1
fi
