# What every target of ours is compiled with. Third-party code never sees it.
option(MSTUNE_WERROR "Warnings are errors" OFF)
set(MSTUNE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")

add_library(mstune_settings INTERFACE)
target_include_directories(mstune_settings INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(mstune_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi -Wswitch-enum
  -Wdouble-promotion -Wformat=2 -Wimplicit-fallthrough
  # GCC 12 reports impossible overlaps inside its own std::string (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
if(MSTUNE_WERROR)
  target_compile_options(mstune_settings INTERFACE -Werror)
endif()
if(MSTUNE_SANITIZE)
  target_compile_options(mstune_settings INTERFACE
    -fsanitize=${MSTUNE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(mstune_settings INTERFACE -fsanitize=${MSTUNE_SANITIZE})
  # GCC's flow analysis sees paths through the instrumentation that the program does not have.
  target_compile_options(mstune_settings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
