#!/bin/bash
# Which passes are loaded, in which order, and what GE makes of the mode that they write.
# Fourth argument: the directory with the passes of the tests.
# shellcheck disable=SC2317  # the functions are called by name
. "$(dirname "$0")/harness.sh"
test_passes=$4

# vendor NAME FILE...: an opp of this test's own with the shipped pass and others.
vendor() {
  if [ ! -d opp ]; then
    cp -r "$work/opp" opp
  fi
  export ASCEND_OPP_PATH=$PWD/opp
  mkdir -p "opp/vendors/$1/custom_fusion_passes"
  cp "${@:2}" "opp/vendors/$1/custom_fusion_passes/"
}

attributes() { atc --mode=6 --om="$1" | grep 'attr  ' || true; }
streams() { atc --mode=6 --om="$1" | sed -n 's/.*stream_num\[\([0-9]*\)\].*/\1/p'; }

both_attributes() {
  build LoadBalance:4 wide model
  attributes model.om | grep -F 'ge.autoMultistreamParallelMode[LoadBalance:4]'
  attributes model.om | grep -F '_auto_multistream_tuning_mode[LoadBalance:4]'
  equal "$(streams model.om)" 4
}
it "the pass writes the variable to both attributes, and the OM carries them" both_attributes

no_variable() {
  build "" wide empty
  atc --model="$models/wide.graph" --output=unset --soc_version=Ascend910B2
  equal "$(attributes empty.om)$(attributes unset.om)" ""
  cmp empty.om unset.om
}
it "an unset or empty variable leaves the graph alone" no_variable

no_pass() {
  mkdir -p opp && export ASCEND_OPP_PATH=$PWD/opp
  build LoadBalance:4 wide model
  equal "$(attributes model.om)" ""
  "$bin/sample_infer" --om model.om --loop 3
  equal "$(records)" ""
}
it "without the pass the variable does nothing and no step is recorded" no_pass

last_writer() {
  vendor aaa "$test_passes/libother_writer.so"
  build LoadBalance:4 wide model
  attributes model.om | grep -F 'ge.autoMultistreamParallelMode[LoadBalance:4]'
  vendor zzz "$test_passes/libother_writer.so"
  build LoadBalance:4 wide model
  attributes model.om | grep -F 'ge.autoMultistreamParallelMode[MainStream:3]'
  attributes model.om | grep -F '_auto_multistream_tuning_mode[MainStream:3]'
}
it "of two passes that write an attribute the one that sorts last wins" last_writer

not_loadable() {
  echo "no library" >broken.so
  vendor aaa broken.so
  expect 255 build LoadBalance:4 wide model
  says "E13029"
  says "Failed to load custom fusion pass lib $PWD/opp/vendors/aaa/custom_fusion_passes/broken.so. Reason: "
  fails test -e model.om
}
it "one library that cannot be loaded fails every build with E13029" not_loadable

linked() {
  mkdir -p opp/vendors && export ASCEND_OPP_PATH=$PWD/opp
  mkdir -p opp/vendors/zz_mstune
  ln -s "$passes" opp/vendors/zz_mstune/custom_fusion_passes
  build LoadBalance:4 wide passed_over
  equal "$(attributes passed_over.om)" ""
  rm -r opp/vendors/zz_mstune
  ln -s "${passes%/*}" opp/vendors/zz_mstune
  build LoadBalance:4 wide followed
  attributes followed.om | grep -F 'ge.autoMultistreamParallelMode[LoadBalance:4]'
  ASCEND_OPP_PATH=opp build LoadBalance:4 wide relative
  attributes relative.om | grep -F 'ge.autoMultistreamParallelMode[LoadBalance:4]'
}
it "a linked custom_fusion_passes is passed over, a linked vendor followed, a relative path taken" linked

no_library() {
  mkdir -p opp/vendors/aaa/custom_fusion_passes && export ASCEND_OPP_PATH=$PWD/opp
  ln -s nothing opp/vendors/aaa/custom_fusion_passes/dangling.so
  expect 255 build LoadBalance:4 wide model
  says "E13029"
  rm opp/vendors/aaa/custom_fusion_passes/dangling.so
  mkdir opp/vendors/aaa/custom_fusion_passes/directory.so
  expect 255 build LoadBalance:4 wide model
  says "E13029"
}
it "a link to nothing, or a directory, of that name fails every build" no_library

