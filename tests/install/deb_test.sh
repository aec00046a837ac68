#!/usr/bin/env bash
# The Debian packages of this build are installed, tried and purged, on a copy of this machine's
# root that goes with the test. Status 77: this machine allows no such copy, or is no Debian.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
[ "$(id -u)" -eq 0 ] && command -v dpkg >/dev/null && command -v dpkg-shlibdeps >/dev/null || exit 77

echo "== one package for each program"
(cd "$build_dir" && cpack -G DEB -B "$scratch/packages" >"$scratch/cpack.log" 2>&1) || {
  cat "$scratch/cpack.log"
  exit 1
}
rm -rf "$scratch/packages/_CPack_Packages"
for program in mstune mstune-agent; do
  deb=$(find "$scratch/packages" -name "${program}_[0-9]*.deb")
  must test -n "$deb"
  must grep -q " ./usr/bin/$program\$" <<<"$(dpkg-deb -c "$deb")"
  must_not grep -qv ' \./\(usr/.*\|lib/.*\|usr\|lib\|\)$' <<<"$(dpkg-deb -c "$deb")"
done

# Everything below runs in a mount namespace of its own, in which / is writable apart.
cat >"$scratch/inside.sh" <<'INSIDE'
set -eux
dpkg -i /packages/*.deb
mstune --version
mstune-agent --version
test -e /usr/share/man/man1/mstune.1 -o -e /usr/share/man/man1/mstune.1.gz
if command -v man >/dev/null; then man -w mstune; fi
test -e /usr/share/bash-completion/completions/mstune
grep -q '^ExecStart=/usr/bin/mstune-agent ' /lib/systemd/system/mstune-agent.service /usr/lib/systemd/system/mstune-agent.service
if command -v systemd-analyze >/dev/null; then
  systemd-analyze verify --man=no mstune-agent.service
fi
getent passwd mstune
test -d /etc/mstune/authorized
mkdir -p /var/lib/mstune-agent/store
dpkg --purge mstune mstune-agent
! command -v mstune
! command -v mstune-agent
! getent passwd mstune
test ! -e /etc/mstune
test ! -e /var/lib/mstune-agent
test -z "$(find /usr /etc /lib /var/lib -xdev -name '*mstune*' -newer /packages ! -path '/var/lib/dpkg/*' | head)"
INSIDE
mkdir "$scratch/copy"
# shellcheck disable=SC2016  # the inner shell expands them
unshare -m bash -c '
  set -e
  mount -t tmpfs none "$1/copy"
  mkdir "$1/copy/upper" "$1/copy/work" "$1/copy/root"
  mount -t overlay -o "lowerdir=/,upperdir=$1/copy/upper,workdir=$1/copy/work" none "$1/copy/root"
  mkdir -p "$1/copy/root/packages"
  cp "$1"/packages/*.deb "$1/inside.sh" "$1/copy/root/packages/"
  mount --bind /proc "$1/copy/root/proc"
  touch "$1/allowed"
  chroot "$1/copy/root" sh /packages/inside.sh
' bash "$scratch" >"$scratch/said" 2>&1 || {
  cat "$scratch/said"
  [ -e "$scratch/allowed" ] || exit 77
  exit 1
}
