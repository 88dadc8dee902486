# The directory <build>/compat (installed: <libdir>/zlink/compat) makes a program that was linked with libzmq run on zlink:
#   LD_LIBRARY_PATH=<dir> program    or    LD_PRELOAD=<dir>/libzmq.so.5 program
#
# libzmq.so.5 is a library without code that has this SONAME and needs libzlink.so.1. A symbolic link would do for LD_LIBRARY_PATH, but
# not for LD_PRELOAD: the loader compares the wanted name with SONAMEs, finds libzlink.so.1, and loads the system's libzmq beside it (or
# fails where there is none). A second copy of the code under the second name would split the library's state in two. This way both
# names lead to the one libzlink.so.1 of the process.
# libzmq.so, for the linker and for dlopen, is a symbolic link to libzlink.so.1 itself.
set(zlink_compat_dir ${PROJECT_BINARY_DIR}/compat)

add_library(zlink_compat SHARED ${PROJECT_SOURCE_DIR}/cmake/compat_libzmq.c)
target_link_libraries(zlink_compat PRIVATE zlink)
# --no-as-needed: the need is the whole point, though no symbol is used.
target_link_options(zlink_compat PRIVATE -Wl,--no-as-needed)
set_target_properties(zlink_compat PROPERTIES
  OUTPUT_NAME zmq
  VERSION 5
  SOVERSION 5
  LINKER_LANGUAGE C
  LIBRARY_OUTPUT_DIRECTORY ${zlink_compat_dir}
  BUILD_RPATH_USE_ORIGIN ON
  INSTALL_RPATH "$ORIGIN/../.."
  INTERPROCEDURAL_OPTIMIZATION OFF)
add_custom_command(TARGET zlink_compat POST_BUILD
  COMMAND ${CMAKE_COMMAND} -E create_symlink
    ../$<PATH:RELATIVE_PATH,$<TARGET_FILE:zlink>,${PROJECT_BINARY_DIR}> libzmq.so
  WORKING_DIRECTORY ${zlink_compat_dir}
  VERBATIM)
