# shellcheck shell=bash
# Sourced by the system tests: a fresh directory with a copy of the shipped pass, and sentences that
# are checked. Arguments: toolkit, directory of the samples, source directory of the project.
set -u
toolkit=$1
# shellcheck disable=SC2034  # for those who source this
bin=$2
source_dir=$3
models=$source_dir/tests/standin/models
# shellcheck disable=SC1091
. "$toolkit/set_env.sh"

work=$(mktemp -d "${TMPDIR:-/tmp}/standin_test.XXXXXX")
passes=$work/opp/vendors/zz_mstune/custom_fusion_passes
mkdir -p "$passes" "$work/state"
cp "$toolkit"/opp/vendors/zz_mstune/custom_fusion_passes/libmstune_pass.so "$passes/"
cp "$toolkit"/opp/scene.info "$work/opp/"
export ASCEND_OPP_PATH=$work/opp STANDIN_STATE_DIR=$work/state
export STANDIN_DETERMINISTIC=1 STANDIN_TIME_SCALE=0 STANDIN_ATC_WORKERS=1
unset GE_AUTO_MULTISTREAM_PARALLEL_MODE ASCEND_WORK_PATH MINIDAG_PROFILING_PATH
unset ASCEND_GLOBAL_LOG_LEVEL ASCEND_SLOG_PRINT_TO_STDOUT ASCEND_LOG_PRINT_TO_STDOUT
failed=0

# it SENTENCE FUNCTION: the function runs in a directory of its own and stops at its first failure.
it() {
  local directory=$work/$2
  mkdir -p "$directory/log"
  # Not as a condition: bash ignores `set -e` in whatever a condition runs.
  (
    set -e
    cd "$directory"
    export ASCEND_PROCESS_LOG_PATH=$directory/log
    "$2"
  ) >"$directory.out" 2>&1
  local status=$?
  if [ "$status" = 0 ]; then
    echo "ok    $1"
  else
    echo "FAIL  $1 ($2)"
    sed 's/^/      /' "$directory.out"
    failed=$((failed + 1))
  fi
}

finish() {
  if [ "$failed" = 0 ]; then
    rm -rf "$work"
    exit 0
  fi
  echo "$failed failed; their directory is kept: $work"
  exit 1
}

# build MODE MODEL OUTPUT [OPTION...]: one OM, with the mode in the variable that the pass reads.
build() {
  local mode=$1 model=$2 output=$3
  shift 3
  GE_AUTO_MULTISTREAM_PARALLEL_MODE=$mode atc --model="$models/$model.graph" --output="$output" \
    --soc_version=Ascend910B2 "$@"
}

# The STEP records of the runs in this directory, by time of their writing; none is no error.
records() { cat log/run/plog/*.log 2>/dev/null | grep -F '[GE_MS_TUNE][STEP]' || true; }

# expect STATUS COMMAND...: its output goes to the file `output`.
expect() {
  local wanted=$1 status=0
  shift
  "$@" >output 2>&1 || status=$?
  cat output
  if [ "$status" != "$wanted" ]; then
    echo "exit status $status, wanted $wanted: $*"
    return 1
  fi
}

# says TEXT: the last expected command printed it.
says() { grep -qF -- "$1" output || { echo "did not say: $1"; return 1; }; }

# fails COMMAND...: bash's own "!" would not stop a test.
fails() {
  if "$@"; then
    echo "succeeded, and should not: $*"
    return 1
  fi
}

# equal A B
equal() { [ "$1" = "$2" ] || { echo "\"$1\" is not \"$2\""; return 1; }; }

# eventually COMMAND...: it succeeds within 10 s.
eventually() {
  local deadline=$((SECONDS + 10))
  until "$@"; do
    if [ $SECONDS -ge $deadline ]; then
      echo "never: $*"
      return 1
    fi
    sleep 0.02
  done
}
