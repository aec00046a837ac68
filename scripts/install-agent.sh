#!/usr/bin/env bash
# Puts the agent onto another machine and starts it there: the last ssh that anybody needs.
#
#   scripts/install-agent.sh [OPTION]... HOST        HOST as ssh takes it: npu-box, user@10.0.0.5
#
#   --system | --user | --no-systemd   how it runs (default: as root --system, else --user, and
#                                      --no-systemd where there is no systemd)
#   --run-as USER     the user of a system service (default: HwHiAiUser if it is there, else mstune)
#   --port N          where it listens (18600)
#   --address NAME    what the target file calls the machine (default: what ssh resolves HOST to)
#   --devices LIST    devices that it offers, as in 0-7
#   --cann-env FILE   set_env.sh over there, for the target file
#   --agent FILE      mstune-agent for that machine (default: a static one for its architecture)
#   --target FILE     target file to write (default: ./ADDRESS.json)
#   --now             do not wait for trials that run there
#   --uninstall       stop it, and remove all of it and what it has stored, however it was run
#
# Makes a key for the agent and one for you where there are none, and authorizes yours. Installed
# again, it replaces the program and keeps the keys, and port and devices where neither is named; the
# program that was there serves until the new one has shown that it starts.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
packaging=$here/../packaging

fail() {
  echo "install-agent: $*" >&2
  exit 1
}

usage() {
  sed -n '/^#   /s/^# \{0,3\}//p' "$0" >&2
  exit 2
}

kind="" run_as="" port="" address="" devices="" cann_env="" agent="" target="" uninstall="" now="" host=""
while [ $# -gt 0 ]; do
  case "$1" in
    --system) kind=system ;;
    --user) kind=user ;;
    --no-systemd) kind=none ;;
    --uninstall) uninstall=yes ;;
    --now) now=yes ;;
    --run-as | --port | --address | --devices | --cann-env | --agent | --target)
      [ $# -ge 2 ] || usage
      name=${1#--}
      printf -v "${name//-/_}" '%s' "$2"
      shift
      ;;
    -*) usage ;;
    *)
      [ -z "$host" ] || usage
      host=$1
      ;;
  esac
  shift
