// SPDX-License-Identifier: MPL-2.0
// zlink stats: the counters of one process.
#include <memory>

#include "common/command.hpp"
#include "common/failure.hpp"
#include "common/output.hpp"
#include "common/statistics.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

struct stats_options {
    std::string process;
    bool json{false}, all{false};
};

// Numbers that say nothing to a person, or are shown in the title.
bool in_title(const std::string &name) {
    for (const char *shown_elsewhere :
         {"id", "since", "age", "type", "connected", "inproc", "outgoing", "closing", "peers"})
        if (name == shown_elsewhere)
            return true;
    return false;
}

std::string title_of(const counted_subject &one) {
    switch (one.kind) {
    case ZLINK_STATS_CONTEXT:
        return "context";
    case ZLINK_STATS_IO_THREAD:
        return "I/O thread";
    case ZLINK_STATS_SOCKET:
        return concat("socket ", shown(one.text("type")), "  ", shown(one.text("endpoint")), "  ",
                      counted(one.number("peers"), "peer"), one.number("closing") != 0 ? "  closing" : "");
    default:
        break;
    }
    return concat("peer ", shown(one.text("address")), "  ", one.text("state"),
                  one.number("outgoing") != 0 ? "  outgoing" : "  incoming",
                  one.text("identity").empty() ? "" : "  id " + printable(one.text("identity")),
                  one.text("mechanism").empty() ? "" : "  " + one.text("mechanism"));
}

std::string tree_of(const counted_subject &one, bool zeros, const std::string &indent) {
    std::string made = indent + title_of(one) + "\n";
    std::string values;
    for (const auto &[name, value] : one.numbers)
        if ((value != 0 || zeros) && !in_title(name))
            values += concat(values.empty() ? "" : ", ", name, " ", value);
    if (!values.empty())
        made += indent + "  " + values + "\n";
    for (const counted_subject &part : one.parts)
        made += tree_of(part, zeros, indent + "  ");
    return made;
}

int run_stats(const stats_options &options) {
    const auto found = statistics::of(options.process);
    output out;
    if (options.json)
        out.write(found.json() + "\n");
    else
        for (const counted_subject &context : found.contexts())
            out.write(tree_of(context, options.all, ""));
    out.flush();
    return status_done;
}

} // namespace

action declare_stats(arguments &declared) {
    auto options = std::make_shared<stats_options>();
    declared.option("PID", options->process, "PID",
                    "The process; or a file that a process has made in ZLINK_RUNTIME_DIR");
    declared.required();
    declared.flag("--json", options->json, "Print JSON");
    declared.flag("--all", options->all, "Print counters that are 0, too");
    return [options] { return run_stats(*options); };
}

} // namespace cli
