# Completion of pulpsim-bench for bash. Options are asked of the program itself.
_pulpsim_bench() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} dir
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W 'run report diff speed --help --version' -- "$cur")
    return
  fi
  case $prev in
  -k | --kernels | -d | --suites) mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;
  -[jtpnc] | --commit | --jobs | --timeout | --percent | --runs) return ;;
  esac
  case $cur in
  -*)
    mapfile -t COMPREPLY < <(compgen \
      -W "$(pulpsim-bench --help | grep -o -e '--[a-z][a-z-]*' | sort -u)" -- "$cur")
    return ;;
  esac
  case ${COMP_WORDS[1]} in
  run)
    mapfile -t COMPREPLY < <(compgen \
      -W "$(sed -n 's/^\([a-z][a-z0-9_]*\) .*/\1/p' build/kernels/list.txt 2>/dev/null)" -- "$cur") ;;
  report)
    for dir in bench/suites/*.yml; do
      dir=${dir##*/}
      [[ ${dir%.yml} != "$cur"* ]] || COMPREPLY+=("${dir%.yml}")
    done ;;
  diff) mapfile -t COMPREPLY < <(compgen -f -X '!*.json' -- "$cur"; compgen -d -- "$cur") ;;
  esac
}
complete -o filenames -F _pulpsim_bench pulpsim-bench
