// SPDX-License-Identifier: MPL-2.0
// A command of zlink. The help, the manual page and the completion of shells are made from these texts and
// the declared options.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/arguments.hpp"

namespace cli {

// Runs the command with the options as they were given. The result is the exit status.
using action = std::function<int()>;

struct command {
    const char *name;
    const char *summary;     // one sentence, without its full stop
    const char *description; // paragraphs
    const char *examples;    // lines of "zlink ...", each with a comment line "# ..." before it
    action (*declare)(arguments &);
    bool hidden = false;
};

// All of them, in the order of the help.
const std::vector<command> &commands();

action declare_bench(arguments &);
action declare_bw(arguments &);
action declare_cat(arguments &);
action declare_completion(arguments &);
action declare_hz(arguments &);
action declare_info(arguments &);
action declare_keygen(arguments &);
action declare_ls(arguments &);
action declare_manual(arguments &);
action declare_metrics(arguments &);
action declare_ping(arguments &);
action declare_proxy(arguments &);
action declare_record(arguments &);
action declare_replay(arguments &);
action declare_run(arguments &);
action declare_stats(arguments &);
action declare_sub(arguments &);
action declare_top(arguments &);

} // namespace cli
