#!/bin/bash
# What ships for the real CANN, configured and built as a user does, against this toolkit.
# Fourth argument: CXXFLAGS that the toolkit's libraries were built with (sanitizers).
# shellcheck disable=SC2317  # the functions are called by name
. "$(dirname "$0")/harness.sh"
export CXXFLAGS=${4:-}

pass() {
  cmake -S "$source_dir/pass" -B build-pass -DCMAKE_BUILD_TYPE=Debug
  cmake --build build-pass
  mkdir opp && ASCEND_OPP_PATH=$PWD/opp cmake -S "$source_dir/pass" -B build-pass -DASCEND_OPP_PATH="$PWD/opp"
  cmake --install build-pass
  test -e opp/vendors/zz_mstune/custom_fusion_passes/libmstune_pass.so
  ASCEND_OPP_PATH=$PWD/opp build LoadBalance:2 wide model
  atc --mode=6 --om=model.om | grep -F '_auto_multistream_tuning_mode[LoadBalance:2]'
}
it "the pass builds by itself and installs where GE scans" pass

old_abi() {
  nm -DC "$toolkit"/opp/vendors/zz_mstune/custom_fusion_passes/libmstune_pass.so >symbols
  fails grep -F '__cxx11' symbols
}
it "the pass has the old string ABI at its border" old_abi

samples() {
  local set
  for set in new old; do
    cmake -S "$source_dir/samples" -B "build-$set" -DCANN_ACL="$set" -DCMAKE_BUILD_TYPE=Debug
    cmake --build "build-$set"
  done
  build LoadBalance:2 wide model
  build-new/sample_infer --om model.om --loop 2 | tee new
  build-old/sample_infer --om model.om --loop 2 | tee old
  cmp new old
  equal "$(records | wc -l)" 4
  readelf -d build-new/sample_infer | grep -F 'libacl_rt.so'
  readelf -d build-old/sample_infer | grep -F 'libascendcl.so'
}
it "the samples build against the new and the old set of libraries, and run alike" samples

build_mode() {
  "$source_dir/scripts/build.sh" --cann "$PWD/user" | tee output
  says "headers are as known of the real ones"
  test -e user/build-pass/libmstune_pass.so
  user/build-samples/sample_run --steps 1
  expect 1 env -u ASCEND_HOME_PATH "$source_dir/scripts/build.sh" --cann "$PWD/none"
  says "is no CANN toolkit"
  fails test -e none
}
it "one command builds both against the toolkit of ASCEND_HOME_PATH, and checks its headers" build_mode

no_toolkit() {
  expect 1 env -u ASCEND_HOME_PATH cmake -S "$source_dir/pass" -B build-none
  says "No CANN toolkit"
}
it "without a toolkit the configuration says what to do" no_toolkit

finish
