// SPDX-License-Identifier: MPL-2.0
#include "common/text.hpp"

#include <array>
#include <iomanip>

#include "common/failure.hpp"

namespace cli {

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int hex_value(char digit) {
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return -1;
}

char hex_byte(std::string_view text, std::size_t at) {
    const int high = at < text.size() ? hex_value(text[at]) : -1;
    const int low = at + 1 < text.size() ? hex_value(text[at + 1]) : -1;
    if (high < 0 || low < 0)
        throw failure(concat("\"", printable(text), "\" is not hex: write two digits 0-9 a-f for each byte"));
    return static_cast<char>(high * 16 + low);
}

// The number of bytes of the UTF-8 sequence that begins with this byte; 0 if none does.
std::size_t utf8_length(unsigned char first) {
    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first < 0xE0)
        return 2;
    if (first >= 0xE0 && first < 0xF0)
        return 3;
    if (first >= 0xF0 && first < 0xF5)
        return 4;
    return 0;
}

// The second byte excludes long forms, surrogates and numbers above U+10FFFF.
bool utf8_second_fits(unsigned char first, unsigned char second) {
    switch (first) {
    case 0xE0:
        return second >= 0xA0;
    case 0xED:
        return second < 0xA0;
    case 0xF0:
        return second >= 0x90;
    case 0xF4:
        return second < 0x90;
    default:
        return true;
    }
}

} // namespace

std::string fixed(double number, int digits) {
    std::ostringstream out;
    out << std::fixed << std::setprecision(digits) << number;
    return out.str();
}

std::string counted(std::uint64_t count, std::string_view noun) {
    return concat(count, " ", noun, count == 1 ? "" : "s");
}

std::string scaled(double number, std::string_view unit) {
    static constexpr std::array<std::string_view, 5> prefixes{"", "k", "M", "G", "T"};
    std::size_t step = 0;
    while (number >= 1000 && step + 1 < prefixes.size()) {
        number /= 1000;
        ++step;
    }
    int digits = 0;
    if (step > 0)
        digits = number < 10 ? 2 : number < 100 ? 1 : 0;
    else if (number != static_cast<double>(static_cast<std::uint64_t>(number)))
        digits = number < 10 ? 2 : 1;
    return concat(fixed(number, digits), " ", prefixes[step], unit);
}

std::string duration(double nanoseconds) {
    if (nanoseconds < 1e6)
        return concat(fixed(nanoseconds / 1e3, nanoseconds < 1e4 ? 2 : 1), " us");
    if (nanoseconds < 1e9)
        return concat(fixed(nanoseconds / 1e6, 2), " ms");
    return concat(fixed(nanoseconds / 1e9, 2), " s");
}

std::string printable(std::string_view bytes, std::size_t limit) {
    std::string out;
    for (const char byte : bytes.substr(0, limit)) {
        const auto value = static_cast<unsigned char>(byte);
        if (byte == '\n')
            out += "\\n";
        else if (byte == '\r')
            out += "\\r";
        else if (byte == '\t')
            out += "\\t";
        else if (byte == '\\')
            out += "\\\\";
        else if (value >= 0x20 && value < 0x7F)
            out += byte;
        else
            out += concat("\\x", hex_digits[value >> 4], hex_digits[value & 15]);
    }
    return bytes.size() > limit ? out + "..." : out;
}

std::string unescape(std::string_view text) {
    static constexpr std::string_view names = "nrt0\\", values("\n\r\t\0\\", 5);
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '\\') {
            out += text[at];
            continue;
        }
        const char name = ++at < text.size() ? text[at] : '\0';
        if (name == 'x') {
            out += hex_byte(text.substr(0, at + 3), at + 1);
            at += 2;
        } else if (const auto found = names.find(name); found != names.npos && name != '\0') {
            out += values[found];
        } else {
            throw failure(
                concat("\"", text, "\" has an unknown escape: the escapes are \\n \\r \\t \\0 \\\\ \\xNN"),
                status_usage);
        }
    }
    return out;
}

std::string to_hex(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const char byte : bytes) {
        const auto value = static_cast<unsigned char>(byte);
        out += hex_digits[value >> 4];
        out += hex_digits[value & 15];
    }
    return out;
}

std::string from_hex(std::string_view text) {
    std::string out;
    out.reserve(text.size() / 2);
    for (std::size_t at = 0; at < text.size(); at += 2)
        out += hex_byte(text, at);
    return out;
}

std::string to_base64(std::string_view bytes) {
    std::string out;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const auto byte = [&](std::size_t index) {
            return index < bytes.size() ? static_cast<unsigned char>(bytes[index]) : 0U;
        };
        const std::uint32_t bits = byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2);
        out += base64_digits[bits >> 18];
        out += base64_digits[bits >> 12 & 63];
        out += at + 1 < bytes.size() ? base64_digits[bits >> 6 & 63] : '=';
        out += at + 2 < bytes.size() ? base64_digits[bits & 63] : '=';
    }
    return out;
}

std::string from_base64(std::string_view text) {
    std::string out;
    const std::string_view digits = text.substr(0, text.find('='));
    std::uint32_t bits = 0;
    int count = 0;
    for (const char digit : digits) {
        const auto value = base64_digits.find(digit);
        if (value == base64_digits.npos)
            throw failure(concat("\"", printable(text), "\" is not base64"));
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        count += 6;
        if (count >= 8) {
            count -= 8;
            out += static_cast<char>(bits >> count & 255);
        }
    }
    if (text.size() % 4 != 0 || text.size() - digits.size() > 2 || count == 6)
        throw failure(concat("\"", printable(text), "\" is not base64: its length is wrong"));
    return out;
}

std::string wrapped(std::string_view text, std::size_t columns) {
    std::string out;
    std::size_t used = 0, begin = 0;
    while (begin < text.size()) {
        auto end = text.find_first_of(" \n", begin);
        end = end == text.npos ? text.size() : end;
        const std::size_t length = end - begin;
        if (used > 0 && used + 1 + length > columns) {
            out += '\n';
            used = 0;
        } else if (used > 0) {
            out += ' ';
            ++used;
        }
        out += text.substr(begin, length);
        used += length;
        if (end < text.size() && text[end] == '\n') {
            out += '\n';
            used = 0;
        }
        begin = end + 1;
    }
    return out;
}

bool is_utf8(std::string_view bytes) {
    std::size_t at = 0;
    while (at < bytes.size()) {
        const auto first = static_cast<unsigned char>(bytes[at]);
        const std::size_t length = utf8_length(first);
        if (length == 0 || at + length > bytes.size())
            return false;
        for (std::size_t rest = 1; rest < length; ++rest)
            if ((static_cast<unsigned char>(bytes[at + rest]) & 0xC0) != 0x80)
                return false;
        if (length > 1 && !utf8_second_fits(first, static_cast<unsigned char>(bytes[at + 1])))
            return false;
        at += length;
    }
    return true;
}

} // namespace cli
