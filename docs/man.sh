#!/bin/sh
# The manual page of a program whose --help says it all. usage: docs/man.sh PROGRAM 'what it does' [COMMAND...]
# COMMAND: one that the program's own --help does not list by its name.
set -eu
program=$1 title=$2
shift 2
name=$(basename "$program")

# As troff takes it: no escapes, no requests.
text() {
  printf '.nf\n'
  "$@" --help | sed -e 's/^usage: //' -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\([.']\)/\\\\\&\1/"
  printf '.fi\n'
}

upper=$(echo "$name" | tr '[:lower:]' '[:upper:]')
cat <<END
.TH $upper 1 "" "pulpsim" "User commands"
.SH NAME
$(echo "$name" | sed 's/-/\\-/g') \\- $title
.SH SYNOPSIS
END
text "$program"
listed=$("$program" --help | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p')
for command in "$@" $listed; do
  printf '.SH %s\n' "$(echo "$command" | tr '[:lower:]' '[:upper:]')"
  text "$program" "$command"
done
printf '.SH SEE ALSO\n.BR pulpsim (1)\n'
