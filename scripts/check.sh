#!/usr/bin/env bash
# Checks of form, without building: formatting, layers, shell scripts.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t sources < <(git ls-files '*.cpp' '*.h')
clang-format --dry-run --Werror "${sources[@]}"
python3 scripts/check_layers.py
mapfile -t scripts < <(git ls-files '*.sh' .ci/run tests/install/fake packaging/deb)
shellcheck -x -P SCRIPTDIR "${scripts[@]}"
echo "checks passed"
