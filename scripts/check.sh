#!/usr/bin/env bash
# Checks of form, without building: formatting, layers, shell scripts, both READMEs alike.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t sources < <(git ls-files '*.cpp' '*.h')
clang-format --dry-run --Werror "${sources[@]}"
python3 scripts/check_layers.py
mapfile -t scripts < <(git ls-files '*.sh' .ci/run tests/install/fake packaging/deb)
shellcheck -x -P SCRIPTDIR "${scripts[@]}"
# Both READMEs have the same sections, commands and rows of tables.
# shellcheck disable=SC2016  # these are no expressions
outline() { grep -oE '^(#+ |\| `[^`]*`|!\[|```[a-z]*)' "$1"; }
diff <(outline README.md) <(outline README.zh.md) >&2 || {
  echo "README.zh.md differs from README.md in its sections or tables" >&2
  exit 1
}
echo "checks passed"
