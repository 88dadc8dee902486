// SPDX-License-Identifier: MPL-2.0
#include "scale/program/parameters.hpp"

#include "common/fail.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <utility>

namespace bench::scale {

parameters::parameters(std::string label, std::initializer_list<std::string_view> names,
                       std::span<char *const> words)
    : label_(std::move(label)) {
    for (const char *word : words) {
        const std::string_view text(word);
        const std::size_t equals = text.find('=');
        const std::string name(text.substr(0, equals));
        if (equals == std::string_view::npos || std::find(names.begin(), names.end(), name) == names.end())
            fail("'%s' is not a parameter of this scenario", word);
        if (!values_.emplace(name, text.substr(equals + 1)).second)
            fail("%s is given twice", name.c_str());
    }
    for (const std::string_view name : names) {
        if (!values_.contains(name))
            fail("%s=... is missing", std::string(name).c_str());
    }
}

const std::string &parameters::text(std::string_view name) const {
    const auto found = values_.find(name);
    if (found == values_.end())
        fail("the scenario asks for %s, which is none of its parameters", std::string(name).c_str());
    return found->second;
}

std::int64_t parameters::number(std::string_view name, std::int64_t low, std::int64_t high) const {
    const std::string &digits = text(name);
    const char *const end = digits.data() + digits.size();
    std::int64_t value = 0;
    const auto [stopped, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc() || stopped != end || value < low || value > high)
        fail("%s is '%s', not a number from %lld to %lld", std::string(name).c_str(), digits.c_str(),
             static_cast<long long>(low), static_cast<long long>(high));
    return value;
}

int parameters::small(std::string_view name, int low, int high) const {
    return static_cast<int>(number(name, low, high));
}

std::size_t parameters::size_bytes() const {
    return static_cast<std::size_t>(number("size", 8, 1 << 26));
}

void parameters::report(std::string_view metric, double value) const {
    std::printf("SCALE,%s,%.*s,%.6g\n", label_.c_str(), static_cast<int>(metric.size()), metric.data(),
                value);
    std::fflush(stdout);
}

} // namespace bench::scale
