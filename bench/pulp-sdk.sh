#!/bin/bash
# A program of the PULP SDK, with the SDK's own runtime (pulpos, chip pulp), by the stock compiler.
# usage: bench/pulp-sdk.sh SDK OUT.elf FILE.c...    from the project's root, behind `make`
#
# SDK is a checkout of pulp-platform/pulp-sdk, of which nothing is changed: two of its assembly files
# are translated to this project's macros on the way. BUILD, CFLAGS: as for make.
set -euo pipefail
[ $# -ge 3 ] || { sed -n '2,6s/^# //p' "$0" >&2; exit 64; }
sdk=$(realpath "$1") out=$2
shift 2
here=$(pwd) build=${BUILD:-build} picolibc=${PICOLIBC:-/usr/lib/picolibc/riscv64-unknown-elf}
os=$sdk/rtos/pulpos common=$sdk/rtos/pulpos/common
[ -e "$common/kernel/crt0.S" ] || { echo "pulp-sdk.sh: $sdk: no rtos/pulpos in it" >&2; exit 66; }
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

arch=(-march=rv32imfc_zicsr -mabi=ilp32f)
include=(-isystem "$here/$build/gen" -isystem "$picolibc/include")
for d in common/lib/libc/minimal/include common/include common/kernel pulp_archi/include \
  pulp_hal/include pulp/include pulp/include/pos/chips/pulp; do
  include+=("-I$os/$d")
done
include+=("-I$sdk/rtos/pmsis/pmsis_api/include" "-I$sdk/rtos/pmsis/pmsis_bsp/include")
define=(-include pos/chips/pulp/config.h -D__riscv__ -D__PULPOS2__ -D__PLATFORM__=ARCHI_PLATFORM_GVSOC
  -D__PLATFORM_GVSOC__ -DARCHI_CLUSTER_NB_PE=8 -D__TRACE_LEVEL__=3 -DPI_LOG_LOCAL_LEVEL=2
  -DPOS_CONFIG_IO_UART=0 -DPOS_CONFIG_IO_UART_ITF=0 -DPOS_CONFIG_IO_UART_BAUDRATE=115200
  -D__CONFIG_UDMA__)
read -ra extra <<<"${CFLAGS:--O2}"

sources=("$common"/kernel/{crt0.S,init.c,kernel.c,device.c,task.c,alloc.c,alloc_pool.c,irq.c}
  "$common"/kernel/{soc_event.c,log.c,time.c,irq_asm.S,task_asm.S,time_asm.S,soc_event_v2_itc.S}
  "$common"/kernel/{fll-v1.c,freq-domains.c} "$common"/lib/libc/minimal/{io,fprintf,prf,sprintf,semihost}.c
  "$os"/pulp/kernel/chips/pulp/soc.c "$os"/pulp/drivers/cluster/cluster.c
  "$os"/pulp/drivers/cluster/pe-eu-v3.S "$os"/pulp/drivers/uart/uart-v1.c "$os"/pulp/drivers/udma/udma-v3.c)

# Mnemonics of XpulpV2 as the macros of xpulp.S.h write them.
translate() {
  echo '#include "xpulp.S.h"'
  sed -E 's/p\.elw\s+(\w+),\s*(.*)\((\w+)\)/p_elw \1, \3, \2/
    s/p\.(lw|sw)\s+(\w+),\s*(\w+)\((\w+)\)/p_\1_rr \2, \4, \3/
    s/p\.(beqimm|bsetr)/p_\1/' "$1"
}

objects=()
for file in "${sources[@]}" "$@"; do
  object=$work/${#objects[@]}.o
  case $file in
  *.S)
    translate "$file" >"$work/file.S"
    riscv64-unknown-elf-gcc "${arch[@]}" "${define[@]}" -DLANGUAGE_ASSEMBLY "${include[@]}" \
      "-I$(dirname "$file")" -c -o "$object" "$work/file.S"
    ;;
  *)
    riscv64-unknown-elf-gcc "${arch[@]}" -g -w -fdata-sections -ffunction-sections \
      -flax-vector-conversions -include "$here/kernels/compat/pulp_builtins.h" "${extra[@]}" \
      "${define[@]}" "${include[@]}" -c -o "$object" "$file"
    ;;
  esac
  objects+=("$object")
done
riscv64-unknown-elf-gcc -march=rv32imf -mabi=ilp32f -nostartfiles -nostdlib -Wl,--gc-sections \
  -Wl,--no-warn-rwx-segments "-T$os/pulp/kernel/chips/pulp/link.ld" "${objects[@]}" -o "$out" -lgcc
