// SPDX-License-Identifier: MPL-2.0
#include "common/arguments.hpp"

#include <CLI/CLI.hpp>

namespace cli {

namespace {

std::string with_bars(const std::vector<std::string> &words) {
    std::string list;
    for (const auto &word : words)
        list += (list.empty() ? "" : "|") + word;
    return list;
}

// Any case is taken, and the list's own spelling is what the target gets.
CLI::Validator member_of(const std::vector<std::string> &words) {
    const auto choose = [words](std::string &given) {
        for (const auto &word : words)
            if (CLI::detail::to_lower(word) == CLI::detail::to_lower(given)) {
                given = word;
                return std::string();
            }
        return "\"" + given + "\" is not one of " + with_bars(words);
    };
    return CLI::Validator(choose, "");
}

// More is more than counters of nanoseconds, milliseconds and messages hold.
constexpr double most_seconds = 2e6, most_number = 1e18;

// CLI11 converts the text afterwards.
CLI::Validator number_up_to(double most, bool whole) {
    const auto look = [most, whole](std::string &given) {
        char *end = nullptr;
        const double value = std::strtod(given.c_str(), &end);
        const bool is_number = end != given.c_str() && *end == '\0' && value >= 0 &&
                               (!whole || given.find_first_not_of("0123456789") == given.npos);
        if (!is_number)
            return "\"" + given + "\" is not a " + (whole ? "whole " : "") + "number of 0 or more";
        return value <= most ? std::string()
                             : "\"" + given + "\" is more than " + (most < 1e9 ? "2000000" : "10^18");
    };
    return CLI::Validator(look, "");
}

CLI::Validator fraction_for(const std::string &value_name) {
    return number_up_to(value_name == "SECONDS" ? most_seconds : most_number, false);
}

} // namespace

void arguments::finish(CLI::Option *option, const std::string &value_name) {
    option->group(group_);
    if (!value_name.empty())
        option->option_text(value_name);
    last_ = option;
}

void arguments::flag(const std::string &names, bool &target, const std::string &text) {
    finish(app_.add_flag(names, target, text), "");
}

void arguments::option(const std::string &names, std::string &target, const std::string &value_name,
                       const std::string &text) {
    finish(app_.add_option(names, target, text), value_name);
}

void arguments::option(const std::string &names, std::optional<std::string> &target,
                       const std::string &value_name, const std::string &text) {
    finish(app_.add_option(names, target, text), value_name);
}

void arguments::option(const std::string &names, std::vector<std::string> &target,
                       const std::string &value_name, const std::string &text) {
    auto *option = app_.add_option(names, target, text);
    // An option takes one value each time, so that it does not swallow the arguments behind it.
    if (!option->get_lnames().empty() || !option->get_snames().empty())
        option->allow_extra_args(false);
    finish(option, value_name);
}

void arguments::option(const std::string &names, std::optional<std::uint64_t> &target,
                       const std::string &value_name, const std::string &text) {
    finish(app_.add_option(names, target, text)->check(number_up_to(most_number, true)), value_name);
}

void arguments::option(const std::string &names, std::uint64_t &target, const std::string &value_name,
                       const std::string &text) {
    finish(app_.add_option(names, target, text)->check(number_up_to(most_number, true)), value_name);
}

void arguments::option(const std::string &names, std::optional<double> &target, const std::string &value_name,
                       const std::string &text) {
    finish(app_.add_option(names, target, text)->check(fraction_for(value_name)), value_name);
}

void arguments::option(const std::string &names, double &target, const std::string &value_name,
                       const std::string &text) {
    finish(app_.add_option(names, target, text)->check(fraction_for(value_name)), value_name);
}

void arguments::choice(const std::string &names, std::string &target, const std::vector<std::string> &words,
                       const std::string &text) {
    finish(app_.add_option(names, target, text)->transform(member_of(words)), with_bars(words));
}

void arguments::choice(const std::string &names, std::optional<std::string> &target,
                       const std::vector<std::string> &words, const std::string &text) {
    finish(app_.add_option(names, target, text)->transform(member_of(words)), with_bars(words));
}

void arguments::required() {
    last_->required();
}

void arguments::rest_is_a_command(std::vector<std::string> &words) {
    app_.prefix_command();
    app_.callback([this_app = &app_, &words] { words = this_app->remaining(); });
}

} // namespace cli
