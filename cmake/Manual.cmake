# Manual pages of sections 3 and 7, from docs/ and include/zlink by Pandoc. ON: it has to be there. OFF: no pages. Not given: as it is there.
# Section 1 belongs to the command (cli/).
if(NOT DEFINED ZLINK_MANUAL OR ZLINK_MANUAL)
  find_program(ZLINK_PANDOC pandoc)
  find_package(Python3 QUIET COMPONENTS Interpreter)
  if(NOT ZLINK_PANDOC OR NOT Python3_FOUND)
    if(ZLINK_MANUAL)
      message(FATAL_ERROR "manual pages need Pandoc and Python 3: install them, or configure with -DZLINK_MANUAL=OFF")
    endif()
    message(STATUS "manual pages of sections 3 and 7 are left out: they need Pandoc and Python 3")
    return()
  endif()
  set(make_manual ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/make_manual.py)
  set(manual_dir ${PROJECT_BINARY_DIR}/manual)
  file(GLOB manual_sources CONFIGURE_DEPENDS docs/*.md docs/api/*.md docs/api/sockets/*.md docs/api/transports/*.md include/zlink/*.h)
  add_custom_command(OUTPUT ${manual_dir}/made COMMAND ${make_manual} --out ${manual_dir} --pandoc ${ZLINK_PANDOC}
    COMMAND ${CMAKE_COMMAND} -E touch ${manual_dir}/made
    DEPENDS ${manual_sources} ${PROJECT_SOURCE_DIR}/tools/make_manual.py COMMENT "Manual pages of sections 3 and 7" VERBATIM)
  add_custom_target(zlink_manual_pages ALL DEPENDS ${manual_dir}/made)
  install(DIRECTORY ${manual_dir}/man3 ${manual_dir}/man7 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT development)
endif()
