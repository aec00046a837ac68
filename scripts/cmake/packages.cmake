# What `cmake --install` puts where, and the packages that cpack makes of it: one for each program,
# as .deb. scripts/package.sh makes static ones, and .tar.gz of the same.
include(GNUInstallDirs)

install(TARGETS mstune RUNTIME COMPONENT coordinator)
install(TARGETS mstune-agent RUNTIME COMPONENT agent)

# The pass and the samples are compiled against the CANN of the machine that uses them.
install(DIRECTORY pass samples DESTINATION ${CMAKE_INSTALL_DATADIR}/mstune COMPONENT coordinator)
install(FILES scripts/cmake/cann.cmake
  DESTINATION ${CMAKE_INSTALL_DATADIR}/mstune/scripts/cmake COMPONENT coordinator)
# It lays the agent out on other machines, so it brings the unit files along.
install(PROGRAMS scripts/install-agent.sh
  DESTINATION ${CMAKE_INSTALL_DATADIR}/mstune/scripts COMPONENT coordinator)
install(DIRECTORY packaging/systemd packaging/remote
  DESTINATION ${CMAKE_INSTALL_DATADIR}/mstune/packaging COMPONENT coordinator)
install(FILES README.md README.zh.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT coordinator)

# The units name the program where it is installed, which `cmake --install --prefix` says last.
foreach(kind system user)
  install(CODE "
    set(CMAKE_INSTALL_FULL_BINDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
    configure_file(\"${PROJECT_SOURCE_DIR}/packaging/systemd/mstune-agent.${kind}.service.in\"
      \"${CMAKE_BINARY_DIR}/systemd/${kind}/mstune-agent.service\" @ONLY)" COMPONENT agent)
  install(FILES ${CMAKE_BINARY_DIR}/systemd/${kind}/mstune-agent.service
    DESTINATION lib/systemd/${kind} COMPONENT agent)
endforeach()
install(FILES packaging/systemd/sysusers.conf
  DESTINATION lib/sysusers.d RENAME mstune-agent.conf COMPONENT agent)
install(FILES packaging/container/Containerfile
  DESTINATION ${CMAKE_INSTALL_DATADIR}/mstune-agent COMPONENT agent)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/mstune-agent COMPONENT agent)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME mstune)
set(CPACK_PACKAGE_VENDOR "mstune")
set(CPACK_PACKAGE_CONTACT "mstune")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Finds the best multi-stream configuration of a model on Ascend NPUs")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_SYSTEM_NAME ${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_COMPONENTS_ALL coordinator agent)
set(CPACK_COMPONENTS_GROUPING IGNORE)  # one package for each

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COORDINATOR_PACKAGE_NAME mstune)
set(CPACK_DEBIAN_AGENT_PACKAGE_NAME mstune-agent)
set(CPACK_DEBIAN_COORDINATOR_PACKAGE_RECOMMENDS mstune-agent)  # for runs on the same machine
set(maintainer_scripts postinst prerm postrm)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
list(TRANSFORM maintainer_scripts PREPEND ${PROJECT_SOURCE_DIR}/packaging/deb/)
set(CPACK_DEBIAN_AGENT_PACKAGE_CONTROL_EXTRA ${maintainer_scripts})
set(CPACK_COMPONENT_COORDINATOR_DESCRIPTION "The coordinator: builds, compares, ranks, recommends.")
set(CPACK_COMPONENT_AGENT_DESCRIPTION "The agent: runs programs under test on an NPU box.")
if(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
if(NOT MSTUNE_STATIC)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
