// SPDX-License-Identifier: MPL-2.0
#include "common/statistics.hpp"

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "common/failure.hpp"
#include "common/output.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

constexpr const char *text_names[] = {"type", "endpoint", "address", "identity", "mechanism", "state"};

counted_subject read_subject(const zlink_stats *taken, int index) {
    counted_subject made;
    made.kind = zlink_stats_kind(taken, index);
    for (int field = 0; const char *name = zlink_stats_name(taken, index, field); ++field) {
        std::uint64_t value = 0;
        if (zlink_stats_value(taken, index, name, &value) == 0)
            made.numbers[name] = value;
    }
    for (const char *name : text_names) {
        std::size_t size = 0;
        if (const char *text = zlink_stats_text(taken, index, name, &size))
            made.texts[name] = std::string(text, size);
    }
    return made;
}

// The parts of a subject follow it, and so it is read with them.
counted_subject read_with_parts(const zlink_stats *taken, int index) {
    counted_subject made = read_subject(taken, index);
    const int count = zlink_stats_count(taken);
    for (int next = index + 1; next < count && zlink_stats_parent(taken, next) >= index; ++next)
        if (zlink_stats_parent(taken, next) == index)
            made.parts.push_back(read_with_parts(taken, next));
    return made;
}

std::string program_of(int pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
    std::string name;
    return std::getline(file, name) ? name : "?";
}

std::string reason_of(const std::string &asked, bool process) {
    switch (errno) {
    case ESRCH:
        return concat("there is no process ", asked, "; zlink ls lists those with contexts");
    case EACCES:
    case EPERM:
        return concat(asked, " belongs to another user; run the command as that user, or as root");
    case ENODATA:
        return concat(
            "process ", asked,
            " shows no counters: it has no context of zlink, or ZLINK_COUNTERS=0; zlink ls lists others");
    case EPROTO:
        return concat(asked, " has no counters of zlink in it: give the number of a process, or a file of "
                             "ZLINK_RUNTIME_DIR");
    default:
        return concat(asked, ": ", zmq_strerror(errno),
                      process ? "" : "; give the number of a process, or a file of ZLINK_RUNTIME_DIR");
    }
}

bool is_number(const std::string &text) {
    return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
}

} // namespace

std::uint64_t counted_subject::number(const std::string &name) const {
    const auto found = numbers.find(name);
    return found == numbers.end() ? 0 : found->second;
}

std::string counted_subject::text(const std::string &name) const {
    const auto found = texts.find(name);
    return found == texts.end() ? "" : found->second;
}

std::vector<const counted_subject *> counted_subject::parts_of(int wanted) const {
    std::vector<const counted_subject *> found;
    for (const counted_subject &part : parts)
        if (part.kind == wanted)
            found.push_back(&part);
    return found;
}

std::uint64_t counted_subject::dropped() const {
    std::uint64_t sum = 0;
    for (const auto &[reason, value] : drops())
        sum += value;
    return sum;
}

std::map<std::string, std::uint64_t> counted_subject::drops() const {
    constexpr std::string_view begin = "dropped.";
    std::map<std::string, std::uint64_t> found;
    for (const auto &[name, value] : numbers)
        if (name.starts_with(begin) && value != 0)
            found[name.substr(begin.size())] = value;
    return found;
}

statistics::statistics(zlink_stats *taken, int pid) : taken_(taken), pid_(pid), program_(program_of(pid)) {
    const int count = zlink_stats_count(taken);
    for (int index = 0; index < count; ++index)
        if (zlink_stats_parent(taken, index) < 0)
            contexts_.push_back(read_with_parts(taken, index));
    if (pid == 0)
        read_owner();
}

// A file tells whose it was.
void statistics::read_owner() {
    const auto told = nlohmann::json::parse(json(), nullptr, false);
    if (told.is_discarded() || told["contexts"].empty())
        return;
    pid_ = told["contexts"][0].value("pid", 0);
    program_ = told["contexts"][0].value("program", "?");
}

statistics statistics::of(const std::string &process_or_file) {
    const bool process = is_number(process_or_file);
    const int pid = process ? std::stoi(process_or_file) : 0;
    zlink_stats *taken = process ? zlink_stats_of_process(pid) : zlink_stats_of_file(process_or_file.c_str());
    if (taken == nullptr)
        throw failure(reason_of(process_or_file, process));
    return {taken, pid};
}

std::vector<statistics> statistics::of_all_processes() {
    std::vector<int> pids(64);
    int count = zlink_stats_processes(pids.data(), static_cast<int>(pids.size()));
    while (count > static_cast<int>(pids.size())) {
        pids.resize(static_cast<std::size_t>(count) + 16);
        count = zlink_stats_processes(pids.data(), static_cast<int>(pids.size()));
    }
    std::vector<statistics> all;
    for (int index = 0; index < count; ++index) {
        const int pid = pids[static_cast<std::size_t>(index)];
        if (zlink_stats *taken = zlink_stats_of_process(pid)) // it may have ended meanwhile
            all.push_back(statistics(taken, pid));
    }
    return all;
}

void statistics::note_if_none(const std::vector<statistics> &all) {
    if (all.empty())
        note(geteuid() == 0 ? "no process has a context of zlink with a socket, or ZLINK_COUNTERS=0 hides it"
                            : "no process of this user has a context of zlink with a socket; root sees those "
                              "of all users");
}

std::vector<statistics> statistics::of_those(const std::vector<std::string> &processes_or_files,
                                             bool must_be_there) {
    if (processes_or_files.empty())
        return of_all_processes();
    std::vector<statistics> all;
    for (const std::string &one : processes_or_files)
        try {
            all.push_back(of(one));
        } catch (const failure &) {
            if (must_be_there)
                throw;
        }
    return all;
}

std::string statistics::metrics_of(const std::vector<std::string> &processes_or_files, bool must_be_there) {
    std::vector<statistics> all = of_those(processes_or_files, must_be_there);
    if (must_be_there)
        note_if_none(all);
    if (all.empty())
        return {};
    zlink_stats *const joined = all.front().taken_.get();
    for (std::size_t index = 1; index < all.size(); ++index)
        if (zlink_stats_join(joined, all[index].taken_.get()) == 0)
            (void)all[index].taken_.release();
    const char *text = zlink_stats_prometheus(joined);
    if (text == nullptr)
        throw failure("there is no memory for the answer");
    return text;
}

std::string statistics::json() const {
    const char *text = zlink_stats_json(taken_.get());
    if (text == nullptr)
        throw failure("there is no memory for the answer");
    return text;
}

std::string shown(const std::string &text) {
    return text.empty() ? "-" : printable(text);
}

} // namespace cli
