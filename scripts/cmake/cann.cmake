# Compiling against a CANN install: what pass/ and samples/ share. ASCEND_HOME_PATH, as a variable of
# CMake or of the environment (set_env.sh exports it), says where that is.
if(NOT ASCEND_HOME_PATH)
  set(ASCEND_HOME_PATH "$ENV{ASCEND_HOME_PATH}")
endif()
if(NOT EXISTS "${ASCEND_HOME_PATH}/include/register/register_custom_pass.h")
  message(FATAL_ERROR "No CANN toolkit with custom passes at ASCEND_HOME_PATH=\"${ASCEND_HOME_PATH}\": "
    "run '. <cann>/set_env.sh' first, or give -DASCEND_HOME_PATH=<cann>")
endif()
get_filename_component(ASCEND_HOME_PATH "${ASCEND_HOME_PATH}" ABSOLUTE)

# CANN's C++ libraries are built with the old std::string, which their interfaces pass around.
add_library(cann INTERFACE)
target_include_directories(cann SYSTEM INTERFACE
  ${ASCEND_HOME_PATH}/include ${ASCEND_HOME_PATH}/include/external
  ${ASCEND_HOME_PATH}/include/graph ${ASCEND_HOME_PATH}/include/ge
  ${ASCEND_HOME_PATH}/include/register)
target_compile_definitions(cann INTERFACE _GLIBCXX_USE_CXX11_ABI=0)
# What CANN's libraries need themselves is found when the program runs, in the environment of
# set_env.sh: a build host may have no driver, and link stubs name no dependencies.
target_link_options(cann INTERFACE -Wl,--allow-shlib-undefined)

# Links the first set of libraries of which all are there: cann_link(program "acl_rt acl_mdl" "ascendcl")
function(cann_link target)
  foreach(set ${ARGN})
    separate_arguments(names UNIX_COMMAND "${set}")
    set(found "")
    foreach(name ${names})
      find_library(CANN_${name}_LIBRARY ${name} NO_DEFAULT_PATH
        PATHS ${ASCEND_HOME_PATH} PATH_SUFFIXES lib64 devlib lib64/stub)
      if(CANN_${name}_LIBRARY)
        list(APPEND found ${CANN_${name}_LIBRARY})
      endif()
    endforeach()
    list(LENGTH found found_count)
    list(LENGTH names wanted_count)
    if(found_count EQUAL wanted_count)
      target_link_libraries(${target} PRIVATE cann -Wl,--no-as-needed ${found})
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "None of these sets of libraries is complete below ${ASCEND_HOME_PATH}: ${ARGN}")
endfunction()
