#!/usr/bin/env bash
# Tunes on the nodes that Slurm hands out: an agent on each of them, the coordinator against all.
#
#   sbatch --nodes=4 --gres=npu:8 scripts/slurm/mstune.sh --run-command "python3 infer.py"
#
# The arguments go to `mstune tune`. mstune and mstune-agent are found through PATH on every node.
#   MSTUNE_DIR      keys and the inventory, on a file system that all nodes see
#                   (default: mstune-<job> in the working directory)
#   MSTUNE_PORT     of the agents (default: 18600)
#   MSTUNE_DEVICES  that each agent offers (default: auto)
#SBATCH --job-name=mstune
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
set -euo pipefail
umask 077
directory=${MSTUNE_DIR:-$PWD/mstune-$SLURM_JOB_ID}
port=${MSTUNE_PORT:-18600}
mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")

# Keys of this job alone: nobody else on the nodes may use the agents.
mkdir -p "$directory/authorized"
mstune keygen job --file "$directory/id.key"
mstune keygen box --file "$directory/agent.key"
cp "$directory/id.pub" "$directory/authorized/"
server_key=$(cut -d' ' -f2 "$directory/agent.pub")

# The variables in this text are the nodes'.
# shellcheck disable=SC2016
agent='exec mstune-agent --listen "tcp://${MSTUNE_LISTEN:-0.0.0.0}:$1" --key "$2/agent.key" \
  --authorized "$2/authorized" --devices "$3" \
  --work-dir "${TMPDIR:-/tmp}/mstune-$SLURM_JOB_ID-$SLURM_NODEID"'
srun --ntasks="${#nodes[@]}" --ntasks-per-node=1 \
  bash -c "$agent" mstune-agent "$port" "$directory" "${MSTUNE_DEVICES:-auto}" &
agents=$!
trap 'kill "$agents" 2>/dev/null || true; wait "$agents" 2>/dev/null || true' EXIT

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

mstune tune --inventory "$directory/boxes.json" "$@"