not_a_library() {
  echo "notes" >README.txt
  vendor aaa README.txt
  expect 0 build LoadBalance:4 wide model
}
it "files that are no .so are not looked at" not_a_library

pass_fails() {
  vendor mmm "$test_passes/libfailing.so"
  expect 255 build LoadBalance:4 wide model
  says "E13028"
  says "Failed to run custom fusion pass FailingPass. Return code: 4294967295. Reason: the test asked for it."
}
it "a pass that returns an error fails the build with E13028 and its reason" pass_fails

bad_modes() {
  local mode
  for mode in nonsense LoadBalance LoadBalance: LoadBalance:0 LoadBalance:65 LoadBalance:+4 \
    LoadBalance:4:4 loadbalance:4 cv:2 MainStream:-1; do
    expect 255 build "$mode" wide model
    says E10001
  done
}
it "a mode that GE does not know is refused with E10001" bad_modes

limits() {
  build LoadBalance:1 wide one
  build LoadBalance:64 wide many
  equal "$(streams one.om)" 1
  equal "$(streams many.om)" 8
}
it "1 and 64 streams are accepted, and no more are made than the graph is wide" limits

leading_zero() {
  build LoadBalance:04 wide model
  equal "$(streams model.om)" 4
  "$bin/sample_infer" --om model.om --loop 1
  records | grep -F 'mode=LoadBalance:04 '
}
it "a leading zero is accepted, and recorded as it was written" leading_zero

default_by_option() {
  expect 255 build "" wide model --multi_stream_parallel_mode=default
  says "The default mode is supported only by the graph attribute set by a custom pass."
  expect 0 build default wide model
}
it "default is valid as an attribute only" default_by_option

attribute_beats_option() {
  build LoadBalance:2 wide model --multi_stream_parallel_mode=LoadBalance:8
  equal "$(streams model.om)" 2
  build "" wide model --multi_stream_parallel_mode=LoadBalance:8
  equal "$(streams model.om)" 8
  "$bin/sample_infer" --om model.om --loop 1
  equal "$(records)" ""
}
it "the attribute beats the option, and the option alone records nothing" attribute_beats_option

single_stream() {
  expect 0 build "" wide model --enable_single_stream=true
  expect 255 build LoadBalance:4 wide model --enable_single_stream=true
  says E10056
  expect 255 build default wide model --enable_single_stream=true
  says E10056
}
it "a single stream conflicts with every mode, even default: E10056" single_stream

dynamic_ignores() {
  local om
  om="model_linux_$(uname -m).om"
  build LoadBalance:4 dynamic model
  equal "$(streams "$om")" 1
  ENABLE_DYNAMIC_SHAPE_MULTI_STREAM=1 build LoadBalance:4 dynamic model
  equal "$(streams "$om")" 4
  "$bin/sample_infer" --om "$om" --loop 1 --dynamic-dims 4,256
  records | grep -F 'mode=LoadBalance:4 '
}
it "a graph of unknown shape ignores the mode unless a variable is set at compile time" \
  dynamic_ignores

profile() {
  mkdir profile
  {
    echo "Op Name,Task Duration(us)"
    for k in 0 1 2 3 4 5; do echo "b0_$k,5000" && echo "b1_$k,100"; done
  } >profile/op_summary_0.csv
  build MainStream:4 wide plain
  MINIDAG_PROFILING_PATH=$PWD/profile build MainStream:4 wide profiled
  MINIDAG_PROFILING_PATH=$PWD/profile build WeightedLoadBalance:4 wide weighted
  tail -c 700 plain.om >plain.tasks
  tail -c 700 profiled.om >profiled.tasks
  tail -c 700 weighted.om >weighted.tasks
  cmp profiled.tasks weighted.tasks
  fails cmp -s plain.tasks profiled.tasks
  attributes profiled.om | grep -F 'MainStream:4'
}
it "MINIDAG_PROFILING_PATH turns every strategy into the weighted one, and the mode hides it" profile

finish
