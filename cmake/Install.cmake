# What `cmake --install` lays down: the libraries, the headers, and what pkg-config and find_package read. With ZLINK_COMPAT also the library
# under libzmq's name, and what users of libzmq ask for. Components: runtime, development, tools (cli/), compat.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(libraries zlink)
if(ZLINK_STATIC)
  list(APPEND libraries zlink_static)
endif()
install(TARGETS ${libraries} EXPORT zlinkTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

# libzmq's interface version, from the header that defines it.
file(STRINGS include/zmq.h version_lines REGEX "^#define ZMQ_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9;]+" "" version_numbers "${version_lines}")
list(JOIN version_numbers . ZLINK_ZMQ_VERSION)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake)
# The module finds the rest from where it lies, so that a moved or staged tree works too.
file(RELATIVE_PATH pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})

# package: for find_package; module: for pkg-config.
function(zlink_names package module version component)
  configure_package_config_file(cmake/${package}Config.cmake.in ${PROJECT_BINARY_DIR}/packages/${package}Config.cmake
    INSTALL_DESTINATION ${package_dir}/${package} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/packages/${package}ConfigVersion.cmake
    VERSION ${version} COMPATIBILITY SameMajorVersion)
  install(FILES
    ${PROJECT_BINARY_DIR}/packages/${package}Config.cmake
    ${PROJECT_BINARY_DIR}/packages/${package}ConfigVersion.cmake
    DESTINATION ${package_dir}/${package} COMPONENT ${component})
  configure_file(cmake/${module}.pc.in ${PROJECT_BINARY_DIR}/packages/${module}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/packages/${module}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component})
endfunction()

install(EXPORT zlinkTargets NAMESPACE zlink:: DESTINATION ${package_dir}/zlink COMPONENT development)
zlink_names(zlink libzlink ${PROJECT_VERSION} development)
if(ZLINK_COMPAT)
  install(TARGETS zlink_compat LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/zlink/compat COMPONENT compat)
  zlink_names(ZeroMQ libzmq ${ZLINK_ZMQ_VERSION} compat)
endif()
