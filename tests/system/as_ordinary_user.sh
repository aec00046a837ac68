#!/usr/bin/env bash
# Runs a command as a user without rights where the tests run as root; elsewhere they do that anyway.
set -euo pipefail
[ "$(id -u)" -eq 0 ] || exit 77
as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
"${as_nobody[@]}" test -x "$1" || exit 77  # the build is not open to others
exec "${as_nobody[@]}" env HOME=/nonexistent "$@"
