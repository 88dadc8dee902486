// SPDX-License-Identifier: MPL-2.0
// The regions of other processes, by way of /proc. A process that is stopped is read like another one.
#include <cerrno>
#include <charconv>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cancellation.hpp"
#include "counters/region.hpp"
#include "counters/snapshot.hpp"

namespace zlink::counters {
namespace {

struct closes_directory {
    void operator()(DIR *open) const noexcept { ::closedir(open); }
};
using directory = std::unique_ptr<DIR, closes_directory>;

class opened {
  public:
    explicit opened(const std::string &path) noexcept
        : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), code_(errno) {}
    ~opened() {
        if (descriptor_ >= 0)
            ::close(descriptor_);
    }
    opened(const opened &) = delete;
    opened &operator=(const opened &) = delete;
    [[nodiscard]] int get() const noexcept { return descriptor_; }
    [[nodiscard]] int code() const noexcept { return code_; }

  private:
    int descriptor_;
    int code_;
};

class mapping {
  public:
    mapping(int descriptor, std::size_t size) noexcept
        : base_(::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0)), size_(size) {}
    ~mapping() {
        if (base_ != MAP_FAILED)
            ::munmap(base_, size_);
    }
    mapping(const mapping &) = delete;
    mapping &operator=(const mapping &) = delete;
    [[nodiscard]] bool done() const noexcept { return base_ != MAP_FAILED; }
    [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
        return {static_cast<const std::byte *>(base_), size_};
    }

  private:
    void *base_;
    std::size_t size_;
};

int number_of(const char *name) noexcept {
    int value = 0;
    const char *const end = name + std::strlen(name);
    const auto [stopped, failure] = std::from_chars(name, end, value);
    return failure == std::errc{} && stopped == end && value > 0 ? value : -1;
}

std::string folder_of(int pid) {
    return "/proc/" + std::to_string(pid);
}

std::string target_of(const std::string &link) {
    char target[256];
    const ssize_t size = ::readlink(link.c_str(), target, sizeof target);
    return size > 0 ? std::string(target, static_cast<std::size_t>(size)) : std::string();
}

// Is it the descriptor of a region? The file form has the same name within its path.
bool names_region(const std::string &target) {
    constexpr std::string_view memory = "/memfd:zlink-counters";
    constexpr std::string_view file = "/zlink-counters.";
    if (target.starts_with(memory))
        return true;
    const std::size_t slash = target.rfind('/');
    return slash != std::string::npos && target.compare(slash, file.size(), file) == 0;
}

// The process's own number for itself, which is the last one of the namespaces that it is in.
std::uint32_t own_number(int pid) {
    std::ifstream status(folder_of(pid) + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("NSpid:"))
            return static_cast<std::uint32_t>(
                std::strtoul(line.c_str() + line.find_last_of(" \t"), nullptr, 10));
    return static_cast<std::uint32_t>(pid);
}

// The paths of its regions, each once.
result<std::vector<std::string>> regions_of(int pid) {
    const std::string folder = folder_of(pid) + "/fd";
    const directory open(::opendir(folder.c_str()));
    if (!open)
        return error{errno == ENOENT ? ESRCH : errno};
    std::vector<std::string> found;
    while (const dirent *entry = ::readdir(open.get())) {
        const std::string link = folder + '/' + entry->d_name;
        if (names_region(target_of(link)))
            found.push_back(link);
    }
    return found;
}

// A file may become smaller while it is read, a sealed one cannot.
result<snapshot> read_unsealed(int descriptor, std::size_t size) {
    std::vector<std::uint64_t> words(size / 8);
    std::size_t taken = 0;
    auto *const to = reinterpret_cast<char *>(words.data());
    while (taken < words.size() * 8) {
        const ssize_t more =
            ::pread(descriptor, to + taken, words.size() * 8 - taken, static_cast<off_t>(taken));
        if (more <= 0)
            break;
        taken += static_cast<std::size_t>(more);
    }
    return take_snapshot(std::as_bytes(std::span(words)).first(taken / 8 * 8));
}

} // namespace

result<snapshot> take_snapshot(int descriptor) {
    const uncancelled meanwhile;
    struct stat about {};
    if (::fstat(descriptor, &about) != 0)
        return error{errno};
    const auto size = static_cast<std::size_t>(about.st_size);
    if (!S_ISREG(about.st_mode) || size < fields_begin || size > region::most_bytes)
        return error{EPROTO};
    const int seals = ::fcntl(descriptor, F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0)
        return read_unsealed(descriptor, size);
    const mapping whole(descriptor, size);
    return whole.done() ? take_snapshot(whole.bytes()) : result<snapshot>(error{ENOMEM});
}

result<snapshot> snapshot_of_file(const std::string &path) {
    const uncancelled meanwhile;
    const opened file(path);
    if (file.get() < 0)
        return error{file.code()};
    return take_snapshot(file.get());
}

void add_busy_times(snapshot &taken, int pid) {
    const uncancelled meanwhile;
    for (subject_values &one : taken.subjects) {
        if (one.kind != subject_kind::io_thread)
            continue;
        std::ifstream file(folder_of(pid) + "/task/" + std::to_string(one.number("thread_id")) +
                           "/schedstat");
        if (std::uint64_t nanoseconds = 0; file >> nanoseconds)
            one.numbers.emplace_back("busy", nanoseconds);
    }
}

result<std::vector<snapshot>> snapshots_of(int pid) {
    const uncancelled meanwhile;
    const auto paths = regions_of(pid);
    if (!paths)
        return error{paths.code()};
    std::vector<snapshot> found;
    const std::uint32_t own = own_number(pid);
    for (const std::string &path : *paths) {
        auto taken = snapshot_of_file(path);
        if (taken && taken->pid == own) // a descriptor may have been passed on
            found.push_back(*std::move(taken));
    }
    if (found.empty())
        return error{ENODATA};
    for (snapshot &one : found) {
        if (own == static_cast<std::uint32_t>(pid)) // else its threads have other numbers here
            add_busy_times(one, pid);
        one.pid = static_cast<std::uint32_t>(pid);
    }
    return found;
}

std::vector<int> processes_with_counters() {
    const uncancelled meanwhile;
    std::vector<int> found;
    const directory all(::opendir("/proc"));
    while (const dirent *entry = all ? ::readdir(all.get()) : nullptr) {
        const int pid = number_of(entry->d_name);
        if (pid < 0)
            continue;
        if (const auto regions = regions_of(pid); regions && !regions->empty())
            found.push_back(pid);
    }
    return found;
}

} // namespace zlink::counters
