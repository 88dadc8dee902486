// SPDX-License-Identifier: MPL-2.0
// Texts for people: numbers with units, bytes that can be printed, escapes of the command line. Pure
// functions.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

namespace cli {

// The arguments one behind the other, as a stream prints them.
template <class... Parts> std::string concat(const Parts &...parts) {
    std::ostringstream out;
    (out << ... << parts);
    return out.str();
}

// A number with a fixed count of digits behind the point.
std::string fixed(double number, int digits);

// "1 message", "2 messages".
std::string counted(std::uint64_t count, std::string_view noun);

// "1.23 k", "4.50 M" with a unit behind it: for rates and sizes.
std::string scaled(double number, std::string_view unit);

// Nanoseconds as "12.3 us", "4.56 ms" or "1.23 s".
std::string duration(double nanoseconds);

// The first `limit` bytes; what is not printable ASCII is \n, \r, \t, \\ or \xNN.
std::string printable(std::string_view bytes, std::size_t limit = 64);

// Reads \n, \r, \t, \0, \\ and \xNN of an argument. Throws a failure for another escape.
std::string unescape(std::string_view text);

// Hex digits of bytes, and back. Throws a failure if the text is not pairs of hex digits.
std::string to_hex(std::string_view bytes);
std::string from_hex(std::string_view text);

std::string to_base64(std::string_view bytes);
std::string from_base64(std::string_view text);

// Words in lines of at most `columns`; line breaks of the text stay.
std::string wrapped(std::string_view text, std::size_t columns);

bool is_utf8(std::string_view bytes);

} // namespace cli
