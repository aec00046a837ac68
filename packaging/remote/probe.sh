# Sent to a machine by scripts/install-agent.sh: tells what it needs to know of it, one per line.
# shellcheck shell=sh
root=${MSTUNE_TEST_ROOT:-}
echo "arch=$(uname -m)"
echo "uid=$(id -u)"
echo "home=$HOME"
if [ -d "$root/run/systemd/system" ]; then
  echo "systemd=yes"
fi
if systemctl --user show-environment >/dev/null 2>&1; then
  echo "user_manager=yes"
fi
