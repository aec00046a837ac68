# Where things are on an agent's machine, by how it is run. Sourced by install.sh and uninstall.sh,
# which get `kind` (system, user, none) from scripts/install-agent.sh.
# shellcheck shell=sh disable=SC2034,SC2154  # those who source it use and set them
root=${MSTUNE_TEST_ROOT:-} # tests look at a machine below a directory
if [ "$kind" = system ]; then
  program=$root/usr/local/bin/mstune-agent
  config=$root/etc/mstune
  state=$root/var/lib/mstune-agent
  unit=$root/etc/systemd/system/mstune-agent.service
  manager="systemctl"
else
  program=$HOME/.local/bin/mstune-agent
  config=${XDG_CONFIG_HOME:-$HOME/.config}/mstune
  state=${XDG_STATE_HOME:-$HOME/.local/state}/mstune-agent
  unit=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user/mstune-agent.service
  manager="systemctl --user"
fi
runner=$HOME/.local/bin/mstune-agent-run # without systemd
pid_file=$state/runner.pid
log=$state/agent.log

# Ends what mstune-agent-run started, with it.
stop_runner() {
  [ -s "$pid_file" ] || return 0
  kill -TERM "$(cat "$pid_file")" 2>/dev/null || :
  tries=0
  while kill -0 "$(cat "$pid_file")" 2>/dev/null && [ "$tries" -lt 300 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  rm -f "$pid_file"
}
