#!/bin/sh
# Uses what `make deb` has made, unpacked. usage: deb.sh BUILD
set -eu
build=$(cd "$1" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
for package in "$build"/deb/*.deb; do
  dpkg -x "$package" "$root"
done
LD_LIBRARY_PATH=$(dirname "$root"/usr/lib/*/libpulpsim.so)
PKG_CONFIG_PATH=$LD_LIBRARY_PATH/pkgconfig
PYTHONPATH=$root/usr/lib/python3/dist-packages
export LD_LIBRARY_PATH PKG_CONFIG_PATH PYTHONPATH
"$root/usr/bin/pulpsim" -q "$build/kernels/hello.elf" | grep -q 'core 7 of 8'
/usr/bin/python3 tests/programs/python/machine.py "$build/kernels"
sed -e '1,/^```c$/d' -e '/^```$/,$d' docs/library.md >"$root/sweep.c"
# shellcheck disable=SC2046 # options
gcc -o "$root/sweep" "$root/sweep.c" $(pkg-config --define-variable=prefix="$root/usr" --cflags --libs pulpsim)
"$root/sweep" "$build/kernels/lab_banks.elf" | grep -c cycles | grep -qx 4
gzip -t "$root"/usr/share/man/man1/*.gz
echo "the packages work"
