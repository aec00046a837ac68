#!/usr/bin/env bash
# Makes packages of both programs that run on any Linux of one architecture, however old its libc:
# a .tar.gz and a .deb each, fully static.
#
#   scripts/package.sh [x86_64|aarch64]      default: this machine's
#
# Needs Debian 12 and its package registry: libzmq and fmt are built from Debian's sources, because
# Debian has no static fmt and its static libzmq wants libraries that have no static form. Nothing
# is changed on this machine but for the tools that are missing. The result is in
# build-package/ARCH/packages.
set -euo pipefail
cd "$(dirname "$0")/.."

arch=${1:-$(uname -m)}
case "$arch" in
  x86_64) debian_arch=amd64 toolchain=() compiler=g++ ;;
  aarch64)
    debian_arch=arm64 compiler=aarch64-linux-gnu-g++
    toolchain=("-DCMAKE_TOOLCHAIN_FILE=$PWD/scripts/cmake/aarch64.cmake")
    ;;
  *)
    echo "usage: scripts/package.sh [x86_64|aarch64]" >&2
    exit 2
    ;;
esac
triplet=$arch-linux-gnu
work=$PWD/build-package/$arch
prefix=$work/prefix
mkdir -p "$work" "$prefix"

install_tools() {
  scripts/setup.sh build
  # The last two are for the packages' test.
  local tools=(dpkg-dev busybox-static) missing=()
  [ "$arch" = "$(uname -m)" ] || tools+=("g++-${triplet//_/-}" qemu-user-static)
  for tool in "${tools[@]}"; do
    dpkg-query -W -f='${db:Status-Status}' "$tool" 2>/dev/null | grep -qx installed ||
      missing+=("$tool")
  done
  [ "${#missing[@]}" -eq 0 ] && return
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null
}

# apt with lists of its own: of sources and of the other architecture, which this machine's may
# not have.
private_apt() {
  apt-get -qq -o Dir::State::lists="$work/apt/lists" -o Dir::Cache="$work/apt/cache" \
    -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work/apt/sources" \
    -o APT::Architectures="$debian_arch" -o APT::Sandbox::User=root "$@"
}

prepare_apt() {
  [ -e "$work/apt/ready" ] && return
  rm -rf "$work/apt"
  mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial" "$work/apt/sources"
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -e "$file" ] || continue
    sed -n 's/^deb \(.*\)/deb \1\ndeb-src \1/p' "$file" >"$work/apt/sources/$(basename "$file" .list).list"
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    [ -e "$file" ] || continue
    sed 's/^Types:.*/Types: deb deb-src/' "$file" >"$work/apt/sources/$(basename "$file")"
  done
  private_apt update
  touch "$work/apt/ready"
}

# Debian's source package, unpacked with its patches: fetch_source zeromq3
fetch_source() {
  [ -d "$work/sources/$1" ] && return
  mkdir -p "$work/sources/download-$1"
  (cd "$work/sources/download-$1" && private_apt --download-only source "$1" &&
    dpkg-source --no-check -x ./*.dsc "$work/sources/unpacked-$1" >/dev/null)
  mv "$work/sources/unpacked-$1" "$work/sources/$1"
}

# Builds a fetched source with CMake and installs it below the prefix: build_source zeromq3 -D…
build_source() {
  local name=$1
  shift
  [ -e "$prefix/.built-$name" ] && return
  cmake -S "$work/sources/$name" -B "$work/build-$name" -G Ninja "${toolchain[@]}" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
    -DBUILD_SHARED_LIBS=OFF "$@"
  cmake --build "$work/build-$name"
  cmake --install "$work/build-$name" >/dev/null
  touch "$prefix/.built-$name"
}

# Debian's binary packages of static libraries, unpacked below the prefix.
fetch_static_libraries() {
  [ -e "$prefix/.fetched" ] && return
  mkdir -p "$work/debs"
  (cd "$work/debs" && private_apt download "libsodium-dev:$debian_arch" "libssl-dev:$debian_arch")
  local package
  for package in "$work"/debs/*.deb; do
    dpkg-deb -x "$package" "$prefix"
  done
  touch "$prefix/.fetched"
}

install_tools
prepare_apt
fetch_static_libraries
fetch_source zeromq3
fetch_source fmtlib
build_source fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF
PKG_CONFIG_LIBDIR=$prefix/usr/lib/$triplet/pkgconfig PKG_CONFIG_SYSROOT_DIR=$prefix \
  build_source zeromq3 -DBUILD_STATIC=ON -DBUILD_SHARED=OFF -DBUILD_TESTS=OFF -DWITH_PERF_TOOL=OFF \
  -DENABLE_CPACK=OFF -DWITH_DOCS=OFF -DENABLE_WS=OFF -DWITH_TLS=OFF -DWITH_LIBBSD=OFF \
  -DWITH_OPENPGM=OFF -DWITH_NORM=OFF -DWITH_VMCI=OFF -DENABLE_CURVE=ON -DWITH_LIBSODIUM=ON \
  -DSODIUM_INCLUDE_DIRS="$prefix/usr/include" \
  -DSODIUM_LIBRARIES="$prefix/usr/lib/$triplet/libsodium.a"

cmake -S . -B "$work/build" -G Ninja "${toolchain[@]}" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_INSTALL_PREFIX=/usr -DMSTUNE_TESTS=OFF -DMSTUNE_STATIC=ON \
  -DMSTUNE_STATIC_PREFIX="$prefix"
cmake --build "$work/build"
rm -rf "$work/packages"
(cd "$work/build" && cpack -B "$work/packages" >/dev/null)
rm -rf "$work/packages/_CPack_Packages"
version=$("$work/build/bin/mstune" --version 2>/dev/null | cut -d' ' -f2 || :)
version=${version:-$(sed -n 's/^project(mstune VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)}
for component in coordinator:mstune agent:mstune-agent; do
  name=${component#*:}-$version-$arch
  rm -rf "$work/stage"
  cmake --install "$work/build" --component "${component%:*}" --strip --prefix "$work/stage/$name" >/dev/null
  tar -C "$work/stage" --owner=0 --group=0 -czf "$work/packages/$name.tar.gz" "$name"
done

for program in mstune mstune-agent; do
  if readelf -lW "$work/build/bin/$program" | grep -q INTERP; then
    echo "$program is not static" >&2
    exit 1
  fi
done
"$compiler" --version | head -1
ls -l "$work/packages"
