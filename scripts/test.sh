#!/usr/bin/env bash
# Sets up, builds and runs every test. Arguments go to ctest, as in: scripts/test.sh -L unit
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/build.sh build
ctest --test-dir build --output-on-failure --parallel 2 "$@"
