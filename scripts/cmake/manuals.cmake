# Man pages and completions, printed by the programs themselves as soon as they are linked, so that
# they cannot drift from the options, nor be missing where a program is installed. A cross build runs
# them under its emulator, and goes without where it has none.
include(GNUInstallDirs)
set(MSTUNE_MANUALS ${CMAKE_BINARY_DIR}/manuals)
file(MAKE_DIRECTORY ${MSTUNE_MANUALS})

# What a program prints goes into a file: mstune_print(mstune.1 mstune man)
function(mstune_print file program)
  add_custom_command(TARGET ${program} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C
      ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${program}> ${ARGN} > ${MSTUNE_MANUALS}/${file}
    BYPRODUCTS ${MSTUNE_MANUALS}/${file} VERBATIM)
endfunction()

# For the CMakeLists.txt that makes the program.
function(mstune_install_manuals program component man completion)
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    message(STATUS "Without an emulator for ${CMAKE_SYSTEM_PROCESSOR} ${program} has no man page")
    return()
  endif()
  mstune_print(${program}.1 ${program} ${man})
  mstune_print(${program}.bash ${program} ${completion} bash)
  mstune_print(_${program} ${program} ${completion} zsh)
  install(FILES ${MSTUNE_MANUALS}/${program}.1
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
  install(FILES ${MSTUNE_MANUALS}/${program}.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME ${program} COMPONENT ${component})
  # Debian's zsh looks for packages' completions in a place of its own.
  foreach(place site-functions vendor-completions)
    install(FILES ${MSTUNE_MANUALS}/_${program}
      DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${place} COMPONENT ${component})
  endforeach()
endfunction()
