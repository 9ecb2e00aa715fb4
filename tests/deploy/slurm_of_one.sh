#!/bin/sh
# Runs a command with a Slurm of one node, this machine, which ends with it. Needs Debian's
# slurm-wlm; neither root nor munge.
# usage: tests/deploy/slurm_of_one.sh DIR COMMAND...     DIR: for its state and logs; no space in it
#
# Exit status: the command's; 69 if Slurm is not installed, 75 if it does not start.
set -eu
[ $# -gt 1 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2; exit 64; }
PATH=$PATH:/usr/sbin
for program in slurmctld slurmd sbatch sinfo; do
  command -v $program > /dev/null || { echo "$0: $program is not there: slurm-wlm has it" >&2; exit 69; }
done
mkdir -p "$1/state" "$1/spool"
dir=$(cd "$1" && pwd)
shift
port=$((20000 + $$ % 10000 * 2)) # ports of two at the same time differ
export SLURM_CONF="$dir/slurm.conf"
cat > "$SLURM_CONF" << END
ClusterName=one
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/none
CredType=cred/none
MpiDefault=none
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldPort=$port
SlurmdPort=$((port + 1))
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
slurmctld -D > "$dir/slurmctld.log" 2>&1 &
controller=$!
slurmd -D > "$dir/slurmd.log" 2>&1 &
node=$!
trap 'kill $node $controller 2> /dev/null || :; wait' EXIT
tries=150
until [ "$(sinfo -h -o %T 2> /dev/null)" = idle ]; do
  tries=$((tries - 1))
  if [ $tries = 0 ] || ! kill -0 $controller $node 2> /dev/null; then
    tail -n 5 "$dir/slurmctld.log" "$dir/slurmd.log" >&2
    exit 75
  fi
  sleep 0.2
done
status=0
"$@" || status=$?
exit $status
