#!/usr/bin/env bash
# scripts/slurm/mstune.sh through the sbatch of Debian's own Slurm: one node, with controller, node
# daemon and munge, installed into a copy of this machine's root that goes with the test, in
# namespaces of its own. Status 77: this machine allows no such copy.
#
#   slurm_real.sh SOURCE_DIR BIN_DIR TOOLKIT_DIR      as root; downloads some 10 MB
set -euo pipefail
source_dir=$(realpath "$1") bin_dir=$(realpath "$2") toolkit=$(realpath "$3") part=${4:-outside}
work=/tmp/mstune-slurm # in the copy

fail() {
  echo "slurm: $*"
  for file in "$work"/{log,slurmctld.log,slurmd.log}; do
    [ ! -e "$file" ] || { echo "--- $file"; tail -n 60 "$file"; }
  done
  exit 1
}

# Waits up to so many seconds for a command to succeed.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || fail "did not come true: $*"
    sleep 0.2 # between looks, up to a deadline
  done
}

# ---- outside, and in a copy of the root ----

outside() {
  [ "$(id -u)" -eq 0 ] || { echo "slurm: not run, only root may copy the root"; exit 77; }
  local scratch status=0
  scratch=$(mktemp -d /tmp/mstune-slurm-XXXXXX)
  unshare --mount --pid --fork --kill-child \
    bash "$0" "$source_dir" "$bin_dir" "$toolkit" copy "$scratch" || status=$?
  rmdir "$scratch"
  exit "$status"
}

in_copy() {
  local scratch=$1
  mount -t tmpfs none "$scratch"
  mkdir "$scratch/upper" "$scratch/work" "$scratch/root"
  mount -t overlay -o "lowerdir=/,upperdir=$scratch/upper,workdir=$scratch/work" none \
    "$scratch/root" || exit 77
  mount --rbind /dev "$scratch/root/dev"
  mount --rbind /sys "$scratch/root/sys"
  mount -t proc proc "$scratch/root/proc"
  # Nothing is started by installing.
  printf '#!/bin/sh\nexit 101\n' >"$scratch/root/usr/sbin/policy-rc.d"
  chmod +x "$scratch/root/usr/sbin/policy-rc.d"
  local install="apt-get install -y -qq --no-install-recommends slurmctld slurmd slurm-client munge"
  chroot "$scratch/root" env DEBIAN_FRONTEND=noninteractive bash -c \
    "$install || { apt-get update -qq && $install; }" >"$scratch/apt.log" 2>&1 || {
    cat "$scratch/apt.log"
    exit 1
  }
  unshare --net chroot "$scratch/root" bash "$source_dir/tests/scripts/slurm_real.sh" \
    "$source_dir" "$bin_dir" "$toolkit" node
}

# ---- a node of its own ----

write_configuration() {
  local kind=$1 task=affinity
  [ "$kind" != pgid ] || task=none
  cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/$kind
TaskPlugin=task/$task
TaskProlog=$work/prolog.sh
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
GresTypes=npu
KillWait=30
NodeName=$(hostname) NodeAddr=127.0.0.1 CPUs=$(nproc) Gres=npu:2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
  echo 'Name=npu Count=2' >gres.conf
  # As sites do it: what was granted becomes the mask of CANN's runtime.
  # shellcheck disable=SC2016  # the prolog expands them
  printf '#!/bin/sh\n[ -z "${MASK:-}" ] || echo "export ASCEND_RT_VISIBLE_DEVICES=$MASK"\n' >prolog.sh
  chmod +x prolog.sh
}

start_munge() {
  mkdir -p /run/munge
  chown munge: /run/munge
  setpriv --reuid munge --regid munge --clear-groups munged
  within 10 test -S /run/munge/munge.socket.2
}

is_idle() {
  [ "$(sinfo -h -o %T 2>/dev/null)" = idle ]
}

