// SPDX-License-Identifier: MPL-2.0
// ZLINK_LOOKS_INTO_ANYTHING: stands before a function that looks for the mark of an object in memory that a
// program gave as a handle. The memory may hold anything, at any address. A sanitizer would first check that
// an object of the type is there, and end the process where the function answers no.
#pragma once

#define ZLINK_LOOKS_INTO_ANYTHING __attribute__((no_sanitize("vptr", "alignment")))
