#!/usr/bin/env bash
# A Slurm of one node on this machine, for trying things out and for tests. Everything it writes lies in one folder, it
# listens on ports of its own, and an installed Slurm's settings are neither read nor changed.
#
#   tools/slurm_here.sh install          Debian's packages (root)
#   tools/slurm_here.sh start FOLDER     then: export SLURM_CONF=FOLDER/slurm.conf
#   tools/slurm_here.sh stop FOLDER
#
# CPUS and MEMORY (megabytes) say what the node is to have; without them it has what the machine has.
set -euo pipefail
export PATH="$PATH:/usr/sbin:/sbin"

fail() { echo "slurm_here: $*" >&2; exit 1; }

free_ports() {
  python3 -c '
import socket
held = [socket.socket() for _ in range(2)]
for one in held: one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in held))'
}

install_packages() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || fail "install Slurm and munge by your system's own means"
  apt-get update -qq
  # The packages would start daemons of their own where there is an init.
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq slurm-wlm munge >/dev/null
}

start_munge() {
  # munged refuses a socket below folders that others may write to, so it has a folder of its own.
  local place; place=$(mktemp -d /tmp/slurm_here.XXXXXX)
  echo "$place" > "$folder/munge_folder"
  head -c 1024 /dev/urandom > "$place/key"
  chmod 400 "$place/key"; chmod 755 "$place"
  local as=()
  if [ "$(id -u)" = 0 ]; then
    chown -R munge "$place"
    as=(setpriv --reuid munge --regid munge --clear-groups)
  fi
  "${as[@]}" munged --force --key-file="$place/key" --socket="$place/socket" --pid-file="$place/pid" \
    --log-file="$place/log" --seed-file="$place/seed" 2>> "$folder/munge.err" || fail "munged does not start: $(tail -n 1 "$folder/munge.err")"
  munge_socket=$place/socket
}

write_settings() {
  local host; host=$(hostname -s)
  getent hosts "$host" >/dev/null || fail "the name of this machine, $host, must be in /etc/hosts"
  read -r controller node < <(free_ports)
  local memory=${MEMORY:-$(awk '/MemTotal/ {print int($2 / 1024)}' /proc/meminfo)}
  mkdir -p "$folder/state" "$folder/spool"
  cat > "$folder/slurm.conf" <<CONF
ClusterName=here
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller
SlurmdPort=$node
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$munge_socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=batch_sched_delay=1,sched_interval=5
KillWait=5
NodeName=$host NodeAddr=127.0.0.1 CPUs=${CPUS:-$(nproc)} RealMemory=$memory State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
}

start() {
  for program in munged slurmctld slurmd sbatch; do
    command -v "$program" >/dev/null || fail "there is no $program here: tools/slurm_here.sh install, as root"
  done
  mkdir -p "$folder"
  [ ! -e "$folder/munge_folder" ] || fail "$folder has a cluster already: stop it first"
  trap stop EXIT
  start_munge
  write_settings
  export SLURM_CONF=$folder/slurm.conf
  slurmctld -c && slurmd -c || fail "the daemons do not start: see $folder/*.log"
  for _ in $(seq 60); do
    case "$(sinfo --noheader --format %T 2>/dev/null || true)" in idle | mixed | allocated) trap - EXIT; return 0 ;; esac
    sleep 0.5
  done
  tail -n 5 "$folder"/*.log >&2
  fail "the node is not ready after 30 s"
}

end() {
  local pid; pid=$(cat "$1" 2>/dev/null) || return 0
  kill "$pid" 2>/dev/null || return 0
  for _ in $(seq 50); do kill -0 "$pid" 2>/dev/null || return 0; sleep 0.2; done
  kill -9 "$pid" 2>/dev/null || true
}

stop() {
  [ -e "$folder/munge_folder" ] || return 0
  export SLURM_CONF=$folder/slurm.conf
  timeout 10 scancel --user "$(id -un)" 2>/dev/null || true
  for _ in $(seq 30); do
    [ -n "$(timeout 5 squeue --noheader 2>/dev/null || true)" ] || break
    sleep 0.5
  done
  end "$folder/slurmd.pid"; end "$folder/slurmctld.pid"
  local place; place=$(cat "$folder/munge_folder" 2>/dev/null || true)
  case "$place" in /tmp/slurm_here.*) end "$place/pid"; rm -rf "$place" ;; esac
  # Logs stay; without the settings there is no cluster.
  rm -rf "$folder/slurm.conf" "$folder/state" "$folder/spool" "$folder/munge_folder"
}

case "${1:-}" in
  install) install_packages ;;
  start | stop) folder=$(realpath -m "${2:?usage: slurm_here.sh $1 FOLDER}"); "$1" ;;
  *) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
