// SPDX-License-Identifier: MPL-2.0
// Runs the programs. The arguments are these, and names:
//     [--quick] [--preemptions N] [--executions N] [--seconds N] [--list]
//     [--until-failure] [--reached] [--weaken N ORDER] [NAME...].
// NAME is a program, or the first letters of some. It prints a line for each, and fails with the execution
// that goes wrong. --weaken is for a copy of the library with numbered orders, see mutate.py.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "model/explorer.hpp"
#include "model/orders.hpp"
#include "model/programs.hpp"

namespace zlink::model {
std::vector<program> all_programs() {
    std::vector<program> all = queue_programs();
    for (const auto &more : {wake_programs(), lock_programs()})
        all.insert(all.end(), more.begin(), more.end());
    return all;
}
} // namespace zlink::model

namespace {
using zlink::model::program;

struct wishes {
    zlink::model::explorer::limits most;
    bool quick = false;
    bool lists = false;
    bool until_failure = false;
    bool reached = false;
    int preemptions = -1; // the program's own
    std::vector<std::string> names;

    [[nodiscard]] bool wants(const program &one) const {
        if (names.empty())
            return !quick || one.quick >= 0;
        for (const std::string &name : names)
            if (std::string(one.name).starts_with(name))
                return true;
        return false;
    }
};

wishes read_arguments(int count, char **words) {
    wishes read;
    for (int index = 1; index < count; ++index) {
        const std::string word = words[index];
        const auto number = [&] { return index + 1 < count ? std::atof(words[++index]) : 0.0; };
        if (word == "--quick")
            read.quick = true;
        else if (word == "--list")
            read.lists = true;
        else if (word == "--reached")
            read.reached = true;
        else if (word == "--until-failure")
            read.until_failure = true;
        else if (word == "--weaken" && index + 2 < count) {
            const int site = static_cast<int>(number());
            zlink::model::weaken(site, words[++index]);
        } else if (word == "--preemptions")
            read.preemptions = static_cast<int>(number());
        else if (word == "--executions")
            read.most.executions = static_cast<std::uint64_t>(number());
        else if (word == "--seconds")
            read.most.seconds = number();
        else
            read.names.push_back(word);
    }
    return read;
}

// Returns false if an execution goes wrong.
bool check(const program &one, const wishes &wanted) {
    zlink::model::explorer::limits most = wanted.most;
    most.preemptions =
        wanted.preemptions >= 0 ? wanted.preemptions : (wanted.quick ? one.quick : one.preemptions);
    const std::clock_t begin = std::clock();
    const zlink::model::result found = zlink::model::the_explorer.explore(one, most);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("%-24s %9llu executions, at most %d preemptions, %6.2f s: %s\n", one.name,
                static_cast<unsigned long long>(found.executions), most.preemptions, seconds,
                !found.failure.empty() ? "FAILED"
                : found.complete       ? "all"
                                       : "not all");
    if (!found.failure.empty())
        std::printf("%s: %s\n", one.name, found.failure.c_str());
    if (wanted.reached) {
        std::printf("reached by %s:", one.name);
        for (const int number : zlink::model::take_reached())
            std::printf(" %d", number);
        std::printf("\n");
    }
    std::fflush(stdout);
    return found.failure.empty();
}
} // namespace

int main(int count, char **words) {
    const wishes wanted = read_arguments(count, words);
    int checked = 0;
    int wrong = 0;
    for (const program &one : zlink::model::all_programs()) {
        if (!wanted.wants(one))
            continue;
        ++checked;
        if (wanted.lists)
            std::puts(one.name);
        else if (!check(one, wanted) && (++wrong, wanted.until_failure))
            break;
    }
    if (checked == 0)
        std::fprintf(stderr, "model: no program has such a name\n");
    return checked == 0 || wrong != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
