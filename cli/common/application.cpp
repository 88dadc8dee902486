// SPDX-License-Identifier: MPL-2.0
#include "common/application.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <zmq.h>

#include "common/failure.hpp"
#include "common/output.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

constexpr const char *summary = "Tools for messaging with zlink, and for programs that use ZeroMQ";

std::string version_text() {
    int major = 0, minor = 0, patch = 0;
    zmq_version(&major, &minor, &patch);
    return concat("zlink ", ZLINK_VERSION, " (interface of libzmq ", major, ".", minor, ".", patch, ")");
}

constexpr std::size_t help_columns = 100, name_columns = 34;

std::string footer(const command &one) {
    return concat("Examples:\n", one.examples, "\nExit status: 0 done, 1 failed, 2 wrong usage.");
}

// A command's description is its summary, an empty line, and paragraphs.
std::string description(const command &one) {
    return one.description[0] == '\0' ? one.summary : concat(one.summary, ".\n\n", one.description);
}

class help_formatter : public CLI::Formatter {
  public:
    // Texts of options get lines that fit beside the names.
    std::string make_option_desc(const CLI::Option *option) const override {
        return wrapped(CLI::Formatter::make_option_desc(option), help_columns - name_columns);
    }
    std::string make_description(const CLI::App *app) const override {
        return wrapped(app->get_description(), help_columns) + "\n\n";
    }
    // The list of commands shows summaries.
    std::string make_subcommand(const CLI::App *sub) const override {
        const auto text = sub->get_description();
        const auto end = text.find(".\n");
        std::ostringstream out;
        CLI::detail::format_help(out, sub->get_name(), end == text.npos ? text : text.substr(0, end),
                                 name_columns);
        return out.str();
    }
    // The text of an argument is its name: "ENDPOINT [TOPIC...]".
    std::string make_option(const CLI::Option *option, bool is_positional) const override {
        if (!is_positional)
            return CLI::Formatter::make_option(option, is_positional);
        std::ostringstream out;
        CLI::detail::format_help(out, "  " + option->get_option_text(), make_option_desc(option),
                                 name_columns);
        return out.str();
    }
    std::string make_option_usage(const CLI::Option *option) const override {
        return option->get_option_text();
    }
    std::string make_usage(const CLI::App *app, std::string name) const override {
        auto text = CLI::Formatter::make_usage(app, std::move(name));
        if (app->get_prefix_command())
            text.insert(text.find_last_not_of('\n') + 1, " PROGRAM [ARGUMENT...]");
        return text;
    }
    std::string make_help(const CLI::App *app, std::string name, CLI::AppFormatMode mode) const override {
        auto text = CLI::Formatter::make_help(app, std::move(name), mode);
        for (auto at = text.find("\n\n\n"); at != text.npos; at = text.find("\n\n\n"))
            text.erase(at, 1);
        return text;
    }
};

// The option that was perhaps meant: it begins like the word, or the word like it.
std::string similar_option(const CLI::App &app, const std::string &word) {
    if (!word.starts_with("--"))
        return "";
    for (const auto *option : app.get_options())
        for (const auto &name : option->get_lnames())
            if (const auto whole = "--" + name; word.starts_with(whole) || whole.starts_with(word))
                return concat(": is ", whole, " meant?");
    return "";
}

// CLI11's words name its internals in a few places.
std::string usage_line(const CLI::ParseError &error, const CLI::App &app) {
    std::string line = error.what();
    for (auto &character : line)
        if (character == '\n')
            character = ' ';
    const auto name = line.substr(0, line.find(':'));
    const auto rest = app.remaining();
    const bool is_unknown_option = !rest.empty() && rest.front().starts_with("-");
    // A word that is missing may be behind an option that does not exist.
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) ||
        (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError) && is_unknown_option)) {
        const auto word = rest.empty() ? std::string() : rest.front();
        return concat("\"", printable(word),
                      is_unknown_option ? "\" is no option" : "\" is one argument too many",
                      similar_option(app, word));
    }
    if (line.find(": At Most ") != line.npos)
        return name + " is given more than once";
    if (line.find(" required TEXT missing") != line.npos ||
        line.find(" required FLOAT missing") != line.npos || line.find(" required UINT missing") != line.npos)
        return name + " needs a value behind it";
    return line;
}

std::vector<std::string> split(const std::string &text, char separator) {
    std::vector<std::string> parts;
    std::string part;
    for (std::istringstream in(text); std::getline(in, part, separator);)
        parts.push_back(part);
    return parts;
}

