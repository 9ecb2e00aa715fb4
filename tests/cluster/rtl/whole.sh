#!/bin/sh
# Compares what a simulation of a whole cluster's RTL has traced with the model: README.md, "A whole
# cluster". usage: whole.sh BUILD FOLDER [COMMAND]
#
# FOLDER: NAME.elf and NAME.trace. COMMAND, if given, is the simulation: it is run as `COMMAND NAME.elf`
# for COUNT (100) random programs from seed FIRST (1) on, put into FOLDER, and prints the trace.
# MACHINE (pulp-cluster-2.0), SETTINGS ("KEY=VALUE ..."): the model's.
set -eu
build=$(realpath "${1:?usage: whole.sh BUILD FOLDER [COMMAND]}")
folder=${2:?usage: whole.sh BUILD FOLDER [COMMAND]}
command=${3:-}
first=${FIRST:-1}
mkdir -p "$folder"
if [ -n "$command" ]; then
  "$build/rtl-whole" generate "$first" "${COUNT:-100}" "$folder"
  # shellcheck disable=SC2016 # the other shell expands them
  seq "$first" $((first + ${COUNT:-100} - 1)) | xargs -P "$(nproc)" -I SEED sh -c '
    $1 "$2.elf" > "$2.trace" || { echo "whole.sh: $1 $2.elf: status $?" >&2; rm -f "$2.trace"; }
  ' sh "$command" "$folder/SEED"
fi
find "$folder" -name '*.trace' | sed 's/\.trace$//' | sort > "$folder/list"
[ -s "$folder/list" ] || { echo "whole.sh: no NAME.trace in $folder" >&2; exit 66; }
# shellcheck disable=SC2046,SC2086 # lists
"$build/rtl-whole" check "${MACHINE:-pulp-cluster-2.0}" $(cat "$folder/list") ${SETTINGS:-}
