# The same packages as dependencies.cmake, but as static libraries below MSTUNE_STATIC_PREFIX, which
# scripts/package.sh fills: Debian's own libzmq.a wants libraries that exist in no static form.
set(MSTUNE_STATIC_PREFIX "" CACHE PATH "Where package.sh put the static libraries")

# A library there as an imported target: static_library(fmt::fmt fmt ...its own libraries)
function(static_library target name)
  string(MAKE_C_IDENTIFIER ${name} variable)
  find_library(STATIC_${variable}_LIBRARY lib${name}.a REQUIRED NO_DEFAULT_PATH
    PATHS ${MSTUNE_STATIC_PREFIX}/lib ${MSTUNE_STATIC_PREFIX}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}
    NO_CMAKE_FIND_ROOT_PATH)
  add_library(${target} STATIC IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${STATIC_${variable}_LIBRARY})
  target_include_directories(${target} SYSTEM INTERFACE
    ${MSTUNE_STATIC_PREFIX}/include ${MSTUNE_STATIC_PREFIX}/usr/include
    ${MSTUNE_STATIC_PREFIX}/usr/include/${CMAKE_LIBRARY_ARCHITECTURE})
  target_link_libraries(${target} INTERFACE ${ARGN})
endfunction()

static_library(mstune_sodium sodium Threads::Threads)
static_library(PkgConfig::zmq zmq mstune_sodium Threads::Threads rt)
static_library(fmt::fmt fmt)
static_library(OpenSSL::Crypto crypto Threads::Threads ${CMAKE_DL_LIBS})
add_library(cppzmq INTERFACE IMPORTED GLOBAL)

add_link_options(-static)