start_slurm() {
  rm -rf state spool ./*.log
  mkdir state spool
  write_configuration "$1"
  SLURM_CONF=$work/slurm.conf slurmctld
  SLURM_CONF=$work/slurm.conf slurmd
  within 30 is_idle
}

stop_slurm() {
  kill "$(cat slurmd.pid)" "$(cat slurmctld.pid)"
  within 30 test ! -e slurmctld.pid -a ! -e slurmd.pid
}

# Submits mstune.sh with these arguments; the job's number is in $job, what it says in ./log.
submit() {
  rm -rf log out "$TMPDIR"
  mkdir "$TMPDIR"
  job=$(sbatch --parsable --output=log --gres=npu:2 --time=10 "$source_dir/scripts/slurm/mstune.sh" \
    --output-dir out "$@")
}

is_over() {
  ! squeue -h -j "$job" 2>/dev/null | grep -q .
}

says() {
  grep -q -- "$1" log || fail "the job's log does not say: $1"
}

# However the job ended: nothing of it is there, and its log tells of no violence.
must_be_clean() {
  [ -z "$(ls -A "$TMPDIR")" ] || fail "left in TMPDIR: $(ls "$TMPDIR")"
  ! pgrep 'mstune|sample_' >/dev/null || fail "left running: $(ps ax)"
  [ -z "$(find . -name "mstune-$job-*")" ] || fail "left: the keys of the job"
}

must_be_completed() {
  scontrol show job "$job" | grep -q 'JobState=COMPLETED.*' || fail "$(scontrol show job "$job")"
  ! grep -qi 'kill\|error\|cancel\|slurmstepd\|forc' log || fail "the log of a good job is not clean"
  must_be_clean
}

good_jobs() {
  echo "== $1: a job of each mode ends well, and leaves nothing"
  submit --run-command "sample_run --steps 12" --configs LoadBalance:4 --repeat 2
  within 120 is_over
  says '^Recommended\|^Keep\|recommended'
  must_be_completed
  submit --mode offline \
    --compile-command "atc --model=$source_dir/tests/standin/models/wide.graph --soc_version=Ascend910B2 --output={om_prefix}" \
    --run-command "sample_infer --om {om} --loop 12" --configs LoadBalance:4 --repeat 1
  within 120 is_over
  must_be_completed
}

mask() {
  echo "== $1: of the devices only what was granted is offered, of the processors all"
  export MASK=1
  submit --run-command "sh -c 'echo mask \$ASCEND_RT_VISIBLE_DEVICES of \$(nproc); exec sample_run --steps 12'" \
    --configs LoadBalance:4 --repeat 1
  unset MASK
  within 120 is_over
  must_be_completed
  [ "$(cat out/run_*/trial_*/stdout.log | grep '^mask ' | sort -u)" = "mask 1 of $(nproc)" ] ||
    fail "masks: $(grep -h '^mask' out/run_*/trial_*/stdout.log)"
}

# One that measures the first round, and waits for ever in the second one.
write_slow_program() {
  cat >slow.sh <<SLOW
case "\$(ls $work/out/run_*/trial_*/trial.json 2>/dev/null | wc -l)" in
  0 | 1) exec sample_run --steps 12 ;;
esac
touch $work/waits
exec sleep 600
SLOW
}

cancelled() {
  echo "== $1: scancel $2: it ranks, says how to go on, and leaves nothing"
  write_slow_program
  rm -f waits
  MSTUNE_DEVICES=0 submit --run-command "sh $work/slow.sh" --configs LoadBalance:4 --repeat 2
  within 120 test -e waits
  # shellcheck disable=SC2086  # options
  scancel $2 "$job"
  local begin=$SECONDS
  within 120 is_over
  echo "   it was over after $((SECONDS - begin)) s"
  says 'Candidates by median'
  says '--resume'
  [ "$((SECONDS - begin))" -lt 25 ] || fail "it took all of KillWait"
  must_be_clean
  if [ -n "$2" ]; then
    echo "== $1: and it goes on as it says"
    echo 'exec sample_run --steps 12' >slow.sh
    mv out before
    MSTUNE_DEVICES=0 submit --resume "$(echo before/run_*)" --run-command "sh $work/slow.sh" \
      --configs LoadBalance:4 --repeat 2
    within 120 is_over
    says '2/2'
    must_be_completed
    rm -rf before
  fi
}

on_node() {
  export HOME=$work/home TMPDIR=$work/tmp SLURM_CONF=$work/slurm.conf
  mkdir -p "$HOME" "$TMPDIR"
  cd "$work"
  ip link set lo up
  ip addr add 10.77.0.1/32 dev lo # Slurm asks for names as if there were no network otherwise
  set +u
  # shellcheck source=/dev/null
  . "$toolkit/set_env.sh"
  set -u
  export PATH="$bin_dir:$PATH" STANDIN_STATE_DIR="$work/standin" STANDIN_DETERMINISTIC=1
  export STANDIN_TIME_SCALE=0
  start_munge
  local kinds=(pgid linuxproc)
  if [ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ] && [ -w /sys/fs/cgroup/cgroup.procs ]; then
    kinds+=(cgroup)
  else
    echo "slurm: not run with proctrack/cgroup: /sys/fs/cgroup is no delegated tree of version 2"
  fi
  local kind
  for kind in "${kinds[@]}"; do
    start_slurm "$kind"
    good_jobs "$kind"
    mask "$kind"
    cancelled "$kind" ""
    cancelled "$kind" "--batch --signal=TERM"
    stop_slurm
  done
  echo "slurm: real jobs ended well with proctrack ${kinds[*]}"
}

case "$part" in
  outside) outside ;;
  copy) in_copy "$5" ;;
  node) on_node ;;
esac
