# Man pages and completions, printed by the programs themselves, so that they cannot drift from the
# options. A cross build runs them under its emulator, and goes without where it has none.
set(MSTUNE_MANUALS ${CMAKE_BINARY_DIR}/manuals)
file(MAKE_DIRECTORY ${MSTUNE_MANUALS})

# What a program prints goes into a file: mstune_print(mstune.1 mstune man)
function(mstune_print file program)
  set(printed ${MSTUNE_MANUALS}/${file})
  add_custom_command(OUTPUT ${printed}
    COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C
      ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${program}> ${ARGN} > ${printed}
    DEPENDS ${program} VERBATIM)
  set_property(GLOBAL APPEND PROPERTY mstune_printed ${printed})
endfunction()

function(mstune_install_manuals program component man completion)
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

if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  message(STATUS "Without an emulator for ${CMAKE_SYSTEM_PROCESSOR} there are no man pages")
else()
  mstune_install_manuals(mstune coordinator man completion)
  mstune_install_manuals(mstune-agent agent --man --completion)
  get_property(printed GLOBAL PROPERTY mstune_printed)
  add_custom_target(mstune_manuals ALL DEPENDS ${printed})
endif()
