# Completion of pulpsim-tune for bash. Options are asked of the program itself.
_pulpsim_tune() {
  local cur=${COMP_WORDS[COMP_CWORD]} words
  case ${COMP_WORDS[COMP_CWORD - 1]},$cur in
  --on,*) words='local parallel slurm' ;;
  --again,* | --l3,*) words='fit all none' ;;
  *,-*) words="--help $(pulpsim-tune --help | grep -o -e '--[a-z][a-z0-9-]*' | sort -u)" ;;
  *)
    case $COMP_CWORD in
    1) words='layer network' ;;
    2) words='pointwise linear' ;;
    *)
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      return ;;
    esac ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -o filenames -F _pulpsim_tune pulpsim-tune
