# Where things are on an agent's machine, by how it is run, and what of it runs. Sourced by
# install.sh and uninstall.sh.
# shellcheck shell=sh disable=SC2034,SC2154  # those who source it use and set them
root=${MSTUNE_TEST_ROOT:-} # tests look at a machine below a directory

# Sets the places of one kind: system, user, none.
set_places() {
  if [ "$1" = system ]; then
    program=$root/usr/local/bin/mstune-agent
    config=$root/etc/mstune
    state=$root/var/lib/mstune-agent
    unit=$root/etc/systemd/system/mstune-agent.service
    manager="systemctl"
    journal="journalctl"
  else
    program=$HOME/.local/bin/mstune-agent
    config=${XDG_CONFIG_HOME:-$HOME/.config}/mstune
    state=${XDG_STATE_HOME:-$HOME/.local/state}/mstune-agent
    unit=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user/mstune-agent.service
    manager="systemctl --user"
    journal="journalctl --user"
  fi
  runner=$HOME/.local/bin/mstune-agent-run # without systemd
  pid_file=$state/runner.pid
  log=$state/agent.log
}

# The ids of processes whose command line begins with these words, whoever runs them. One grep looks
# through all of them first: a machine may have thousands.
processes_of() {
  grep -lsF -- "${1##* }" /proc/[0-9]*/cmdline | while read -r file; do
    line=$(tr '\0' ' ' 2>/dev/null <"$file") || continue
    process=${file#/proc/}
    case "$line" in
      "$1 "*) echo "${process%/cmdline}" ;;
    esac
  done
}

# Those of the runner: a script, so an interpreter comes first.
runners() {
  processes_of "/bin/sh $runner"
  processes_of "sh $runner"
}

# A running trial is a child of the agent; npu-smi, which it asks now and then, is none. A process
# may be gone before it is read.
trials_running() {
  for agent in $(processes_of "$program"); do
    for process in /proc/[0-9]*; do
      stat="" name=""
      { read -r stat <"$process/stat" && read -r name <"$process/comm"; } 2>/dev/null || continue
      case "$stat" in
        *") "?" $agent "*) ;;
        *) continue ;;
      esac
      case "$name" in
        npu-smi* | "") ;;
        *) echo "${process#/proc/}" ;;
      esac
    done
  done
}

# Asks a process to end, and waits up to 30 s. Fails when it is still there.
end_process() {
  kill -TERM "$1" 2>/dev/null || :
  tries=0
  while [ -d "/proc/$1" ] && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; do
    [ "$tries" -lt 300 ] || return 1
    sleep 0.1
    tries=$((tries + 1))
  done
}

# Ends what mstune-agent-run started, with it: whoever wrote the pid file, only processes that are
# ours by their command line are asked.
stop_runner() {
  for process in $(runners); do
    end_process "$process" || return 1
  done
  rm -f "$pid_file"
}
