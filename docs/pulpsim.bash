# Completion of pulpsim for bash. Everything is asked of the program itself.
_pulpsim() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=
  case ${COMP_WORDS[1]} in config | disasm | isa) command=${COMP_WORDS[1]} ;; esac
  COMPREPLY=()
  # --option=value comes as three words
  [ "$cur" != = ] || cur=
  [ "$prev" != = ] || [ "$COMP_CWORD" -lt 2 ] || prev=${COMP_WORDS[COMP_CWORD - 2]}
  case $prev in
  -c | --config)
    mapfile -t COMPREPLY < <(compgen -W "$(pulpsim config --names)" -- "$cur")
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -X '!*.yml' -- "$cur")
    return ;;
  -s | --set)
    mapfile -t COMPREPLY < <(compgen -S = \
      -W "$(pulpsim config --list | sed -n 's/^\([a-z].*\)  (.*/\1/p')" -- "$cur")
    compopt -o nospace
    return ;;
  --trace)
    mapfile -t COMPREPLY < <(compgen -S = \
      -W "$(pulpsim --help | sed -n 's/^ *--trace=[^ ]* *//p' | tr -d ,)" -- "$cur")
    compopt -o nospace
    return ;;
  --engine)
    mapfile -t COMPREPLY < <(compgen \
      -W "$(pulpsim --help | sed -n 's/^ *--engine=\([^ ]*\).*/\1/p' | tr '|' ' ')" -- "$cur")
    return ;;
  esac
  case $cur in
  -*)
    mapfile -t COMPREPLY < <(compgen \
      -W "$(pulpsim ${command:+"$command"} --help | grep -o -e '--[a-z][a-z-]*')" -- "$cur") ;;
  *)
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    [ "$COMP_CWORD" -ne 1 ] ||
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W 'config disasm isa' -- "$cur") ;;
  esac
}
complete -o filenames -F _pulpsim pulpsim
