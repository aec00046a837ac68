# Run on the agent's machine by scripts/install-agent.sh, below the directory that it copied there.
#
# What was there before serves until the new program has shown that it runs; where it does not, all
# is put back.
# shellcheck shell=sh disable=SC2154  # settings assigns what is used here
set -eu
stage=$1
# shellcheck source=/dev/null
. "$stage/settings"
# shellcheck source=places.sh
. "$stage/places.sh"
set_places "$kind"
umask 022

had_program="" had_unit="" had_key="" had_config="" done=""
[ ! -e "$program" ] || had_program=yes
[ ! -e "$unit" ] || had_unit=yes
[ ! -e "$config/agent.key" ] || had_key=yes
[ ! -d "$config/authorized" ] || had_config=yes

start_again() {
  case "$kind" in
    none) [ ! -x "$runner" ] || (nohup setsid "$runner" </dev/null >>"$log" 2>&1 &) ;;
    *) $manager daemon-reload && $manager restart mstune-agent ;;
  esac
}

# As it was before; nothing of the key stays in the stage.
put_back() {
  [ "$kind" != none ] || stop_runner || :
  [ "$kind" = none ] || [ -n "$had_unit" ] || $manager disable --now mstune-agent >/dev/null 2>&1 || :
  for file in "$program" "$unit" "$config/agent.env"; do
    if [ -e "$file.old" ]; then mv -f "$file.old" "$file"; fi
  done
  [ -n "$had_program" ] || rm -f "$program" "$runner"
  [ -n "$had_unit" ] || rm -f "$unit"
  [ -n "$had_key" ] || rm -f "$config/agent.key" "$config/agent.pub"
  if [ -z "$had_config" ]; then
    rm -rf "$config/authorized"
    rm -f "$config/agent.conf" "$config/agent.env"
    rmdir "$config" 2>/dev/null || :
  fi
  [ -z "$had_program" ] || start_again || :
}

on_exit() {
  [ -n "$done" ] || put_back
  rm -f "$program.new" "$program.old" "$unit.old" "$config/agent.env.old"
  rm -rf "$stage"
}
trap on_exit EXIT

keep_old() {
  if [ -e "$1" ]; then cp -p "$1" "$1.old"; fi
}

put_program() {
  mkdir -p "$(dirname "$program")"
  cp "$stage/mstune-agent" "$program.new"
  chmod 755 "$program.new"
  "$program.new" --version >/dev/null || {
    echo "this mstune-agent does not run here: take a static one (scripts/package.sh)" >&2
    exit 1
  }
  keep_old "$program"
  mv -f "$program.new" "$program" # a running agent keeps the old file
}

put_config() {
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
  if [ -e "$config/agent.env" ] && [ -z "$options_given" ]; then
    agent_options=$(sed -n 's/^MSTUNE_AGENT_OPTIONS=//p' "$config/agent.env")
  else
    keep_old "$config/agent.env"
    printf 'MSTUNE_AGENT_OPTIONS=%s\n' "$agent_options" >"$config/agent.env"
  fi
}

wait_for_trials() {
  [ -z "$now" ] || return 0
  told=""
  while [ -n "$(trials_running)" ]; do
    [ -n "$told" ] || echo "trials run there: waiting for their end (--now does not wait)" >&2
    told=yes
    sleep 1
  done
}

start_with_systemd() {
  mkdir -p "$(dirname "$unit")"
  keep_old "$unit"
  sed "s|%h/.local/state/mstune-agent|$state|g" "$stage/mstune-agent.service" >"$unit"
  if [ "$kind" = system ]; then
    if ! id "$run_as" >/dev/null 2>&1; then
      useradd --system --home-dir /var/lib/mstune-agent --shell /usr/sbin/nologin "$run_as"
    fi
    chown "$run_as" "$config/agent.key"
  fi
  $manager daemon-reload
  $manager enable mstune-agent
  # It returns when the agent says that it is ready.
  $manager restart mstune-agent || {
    echo "the agent does not start; the last lines of its journal:" >&2
    $journal -u mstune-agent -n 20 --no-pager >&2 || :
    exit 1
  }
  if [ "$kind" = user ] &&
    [ "$(loginctl show-user "$(id -un)" --property=Linger --value 2>/dev/null)" != yes ]; then
    loginctl enable-linger "$(id -un)" 2>/dev/null ||
      echo "note: ask root to run: loginctl enable-linger $(id -un), or the agent ends with your login"
  fi
}

# Starts it again when it fails, as systemd would, until it is asked to stop. A second one, as from
# a crontab, finds the first one's lock and leaves.
write_runner() {
  cat >"$runner" <<RUNNER
#!/bin/sh
exec 9>"$state/runner.lock"
if command -v flock >/dev/null; then
  flock -n 9 || { echo "mstune-agent-run runs already"; exit 0; }
fi
echo \$\$ >"$pid_file"
trap 'kill -TERM "\$agent" 2>/dev/null' TERM INT
while :; do
  "$program" --work-dir "$state" --key "$config/agent.key" --authorized "$config/authorized" \\
    --config "$config/agent.conf" $agent_options 9>&- &
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
  tries=0
  until grep -q "listening at" "$log"; do
    if [ "$tries" -ge 100 ]; then
      echo "the agent does not listen; it said:" >&2
      tail -n 20 "$log" >&2
      exit 1
    fi
    sleep 0.1
    tries=$((tries + 1))
  done
  echo "note: without systemd nothing starts the agent after a reboot; a line for crontab -e does:"
  echo "note:   @reboot $runner >>$log 2>&1"
}

put_program
wait_for_trials
put_config
if [ "$kind" = none ]; then
  start_without_systemd
else
  start_with_systemd
fi
done=yes
echo "public=$(cat "$config/agent.pub")"
