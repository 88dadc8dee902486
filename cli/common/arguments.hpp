// SPDX-License-Identifier: MPL-2.0
// The options of one command. CLI11 reads them; only arguments.cpp and application.cpp see CLI11.
// The targets must live until the command has run. A target keeps its value if the option is not given, and
// the help shows that value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace cli {

class arguments {
  public:
    explicit arguments(CLI::App &app) : app_(app) {}

    // `names` are those of CLI11: "-n,--count" for an option, "file" for a positional argument.
    void flag(const std::string &names, bool &target, const std::string &text);
    void option(const std::string &names, std::string &target, const std::string &value_name,
                const std::string &text);
    void option(const std::string &names, std::optional<std::string> &target, const std::string &value_name,
                const std::string &text);
    void option(const std::string &names, std::vector<std::string> &target, const std::string &value_name,
                const std::string &text);
    void option(const std::string &names, std::optional<std::uint64_t> &target, const std::string &value_name,
                const std::string &text);
    void option(const std::string &names, std::uint64_t &target, const std::string &value_name,
                const std::string &text);
    // Not negative; SECONDS are at most two million.
    void option(const std::string &names, std::optional<double> &target, const std::string &value_name,
                const std::string &text);
    void option(const std::string &names, double &target, const std::string &value_name,
                const std::string &text);
    // One of the words, in any case.
    void choice(const std::string &names, std::string &target, const std::vector<std::string> &words,
                const std::string &text);
    void choice(const std::string &names, std::optional<std::string> &target,
                const std::vector<std::string> &words, const std::string &text);

    // The options that follow are listed under this title in the help.
    void group(const std::string &title) { group_ = title; }
    // The argument that was declared last has to be given.
    void required();
    // Everything from the first word that is no option is for another program.
    void rest_is_a_command(std::vector<std::string> &words);

  private:
    void finish(CLI::Option *option, const std::string &value_name);

    CLI::App &app_;
    CLI::Option *last_{nullptr};
    std::string group_{"Options"};
};

} // namespace cli
