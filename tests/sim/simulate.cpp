// SPDX-License-Identifier: MPL-2.0
// simulate: plays seeds. Each seed runs in a child process of its own, which begins with the same memory.
//
// --seeds 200 --first 1: so many seeds. --minutes 5: seeds for so long, with a line of progress.
// --stop 1: up to the first finding. --seed 17: one seed with its trace, in this process (for a debugger).
// --minimise 17: looks for a simpler run with the finding of that seed. --simpler TEXT --seed 17: plays it.
// --twice 20: each seed twice; the traces have to be equal, byte for byte.
//
// Exit status: 0 without a finding, 1 with one, 2 if it was called wrongly.
#include <cerrno>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <malloc.h>
#include <string>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/host.hpp"
#include "sim/minimise.hpp"
#include "sim/result.hpp"
#include "sim/simpler.hpp"

namespace sim {

run_result *result_of_run = nullptr;

namespace {

constexpr unsigned hang_s = 60; // of real time: a run that makes no pretend call

std::string trace_text;
int trace_to = -1; // a descriptor of the host

void write_all(int descriptor, const char *bytes, std::size_t size) {
    while (size != 0) {
        const ssize_t written = host::write(descriptor, bytes, size);
        if (written <= 0)
            return;
        bytes += written;
        size -= static_cast<std::size_t>(written);
    }
}

} // namespace

void end_run() noexcept {
    run_result &result = *result_of_run;
    result.trace_hash = run->trace_hash();
    result.points = run->points();
    result.simulated_ns = run->now();
    result.connection_ns = net->lives;
    result.done = true;
    if (trace_to >= 0)
        write_all(trace_to, trace_text.data(), trace_text.size());
    _exit(result.finding[0] != '\0' ? 1 : 0);
}

void end_with_finding(const char *text) noexcept {
    std::snprintf(result_of_run->finding.data(), result_of_run->finding.size(), "%s", text);
    end_run();
}

namespace {

[[noreturn]] void play(std::uint64_t seed) {
    alarm(hang_s);
    const weather how = begin_world(seed);
    if (trace_to >= 0)
        run->trace = &trace_text;
    result_of_run->messages = play_scenario(how, result_of_run->about);
    if (pretend->open_count() != 0)
        fail("%zu descriptors stay open", pretend->open_count());
    end_run();
}

// The result is in *result_of_run. A trace goes to `trace`, if that is a descriptor.
void play_in_child(std::uint64_t seed, int trace) {
    *result_of_run = {};
    const pid_t child = fork();
    if (child == 0) {
        trace_to = trace;
        play(seed);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status))
        std::snprintf(result_of_run->finding.data(), result_of_run->finding.size(), "ended by signal %d (%s)",
                      WTERMSIG(status), WTERMSIG(status) == SIGALRM ? "no end" : strsignal(WTERMSIG(status)));
    else if (!result_of_run->done && result_of_run->finding[0] == '\0')
        std::snprintf(result_of_run->finding.data(), result_of_run->finding.size(), "ended with status %d",
                      WEXITSTATUS(status));
}

bool report(std::uint64_t seed) {
    if (result_of_run->finding[0] == '\0')
        return true;
    std::printf("FOUND seed %" PRIu64 " (%s): %s\n  again: make simulate SEED=%" PRIu64 "\n", seed,
                result_of_run->about.data(), result_of_run->finding.data(), seed);
    std::fflush(stdout);
    return false;
}

struct totals {
    std::uint64_t seeds = 0;
    std::uint64_t found = 0;
    std::uint64_t messages = 0;
    std::uint64_t points = 0;
    time_ns simulated = 0;
    time_ns connections = 0;

