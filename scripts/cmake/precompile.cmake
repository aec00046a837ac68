# Most of what compiling a small file costs is reading the standard library: done once for each set
# of flags (the product, its tests, the simulations, the stand-in). Off, it shows which file forgot
# an include.
option(MSTUNE_PRECOMPILE "Use precompiled headers" ON)

# What templates cost is instantiating them in every file anew: sources are compiled in batches,
# where all of a batch share them. Off, a changed file is compiled alone.
option(MSTUNE_UNITY "Compile sources in batches: for who builds once" OFF)

# The files that follow the target have helpers of the same names as others, and stay alone.
function(mstune_compile_in_batches target)
  if(MSTUNE_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    # It takes the sources of a batch for headers.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# Makes `owner` compile the headers that follow it, besides the usual ones, for mstune_reuse_headers.
function(mstune_precompile_headers owner)
  if(MSTUNE_PRECOMPILE)
    target_precompile_headers(${owner} PRIVATE
      <algorithm> <array> <chrono> <cstdint> <filesystem> <functional> <map> <memory> <optional>
      <string> <string_view> <utility> <vector> ${ARGN})
  endif()
endfunction()

# Only between targets with the same language level, string ABI, optimization and kind of code.
function(mstune_reuse_headers owner)
  if(MSTUNE_PRECOMPILE)
    foreach(target ${ARGN})
      target_precompile_headers(${target} REUSE_FROM ${owner})
    endforeach()
  endif()
endfunction()
