// SPDX-License-Identifier: MPL-2.0
// zlink manual: manual pages in roff, from the texts of the help. The build runs it; the help does not list
// it.
#include <memory>

#include "common/application.hpp"
#include "common/command.hpp"
#include "common/failure.hpp"
#include "common/output.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

// Backslashes, dashes, and points and quotes at the front of a line mean something in roff.
std::string roff(std::string_view text) {
    std::string out;
    bool at_front = true;
    for (const char character : text) {
        if (at_front && (character == '.' || character == '\''))
            out += "\\&";
        if (character == '\\')
            out += "\\e";
        else if (character == '-')
            out += "\\-";
        else
            out += character;
        at_front = character == '\n';
    }
    return out;
}

// Lists of words may be broken behind each bar.
std::string breakable(std::string_view text) {
    std::string out = roff(text);
    for (auto at = out.find('|'); at != out.npos; at = out.find('|', at + 1))
        out.insert(at + 1, "\\:");
    return out;
}

std::string title(const std::string &name, const std::string &summary) {
    return concat(".TH ", name, " 1 \"\" \"zlink ", ZLINK_VERSION, "\" \"User Commands\"\n.ad l\n.SH NAME\n",
                  roff(name), " \\- ", roff(summary), "\n");
}

std::string option_rows(const std::vector<option_text> &options) {
    std::string out, group;
    for (const auto &option : options) {
        if (option.group != group && option.group != "Options" && !option.group.empty() &&
            option.names.front().starts_with("-"))
            out += concat(".SS ", roff(option.group), "\n");
        group = option.group;
        std::string names;
        for (const auto &name : option.names)
            names += concat(names.empty() ? "" : ", ", "\\fB", roff(name), "\\fR");
        const bool is_positional = !option.names.front().starts_with("-");
        if (!option.value_name.empty())
            names = is_positional ? concat("\\fI", breakable(option.value_name), "\\fR")
                                  : concat(names, " \\fI", breakable(option.value_name), "\\fR");
        out += concat(".TP\n", names, "\n", roff(option.text), ".\n");
    }
    return out;
}

std::string paragraphs(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto end = text.find("\n\n");
        out += concat(".PP\n", roff(text.substr(0, end)), "\n");
        text = end == text.npos ? "" : text.substr(end + 2);
    }
    return out;
}

const char *ending = ".SH EXIT STATUS\n0: done. 1: failed. 2: wrong usage. 128 and more: ended by a signal "
                     "before it was done.\n";

std::string page_of(const command &one, const application &told) {
    std::string usage;
    for (const auto &option : told.options_of(one.name))
        if (!option.names.front().starts_with("-"))
            usage += concat(" \\fI", breakable(option.value_name), "\\fR");
    if (std::string_view(one.name) == "run")
        usage = " \\fIPROGRAM\\fR [\\fIARGUMENT\\fR...]";
    return concat(title(concat("zlink-", one.name), one.summary), ".SH SYNOPSIS\n\\fBzlink ", one.name,
                  "\\fR [\\fIOPTION\\fR...]", usage, "\n.SH DESCRIPTION\n",
                  one.description[0] != '\0' ? paragraphs(one.description) : roff(concat(one.summary, ".\n")),
                  ".SH OPTIONS\n", option_rows(told.options_of(one.name)), ".SH EXAMPLES\n.nf\n",
                  roff(one.examples), ".fi\n", ending, ".SH SEE ALSO\n\\fBzlink\\fR(1)\n");
}

std::string page_of_all() {
    std::string out = title("zlink", "tools for messaging with zlink, and for programs that use ZeroMQ");
    out += ".SH SYNOPSIS\n\\fBzlink\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...]\n.SH DESCRIPTION\nEach command "
           "has a page of its own, "
           "and explains itself with \\fB\\-\\-help\\fR.\n.SH COMMANDS\n";
    std::string also;
    for (const auto &one : commands()) {
        if (one.hidden)
            continue;
        out += concat(".TP\n\\fBzlink ", one.name, "\\fR\n", roff(one.summary), ".\n");
        also += concat(also.empty() ? "" : ", ", "\\fBzlink\\-", one.name, "\\fR(1)");
    }
    return out + ending + ".SH SEE ALSO\n" + also + "\n";
}

} // namespace

action declare_manual(arguments &declared) {
    auto name = std::make_shared<std::string>();
    declared.option("COMMAND", *name, "[COMMAND]", "The command; none for zlink itself");
    return [name] {
        output out;
        bool found = name->empty();
        if (found)
            out.write(page_of_all());
        for (const auto &one : commands())
            if (*name == one.name) {
                out.write(page_of(one, application()));
                found = true;
            }
        if (!found)
            throw failure(concat("\"", *name, "\" is no command"), status_usage);
        out.flush();
        return int(status_done);
    };
}

} // namespace cli
