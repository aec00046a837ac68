#!/bin/bash
# Steps of OMs by the C API: what is recorded, what is computed, and how it fails.
# shellcheck disable=SC2317  # the functions are called by name
. "$(dirname "$0")/harness.sh"

om=$work/wide.om
(cd "$work" && build LoadBalance:4 wide wide >/dev/null)
infer() { "$bin/sample_infer" --om "${model:-$om}" "$@"; }

record_format() {
  infer --loop 3
  equal "$(records | wc -l)" 3
  records | grep -qE '^\[INFO\] GE\([0-9]+,sample_infer\):[0-9-]+-[0-9:.]+ \[step_recorder\.c[a-z]+:[0-9]+\][0-9]+ [^:]+:\[GE_MS_TUNE\]\[STEP\] api=NnExecute mode=LoadBalance:4 model_id=1 step=0 start_us=[0-9]+ end_us=[0-9]+ cost_us=[0-9]+ sync_us=[0-9]+ ret=0 sync_ret=0$'
  equal "$(records | grep -o ' step=[0-9]*' | tr -d '\n')" " step=0 step=1 step=2"
}
it "each step is one record in the format of GE's recorder" record_format

each_api() {
  local api
  for api in execute execute-v2 async; do
    rm -rf log && mkdir log
    infer --loop 2 --api "$api"
    equal "$(records | wc -l)" 2
  done
}
it "execute, execute-v2 and async all record" each_api

async_v2() {
  infer --loop 5 --api async-v2
  equal "$(records)" ""
}
it "aclmdlExecuteAsyncV2 records nothing" async_v2

copy_in_debug() {
  ASCEND_GLOBAL_LOG_LEVEL=1 infer --loop 2
  equal "$(records | wc -l)" 2
  equal "$(cat log/debug/plog/*.log | grep -cF '[GE_MS_TUNE][STEP]')" 2
  ASCEND_GLOBAL_LOG_LEVEL=1 ASCEND_SLOG_PRINT_TO_STDOUT=1 infer --loop 2 >old
  ASCEND_GLOBAL_LOG_LEVEL=1 ASCEND_LOG_PRINT_TO_STDOUT=1 infer --loop 2 >new
  equal "$(grep -cF STEP old)" 2
  equal "$(grep -cF STEP new)" 4
}
it "at level INFO a record has a copy in debug/, and on stdout by the newer variable only" \
  copy_in_debug

same_digest() {
  local mode
  for mode in default LoadBalance:2 MainStream:4 cv; do
    build "$mode" wide model >/dev/null
    model=model.om infer --loop 2 | grep digest
  done | sort -u >digests
  equal "$(wc -l <digests)" 1
  (STANDIN_CORRUPT=LoadBalance:4 infer --loop 2 | grep digest) >corrupt
  fails cmp -s digests corrupt
}
it "outputs do not depend on the streams, unless a test corrupts one mode" same_digest

digits() {
  infer --loop 6 && records | grep -o 'cost_us=[0-9]*' >first
  rm -rf log && mkdir log
  infer --loop 6 && records | grep -o 'cost_us=[0-9]*' >second
  cmp first second
  rm -rf log && mkdir log
  STANDIN_SEED=9 infer --loop 6 && records | grep -o 'cost_us=[0-9]*' >other
  fails cmp -s first other
}
it "in deterministic mode costs are the same to the digit, and follow from the seed" digits

intervals() {
  infer --loop 20
  records | sed 's/.*start_us=\([0-9]*\) end_us=\([0-9]*\) cost_us=\([0-9]*\).*/\1 \2 \3/' |
    awk '$1 < last || $2 - $1 != $3 { exit 1 } { last = $2 }'
}
it "recorded intervals do not overlap and agree with their cost" intervals

real_time() {
  STANDIN_DETERMINISTIC=0 STANDIN_TIME_SCALE=20 STANDIN_NOISE_STEP=0 STANDIN_NOISE_RUN=0 \
    infer --loop 5
  # 3.1 ms planned, times 20: a step that did not wait would take less.
  records | tail -4 | sed 's/.*cost_us=\([0-9]*\) .*/\1/' | awk '$1 < 50000 || $1 > 500000 { exit 1 }'
}
it "a step takes its time for real" real_time

warm_up() {
  infer --loop 3
  records | sed 's/.*cost_us=\([0-9]*\) .*/\1/' | awk 'NR == 1 { first = $1 } END { exit first < 2 * $1 }'
}
it "the first step is slower" warm_up

drift() {
  export STANDIN_DRIFT=100 STANDIN_NOISE_STEP=0
  infer --loop 21
  records | sed 's/.*cost_us=\([0-9]*\) .*/\1/' | awk 'NR == 2 { second = $1 } END { exit $1 < 2 * second }'
}
it "a drift makes later steps slower" drift

