#!/usr/bin/env bash
# Completion in real shells, man pages in the real formatter, the page of options: completion_test.sh
# BIN_DIRECTORY DOCS_DIRECTORY
set -euo pipefail
bin="$1"
docs="$2"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

check() {  # check NAME EXPECTED ACTUAL: the expected word is one of the actual ones
  if ! grep -qxF -- "$2" <<<"$3"; then
    echo "$1: $2 is not offered; offered: ${3//$'\n'/ }"
    failures=$((failures + 1))
  fi
}

"$bin/mstune" completion bash >"$scratch/mstune.bash"
"$bin/mstune-agent" --completion bash >"$scratch/agent.bash"
# shellcheck source=/dev/null
. "$scratch/mstune.bash"
# shellcheck source=/dev/null
. "$scratch/agent.bash"

completed() {  # completed FUNCTION WORD...: what bash would offer for the last word
  local function="$1"
  shift
  # Bash itself reads these two.
  # shellcheck disable=SC2034
  COMP_WORDS=("$@")
  # shellcheck disable=SC2034
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  "$function"
  [ "${#COMPREPLY[@]}" -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
}

check commands report "$(completed _mstune mstune re)"
check options --run-command "$(completed _mstune mstune tune --r)"
check values offline "$(completed _mstune mstune tune --mode '')"
check "values of all" zh "$(completed _mstune mstune tune --lang '')"
check positionals zsh "$(completed _mstune mstune completion z)"
check "parts of a command" install "$(completed _mstune mstune pass i)"
check agent --work-dir "$(completed _mstune_agent mstune-agent --w)"
if completed _mstune mstune analyze --r | grep -qx -- --run-command; then
  echo "analyze offers an option of tune"
  failures=$((failures + 1))
fi

if command -v zsh >/dev/null; then
  "$bin/mstune" completion zsh >"$scratch/_mstune"
  "$bin/mstune-agent" --completion zsh >"$scratch/_mstune-agent"
  zsh -n "$scratch/_mstune" && zsh -n "$scratch/_mstune-agent" || failures=$((failures + 1))
  # The completion system itself finds both files and knows for which programs they are.
  found=$(zsh -fc "fpath=($scratch \$fpath); autoload -U compinit; compinit -D -u
                   print \${_comps[mstune]} \${_comps[mstune-agent]}")
  check zsh "_mstune _mstune-agent" "$found"
else
  echo "SKIPPED: zsh is not installed (scripts/setup.sh)"
fi

for page in mstune mstune-agent; do
  if [ "$page" = mstune ]; then
    "$bin/mstune" man >"$scratch/$page.1"
  else
    "$bin/mstune-agent" --man >"$scratch/$page.1"
  fi
  if command -v groff >/dev/null; then
    warnings=$(groff -man -Tascii -ww -z "$scratch/$page.1" 2>&1) || true
    [ -z "$warnings" ] || { echo "$page.1: $warnings"; failures=$((failures + 1)); }
  fi
done
grep -q 'until\\-proven' "$scratch/mstune.1" || { echo "no option in the page"; failures=$((failures + 1)); }

# The options in docs/ are those of the programs: after its head the file is what they print.
{
  "$bin/mstune" --lang en man --markdown
  echo
  "$bin/mstune-agent" --lang en --markdown
} >"$scratch/options.md"
if ! sed -n '/^## /,$p' "$docs/options.md" | diff -u - "$scratch/options.md"; then
  echo "docs/options.md differs: its text from the first ## on is what mstune man --markdown, an"
  echo "empty line and mstune-agent --markdown print"
  failures=$((failures + 1))
fi

[ "$failures" -eq 0 ] && echo "completion and man pages are right"
exit "$((failures > 0))"