// A choice's value name is its words with bars between them.
option_text describe(const CLI::Option &option) {
    option_text told;
    for (const auto &name : option.get_snames())
        told.names.push_back("-" + name);
    for (const auto &name : option.get_lnames())
        told.names.push_back("--" + name);
    if (told.names.empty())
        told.names.push_back(option.get_name());
    told.value_name = option.get_option_text();
    told.text = option.get_description();
    told.group = option.get_group();
    told.default_value = option.get_default_str();
    if (told.value_name.find('|') != std::string::npos)
        told.words = split(told.value_name, '|');
    return told;
}

// The first word that is no command, or none.
int explain_missing_command(const CLI::App &app) {
    const auto rest = app.remaining();
    const auto problem = rest.empty() ? std::string("say what to do")
                                      : concat("\"", printable(rest.front()), "\" is no ",
                                               rest.front().starts_with("-") ? "option" : "command");
    note(problem + ": \"zlink --help\" lists the commands");
    return status_usage;
}

// "zlink help cat" is "zlink cat --help", and the "--" before a program of "zlink run" is left out: CLI11
// knows neither. It takes the arguments from the last one to the first.
std::vector<std::string> words_for_parser(int argc, char **argv) {
    std::vector<std::string> words(argv + 1, argv + argc);
    if (!words.empty() && words.front() == "help") {
        words.erase(words.begin());
        words.emplace_back("--help");
    }
    for (std::size_t at = 1; at < words.size() && words.front() == "run" && words[at].starts_with("-");
         ++at) {
        if (words[at] == "--") {
            words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
            break;
        }
        at += words[at] == "--library" ? 1U : 0U;
    }
    std::reverse(words.begin(), words.end());
    return words;
}

} // namespace

struct application::parts {
    CLI::App app{summary, "zlink"};
    std::map<std::string, action> actions;
};

application::application() : parts_(std::make_unique<parts>()) {
    auto &app = parts_->app;
    app.set_version_flag("--version", version_text(), "Print the version and end");
    app.set_help_flag("-h,--help", "Print this help and end");
    app.require_subcommand(0, 1);
    app.allow_extras();
    app.footer("Each command explains itself: zlink COMMAND --help");
    app.option_defaults()->always_capture_default();
    app.formatter(std::make_shared<help_formatter>());
    app.get_formatter()->column_width(name_columns);
    app.get_formatter()->label("SUBCOMMAND", "COMMAND");
    for (const auto &one : commands()) {
        auto *sub = app.add_subcommand(one.name, description(one));
        sub->allow_extras(false);
        sub->footer(footer(one));
        sub->group(one.hidden ? "" : "Commands");
        arguments declared(*sub);
        parts_->actions[one.name] = one.declare(declared);
    }
}

application::~application() = default;

int application::run(int argc, char **argv) {
    auto &app = parts_->app;
    std::string name = "zlink";
    const auto chosen = [&] {
        return app.get_subcommands().empty() ? nullptr : app.get_subcommands().front();
    };
    try {
        app.parse(words_for_parser(argc, argv));
        if (chosen() == nullptr || !app.remaining().empty())
            return explain_missing_command(app);
        name += " " + chosen()->get_name();
        name_notes(name);
        return parts_->actions.at(chosen()->get_name())();
    } catch (const CLI::ParseError &error) {
        if (error.get_exit_code() == 0) {
            const bool helps = dynamic_cast<const CLI::CallForHelp *>(&error) != nullptr;
            if (helps && chosen() == nullptr && !app.remaining().empty()) // for a command that is none
                return explain_missing_command(app);
            const int status = app.exit(error); // prints the help or the version
            if (!std::cout.flush())
                throw failure("cannot write to the standard output");
            return status;
        }
        if (chosen() != nullptr)
            name += " " + chosen()->get_name();
        const auto &problem_of = chosen() != nullptr ? *chosen() : app;
        std::cerr << name << ": " << usage_line(error, problem_of) << "; see \"" << name << " --help\"\n";
        return status_usage;
    }
}

std::vector<option_text> application::options_of(const std::string &command_name) const {
    const CLI::App *app = &parts_->app;
    if (!command_name.empty())
        app = app->get_subcommand(command_name);
    std::vector<option_text> told;
    for (const auto *option : app->get_options())
        if (!option->get_group().empty())
            told.push_back(describe(*option));
    return told;
}

} // namespace cli
