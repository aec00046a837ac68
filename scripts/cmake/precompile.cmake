# Most of what compiling a small file costs is reading the standard library and fmt: done once for
# the product and once for its tests. Off, it shows which file forgot an include.
option(MSTUNE_PRECOMPILE "Use precompiled headers" ON)

# Makes `owner` compile the headers that follow it, for mstune_reuse_headers.
function(mstune_precompile_headers owner)
  if(MSTUNE_PRECOMPILE)
    target_precompile_headers(${owner} PRIVATE
      <algorithm> <array> <chrono> <cstdint> <filesystem> <functional> <map> <memory> <optional> <span>
      <string> <string_view> <utility> <variant> <vector> <fmt/format.h> ${ARGN})
  endif()
endfunction()

function(mstune_reuse_headers owner)
  if(MSTUNE_PRECOMPILE)
    foreach(target ${ARGN})
      target_precompile_headers(${target} REUSE_FROM ${owner})
    endforeach()
  endif()
endfunction()
