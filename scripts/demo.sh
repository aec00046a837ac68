#!/usr/bin/env bash
# Sets up, builds, and runs the main job in both modes on the stand-in CANN toolkit: no NPU needed.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build
echo "Building mstune and a stand-in CANN toolkit into build/ (the first time takes minutes)…"
scripts/build.sh build mstune mstune-agent standin_pass standin_samples >build/demo-build.log 2>&1 || {
  tail -n 40 build/demo-build.log >&2
  echo "the build failed; all of it is in build/demo-build.log" >&2
  exit 1
}
# shellcheck source=/dev/null
. build/cann/set_env.sh
export PATH="$PWD/build/bin:$PATH"
output=${1:-build/demo}

echo
echo "== online: the program compiles its graph itself =="
mstune tune --run-command "sample_run --steps 30" --output-dir "$output/online"

echo
echo "== offline: one OM for each candidate, built by atc =="
mstune tune --mode offline \
  --compile-command "atc --model=$PWD/tests/standin/models/wide.graph --soc_version=Ascend910B2 --output={om_prefix}" \
  --run-command "sample_infer --om {om} --loop 30" \
  --output-dir "$output/offline"
