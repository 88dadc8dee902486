// SPDX-License-Identifier: MPL-2.0
// Keys and passwords: from the argument itself, or by "@FILE" from a file, so that they need not stand on the
// command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cli {

struct key_pair {
    std::string public_key, secret_key; // Z85, 40 characters
};

key_pair make_key_pair();
std::string public_key_of(const std::string &secret_key);

// The argument, or the lines of FILE without empty ones and those that begin with #.
std::vector<std::string> secret_lines(const std::string &argument);
// One line of it. Throws a failure if there is none.
std::string secret_text(const std::string &argument);
// CURVE keys: the argument itself, or one in each line of FILE. `name` is the option's, for the error.
std::vector<std::string> key_lines(const std::string &argument, std::string_view name);
// The only one of them.
std::string key_text(const std::string &argument, std::string_view name);

} // namespace cli
