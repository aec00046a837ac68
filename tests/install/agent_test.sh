#!/usr/bin/env bash
# install-agent.sh lays an agent out on a machine that is a directory, by a made-up ssh; a campaign
# runs on it, it comes back when it is killed, and nothing is left after --uninstall.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"

export PATH="$source_dir/tests/install/fake:$build_dir/bin:$PATH"
export HOME=$scratch/client XDG_CONFIG_HOME='' BOX=$scratch/box
export STANDIN_STATE_DIR=$scratch/state STANDIN_TIME_SCALE=0  # for the agent's trials
unset XDG_STATE_HOME ASCEND_HOME_PATH ASCEND_OPP_PATH
mkdir -p "$HOME" "$BOX/home" "$BOX/root"
cd "$scratch"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
install=("$source_dir/scripts/install-agent.sh" --agent "$build_dir/bin/mstune-agent")
home=$BOX/home

# The ids of agents of that machine; fails when there is none.
agents() {
  local file found=1
  while read -r file; do
    if tr '\0' ' ' 2>/dev/null <"$file" | grep -q "^$home/.local/bin/mstune-agent --work-dir"; then
      file=${file#/proc/}
      echo "${file%/cmdline}"
      found=0
    fi
  done < <(grep -lsF "$home/.local/bin/mstune-agent" /proc/[0-9]*/cmdline)
  return "$found"
}
listens() {
  [ "$(grep -c 'listening at' "$home/.local/state/mstune-agent/agent.log")" -ge "$1" ]
}

echo "== without systemd"
"${install[@]}" --no-systemd --port "$port" --address 127.0.0.1 \
  --cann-env "$build_dir/cann/set_env.sh" npu-box | tee said
must grep -q 'wrote ./127.0.0.1.json' said
must test "$(stat -c %a "$home/.config/mstune/agent.key")" = 600
must test "$(stat -c %a "$HOME/.config/mstune/id.key")" = 600
must agents >/dev/null
mstune tune --target 127.0.0.1.json \
  --run-command "$build_dir/bin/sample_run --steps 12" --repeat 1 --configs cv --output-dir out | tee said
must grep -q 'valid 1/1\|  1/1 ' said

echo "== killed, it comes back"
kill -KILL "$(agents | head -1)"
eventually listens 2

echo "== installed again, the keys stay"
key=$(cat "$home/.config/mstune/agent.pub")
"${install[@]}" --no-systemd --port "$port" --address 127.0.0.1 npu-box >said
must test "$key" = "$(cat "$home/.config/mstune/agent.pub")"
must test "$(agents | wc -l)" -eq 1

echo "== installed again without port and devices, both stay"
"${install[@]}" --no-systemd --port "$port" --devices 0,2 npu-box >said
"${install[@]}" --no-systemd npu-box >said
must grep -q -- "--listen tcp://0.0.0.0:$port --devices 0,2\$" "$home/.config/mstune/agent.env"
must test -e 127.0.0.1.json # the name that ssh resolves the alias to

echo "== a program that does not start is taken back, and the old one serves on"
# The first bytes of a program for this machine, so that only running it shows what it is.
head -c 64 "$build_dir/bin/mstune-agent" >broken-elf
must_not "$source_dir/scripts/install-agent.sh" --no-systemd --agent broken-elf npu-box 2>said
must grep -q 'does not run here' said
must agents >/dev/null
must cmp -s "$build_dir/bin/mstune-agent" "$home/.local/bin/mstune-agent"
must test -z "$(find "$home" "$scratch"/tmp* -name '*.new' -o -name '*.old' 2>/dev/null)"

echo "== a second runner, as from a crontab, leaves; after a restart by it, uninstall finds it"
must grep -q 'runs already' <<<"$(HOME=$home "$home/.local/bin/mstune-agent-run" 2>&1)"
stop=$(cat "$home/.local/state/mstune-agent/runner.pid")
kill -TERM "$stop"
eventually test ! -d "/proc/$stop"
HOME=$home setsid "$home/.local/bin/mstune-agent-run" >>crontab.log 2>&1 </dev/null &
eventually grep -q 'listening at' crontab.log
echo "== uninstalled without a word about how it was installed, nothing is left; nobody else is met"
sleep 300 &
other=$!
echo "$other" >"$home/.local/state/mstune-agent/runner.pid"
"${install[@]}" --uninstall npu-box
must kill "$other"
must_not agents
must test -z "$(find "$home" -type f)"

echo "== a dynamic program of this checkout is not taken for another machine"
must_not env -u AGENT "$source_dir/scripts/install-agent.sh" --no-systemd npu-box 2>said
must grep -q 'that runs elsewhere' said

echo "== as a system service"
mkdir -p "$BOX/root/run/systemd/system"
"${install[@]}" --system --port "$port" --devices 0-3 npu-box >said
must grep -q '^systemctl restart mstune-agent$' "$BOX/asked"
must grep -q '^useradd .* mstune$' "$BOX/asked"
must grep -q '^ExecStart=/usr/local/bin/mstune-agent ' "$BOX/root/etc/systemd/system/mstune-agent.service"
must grep -q -- '--devices 0-3' "$BOX/root/etc/mstune/agent.env"
"${install[@]}" --uninstall npu-box
must test -z "$(find "$BOX/root" -type f)"

echo "== as a service of a user"
HAS_USER_MANAGER=yes "${install[@]}" --user --port "$port" npu-box >said
must grep -q '^systemctl --user restart mstune-agent$' "$BOX/asked"
must grep -q '^loginctl enable-linger' "$BOX/asked"
must grep -q '^ExecStart=%h/.local/bin/mstune-agent ' "$home/.config/systemd/user/mstune-agent.service"
must_not grep -q '^User=' "$home/.config/systemd/user/mstune-agent.service"
"${install[@]}" --user --uninstall npu-box
must test -z "$(find "$home" -type f)"

echo "== what cannot be right is refused before anything is copied"
must_not "${install[@]}" --no-systemd --port x npu-box
must_not "${install[@]}" --no-systemd --devices '0;reboot' npu-box
must_not "$source_dir/scripts/install-agent.sh" --no-systemd --agent /bin/ls.not.there npu-box
