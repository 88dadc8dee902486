// SPDX-License-Identifier: MPL-2.0
#include "transport/http_head.hpp"

#include <algorithm>

namespace zlink::transport {
namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::string_view head_end = "\r\n\r\n";
constexpr std::string_view blanks = " \t";

constexpr char lower(char letter) noexcept {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

std::string_view trimmed(std::string_view text) noexcept {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string_view take_line(std::string_view &text) noexcept {
    const std::string_view line = text.substr(0, text.find(line_end));
    text.remove_prefix(std::min(text.size(), line.size() + line_end.size()));
    return line;
}

struct field {
    std::string_view name;
    std::string_view value;
};
field split(std::string_view line) noexcept {
    const std::size_t colon = std::min(line.find(':'), line.size());
    return {line.substr(0, colon), trimmed(line.substr(std::min(colon + 1, line.size())))};
}

bool is_field_name(std::string_view text) noexcept {
    constexpr std::string_view signs = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::ranges::all_of(text, [&](char letter) {
        const char small = lower(letter);
        return (small >= 'a' && small <= 'z') || (letter >= '0' && letter <= '9') ||
               signs.find(letter) != std::string_view::npos;
    });
}

bool is_printed(std::string_view line) noexcept {
    return std::ranges::all_of(line, [](char letter) {
        const auto byte = static_cast<unsigned char>(letter);
        return byte == '\t' || (byte >= 0x20 && byte != 0x7F);
    });
}

} // namespace

std::size_t http_head::feed(std::span<const std::uint8_t> in) {
    const std::size_t before = text_.size();
    const std::size_t size = std::min(in.size(), largest - std::min(largest, before));
    text_.append(reinterpret_cast<const char *>(in.data()), size);
    const std::size_t at = text_.find(head_end, before < head_end.size() ? 0 : before - head_end.size() + 1);
    if (at == std::string::npos)
        return size;
    complete_ = true;
    text_.resize(at + head_end.size());
    return text_.size() - before;
}

std::size_t http_head::missing() const noexcept {
    if (complete_)
        return 0;
    for (std::size_t there = head_end.size() - 1; there != 0; --there)
        if (text_.ends_with(head_end.substr(0, there)))
            return head_end.size() - there;
    return head_end.size();
}

bool http_head::bad() const noexcept {
    std::string_view rest = text_;
    if (!is_printed(take_line(rest)))
        return true;
    for (std::string_view line = take_line(rest); !line.empty(); line = take_line(rest))
        if (!is_printed(line) || line.find(':') == std::string_view::npos || !is_field_name(split(line).name))
            return true;
    return false;
}

std::string_view http_head::first_line() const noexcept {
    std::string_view rest = text_;
    return take_line(rest);
}

std::string http_head::value_of(std::string_view name) const {
    std::string all;
    std::string_view rest = text_;
    (void)take_line(rest);
    for (std::string_view line = take_line(rest); !line.empty(); line = take_line(rest))
        if (const field found = split(line); same_without_case(found.name, name))
            (all += all.empty() ? "" : ",") += found.value;
    return all;
}

std::size_t http_head::count_of(std::string_view name) const noexcept {
    std::size_t count = 0;
    std::string_view rest = text_;
    (void)take_line(rest);
    for (std::string_view line = take_line(rest); !line.empty(); line = take_line(rest))
        count += same_without_case(split(line).name, name) ? 1U : 0U;
    return count;
}

bool same_without_case(std::string_view a, std::string_view b) noexcept {
    return std::ranges::equal(a, b, [](char left, char right) { return lower(left) == lower(right); });
}

std::string_view take_member(std::string_view &list) noexcept {
    while (!list.empty()) {
        const std::string_view part = list.substr(0, list.find(','));
        list.remove_prefix(std::min(list.size(), part.size() + 1));
        if (const std::string_view member = trimmed(part); !member.empty())
            return member;
    }
    return {};
}

bool has_member(std::string_view list, std::string_view wanted) noexcept {
    for (std::string_view member = take_member(list); !member.empty(); member = take_member(list))
        if (same_without_case(member, wanted))
            return true;
    return false;
}

} // namespace zlink::transport
