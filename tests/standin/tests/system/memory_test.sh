#!/bin/bash
# The sample programs and a build under valgrind, the fourth argument: no error, nothing lost.
# shellcheck disable=SC2317  # the functions are called by name
. "$(dirname "$0")/harness.sh"
valgrind=$4

checked() {
  expect 0 "$valgrind" --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite "$@"
}

infer() {
  build LoadBalance:4 wide model
  checked "$bin/sample_infer" --om model.om --loop 3
  build LoadBalance:4 dynamic model
  checked "$bin/sample_infer" --om "$(ls model_linux_*.om)" --loop 2 --dynamic-dims 3,256
}
it "sample_infer is clean, for a static model and one of unknown shape" infer

run() { GE_AUTO_MULTISTREAM_PARALLEL_MODE=MainStream:2 checked "$bin/sample_run" --steps 2 --dim 64; }
it "sample_run is clean" run

compile() {
  GE_AUTO_MULTISTREAM_PARALLEL_MODE=cv STANDIN_ATC_WORKERS=0 checked "$toolkit/bin/atc.bin" \
    --model="$models/diamond.graph" --output=model --soc_version=Ascend910B2
}
it "a build is clean" compile

finish
