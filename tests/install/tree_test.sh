#!/usr/bin/env bash
# cmake --install lays out both programs, what they need, and units that systemd understands.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

cmake --install "$build_dir" --prefix "$scratch/usr" >/dev/null

for program in mstune mstune-agent; do
  must test -x "$scratch/usr/bin/$program"
  must grep -q "^$program [0-9]" <<<"$("$scratch/usr/bin/$program" --version)"
done
for program in mstune mstune-agent; do
  must grep -q "^.TH" "$scratch/usr/share/man/man1/$program.1"
  must grep -q "complete .*-F .* $program\$" "$scratch/usr/share/bash-completion/completions/$program"
  must grep -q "^#compdef $program\$" "$scratch/usr/share/zsh/site-functions/_$program"
done
must test -e "$scratch/usr/share/mstune/pass/CMakeLists.txt"
must test -e "$scratch/usr/share/mstune/scripts/cmake/cann.cmake"
must test -x "$scratch/usr/share/mstune/scripts/install-agent.sh"
must test -e "$scratch/usr/share/mstune/packaging/remote/install.sh"
must test -e "$scratch/usr/share/mstune-agent/Containerfile"

# Nothing of the tests or of the stand-in is installed.
must test -z "$(find "$scratch/usr" -name '*test*' -o -name '*standin*')"

if ! command -v systemd-analyze >/dev/null; then
  echo "systemd-analyze is not here: units are not verified"
  exit 0
fi
for kind in system user; do
  unit=$scratch/usr/lib/systemd/$kind/mstune-agent.service
  must grep -q '^Type=notify$' "$unit"
  must grep -q '^Restart=on-failure$' "$unit"
  must grep -q "^ExecStart=$scratch/usr/bin/mstune-agent " "$unit"
  manager=()
  [ "$kind" = system ] || manager=(--user)
  said=$(XDG_RUNTIME_DIR=$scratch systemd-analyze verify "${manager[@]}" --man=no "$unit" 2>&1) || {
    echo "$kind unit: $said"
    exit 1
  }
  must_not grep mstune-agent <<<"$said" # a warning about it names it
done
