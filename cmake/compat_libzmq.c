// SPDX-License-Identifier: MPL-2.0
// libzmq.so.5 of the compatibility directory holds no code: its name satisfies the loader, its dependency
// libzlink.so.1 holds the functions. See cmake/Compat.cmake.
typedef int zlink_compat_holds_no_code;
