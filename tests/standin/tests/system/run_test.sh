#!/bin/bash
# The online API: a graph that is compiled and run in the process.
# shellcheck disable=SC2317  # the functions are called by name
. "$(dirname "$0")/harness.sh"

run() { GE_AUTO_MULTISTREAM_PARALLEL_MODE=${mode:-} "$bin/sample_run" "$@"; }
median() { records | sed 's/.*cost_us=\([0-9]*\) .*/\1/' | sort -n | sed -n 7p; }

online_records() {
  mode=LoadBalance:4 run
  equal "$(records | grep -cF 'api=Run mode=LoadBalance:4 model_id=1 step=')" 13
  equal "$(records | grep -cv ' sync_us=0 ')" 0
}
it "a session's steps are recorded by api Run, the one that warms up too, without a wait" \
  online_records

nothing_recorded() {
  run --steps 2
  equal "$(records)" ""
}
it "without a mode nothing is recorded" nothing_recorded

faster() {
  mode=default run && median >default
  rm -rf log && mkdir log
  mode=LoadBalance:4 run && median >four
  test "$(cat four)" -lt "$(cat default)"
}
it "four branches are faster on more streams" faster

same_digest() {
  mode=default run --steps 1 | grep digest >one
  mode=MainStream:2 run --steps 1 | grep digest >two
  cmp one two
}
it "the digest is the same for every mode" same_digest

bad_mode() {
  mode=LoadBalance:99 expect 1 run
  says E10001
  says "RunGraph failed with 145000"
}
it "a bad mode fails the run, not the start" bad_mode

not_loadable() {
  mkdir -p opp/vendors/aaa/custom_fusion_passes
  echo "no library" >opp/vendors/aaa/custom_fusion_passes/broken.so
  ASCEND_OPP_PATH=$PWD/opp expect 1 run
  says "GEInitialize failed"
  says E13029
}
it "a pass that cannot be loaded fails the initialization" not_loadable

device() {
  expect 0 run --steps 1 --device 1
  expect 1 run --steps 1 --device 7
  says 107001
}
it "--device chooses the device" device

device_of_the_environment() {
  ASCEND_DEVICE_ID=1 expect 0 run --steps 1
  ASCEND_DEVICE_ID=7 expect 1 run --steps 1
  says 107001
  ASCEND_DEVICE_ID=7 expect 0 run --steps 1 --device 0
  ASCEND_DEVICE_ID=one expect 2 run --steps 1
  says 'ASCEND_DEVICE_ID takes a whole number from 0, not "one"'
}
it "without --device it is that of ASCEND_DEVICE_ID" device_of_the_environment

usage() {
  expect 2 run --steps 0
  expect 2 run --what 1
}
it "bad arguments exit with 2" usage

finish
