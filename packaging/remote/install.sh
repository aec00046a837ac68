# Run on the agent's machine by scripts/install-agent.sh, below the directory that it copied there.
# shellcheck shell=sh disable=SC2154  # settings assigns what is used here
set -eu
stage=$1
# shellcheck source=/dev/null
. "$stage/settings"
# shellcheck source=places.sh
. "$stage/places.sh"

umask 022
mkdir -p "$(dirname "$program")"
cp "$stage/mstune-agent" "$program.new"
chmod 755 "$program.new"
mv -f "$program.new" "$program" # a running agent keeps the old file

mkdir -p "$config/authorized"
[ "$kind" = system ] || chmod 700 "$config"
if [ ! -e "$config/agent.key" ]; then
  (umask 077 && cp "$stage/agent.key" "$config/agent.key")
  cp "$stage/agent.pub" "$config/agent.pub"
fi
[ -e "$config/agent.conf" ] ||
  echo '# What clients may do on this machine, one rule a line; without any: run every program.' \
    >"$config/agent.conf"
cp "$stage/client.pub" "$config/authorized/$client_name.pub"
printf 'MSTUNE_AGENT_OPTIONS=%s\n' "$agent_options" >"$config/agent.env"

start_with_systemd() {
  mkdir -p "$(dirname "$unit")"
  cp "$stage/mstune-agent.service" "$unit"
  if [ "$kind" = system ]; then
    if ! id "$run_as" >/dev/null 2>&1; then
      useradd --system --home-dir /var/lib/mstune-agent --shell /usr/sbin/nologin "$run_as"
    fi
    chown "$run_as" "$config/agent.key"
  fi
  $manager daemon-reload
  $manager enable mstune-agent
  $manager restart mstune-agent # returns when the agent says that it is ready
  if [ "$kind" = user ]; then
    loginctl enable-linger "$(id -un)" 2>/dev/null ||
      echo "note: ask root to run: loginctl enable-linger $(id -un), or the agent ends with your login"
  fi
}

# Starts it again when it fails, as systemd would, until it is asked to stop.
write_runner() {
  cat >"$runner" <<RUNNER
#!/bin/sh
trap 'kill -TERM "\$agent" 2>/dev/null' TERM INT
while :; do
  "$program" --work-dir "$state" --key "$config/agent.key" --authorized "$config/authorized" \\
    --config "$config/agent.conf" $agent_options &
  agent=\$!
  wait "\$agent"
  status=\$?
  while kill -0 "\$agent" 2>/dev/null; do
    wait "\$agent"
    status=\$?
  done
  [ "\$status" -eq 0 ] && exit 0
  sleep 2
done
RUNNER
  chmod 755 "$runner"
}

start_without_systemd() {
  mkdir -p "$state" && chmod 700 "$state"
  stop_runner
  write_runner
  : >"$log"
  nohup setsid "$runner" </dev/null >>"$log" 2>&1 &
  echo $! >"$pid_file"
  tries=0
  until grep -q "listening at" "$log"; do
    if [ "$tries" -ge 100 ]; then
      echo "the agent does not listen; it said:" >&2
      cat "$log" >&2
      stop_runner
      exit 1
    fi
    sleep 0.1
    tries=$((tries + 1))
  done
  echo "note: without systemd nothing starts the agent after a reboot; a line for crontab -e does:"
  echo "note:   @reboot $runner >>$log 2>&1"
}

if [ "$kind" = none ]; then
  start_without_systemd
else
  start_with_systemd
fi
echo "public=$(cat "$config/agent.pub")"
rm -rf "$stage"
