# Run on the agent's machine by scripts/install-agent.sh --uninstall: takes away what install.sh put
# there, however it was run, and what the agent has stored. Says it is gone only when it is.
# shellcheck shell=sh disable=SC2154  # settings assigns what is used here
set -eu
stage=$1
trap 'rm -rf "$stage"' EXIT
# shellcheck source=/dev/null
. "$stage/settings"
# shellcheck source=places.sh
. "$stage/places.sh"

stop() {
  case "$1" in
    none) stop_runner ;;
    *) [ ! -e "$unit" ] || $manager disable --now mstune-agent 2>/dev/null || : ;;
  esac
}

remove() {
  rm -f "$program" "$runner" "$config/agent.key" "$config/agent.pub" "$config/agent.env" \
    "$config/agent.conf"
  rm -rf "$config/authorized" "$state"
  # A state directory of user services that were installed before this place was the same for all.
  [ "$1" != user ] || rm -rf "${XDG_CONFIG_HOME:-$HOME/.config}/mstune-agent"
  rmdir "$config" 2>/dev/null || : # a client's own key may be in it
  if [ "$1" != none ] && [ -e "$unit" ]; then
    rm -f "$unit"
    $manager daemon-reload
  fi
}

kinds=${explicit_kind:-none user}
if [ -z "${explicit_kind:-}" ] && { [ "$(id -u)" = 0 ] || [ -n "$root" ]; }; then
  kinds="$kinds system"
fi
for kind in $kinds; do
  set_places "$kind"
  stop "$kind" || { echo "$runner does not end: the processes are $(runners | tr '\n' ' ')" >&2; exit 1; }
done
left=""
for kind in $kinds; do
  set_places "$kind"
  for process in $(processes_of "$program"); do
    end_process "$process" || left="$left $process ($(stat -c %U "/proc/$process" 2>/dev/null))"
  done
done
if [ -n "$left" ]; then
  echo "the agent still runs as process$left: ask its user, or root, to end it; nothing was removed" >&2
  exit 1
fi
for kind in $kinds; do
  set_places "$kind"
  remove "$kind"
done
# What this user may not see or touch is said, not passed over.
if [ -z "${explicit_kind:-}" ] && [ -e "$root/etc/systemd/system/mstune-agent.service" ]; then
  echo "a system service of mstune-agent is there as well: run this as root, or with --system" >&2
  exit 1
fi
echo "removed"
