# Every package that the two programs are built on, in one place. README.md says why each is here.
find_package(Threads REQUIRED)
if(MSTUNE_STATIC)
  include(${CMAKE_CURRENT_LIST_DIR}/static.cmake)
else()
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(zmq REQUIRED IMPORTED_TARGET libzmq)
  find_package(cppzmq REQUIRED)
  find_package(fmt REQUIRED)
  find_package(OpenSSL REQUIRED COMPONENTS Crypto)
endif()
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Boost REQUIRED)  # headers of Boost.Math only

# Debian's msgpack-cxx config insists on Boost although nothing here needs it from there.
find_path(MSGPACK_INCLUDE_DIR msgpack.hpp REQUIRED)
add_library(mstune_msgpack INTERFACE)
target_include_directories(mstune_msgpack SYSTEM INTERFACE ${MSGPACK_INCLUDE_DIR})
target_compile_definitions(mstune_msgpack INTERFACE MSGPACK_NO_BOOST)

# Its own target links a shared library; the headers alone do as well.
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
add_library(mstune_toml INTERFACE)
target_include_directories(mstune_toml SYSTEM INTERFACE ${TOMLPLUSPLUS_INCLUDE_DIR})
target_compile_definitions(mstune_toml INTERFACE TOML_HEADER_ONLY=1 TOML_ENABLE_FORMATTERS=0)

if(MSTUNE_TESTS)
  find_package(doctest REQUIRED)
endif()
