#!/usr/bin/env bash
# The packages of scripts/package.sh: static, complete, and able to run a campaign, where this
# machine or qemu-user can run them. Status 77: there are none, or nothing can run them.
#
#   tests/install/package_test.sh BUILD-PACKAGE/ARCH ARCH
# shellcheck source=common.sh
[ -d "$1/packages" ] || exit 77
. "$(dirname "$0")/common.sh"
arch=$2

emulator=""
if [ "$arch" != "$(uname -m)" ]; then
  emulator=$(command -v "qemu-$arch-static") || {
    echo "no qemu-$arch-static here"
    exit 77
  }
fi
busybox=$(command -v busybox) || {
  echo "no busybox here"
  exit 77
}

echo "== each program has a .tar.gz and a .deb"
packages=$build_dir/packages
for program in mstune mstune-agent; do
  must test "$(find "$packages" -name "$program-[0-9]*-$arch.tar.gz" | wc -l)" -eq 1
  deb=$(find "$packages" -name "${program}_[0-9]*.deb")
  must test -n "$deb"
  must grep -q " ./usr/bin/$program\$" <<<"$(dpkg-deb -c "$deb")"
  must grep -q " ./usr/share/man/man1/$program.1\$" <<<"$(dpkg-deb -c "$deb")"
  must_not grep -q '^ *Depends:' <<<"$(dpkg-deb -I "$deb")"
  tarball=$(find "$packages" -name "$program-[0-9]*-$arch.tar.gz")
  must_not grep -qv "^$(basename "$tarball" .tar.gz)/" <<<"$(tar -tzf "$tarball")"
  tar -xzf "$tarball" -C "$scratch" --strip-components=1
done

cd "$scratch"
root=$scratch/root
mkdir -p "$root"/{bin,dev,proc,tmp,programs,home}
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(--map-root-user)
# In a root with nothing but busybox and the programs; the processes are this machine's.
within() {
  # shellcheck disable=SC2016  # the variables are the inner shell's
  exec unshare "${as_root[@]}" --mount bash -c '
    root=$0
    mount --rbind /proc "$root/proc" && touch "$root/dev/null" &&
      mount --bind /dev/null "$root/dev/null" && cd "$root" &&
      exec env -i PATH=/bin HOME=/home TMPDIR=/tmp ${LANG:+LANG="$LANG"} \
        "$(command -v chroot)" "$root" /bin/busybox env -- "$@"' "$root" "$@"
}
inside() { (within "$@"); }

echo "== static, and nothing else is needed"
cp "$busybox" "$root/bin/busybox"
[ -z "$emulator" ] || cp "$emulator" "$root/programs/emulator"
for program in mstune mstune-agent; do
  file=$(find "$scratch" -type f -name "$program" -path '*bin*')
  must test -n "$file"
  must_not grep -q INTERP <<<"$(readelf -lW "$file")"
  must_not grep -q NEEDED <<<"$(readelf -dW "$file")"
  cp "$file" "$root/programs/$program"
  ls -l "$root/programs/$program"
  # An emulated program cannot start another: whatever it starts has to name the emulator.
  printf '#!/bin/sh\nexec %s /programs/%s "$@"\n' "${emulator:+/programs/emulator}" "$program" \
    >"$root/bin/$program"
  chmod +x "$root/bin/$program"
done
inside /bin/busybox --install -s /bin
for program in mstune mstune-agent; do
  must grep -q "^$program [0-9]" <<<"$(inside "$program" --version)"
done

echo "== a terminal in GBK, on a system that knows no character set"
# Through a pipe: a file would get UTF-8.
LANG=zh_CN.GBK inside mstune tune --help-all | cat >gbk
LANG=zh_CN.UTF-8 inside mstune tune --help-all | cat >utf8
must_not cmp -s gbk utf8
must cmp <(iconv -f GBK -t UTF-8 gbk) utf8

echo "== a campaign"
cat >"$root/steps.sh" <<'STEPS'
step=0
start=1000000
while [ "$step" -lt 12 ]; do
  echo "[INFO] GE($$,sh):2026-08-21-15:14:44.123.456 [step_recorder.cc:137]$$ Record:[GE_MS_TUNE][STEP] api=NnExecute mode=$GE_AUTO_MULTISTREAM_PARALLEL_MODE model_id=1 step=$step start_us=$start end_us=$((start + 1000)) cost_us=1000 sync_us=0 ret=0 sync_ret=0"
  step=$((step + 1))
  start=$((start + 2000))
done
STEPS
inside mstune tune --run-command "sh /steps.sh" --repeat 1 --configs cv --output-dir /out | tee said
must test "$(grep -c ' 1/1 ' said)" -eq 2

echo "== a campaign over TCP with keys and files, of a program that leaves a process behind"
# Nobody adopts that process where the kernel has no subreaper: the agent has to find it.
stray=$((RANDOM + 100000))
cat >"$root/leaves.sh" <<LEAVES
GE_AUTO_MULTISTREAM_PARALLEL_MODE=\$(head -n 1 "\$1")
. /steps.sh
setsid sleep $stray >/dev/null 2>&1 &
LEAVES
cat >"$root/build.sh" <<'BUILD'
{
  echo "$GE_AUTO_MULTISTREAM_PARALLEL_MODE"
  cat /weights
} >"$1"
BUILD
inside mstune keygen ann >/dev/null
inside mstune-agent --keygen >/dev/null
within mstune-agent --listen "tcp://127.0.0.1:*" --work-dir /work \
  --authorized /home/.config/mstune/id.pub >agent.log 2>&1 &
agent=$!
eventually grep -q 'listening at tcp://' agent.log
port=$(sed -n 's/.*tcp:\/\/127.0.0.1:\([0-9]*\).*/\1/p' agent.log | head -1)
key=$(sed 's/.* //' "$root/home/.config/mstune/agent.pub")
echo '{"host": "127.0.0.1", "port": '"$port"', "server_key": "'"$key"'"}' >"$root/target.json"
must inside mstune-agent --probe --listen "tcp://127.0.0.1:$port"
head -c 3000000 /dev/urandom >"$root/weights"
inside mstune tune --target /target.json --mode offline --compile-command 'sh /build.sh {om}' \
  --run-command 'sh /leaves.sh {om}' --repeat 1 --configs cv --output-dir /out | tee said
must test "$(grep -c ' 1/1 ' said)" -eq 2
must_not grep -qsaxz "$stray" /proc/[0-9]*/cmdline
must grep -q ' 2 files' <<<"$(inside mstune agents --target /target.json)"
kill "$agent"
must wait "$agent"
