// SPDX-License-Identifier: MPL-2.0
// What one scenario is asked to do: words of the form name=value.
//
// Threads: immutable. Every name that the scenario has must be given, once, and no other: a typing error must
// not measure something else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace bench::scale {

class parameters {
  public:
    parameters(std::string label, std::initializer_list<std::string_view> names,
               std::span<char *const> words);

    [[nodiscard]] const std::string &label() const { return label_; }
    [[nodiscard]] const std::string &text(std::string_view name) const;
    [[nodiscard]] std::int64_t number(std::string_view name, std::int64_t low, std::int64_t high) const;
    [[nodiscard]] int small(std::string_view name, int low, int high) const;
    [[nodiscard]] std::size_t size_bytes() const; // the parameter "size"

    // A line "SCALE,<label>,<metric>,<value>" on stdout.
    void report(std::string_view metric, double value) const;

  private:
    std::string label_;
    std::map<std::string, std::string, std::less<>> values_;
};

} // namespace bench::scale
