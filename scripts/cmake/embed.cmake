# Builds files into a program, as they are when the project is configured:
#   mstune_embed(target namespace kName file [kName file]...)
# defines `const std::string_view kName` in the namespace. A changed file is embedded anew.
function(mstune_embed target namespace)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded.cpp")
  set(text "#include <string_view>\nnamespace ${namespace} {\n")
  set(pairs ${ARGN})
  while(pairs)
    list(POP_FRONT pairs name file)
    get_filename_component(path "${file}" ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
    file(READ "${path}" content)
    if(content MATCHES "\\)embedded\"")
      message(FATAL_ERROR "${path} holds the mark that ends an embedded file")
    endif()
    string(APPEND text "extern const std::string_view ${name};\n"
      "const std::string_view ${name} = R\"embedded(${content})embedded\";\n")
  endwhile()
  string(APPEND text "}\n")
  # Only a change touches the file, so that nothing is compiled anew for nothing.
  file(CONFIGURE OUTPUT "${source}" CONTENT "@text@" @ONLY)
  # The literals are longer than compilers must take; clang warns of that.
  set_source_files_properties("${source}" PROPERTIES
    COMPILE_OPTIONS $<$<CXX_COMPILER_ID:Clang>:-Wno-overlength-strings>)
  set_source_files_properties("${source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE "${source}")
endfunction()
