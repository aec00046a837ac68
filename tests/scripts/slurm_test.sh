#!/usr/bin/env bash
# scripts/slurm/mstune.sh with an srun and a scontrol that play two nodes on this machine.
#
#   slurm_test.sh SOURCE_DIR BIN_DIR TOOLKIT_DIR
set -euo pipefail
source_dir=$1
bin_dir=$2
toolkit=$3
work=$(mktemp -d /tmp/mstune-slurm-XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir bin

cat > bin/scontrol <<'FAKE'
#!/usr/bin/env bash
[ "$*" = "show hostnames node[1-2]" ] || exit 1
printf '127.0.0.1\n127.0.0.2\n'
FAKE
cat > bin/srun <<'FAKE'
#!/usr/bin/env bash
# Starts its command once for each task, each on an address of its own, and ends with them.
tasks=1
while [[ $1 == --* ]]; do
  [[ $1 == --ntasks=* ]] && tasks=${1#--ntasks=}
  shift
done
children=()
trap 'kill "${children[@]}"; wait; exit 0' TERM
for ((task = 1; task <= tasks; ++task)); do
  MSTUNE_LISTEN=127.0.0.$task SLURM_NODEID=$task "$@" &
  children+=($!)
done
printf '%s\n' "${children[@]}" > children
wait
FAKE
chmod +x bin/srun bin/scontrol

# shellcheck disable=SC1091
. "$toolkit/set_env.sh"
export PATH="$work/bin:$bin_dir:$PATH" HOME="$work" STANDIN_STATE_DIR="$work/state"
export STANDIN_DETERMINISTIC=1 STANDIN_TIME_SCALE=0
export SLURM_JOB_ID=42 SLURM_JOB_NODELIST="node[1-2]"
MSTUNE_PORT=$((20000 + RANDOM % 20000))
export MSTUNE_PORT

# Two nodes with one boot are no surprise to mstune, but to this test they are two.
bash "$source_dir/scripts/slurm/mstune.sh" --run-command "$bin_dir/sample_run --steps 12" \
  --configs LoadBalance:4 --repeat 4 --allow-mismatch --output-dir out > said 2>&1 ||
  { cat said; exit 1; }

python3 - out/run_*/summary.json <<'CHECK' || { cat said; exit 1; }
import json, sys
summary = json.load(open(sys.argv[1]))
assert summary["target_host"] == "127.0.0.1,127.0.0.2", summary["target_host"]
assert len(summary["devices"]) == 4, summary["devices"]
assert {device["agent"] for device in summary["devices"] if device["valid_trials"] > 0} == {0, 1}
assert all(trial["valid"] for trial in summary["trials"])
CHECK
while read -r child; do
  ! kill -0 "$child" 2> /dev/null || { echo "an agent was left behind"; exit 1; }
done < children
echo "slurm: two agents started, measured, ended"