done
[ -n "$host" ] || usage
options_given=$port$devices
port=${port:-18600}
if ! [[ $port =~ ^[0-9]{1,5}$ ]] || ((10#$port < 1 || 10#$port > 65535)); then
  fail "--port $port: a port is a number from 1 to 65535"
fi
[[ $devices =~ ^[0-9,-]*$ ]] || fail "--devices $devices: write logic ids as in 0-7 or 0,2"
[[ $run_as =~ ^[a-zA-Z0-9_.-]*$ ]] || fail "--run-as $run_as is no user name"
# What the other machines of the network can resolve: an alias of ~/.ssh/config means nothing there.
resolve() {
  local resolved
  resolved=$(ssh -G "$host" 2>/dev/null | sed -n 's/^hostname //p' | head -1)
  local plain=${host#ssh://}
  plain=${plain##*@}
  echo "${resolved:-${plain%%:*}}"
}
address=${address:-$(resolve)}
[[ $address =~ ^[a-zA-Z0-9_.:-]+$ ]] || fail "--address $address is no name of a machine"
target=${target:-./$address.json}

local_stage=$(mktemp -d)
ssh_socket=$(mktemp -d)/ssh # one connection for all of it, so one password at most
on_exit() {
  command ssh -o ControlPath="$ssh_socket" -O exit "$host" >/dev/null 2>&1 || :
  rm -rf "$local_stage" "$(dirname "$ssh_socket")"
}
trap on_exit EXIT
chmod 700 "$local_stage"

ssh_there() {
  # shellcheck disable=SC2029  # what is expanded here is meant to be
  ssh -o ControlMaster=auto -o ControlPath="$ssh_socket" -o ControlPersist=60 "$host" "$@"
}

# Runs a script of packaging/remote there, as root where that is needed.
remote() {
  local script=$1
  shift
  local shell=(sh -s --)
  if [ "$kind" = system ] && [ "${uid:-0}" != 0 ]; then
    shell=(sudo -n sh -s --)
  fi
  ssh_there "${shell[@]}" "$@" <"$packaging/remote/$script"
}

# "NAME=value" lines of the other side → the value of one.
field() {
  sed -n "s/^$2=//p" <<<"$1"
}

look_at_machine() {
  local seen
  seen=$(remote probe.sh) || fail "cannot run anything on $host: does \"ssh $host\" work by hand?"
  explicit_kind=$kind
  arch=$(field "$seen" arch)
  uid=$(field "$seen" uid)
  [ -n "$arch" ] || fail "$host gave no answer that makes sense: $seen"
  [ -n "$kind" ] && return
  if [ "$uid" = 0 ] && [ -n "$(field "$seen" systemd)" ]; then
    kind=system
  elif [ "$uid" != 0 ] && [ -n "$(field "$seen" user_manager)" ]; then
    kind=user
  else
    kind=none
  fi
}

# The architecture that an ELF file is for, as uname -m has it.
architecture_of() {
  case "$(od -An -tx1 -j18 -N2 "$1" 2>/dev/null | tr -d ' ')" in
    3e00) echo x86_64 ;;
    b700) echo aarch64 ;;
    *) echo unknown ;;
  esac
}

# Whether a program needs the libraries of the machine that built it.
is_dynamic() {
  head -c 4096 "$1" | grep -q 'ld-linux'
}

find_agent() {
  local candidate dynamic=""
  for candidate in "$here/../build-package/$arch/build/bin/mstune-agent" \
    "$here/../../../bin/mstune-agent" "$here/../build/bin/mstune-agent"; do
    if [ -z "$agent" ] && [ -x "$candidate" ] && [ "$(architecture_of "$candidate")" = "$arch" ]; then
      if is_dynamic "$candidate"; then
        dynamic=" ($candidate needs this machine's libraries)"
      else
        agent=$candidate
      fi
    fi
  done
  [ -n "$agent" ] ||
    fail "no mstune-agent for $arch here that runs elsewhere$dynamic: make one with scripts/package.sh $arch, or name it with --agent"
  [ "$(architecture_of "$agent")" = "$arch" ] ||
    fail "$agent is for $(architecture_of "$agent"), $host is $arch"
}

find_mstune() {
  local candidate
  for candidate in "$here/../../../bin/mstune" "$here/../build/bin/mstune" "$(command -v mstune || :)"; do
    if [ -x "$candidate" ]; then
      mstune=$candidate
      return
    fi
  done
  fail "mstune is not there: it makes the keys; build it or put it into PATH"
}

make_keys() {
  local own=${XDG_CONFIG_HOME:-$HOME/.config}/mstune/id
  client_name=$(id -un)@$(uname -n)
  client_name=${client_name//[^a-zA-Z0-9._@-]/-}
  if [ ! -e "$own.key" ]; then
    "$mstune" keygen "$client_name" >/dev/null
    echo "made your key: $own.key"
  fi
  cp "$own.pub" "$local_stage/client.pub"
  "$mstune" keygen "${address//[^a-zA-Z0-9._@-]/-}" --file "$local_stage/agent.key" >/dev/null
}

write_unit() {
  local bin=/usr/local/bin
  [ "$kind" = none ] && return
  [ "$kind" = user ] && bin=%h/.local/bin
  sed -e "s|@CMAKE_INSTALL_FULL_BINDIR@|$bin|" -e "s|^User=.*|User=${run_as:-mstune}|" \
    "$packaging/systemd/mstune-agent.$kind.service.in" >"$local_stage/mstune-agent.service"
}

write_settings() {
  local options="--listen tcp://0.0.0.0:$port"
  [ -z "$devices" ] || options="$options --devices $devices"
  {
    echo "kind=$kind"
    echo "explicit_kind=${explicit_kind:-}"
    echo "options_given='${options_given:-}'"
    echo "now=$now"
    echo "run_as='${run_as:-mstune}'"
    echo "client_name='${client_name:-}'"
    echo "agent_options='$options'"
  } >"$local_stage/settings"
}

# Moves what was staged over there, and runs a script on it.
run_there() {
  cp "$packaging/remote/places.sh" "$local_stage/"
  local stage
  stage=$(ssh_there mktemp -d)
  tar -C "$local_stage" -cf - . | ssh_there tar -C "$stage" -xf -
  remote "$1" "$stage"
}

write_target() {
  local key=$1 text
  text=$(printf '{\n  "host": "%s",\n  "port": %s,\n  "server_key": "%s"' "$address" "$port" "$key")
  [ -z "$cann_env" ] || text+=$(printf ',\n  "cann_env": "%s"' "$cann_env")
  text+=$'\n}'
  if [ -e "$target" ] && ! grep -q "\"$key\"" "$target"; then
    echo "$target exists and was left alone; it should hold:"
    echo "$text"
  elif [ ! -e "$target" ]; then
    echo "$text" >"$target"
    echo "wrote $target"
  fi
}

look_at_machine
if [ -n "$uninstall" ]; then
  write_settings
  run_there uninstall.sh >/dev/null || fail "the agent is not gone from $host: see above"
  echo "the agent is gone from $host; $target is yours to remove"
  exit 0
fi

find_agent
find_mstune
if [ "$kind" = system ] && [ -z "$run_as" ] && ssh_there id HwHiAiUser >/dev/null 2>&1; then
  run_as=HwHiAiUser
fi
make_keys
write_unit
write_settings
cp "$agent" "$local_stage/mstune-agent"
said=$(run_there install.sh) || fail "the agent could not be installed on $host; all is as it was there: $said"
grep '^note:' <<<"$said" || :
public=$(field "$said" public)
echo "the agent runs on $host ($kind)$([ -z "$options_given" ] || echo ", port $port")"
write_target "${public##* }"
echo "try: mstune doctor --target $target"
