# What `cmake --install` lays down: the libraries, the headers, the compatibility directory, and what pkg-config and find_package read, under
# zlink's own names and under those that users of libzmq know.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS zlink zlink_static EXPORT zlinkTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

install(TARGETS zlink_compat LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/zlink/compat)

# libzmq's interface version, from the header that defines it.
file(STRINGS include/zmq.h version_lines REGEX "^#define ZMQ_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9;]+" "" version_numbers "${version_lines}")
list(JOIN version_numbers . ZLINK_ZMQ_VERSION)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake)
install(EXPORT zlinkTargets NAMESPACE zlink:: DESTINATION ${package_dir}/zlink)
foreach(package zlink ZeroMQ)
  configure_package_config_file(cmake/${package}Config.cmake.in ${PROJECT_BINARY_DIR}/packages/${package}Config.cmake
    INSTALL_DESTINATION ${package_dir}/${package} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
  set(version ${PROJECT_VERSION})
  if(package STREQUAL ZeroMQ)
    set(version ${ZLINK_ZMQ_VERSION})
  endif()
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/packages/${package}ConfigVersion.cmake
    VERSION ${version} COMPATIBILITY SameMajorVersion)
  install(FILES
    ${PROJECT_BINARY_DIR}/packages/${package}Config.cmake
    ${PROJECT_BINARY_DIR}/packages/${package}ConfigVersion.cmake
    DESTINATION ${package_dir}/${package})
endforeach()

# The modules find the rest from where they lie, so that a moved or staged tree works too.
file(RELATIVE_PATH pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
foreach(module libzlink libzmq)
  configure_file(cmake/${module}.pc.in ${PROJECT_BINARY_DIR}/packages/${module}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/packages/${module}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
