#!/usr/bin/env bash
# Sets up, builds, and runs the main job in both modes on the stand-in CANN toolkit: no NPU needed.
# All of it goes into build/ and the directory that is named.
#
#   scripts/demo.sh [DIRECTORY]      default: build/demo
set -euo pipefail
output=$(realpath -m "${1:-"$(dirname "$0")/../build/demo"}")
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
model=$PWD/tests/standin/models/wide.graph
mkdir -p "$output"
cd "$output" # atc leaves files where it is started

echo
echo "== online: the program compiles its graph itself =="
mstune tune --run-command "sample_run --steps 30" --output-dir online

echo
echo "== offline: one OM for each candidate, built by atc =="
mstune tune --mode offline \
  --compile-command "atc --model=$model --soc_version=Ascend910B2 --output={om_prefix}" \
  --run-command "sample_infer --om {om} --loop 30" \
  --output-dir offline
