// SPDX-License-Identifier: MPL-2.0
#include "common/secrets.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <unistd.h>
#include <zmq.h>

#include "common/failure.hpp"
#include "common/messaging.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

constexpr std::size_t key_characters = 40;
using key_buffer = std::array<char, key_characters + 1>;

std::string without_edges(const std::string &line) {
    const auto first = line.find_first_not_of(" \t\r");
    return first == line.npos ? "" : line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
}

bool is_key(const std::string &text) {
    std::array<std::uint8_t, 32> bytes{};
    return text.size() == key_characters && zmq_z85_decode(bytes.data(), text.c_str()) != nullptr;
}

} // namespace

key_pair make_key_pair() {
    key_buffer public_key{}, secret_key{};
    if (zmq_curve_keypair(public_key.data(), secret_key.data()) != 0)
        fail_with_errno("make a key pair");
    return {public_key.data(), secret_key.data()};
}

std::string public_key_of(const std::string &secret_key) {
    key_buffer public_key{};
    if (zmq_curve_public(public_key.data(), secret_key.c_str()) != 0)
        fail_with_errno("derive the public key");
    return public_key.data();
}

std::vector<std::string> secret_lines(const std::string &argument) {
    if (argument.empty() || argument[0] != '@')
        return {argument};
    const std::string path = argument.substr(1);
    std::ifstream file(path);
    if (!file)
        throw file_failure("read", path, errno);
    if (file.peek(); file.bad()) // a directory opens, and cannot be read
        throw failure(concat("cannot read ", path, ": it is no file"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
        line = without_edges(line);
        if (!line.empty() && line[0] != '#')
            lines.push_back(line);
    }
    return lines;
}

std::string secret_text(const std::string &argument) {
    const auto lines = secret_lines(argument);
    if (lines.size() != 1)
        throw failure(
            concat(argument.substr(1), " has ", counted(lines.size(), "line"), ": one is expected"));
    return lines.front();
}

std::vector<std::string> key_lines(const std::string &argument, std::string_view name) {
    // Z85 has the character @ too: a key may begin with it.
    const bool is_file =
        argument.starts_with("@") && (!is_key(argument) || access(argument.c_str() + 1, F_OK) == 0);
    const auto lines = is_file ? secret_lines(argument) : std::vector<std::string>{argument};
    for (const auto &line : lines)
        if (!is_key(line))
            throw failure(
                concat(name, is_file ? " " + argument : std::string(),
                       " is no key: a key is 40 characters of Z85, as \"zlink keygen\" prints it",
                       !is_file && argument.find('/') != argument.npos ? "; for a file write @FILE" : ""));
    return lines;
}

std::string key_text(const std::string &argument, std::string_view name) {
    const auto lines = key_lines(argument, name);
    if (lines.size() != 1)
        throw failure(
            concat(argument.substr(1), " has ", counted(lines.size(), "line"), ": one is expected"));
    return lines.front();
}

} // namespace cli
