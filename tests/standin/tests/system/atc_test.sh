#!/bin/bash
# What a build with atc prints, writes and leaves behind. Fourth argument: the sanitizer flags that
# the toolkit was built with.
# shellcheck disable=SC2317  # the functions are called by name
. "$(dirname "$0")/harness.sh"

good_build() {
  expect 0 build "" chain model
  says "ATC start working now, please wait for a moment."
  says "ATC run success, welcome to the next use."
  test -s model.om
}
it "a build prints its start and its success, exits with 0 and writes PREFIX.om" good_build

failing_build() {
  expect 255 atc --model=none.graph --output=model --soc_version=Ascend910B2
  says "ATC run failed, Please check the detail log, Try 'atc --help' for more information"
  says "E10005: [PID: "
  fails test -e model.om
}
it "a failing build exits with 255 and prints an error block" failing_build

unknown_option() { expect 255 build "" chain model --no_such_option=1 && says E10016; }
it "an unknown option is an error" unknown_option

help() { expect 0 atc --help; }
it "--help exits with 0" help

suffix_twice() {
  expect 0 build "" chain model.om
  test -e model.om.om
  fails test -e model.om
}
it ".om is appended even to a prefix that ends in it" suffix_twice

dynamic_name() {
  expect 0 build "" dynamic model
  equal "$(ls ./*.om)" "./model_linux_$(uname -m).om"
}
it "a graph of unknown shape gets the system and processor into its name" dynamic_name

dynamic_name_for_another() {
  expect 0 build "" dynamic model --host_env_cpu=aarch64
  test -e model_linux_aarch64.om
}
it "--host_env_cpu names the processor" dynamic_name_for_another

dynamic_name_in_directory() {
  expect 0 build "" dynamic "dir.omega/model"
  test -e "dir_linux_$(uname -m).omega/model.om"
}
it "the first .om of the whole path is taken, even one in a directory's name" \
  dynamic_name_in_directory

gears_are_static() {
  expect 0 build "" dynamic model --input_shape=x:-1,256 --dynamic_dims='1;4;8'
  test -e model.om
}
it "gears keep the plain name: such a model is not of unknown shape" gears_are_static

external_each() {
  build default bigweights one --external_weight=1
  build LoadBalance:4 bigweights two --external_weight=1
  equal "$(find weight -name 'weight_*' | wc -l)" 8
  test "$(stat -c %s one.om)" -lt 100000
  expect 0 "$bin/sample_infer" --om two.om --loop 1
  build "" bigweights inside
  "$bin/sample_infer" --om two.om --loop 1 | grep digest >external_digest
  "$bin/sample_infer" --om inside.om --loop 1 | grep digest >inside_digest
  cmp external_digest inside_digest
}
it "--external_weight=1 writes weights by their content, which candidates share" external_each

external_combined() {
  build default bigweights one --external_weight=2
  build LoadBalance:4 bigweights two --external_weight=2
  test -s weight/one_weight_combined
  cmp weight/one_weight_combined weight/two_weight_combined
  expect 0 "$bin/sample_infer" --om one.om --loop 1
  mv weight elsewhere
  expect 1 "$bin/sample_infer" --om one.om --loop 1
  says E10410
}
it "--external_weight=2 writes one file per OM, without which it does not load" external_combined

shared_weights() {
  build default bigweights one
  build WeightedLoadBalance:4 bigweights two
  local one two
  # The first weight's content starts where its seed's first bytes do; its offset shifts.
  one=$(head -c 65536 one.om | grep -abo 'output sum' | head -1 | cut -d: -f1)
  two=$(head -c 65536 two.om | grep -abo 'output sum' | head -1 | cut -d: -f1)
  test "$one" -ne "$two"
  tail -c +$((one + 12)) one.om | head -c 33554432 >one.weights
  tail -c +$((two + 12)) two.om | head -c 33554432 >two.weights
  cmp one.weights two.weights
}
it "candidates share their weights at shifted offsets, and differ before and behind" shared_weights

litter() {
  build "" chain model
  test -e fusion_result.json
  test -d kernel_meta
  mkdir place && ASCEND_WORK_PATH=$PWD/place build "" chain model
  test -d place/kernel_meta
  test -n "$(find place/FE -name fusion_result.json)"
}
it "a build leaves litter in the working directory, or where ASCEND_WORK_PATH points" litter

# Processes of the session SID that have this name.
in_session() { pgrep -s "$1" "$2"; }

start_slow_build() {
  STANDIN_ATC_SLOW_MS=60000 setsid bash -c 'echo $$ >session; exec "$@"' bash \
    atc --model="$models/chain.graph" --output=model --soc_version=Ascend910B2 >/dev/null &
  eventually test -s session
  session=$(cat session)
  eventually in_session "$session" python3 >/dev/null
}

wrapper_killed() {
  start_slow_build
  kill -KILL "$session"
  eventually not_running "$session"
  in_session "$session" atc.bin
  in_session "$session" python3
  kill -KILL "$(in_session "$session" atc.bin)"
  eventually not_running "$(in_session "$session" atc.bin)"
  in_session "$session" python3
  kill -KILL -- "-$session"
  eventually nobody_in "$session"
}
not_running() { [ -z "$1" ] || ! kill -0 "$1" 2>/dev/null || grep -q '^State:.Z' "/proc/$1/status"; }
nobody_in() { ! in_session "$1" . >/dev/null; }
it "killing the wrapper leaves atc.bin, killing that leaves the workers, killing the group ends all" \
  wrapper_killed

workers_end() {
  expect 0 build "" chain model
  fails pgrep -f "te-worker.*$PWD"
}
it "workers end with a build that ends by itself" workers_end

killed_by_signal() {
  start_slow_build
  kill -KILL "$(in_session "$session" atc.bin)"
  local status=0
  wait $! || status=$?
  kill -KILL -- "-$session" 2>/dev/null || true
  equal "$status" 137
}
it "atc.bin killed by a signal makes the wrapper exit with 128 plus its number" killed_by_signal

asked_to_fail() {
  export STANDIN_ATC_FAIL=LoadBalance:4
  expect 0 build LoadBalance:2 chain two
  expect 255 build LoadBalance:4 chain four
  says E40021
}
it "a test can make one candidate's build fail" asked_to_fail

hungry() {
  STANDIN_ATC_MEMORY_MIB=400 STANDIN_ATC_WORKERS=0 expect 0 build "" chain model
  (ulimit -v 300000 && STANDIN_ATC_MEMORY_MIB=400 expect 255 build "" chain other)
}
# AddressSanitizer reserves terabytes of address space, which this bound forbids.
if [ -z "${4:-}" ]; then
  it "a test can make a build hungry" hungry
fi

wrong_characters() { expect 255 build "" chain 'a b' && says "E10001"; }
it "an output prefix with a space is refused" wrong_characters

finish
