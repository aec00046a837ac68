# For the tests of this folder: a scratch directory, and words for what must be so.
# shellcheck shell=bash disable=SC2034  # those who source it use its variables
set -euo pipefail
scratch=$(mktemp -d /tmp/mstune-install-XXXXXX)
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
build_dir=$(cd "$1" && pwd)

on_exit() {
  local status=$?
  if [ "$status" -ne 0 ]; then
    echo "failed; kept: $scratch"
  else
    rm -rf "$scratch"
  fi
}
trap on_exit EXIT

must() {
  "$@" || {
    echo "must hold: $*"
    exit 1
  }
}

must_not() {
  if "$@"; then
    echo "must not hold: $*"
    exit 1
  fi
}

# Waits up to 60 s until a command succeeds.
eventually() {
  local deadline=$((SECONDS + 60))
  until "$@"; do
    [ "$SECONDS" -lt "$deadline" ] || {
      echo "did not come true: $*"
      exit 1
    }
    sleep 0.05 # between looks, up to a deadline
  done
}
