#!/bin/sh
# Compares what a simulation of a whole cluster's RTL has traced with the model: README.md, "A whole
# cluster". usage: whole.sh BUILD FOLDER [COMMAND]
#
# FOLDER: NAME.elf and NAME.trace. COMMAND, if given, is the simulation: it is run as `COMMAND NAME.elf`
# for COUNT (100) random programs, of seeds from FIRST (1) on, put into FOLDER, and prints the trace.
# MACHINE (pulp-cluster-2.0), SETTINGS ("KEY=VALUE ..."): the model's.
set -eu
build=$(realpath "${1:?usage: whole.sh BUILD FOLDER [COMMAND]}")
folder=${2:?usage: whole.sh BUILD FOLDER [COMMAND]}
command=${3:-}
machine=${MACHINE:-pulp-cluster-2.0}
mkdir -p "$folder"
if [ -n "$command" ]; then
  # shellcheck disable=SC2086 # a list
  "$build/rtl-whole" generate "$machine" "${FIRST:-1}" "${COUNT:-100}" "$folder" ${SETTINGS:-} > "$folder/seeds"
  # shellcheck disable=SC2016 # the other shell expands them
  xargs -P "$(nproc)" -I SEED sh -c '
    $1 "$2.elf" > "$2.trace" || { echo "whole.sh: $1 $2.elf: status $?" >&2; rm -f "$2.trace"; }
  ' sh "$command" "$folder/SEED" < "$folder/seeds"
fi
find "$folder" -name '*.trace' | sed 's/\.trace$//' | sort > "$folder/list"
[ -s "$folder/list" ] || { echo "whole.sh: no NAME.trace in $folder" >&2; exit 66; }
# shellcheck disable=SC2046,SC2086 # lists
"$build/rtl-whole" check "$machine" $(cat "$folder/list") ${SETTINGS:-}
