# One interface target that every zlink target links: language level, warnings, sanitizers.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# The static library and the command must also link without link-time optimisation. GCC writes objects that serve both ways; Clang 14
# does not.
if(ZLINK_LTO AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
  add_compile_options(-ffat-lto-objects)
elseif(ZLINK_LTO)
  message(STATUS "ZLINK_LTO has no effect with this compiler: it is for GCC")
endif()
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

# With ZLINK_UNITY, the sources of a folder are one compilation: they share names, also those without linkage.
function(zlink_unity target)
  if(NOT ZLINK_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER "${folder}" group)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${group}")
  endforeach()
endfunction()

find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED)
# libsodium, for CURVE.
find_path(ZLINK_SODIUM_INCLUDE sodium.h REQUIRED)
find_library(ZLINK_SODIUM_LIBRARY sodium REQUIRED)
# OpenSSL, for the transport tls and for the tags of CURVE's long frames.
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto SSL)
# c-ares, for the transport dns+tcp. ON: it has to be there. OFF: no such transport. Not given: as it is there.
if(NOT DEFINED ZLINK_DNS OR ZLINK_DNS)
  find_path(ZLINK_CARES_INCLUDE ares.h)
  find_library(ZLINK_CARES_LIBRARY cares)
  if(ZLINK_CARES_INCLUDE AND ZLINK_CARES_LIBRARY)
    set(use_cares ON)
  elseif(ZLINK_DNS)
    message(FATAL_ERROR "the transport dns+tcp needs c-ares (libc-ares-dev): install it, or configure with -DZLINK_DNS=OFF")
  else()
    message(STATUS "the transport dns+tcp is left out: it needs c-ares (libc-ares-dev)")
  endif()
endif()

add_library(zlink_settings INTERFACE)
target_include_directories(zlink_settings INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
# A function begins at a cache line. Else its speed depends on the size of others: 64 B over inproc, 82 or 72 M/s.
target_compile_options(zlink_settings INTERFACE -falign-functions=64)
target_compile_options(zlink_settings INTERFACE
  -Wall -Wextra -Wpedantic $<$<BOOL:${ZLINK_WERROR}>:-Werror> -Wshadow -Wconversion -Wsign-conversion
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in std::string's operator+ (its bug 105651).
  target_compile_options(zlink_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
target_link_libraries(zlink_settings INTERFACE Threads::Threads)
# The library and its tests see every name of the C interface.
target_compile_definitions(zlink_settings INTERFACE ZMQ_BUILD_DRAFT_API=)
# Probes for tracers, where the header is.
include(CheckIncludeFileCXX)
check_include_file_cxx(sys/sdt.h ZLINK_HAVE_SDT_H)
if(ZLINK_PROBES AND ZLINK_HAVE_SDT_H)
  target_compile_definitions(zlink_settings INTERFACE ZLINK_HAS_PROBES=)
endif()
if(ZLINK_NATIVE)
  target_compile_options(zlink_settings INTERFACE -march=native)
endif()
if(ZLINK_SANITIZE)
  add_compile_options(-fsanitize=${ZLINK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${ZLINK_SANITIZE})
endif()

# Hardening of the shipped library, under both its names; the tests and their programs go without. Each line can be left out by itself.
add_library(zlink_hardening INTERFACE)
if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT ZLINK_SANITIZE)
  target_compile_options(zlink_hardening INTERFACE -fstack-protector-strong)
  target_compile_options(zlink_hardening INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i[3-6]86")
    target_compile_options(zlink_hardening INTERFACE -fcf-protection=full)
  endif()
  target_link_options(zlink_hardening INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endif()

# Boost.Asio, for the folders that may see it (runtime, transport, session).
add_library(zlink_asio INTERFACE)
target_include_directories(zlink_asio SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
target_compile_definitions(zlink_asio INTERFACE BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE)
if(ZLINK_SANITIZE MATCHES thread)
  # The thread sanitizer does not know stand-alone fences. Asio's are on top of the mutex of its queue, which orders the same.
  target_compile_definitions(zlink_asio INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
endif()

# libsodium, for the folder that may see it (security).
add_library(zlink_sodium INTERFACE)
target_include_directories(zlink_sodium SYSTEM INTERFACE ${ZLINK_SODIUM_INCLUDE})

# OpenSSL, likewise (security, transport).
add_library(zlink_openssl INTERFACE)
target_link_libraries(zlink_openssl INTERFACE OpenSSL::SSL OpenSSL::Crypto)

# c-ares, if it is used, for the folder that may see it (runtime).
add_library(zlink_cares INTERFACE)
if(use_cares)
  target_include_directories(zlink_cares SYSTEM INTERFACE ${ZLINK_CARES_INCLUDE})
  set(ZLINK_CARES_LINK ${ZLINK_CARES_LIBRARY})
  set(ZLINK_CARES_NAME cares)
  set(ZLINK_CARES_MODULE libcares)
endif()