abort_record() {
  STANDIN_FAULT=abort@2 expect 1 infer --loop 5
  equal "$(records | wc -l)" 3
  records | tail -1 | grep -F 'sync_us=0 ret=4294967295 sync_ret=0'
}
it "a step that is left early is recorded with ret 4294967295 and no synchronisation" abort_record

exec_failure() {
  STANDIN_FAULT=exec:507011@1 expect 1 infer --loop 5
  says "failed with 507011"
  records | tail -1 | grep -F 'ret=507011 sync_ret=0'
}
it "a failing execution records its code" exec_failure

sync_failure() {
  STANDIN_FAULT=sync:507046@1 expect 1 infer --loop 5
  records | tail -1 | grep -F 'ret=0 sync_ret=507046'
}
it "a failing synchronisation records its code in sync_ret" sync_failure

lost_by_kill() {
  STANDIN_FAULT=kill@4 expect 137 bash -c "$bin/sample_infer --om $om --loop 9; exit \$?"
  test "$(records | wc -l)" -lt 4
}
it "what was not flushed is lost by SIGKILL" lost_by_kill

soc() {
  build LoadBalance:4 wide model --soc_version=Ascend310P3
  model=model.om expect 1 infer
  says "failed with 507008"
  says "supported socVersion=Ascend910B2, but the model socVersion=Ascend310P3"
}
it "an OM for another SoC does not load: 507008" soc

damaged() {
  head -c 5000 "$om" >short.om
  model=short.om expect 1 infer
  says "failed with 100014"
  model=none.om expect 1 infer
  says "failed with 100003"
}
it "a file that is cut short, or is not there, does not load" damaged

visible() {
  ASCEND_RT_VISIBLE_DEVICES=1 expect 0 infer --loop 1
  ASCEND_RT_VISIBLE_DEVICES=1 expect 1 infer --loop 1 --device 1
  says "failed with 107001"
  ASCEND_RT_VISIBLE_DEVICES=4 expect 1 infer --loop 1
  says "set ASCEND_RT_VISIBLE_DEVICES:4 error, input data rang[0-2)"
  expect 1 infer --loop 1 --device 2
  says "failed with 107001"
}
it "ASCEND_RT_VISIBLE_DEVICES numbers devices anew, and refuses what is not there" visible

busy() {
  STANDIN_DEVICE_BUSY=1 expect 1 infer
  says "failed with 507033"
  says "EL0005: The resources are busy"
}
it "a busy device fails to open: 507033" busy

out_of_memory() {
  export STANDIN_STATE_DIR=$PWD/state
  mkdir state
  memory_state >state/state.json
  expect 1 infer
  says "failed with 207018"
}
memory_state() {
  cat <<'J'
{"devices": [{"memory_total_mb": 65536, "memory_base_mb": 65536}]}
J
}
it "a full device has no memory left: 207018" out_of_memory

gears() {
  build LoadBalance:2 dynamic model --dynamic_dims='1;8'
  model=model.om expect 0 infer --loop 1 --dynamic-dims 8,256
  cp output eight
  model=model.om expect 0 infer --loop 1 --dynamic-dims 1,256
  fails cmp -s output eight
  model=model.om expect 1 infer --loop 1 --dynamic-dims 2,256
  records | head -1 | grep -F 'api=NnExecute'
}
it "a model with gears runs the gears it was built with, and no others" gears

unknown_shape() {
  build LoadBalance:2 dynamic model
  model=$(ls model_linux_*.om) expect 0 infer --loop 2 --dynamic-dims 3,256
  equal "$(records | grep -cF 'api=ModelV2Executor mode=LoadBalance:2 model_id=2130706432 step=')" 2
}
it "a model of unknown shape runs in the other executor, whose ids begin at 2130706432" unknown_shape

null_stream() {
  infer --loop 1 --api execute-v2
  equal "$(records | grep -c 'sync_us=0')" 0
}
it "a static model waits for its stream" null_stream

company() {
  infer --loop 4 && records | tail -1 | grep -o 'cost_us=[0-9]*' >alone
  # Its logs are its own: what it writes there must not meet the removal of ours.
  STANDIN_FAULT=hang@0 ASCEND_PROCESS_LOG_PATH=$PWD/log-of-the-other "$bin/sample_infer" \
    --om "$om" --loop 1 &
  eventually shown_by_npu_smi $!
  rm -rf log && mkdir log
  infer --loop 4 && records | tail -1 | grep -o 'cost_us=[0-9]*' >together
  kill -KILL $!
  wait $! || true
  awk -F= 'NR == FNR { alone = $2; next } { exit $2 < 1.9 * alone || $2 > 2.1 * alone }' alone together
}
shown_by_npu_smi() { npu-smi info | grep -qw "$1"; }
it "two processes on a device see each other in npu-smi and slow each other down" company

usage() {
  expect 2 "$bin/sample_infer"
  expect 2 infer --loop 0
  expect 2 infer --api other
}
it "bad arguments exit with 2" usage

finish
