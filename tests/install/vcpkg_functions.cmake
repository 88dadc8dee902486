# Stands in for vcpkg, to run a portfile: cmake -DPORT_FILE= -DCURRENT_PACKAGES_DIR= -DFEATURES= -DBUILD= -P vcpkg_functions.cmake
# Each function does the part of vcpkg's own that the port of zlink relies on, for a release of shared libraries.
cmake_minimum_required(VERSION 3.25)
set(PORT zlink)
set(VCPKG_LIBRARY_LINKAGE dynamic)

function(run_or_fail)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_check_features)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" OUT_FEATURE_OPTIONS FEATURES)
  set(result "")
  while(arg_FEATURES)
    list(POP_FRONT arg_FEATURES feature option)
    if(feature IN_LIST FEATURES)
      list(APPEND result -D${option}=ON)
    else()
      list(APPEND result -D${option}=OFF)
    endif()
  endwhile()
  set(${arg_OUT_FEATURE_OPTIONS} ${result} PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH OPTIONS)
  run_or_fail(cmake -S ${arg_SOURCE_PATH} -B ${BUILD} -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON
    -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} -DCMAKE_INSTALL_LIBDIR=lib ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
  run_or_fail(cmake --build ${BUILD})
  run_or_fail(cmake --install ${BUILD})
endfunction()

function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "PACKAGE_NAME;CONFIG_PATH" "")
  file(MAKE_DIRECTORY ${CURRENT_PACKAGES_DIR}/share)
  file(RENAME ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH} ${CURRENT_PACKAGES_DIR}/share/${arg_PACKAGE_NAME})
endfunction()

function(vcpkg_fixup_pkgconfig)
endfunction()

function(vcpkg_copy_tools)
  file(MAKE_DIRECTORY ${CURRENT_PACKAGES_DIR}/tools/${PORT})
  file(RENAME ${CURRENT_PACKAGES_DIR}/bin/zlink ${CURRENT_PACKAGES_DIR}/tools/${PORT}/zlink)
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" FILE_LIST)
  file(MAKE_DIRECTORY ${CURRENT_PACKAGES_DIR}/share/${PORT})
  file(COPY_FILE ${arg_FILE_LIST} ${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright)
endfunction()

get_filename_component(CMAKE_CURRENT_LIST_DIR ${PORT_FILE} DIRECTORY)
include(${PORT_FILE})
