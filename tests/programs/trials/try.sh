#!/bin/sh
# What one tries first, and what one gets wrong: programs in C and C++ on one core and on eight, a
# FIR filter by the runtime, and misuse with its sentence and status. After `make all kernels libc`.
# usage: tests/programs/trials/try.sh [BUILD]
set -eu
cd "$(dirname "$0")/../../.."
build=$(cd "${1:-build}" && pwd)
sim=$build/pulpsim
gcc="riscv64-unknown-elf-gcc --specs=$build/kernels/libc/pulpsim.specs"
here=tests/programs
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# expect STATUS TEXT COMMAND: it ends with that status, and what it says has that text.
expect() {
  status=0
  said=$(sh -c "cd $dir && $3" 2>&1 </dev/null) || status=$?
  case $said in
  *"$2"*) [ "$status" = "$1" ] && found=true || found=false ;;
  *) found=false ;;
  esac
  printf '%s\n  [%s] %s\n' "$3" "$status" "$(printf '%s' "$said" | head -1)" | sed "s|$build/||g"
  $found || { echo "wanted: [$1] $2" >&2; exit 1; }
}

$gcc -O2 $here/libc/hello.c -o "$dir/hello_c"
riscv64-unknown-elf-g++ --specs="$build/kernels/libc/pulpsim.specs" -O2 $here/libc/hello.cpp -o "$dir/hello_cpp"
riscv64-unknown-elf-gcc --specs="$build/kernels/kernels.specs" -O3 $here/trials/fir.c -o "$dir/fir"
head -c 300 "$dir/fir" >"$dir/cut"
cp /bin/sh "$dir/host"
printf 'cluster:\n  cors: 4\n' >"$dir/my.yml"
for n in 1 8; do
  expect 7 "hello one of 2" "$sim -q -n $n hello_c -- one"
  expect $((2 * (n - 1))) "made 7" "$sim -q -n $n hello_cpp"
  expect 0 "on $n cores: 0 of 1024 outputs wrong" "$sim -q -n $n fir"
done
expect 64 "no program given" "$sim"
expect 65 "No such file" "$sim fri"
expect 65 "truncated" "$sim cut"
expect 65 "64-bit ELF" "$sim host"
expect 78 "did you mean 'cluster.cores'?" "$sim -s cluster.cors=4 fir"
expect 78 "my.yml:2: unknown key 'cluster.cors'; did you mean" "$sim --config ./my.yml fir"
expect 78 "no configuration is called 'pulp'" "$sim --config pulp fir"
expect 78 "allowed: 1..16" "$sim -n 17 fir"
expect 124 "--max-cycles 100" "$sim -q -m 100 fir"
expect 73 "output is lost" "$sim -q fir >/dev/full"
expect 65 "lies outside the machine's memories" "$sim --config cv32e40p fir"
echo "all as expected"