    void add() {
        ++seeds;
        messages += result_of_run->messages;
        points += result_of_run->points;
        simulated += result_of_run->simulated_ns;
        connections += result_of_run->connection_ns;
    }
    void print() const {
        constexpr double hour = 3600e9;
        const double minutes = static_cast<double>(host::processor_ns()) / 60e9;
        std::printf("%" PRIu64 " seeds, %" PRIu64 " found, %" PRIu64 " messages, %.2f million turns; "
                    "simulated: %.2f hours, %.2f connection-hours; %.2f processor minutes, "
                    "%.0f connection-hours in each\n",
                    seeds, found, messages, static_cast<double>(points) / 1e6,
                    static_cast<double>(simulated) / hour, static_cast<double>(connections) / hour, minutes,
                    static_cast<double>(connections) / hour / minutes);
        std::fflush(stdout);
    }
};

// For so many seeds, or until then.
int play_many(std::uint64_t first, std::uint64_t count, std::int64_t until, std::uint64_t most_found) {
    constexpr std::int64_t between_lines = 10 * one_s;
    totals all;
    std::int64_t next_line = host::now_ns() + between_lines;
    for (std::uint64_t seed = first; seed - first < count && host::now_ns() < until && all.found < most_found;
         ++seed) {
        play_in_child(seed, -1);
        all.add();
        all.found += report(seed) ? 0U : 1U;
        if (host::now_ns() < next_line)
            continue;
        all.print();
        next_line += between_lines;
    }
    all.print();
    return all.found == 0 ? 0 : 1;
}

// Nothing is allocated between the two runs of a seed: addresses have to be the same.
int traced(std::uint64_t seed) {
    char name[] = "/tmp/zlink_sim_XXXXXX";
    const int file = mkstemp(name);
    ::unlinkat(AT_FDCWD, name, 0);
    play_in_child(seed, file);
    return file;
}

std::string text_of(int file) {
    std::string all(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
    const ssize_t got = pread(file, all.data(), all.size(), 0);
    host::close(file);
    all.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return all;
}

int play_twice(std::uint64_t first, std::uint64_t count) {
    int status = 0;
    for (std::uint64_t seed = first; seed - first < count; ++seed) {
        const int first_run = traced(seed);
        const int second_run = traced(seed);
        const std::string once = text_of(first_run);
        const std::string again = text_of(second_run);
        status |= report(seed) ? 0 : 1;
        if (once.empty() || once != again) {
            std::printf("seed %" PRIu64 " has two traces\n", seed);
            status = 1;
        }
    }
    std::printf("%" PRIu64 " seeds twice\n", count);
    return status;
}

[[noreturn]] void play_here(std::uint64_t seed) {
    trace_to = STDOUT_FILENO;
    play(seed);
}

// Addresses have to be the same in every process: some orders in the library depend on them.
void fix_addresses(char **arguments) {
    const int before = personality(0xffffffff);
    if ((before & ADDR_NO_RANDOMIZE) != 0)
        return;
    personality(static_cast<unsigned long>(before) | ADDR_NO_RANDOMIZE);
    execv("/proc/self/exe", arguments);
}

int start(int count, char **arguments) {
    std::uint64_t first = 1;
    std::uint64_t seeds = 0;
    std::uint64_t minutes = 0;
    std::uint64_t twice = 0;
    std::uint64_t most_found = UINT64_MAX;
    for (int index = 1; index + 1 < count; index += 2) {
        const std::string name = arguments[index];
        const std::uint64_t value = std::strtoull(arguments[index + 1], nullptr, 10);
        if (name == "--simpler" && !parse(arguments[index + 1], simpler))
            return 2;
        if (name == "--simpler")
            continue;
        if (name == "--seed")
            play_here(value);
        if (name == "--minimise")
            return minimise(value, [](std::uint64_t seed) { play_in_child(seed, -1); });
        (name == "--first"     ? first
         : name == "--seeds"   ? seeds
         : name == "--minutes" ? minutes
         : name == "--stop"    ? most_found
                               : twice) = value;
    }
    if (twice != 0)
        return play_twice(first, twice);
    if (seeds == 0 && minutes == 0) {
        std::fputs("simulate --seeds N | --minutes N | --twice N [--first SEED] | --seed SEED\n", stderr);
        return 2;
    }
    const std::int64_t until =
        minutes != 0 ? host::now_ns() + static_cast<std::int64_t>(minutes) * 60 * one_s : never;
    return play_many(first, minutes != 0 ? UINT64_MAX : seeds, until, most_found);
}

} // namespace
} // namespace sim

int main(int count, char **arguments) {
    sim::fix_addresses(arguments);
    mallopt(M_ARENA_MAX, 1);
    setenv("ZLINK_COUNTERS", "0", 1);
    void *const memory =
        mmap(nullptr, sizeof(sim::run_result), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return 2;
    sim::result_of_run = new (memory) sim::run_result{};
    return sim::start(count, arguments);
}
