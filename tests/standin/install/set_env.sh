#!/bin/bash
# Puts the toolkit that this file stands in into the environment. To be sourced, by bash: the file
# finds itself by BASH_SOURCE, and another shell is left with "." without being told.
# shellcheck disable=SC2116,SC2128  # the subshells and the missing index are on purpose, see below

case "$-" in
  *e*) _cann_exits_on_error=1; set +e ;;
  *) _cann_exits_on_error=0 ;;
esac

_cann_home="$(dirname "$(readlink -f "$BASH_SOURCE" 2>/dev/null)")"
_cann_arch="$(uname -m)"
_cann_driver=/usr/local/Ascend/driver/lib64

_cann_libraries="$_cann_home/lib64:$_cann_home/lib64/plugin/opskernel"
_cann_libraries="$_cann_libraries:$_cann_home/lib64/plugin/nnengine"
_cann_tiling=opp/built-in/op_impl/ai_core/tbe/op_tiling/lib/linux
_cann_libraries="$_cann_libraries:$_cann_home/$_cann_tiling/$_cann_arch"
_cann_libraries="$_cann_libraries:$_cann_driver:$_cann_driver/common:$_cann_driver/driver"
# A box without a driver has no libascend_hal.so but that of the link stubs.
if ! ls "$_cann_driver"/libascend_hal.so "$_cann_driver"/driver/libascend_hal.so >/dev/null 2>&1; then
  _cann_devlib=":$_cann_home/devlib"
else
  _cann_devlib=""
fi

# The old value is read in a subshell: under `set -u` that complains and the file goes on.
_cann_old="$(echo "$LD_LIBRARY_PATH")"
export LD_LIBRARY_PATH="$_cann_libraries${_cann_old:+:$_cann_old}$_cann_devlib"
_cann_old="$(echo "$PYTHONPATH")"
export PYTHONPATH="$_cann_home/python/site-packages:$_cann_home/opp/built-in/op_impl/ai_core/tbe${_cann_old:+:$_cann_old}"
_cann_old="$(echo "$CMAKE_PREFIX_PATH")"
export CMAKE_PREFIX_PATH="$_cann_home/lib64/cmake${_cann_old:+:$_cann_old}"
export PATH="$_cann_home/bin:$_cann_home/compiler/ccec_compiler/bin:$PATH"
export ASCEND_HOME_PATH="$_cann_home"
export ASCEND_TOOLKIT_HOME="$_cann_home"
export ASCEND_OPP_PATH="$_cann_home/opp"
export ASCEND_AICPU_PATH="$_cann_home"
export TOOLCHAIN_HOME="$_cann_home/toolkit"

if [ "$_cann_exits_on_error" = 1 ]; then
  set -e
fi
unset _cann_exits_on_error _cann_home _cann_arch _cann_driver _cann_libraries _cann_tiling
unset _cann_devlib _cann_old
