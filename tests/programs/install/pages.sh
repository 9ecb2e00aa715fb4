#!/bin/bash
# Names the options in a command's --help that its manual page or its completion lacks.
# usage: pages.sh PREFIX
set -u
shopt -s progcomp
PATH=$1/bin:$PATH
for program in "$1"/bin/*; do
  name=${program##*/}
  page=$(sed 's/\\//g' "$1/share/man/man1/$name.1")
  # shellcheck source=/dev/null
  . "$1/share/bash-completion/completions/$name"
  for option in $("$program" --help | grep -o -e '--[a-z][a-z0-9-]*' | sort -u); do
    grep -q -e "$option" <<<"$page" || echo "$name: $option is not in its manual page"
    # shellcheck disable=SC2034 # what the completion reads
    for command in '' run report speed diff; do # by itself, or behind a command
      COMP_WORDS=("$name" ${command:+"$command"} "$option") COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      "_${name//-/_}" 2>/dev/null
      printf '%s\n' "${COMPREPLY[@]}"
    done | grep -qx -e "$option" || echo "$name: $option is not completed"
  done
done
