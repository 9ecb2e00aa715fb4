# Completion of pulpsim-deploy for bash. Commands and options are asked of the program itself.
_pulpsim_deploy() {
  local cur=${COMP_WORDS[COMP_CWORD]} command='' commands version=''
  commands=$(pulpsim-deploy --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
  [[ " "${commands//$'\n'/ }" " != *" ${COMP_WORDS[1]} "* ]] || command=${COMP_WORDS[1]}
  [ -n "$command" ] || version=--version
  case $cur in
  -*)
    mapfile -t COMPREPLY < <(compgen \
      -W "--help $version $(pulpsim-deploy "${command:-emit}" --help | grep -o -e '--[a-z][a-z0-9-]*' | sort -u)" -- "$cur") ;;
  *)
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    [ "$COMP_CWORD" -ne 1 ] ||
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$commands" -- "$cur") ;;
  esac
}
complete -o filenames -F _pulpsim_deploy pulpsim-deploy
