// SPDX-License-Identifier: MPL-2.0
#include "text.hpp"

#include "names.hpp"

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace {

constexpr std::size_t longest_shown = 40;
constexpr std::size_t shown_of_long = 10;
constexpr int first_port = 5000;
// Ports of the system's choice have five digits; those of scripts have four.
constexpr std::size_t digits_of_chosen_port = 5;

void replace_all(std::string &text, std::string_view what, std::string_view with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
        text.replace(at, what.size(), with);
    }
}

std::string hexadecimal(std::uint32_t value) {
    char text[16];
    std::snprintf(text, sizeof text, "%08x", value);
    return text;
}

std::uint32_t hash(std::string_view bytes) {
    std::uint32_t value = 2166136261U;
    for (const char byte : bytes) {
        value = (value ^ static_cast<unsigned char>(byte)) * 16777619U;
    }
    return value;
}

// "<scheme>:<rest>" in short, with a rest that is not "//...".
bool is_short(std::string_view token, std::string_view scheme) {
    return token.starts_with(scheme) && !token.substr(scheme.size()).starts_with("//");
}

} // namespace

words split(std::string_view line, char separator) {
    words found;
    while (!line.empty()) {
        const std::size_t end = line.find(separator);
        if (end != 0) {
            found.emplace_back(line.substr(0, end));
        }
        line = end == std::string_view::npos ? std::string_view() : line.substr(end + 1);
    }
    return found;
}

std::string unescape(std::string_view text) {
    const auto is_digit = [](char letter) { return std::isxdigit(static_cast<unsigned char>(letter)) != 0; };
    const auto digit = [](char letter) {
        const std::string_view digits = "0123456789ABCDEF";
        return static_cast<int>(
            digits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(letter)))));
    };
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); i++) {
        if (text[i] == '%' && i + 2 < text.size() && is_digit(text[i + 1]) && is_digit(text[i + 2])) {
            bytes += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
            i += 2;
        } else {
            bytes += text[i];
        }
    }
    return bytes;
}

std::string escape(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        const auto value = static_cast<unsigned char>(byte);
        if (value > ' ' && value < 127 &&
            std::string_view("%,[]|<>\"").find(byte) == std::string_view::npos) {
            text += byte;
        } else {
            char code[4];
            std::snprintf(code, sizeof code, "%%%02X", value);
            text += code;
        }
    }
    return text;
}

std::string describe_bytes(std::string_view bytes) {
    if (bytes.size() <= longest_shown) {
        return escape(bytes);
    }
    return "<" + escape(bytes.substr(0, shown_of_long)) + ".. " + std::to_string(bytes.size()) + " bytes " +
           hexadecimal(hash(bytes)) + ">";
}

std::string make_content(unsigned message, std::size_t frame, std::size_t size) {
    std::string content = std::to_string(message) + "." + std::to_string(frame) + ":";
    const std::size_t label = content.size();
    content.resize(size);
    for (std::size_t i = label; i < size; i++) {
        content[i] = static_cast<char>('a' + (i * 7 + message + i / 26) % 26);
    }
    return content;
}

places::places(std::string host, std::string folder) : host_(std::move(host)), folder_(std::move(folder)) {}

std::string places::endpoint(std::string_view token) const {
    if (is_short(token, "inproc:")) {
        return "inproc://" + std::string(token.substr(7));
    }
    if (is_short(token, "ipc:")) {
        return "ipc://" + folder_ + "/" + std::string(token.substr(4));
    }
    if (is_short(token, "tcp:")) {
        if (const auto index = number(token.substr(4))) {
            return "tcp://" + host_ + ":" + std::to_string(first_port + *index);
        }
    }
    std::string text = unescape(token);
    replace_all(text, "{host}", host_);
    replace_all(text, "{dir}", folder_);
    return text;
}

std::string places::mask(std::string text) const {
    replace_all(text, host_, "{host}");
    replace_all(text, folder_, "{dir}");
    if (text.starts_with("ipc:///tmp/")) {
        return "ipc://WILD";
    }
    std::string masked;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i + 1;
        while (text[i] == ':' && end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) {
            end++;
        }
        const bool chosen = text[i] == ':' && end - i - 1 >= digits_of_chosen_port;
        masked += chosen ? ":PORT" : text.substr(i, end - i);
        i = end;
    }
    return masked;
}
