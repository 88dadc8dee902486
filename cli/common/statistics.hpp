// SPDX-License-Identifier: MPL-2.0
// The counters of processes, as the commands show them. They come from zlink/stats.h.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>
#include <zlink/stats.h>

namespace cli {

// A peer, a socket, an I/O thread or a context, with the subjects that are parts of it.
struct counted_subject {
    int kind{ZLINK_STATS_CONTEXT};
    std::map<std::string, std::uint64_t> numbers;
    std::map<std::string, std::string> texts;
    std::vector<counted_subject> parts;

    std::uint64_t number(const std::string &name) const;
    std::string text(const std::string &name) const;
    std::vector<const counted_subject *> parts_of(int wanted) const;
    // All messages that were dropped, for whatever reason.
    std::uint64_t dropped() const;
    // By their reasons, as "mark_reached"; those that are not 0.
    std::map<std::string, std::uint64_t> drops() const;
};

class statistics {
  public:
    // A process by its number, or a file. Throws a failure that says what to do.
    static statistics of(const std::string &process_or_file);
    static std::vector<statistics> of_all_processes();
    // Those that are given; all if none is. One that has ended is left out, unless `must_be_there`: then it
    // is a failure.
    static std::vector<statistics> of_those(const std::vector<std::string> &processes_or_files,
                                            bool must_be_there);

    // Their counters in the text format of Prometheus.
    static std::string metrics_of(const std::vector<std::string> &processes_or_files, bool must_be_there);

    // Says on the standard error why there is nothing to show, if no process is shown.
    static void note_if_none(const std::vector<statistics> &all);

    int pid() const { return pid_; }
    const std::string &program() const { return program_; }
    const std::vector<counted_subject> &contexts() const { return contexts_; }
    std::string json() const;

  private:
    struct frees {
        void operator()(zlink_stats *taken) const { zlink_stats_free(taken); }
    };
    // `pid` is 0 for a file.
    statistics(zlink_stats *taken, int pid);
    void read_owner();

    std::unique_ptr<zlink_stats, frees> taken_;
    int pid_;
    std::string program_;
    std::vector<counted_subject> contexts_;
};

// Looks like "tcp://127.0.0.1:5555", or "-" if there is none.
std::string shown(const std::string &text);

} // namespace cli
