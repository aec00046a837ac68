# Run on the agent's machine by scripts/install-agent.sh --uninstall: takes away what install.sh put
# there, and what the agent has stored.
# shellcheck shell=sh disable=SC2154  # settings assigns what is used here
set -eu
stage=$1
# shellcheck source=/dev/null
. "$stage/settings"
# shellcheck source=places.sh
. "$stage/places.sh"

if [ "$kind" = none ]; then
  stop_runner
else
  $manager disable --now mstune-agent 2>/dev/null || :
fi
rm -f "$program" "$runner" "$config/agent.key" "$config/agent.pub" "$config/agent.env" \
  "$config/agent.conf"
rm -rf "$config/authorized" "$state"
rmdir "$config" 2>/dev/null || : # a client's own key may be in it
if [ "$kind" != none ]; then
  rm -f "$unit"
  $manager daemon-reload
fi
rm -rf "$stage"
echo "removed"
