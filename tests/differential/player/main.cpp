// SPDX-License-Identifier: MPL-2.0
//
// differential_player runs scripts of API calls on one library and prints the result of every call.
//
// - differential_player --library FILE [OPTIONS] [SCRIPTS]
// - differential_player --library FILE --has-drafts    prints 1 or 0
// - differential_player --mutations                    prints the names of planted differences
//
// OPTIONS are --repeat N, --jobs N, --limit-ms N, --no-drafts, --mutate NAME, and --stderr.
//
// SCRIPTS is a file, or the standard input. docs: tests/differential/README.md.
#include "batch.hpp"
#include "mutations.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

namespace {

struct arguments {
    std::string library;
    std::string scripts;
    std::string mutation;
    bool drafts = true;
    bool ask_drafts = false;
    bool ask_mutations = false;
    batch_settings batch;
};

[[noreturn]] void give_up(const std::string &text) {
    std::cerr << "differential_player: " << text << "\n";
    std::exit(2);
}

arguments read_arguments(int count, char **texts) {
    arguments given;
    for (int i = 1; i < count; i++) {
        const std::string name = texts[i];
        const auto value = [&]() -> std::string {
            if (++i >= count) {
                give_up(name + " needs a value");
            }
            return texts[i];
        };
        if (name == "--library") {
            given.library = value();
        } else if (name == "--mutate") {
            given.mutation = value();
        } else if (name == "--repeat") {
            given.batch.repeat = std::atoi(value().c_str());
        } else if (name == "--jobs") {
            given.batch.jobs = std::max(1, std::atoi(value().c_str()));
        } else if (name == "--limit-ms") {
            given.batch.limit_ms = std::atoi(value().c_str());
        } else if (name == "--no-drafts") {
            given.drafts = false;
        } else if (name == "--stderr") {
            given.batch.keep_stderr = true;
        } else if (name == "--has-drafts") {
            given.ask_drafts = true;
        } else if (name == "--mutations") {
            given.ask_mutations = true;
        } else if (name.starts_with("--")) {
            give_up("unknown option " + name);
        } else {
            given.scripts = name;
        }
    }
    return given;
}

} // namespace

int main(int count, char **texts) {
    const arguments given = read_arguments(count, texts);
    if (given.ask_mutations) {
        for (const auto name : mutation_names()) {
            std::cout << name << "\n";
        }
        return 0;
    }
    if (given.library.empty()) {
        give_up("--library is missing");
    }
    api_table api = load_api(given.library, given.drafts);
    if (given.ask_drafts) {
        std::cout << has_drafts(api) << "\n";
        return 0;
    }
    if (!given.mutation.empty() && !mutate(api, given.mutation)) {
        give_up("no mutation " + given.mutation);
    }
    std::ifstream file(given.scripts);
    if (!given.scripts.empty() && !file) {
        give_up("cannot read " + given.scripts);
    }
    run_batch(api, read_scripts(given.scripts.empty() ? std::cin : file), given.batch);
    return 0;
}
