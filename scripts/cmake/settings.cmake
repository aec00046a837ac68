# What every target of ours is compiled with. Third-party code never sees it.
option(MSTUNE_WERROR "Warnings are errors" OFF)
set(MSTUNE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")

# -O3 costs time to compile and gains nothing here.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

add_library(mstune_settings INTERFACE)
target_include_directories(mstune_settings INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(mstune_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi -Wswitch-enum
  -Wdouble-promotion -Wformat=2 -Wimplicit-fallthrough
  # GCC 12 reports impossible overlaps and lengths inside its own std::string (GCC bugs 105651
  # and 105329), and members of variants' alternatives that are not the one in use.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
# What ccache asks for, to know a file again that uses a precompiled header.
target_compile_options(mstune_settings INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
  "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
if(MSTUNE_WERROR)
  target_compile_options(mstune_settings INTERFACE -Werror)
endif()
if(MSTUNE_SANITIZE)
  target_compile_options(mstune_settings INTERFACE
    -fsanitize=${MSTUNE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(mstune_settings INTERFACE -fsanitize=${MSTUNE_SANITIZE})
  set(MSTUNE_SANITIZED_DEFINITION MSTUNE_SANITIZED)  # for tests that bound memory
endif()
