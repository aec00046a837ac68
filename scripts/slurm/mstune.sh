#!/usr/bin/env bash
# Tunes on the nodes that Slurm hands out: an agent on each of them, the coordinator against all.
#
#   sbatch --nodes=4 --gres=npu:8 scripts/slurm/mstune.sh --run-command "python3 infer.py"
#
# The arguments go to `mstune tune`. mstune and mstune-agent are found through PATH on every node.
#   MSTUNE_DIR      where keys of this job alone are while it runs, on a file system that all nodes
#                   see (default: the working directory)
#   MSTUNE_LISTEN   address that the agents listen at (default: 0.0.0.0, all of a node's; only this
#                   job's key opens them)
#   MSTUNE_PORT     of the agents (default: 18600)
#   MSTUNE_DEVICES  that each agent offers (default: auto, within the mask that Slurm or the site's
#                   prolog puts into ASCEND_RT_VISIBLE_DEVICES)
#
# Trials run below $TMPDIR of each node, and nothing stays there. A run that is ended early ranks
# what it has and says how to go on (--resume): at the time limit two minutes before it (--signal
# below), by `scancel --batch --signal=TERM JOB` at once. A plain `scancel JOB` also ends the agents
# and their trials, and kills what is left after KillWait (slurm.conf, 30 s), which is enough to rank.
#SBATCH --job-name=mstune
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --signal=B:TERM@120
set -euo pipefail
umask 077
port=${MSTUNE_PORT:-18600}
mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")

# Nobody else on the nodes may use the agents, and no key outlives the job.
mkdir -p "${MSTUNE_DIR:-.}"
directory=$(mktemp -d "$(realpath "${MSTUNE_DIR:-.}")/mstune-$SLURM_JOB_ID-XXXXXX")
trap 'rm -rf "$directory"' EXIT
mkdir "$directory/authorized"
mstune keygen job --file "$directory/id.key" >/dev/null
mstune keygen box --file "$directory/agent.key" >/dev/null
cp "$directory/id.pub" "$directory/authorized/"
server_key=$(cut -d' ' -f2 "$directory/agent.pub")

# What runs on each node; the variables in it are the node's. An agent that srun is told to end is
# killed, and the job's log ends like a failure. TERM comes to all processes of the step at once, and
# the agent ends its trials then; this shell stays to clean up behind it.
# shellcheck disable=SC2016
on_node='
trap : TERM
work=${TMPDIR:-/tmp}/mstune-$SLURM_JOB_ID-$SLURM_NODEID
mstune-agent --listen "tcp://${MSTUNE_LISTEN:-0.0.0.0}:$2" --key "$1/agent.key" \
  --authorized "$1/authorized" --devices "$3" --work-dir "$work" &
agent=$!
until [ -e "$1/over" ] || ! kill -0 "$agent" 2>/dev/null; do sleep 0.5; done
kill -TERM "$agent" 2>/dev/null
while kill -0 "$agent" 2>/dev/null; do sleep 0.1; done
wait "$agent"
status=$?
rm -rf "$work"
exit "$status"'
# The trials may use all processors of the job, not only those of one task.
binding=()
if scontrol show config 2>/dev/null | grep -q '^TaskPlugin .*\(affinity\|cgroup\)'; then
  binding=(--cpu-bind=none)
fi
srun --ntasks="${#nodes[@]}" --ntasks-per-node=1 "${binding[@]}" \
  bash -c "$on_node" mstune-agent "$directory" "$port" "${MSTUNE_DEVICES:-auto}" &
agents=$!

# Tells the agents to leave and waits for them; srun ends those that do not.
# shellcheck disable=SC2317  # a trap calls it
dismiss_agents() {
  touch "$directory/over"
  local second
  for ((second = 0; second < 60; ++second)); do
    kill -0 "$agents" 2>/dev/null || break
    sleep 1
  done
  kill "$agents" 2>/dev/null || :
  wait "$agents" 2>/dev/null || :
  rm -rf "$directory"
}
trap dismiss_agents EXIT

{
  printf '{"defaults": {"port": %d, "server_key": "%s", "identity_file": "%s"}, "targets": [' \
    "$port" "$server_key" "$directory/id.key"
  separator=""
  for node in "${nodes[@]}"; do
    printf '%s{"host": "%s"}' "$separator" "$node"
    separator=", "
  done
  printf ']}\n'
} > "$directory/boxes.json"

mstune tune --inventory "$directory/boxes.json" "$@" &
tune=$!
# Whether mstune got Slurm's TERM as well depends on ProctrackType and on who sent it. A second TERM
# would make it leave without ranking; a HUP after the first one changes nothing.
# shellcheck disable=SC2317  # a trap calls it
pass_on() {
  interrupted=yes
  sleep 1
  kill -HUP "$tune" 2>/dev/null || :
}
trap pass_on TERM
interrupted=yes
while [ -n "$interrupted" ]; do # a signal ends a wait before mstune ends
  interrupted="" status=0
  wait "$tune" || status=$?
done
exit "$status"
