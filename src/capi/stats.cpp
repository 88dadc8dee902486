// SPDX-License-Identifier: MPL-2.0
#include "zlink/peers.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unistd.h>

#include "capi/handles.hpp"
#include "core/option_calls.hpp"
#include "counters/snapshot.hpp"
#include "metrics/text.hpp"

using namespace zlink;
using namespace zlink::capi;
using counters::snapshot;
using counters::subject_kind;
using counters::subject_values;

// Which subject of a context it is, and which one is its parent.
struct placed_subject {
    const subject_values *values;
    int parent;
};

struct zlink_stats {
    std::vector<snapshot> contexts;
    std::vector<placed_subject> subjects;
    std::string json;
    std::string prometheus;
};

namespace {

static_assert(ZLINK_STATS_CONTEXT == static_cast<int>(subject_kind::context));
static_assert(ZLINK_STATS_PEER == static_cast<int>(subject_kind::peer));

// A context comes first, or the only socket; and a socket before its peers.
void place(zlink_stats &to, const snapshot &of) {
    const int context = static_cast<int>(to.subjects.size());
    int socket = context;
    for (const subject_values &one : of.subjects) {
        const int here = static_cast<int>(to.subjects.size());
        const int parent = one.kind == subject_kind::peer ? socket : context;
        to.subjects.push_back({&one, here == context ? -1 : parent});
        if (one.kind == subject_kind::socket)
            socket = here;
    }
}

template <class Take> zlink_stats *taken(Take &&take) noexcept {
    try {
        const uncancelled meanwhile;
        auto made = std::make_unique<zlink_stats>();
        if (const int code = take(made->contexts); code != 0) {
            errno = code;
            return nullptr;
        }
        for (const snapshot &one : made->contexts)
            place(*made, one);
        return made.release();
    } catch (const std::exception &) {
        errno = ENOMEM;
        return nullptr;
    }
}

const placed_subject *subject_at(const zlink_stats *stats, int index) noexcept {
    if (stats == nullptr || index < 0 || static_cast<std::size_t>(index) >= stats->subjects.size()) {
        errno = EINVAL;
        return nullptr;
    }
    return &stats->subjects[static_cast<std::size_t>(index)];
}

// A text of the whole table, which is made once.
template <class Make>
const char *text_kept(zlink_stats *stats, std::string zlink_stats::*place, Make &&make) {
    try {
        if (stats == nullptr) {
            errno = EINVAL;
            return nullptr;
        }
        std::string &text = stats->*place;
        if (text.empty())
            text = make(stats->contexts);
        return text.c_str();
    } catch (const std::exception &) {
        errno = ENOMEM;
        return nullptr;
    }
}

} // namespace

extern "C" {

zlink_stats *zlink_stats_of_context(void *context) {
    core::context *const asked = as_context(context);
    if (asked == nullptr)
        return nullptr;
    return taken([&](std::vector<snapshot> &to) {
        const auto memory = asked->memory_of_counts();
        if (!memory)
            return ENODATA;
        auto one = counters::take_snapshot(memory->bytes());
        if (!one)
            return one.code();
        counters::add_busy_times(*one, ::getpid());
        to.push_back(*std::move(one));
        return 0;
    });
}

zlink_stats *zlink_stats_of_socket(void *socket) {
    std::optional<result<snapshot>> found;
    if (on_socket(socket, [&](core::socket &asked) {
            found = core::take_stats(asked.peers());
            return 0;
        }) != 0)
        return nullptr;
    return taken([&](std::vector<snapshot> &to) {
        if (!*found)
            return found->code();
        to.push_back(**std::move(found));
        return 0;
    });
}

zlink_stats *zlink_stats_of_process(int pid) {
    return taken([&](std::vector<snapshot> &to) {
        auto all = counters::snapshots_of(pid);
        if (!all)
            return all.code();
        to = *std::move(all);
        return 0;
    });
}

zlink_stats *zlink_stats_of_file(const char *path) {
    return taken([&](std::vector<snapshot> &to) {
        if (path == nullptr)
            return EFAULT;
        auto one = counters::snapshot_of_file(path);
        if (!one)
            return one.code();
        to.push_back(*std::move(one));
        return 0;
    });
}

int zlink_stats_join(zlink_stats *stats, zlink_stats *more) {
    return guarded([&] {
        if (stats == nullptr || more == nullptr || stats == more)
            return fail(EINVAL);
        // All memory first: what follows cannot fail. The subjects' values stay where they are.
        stats->contexts.reserve(stats->contexts.size() + more->contexts.size());
        stats->subjects.reserve(stats->subjects.size() + more->subjects.size());
        const int offset = static_cast<int>(stats->subjects.size());
        for (const placed_subject &one : more->subjects)
            stats->subjects.push_back({one.values, one.parent < 0 ? -1 : one.parent + offset});
        for (snapshot &one : more->contexts)
            stats->contexts.push_back(std::move(one));
        stats->json.clear();
        stats->prometheus.clear();
        delete more;
        return 0;
    });
}

void zlink_stats_free(zlink_stats *stats) {
    delete stats;
}

int zlink_stats_processes(int *pids, int most) {
    return guarded([&] {
        if (pids == nullptr && most > 0)
            return fail(EFAULT);
        const std::vector<int> found = counters::processes_with_counters();
        std::copy_n(found.begin(),
                    std::min<std::size_t>(found.size(), static_cast<std::size_t>(std::max(most, 0))), pids);
        return static_cast<int>(found.size());
    });
}

int zlink_stats_count(const zlink_stats *stats) {
    return stats == nullptr ? fail(EINVAL) : static_cast<int>(stats->subjects.size());
}

int zlink_stats_kind(const zlink_stats *stats, int subject) {
    const placed_subject *const found = subject_at(stats, subject);
    return found == nullptr ? -1 : static_cast<int>(found->values->kind);
}

int zlink_stats_parent(const zlink_stats *stats, int subject) {
    const placed_subject *const found = subject_at(stats, subject);
    return found == nullptr ? -1 : found->parent;
}

int zlink_stats_value(const zlink_stats *stats, int subject, const char *name, uint64_t *value) {
    const placed_subject *const found = subject_at(stats, subject);
    if (found == nullptr)
        return -1;
    if (name == nullptr || value == nullptr)
        return fail(EFAULT);
    for (const auto &[known, number] : found->values->numbers)
        if (known == name) {
            *value = number;
            return 0;
        }
    return fail(ENOENT);
}

const char *zlink_stats_text(const zlink_stats *stats, int subject, const char *name, size_t *size) {
    const placed_subject *const found = subject_at(stats, subject);
    if (found == nullptr)
        return nullptr;
    for (const auto &[known, text] : found->values->texts)
        if (name != nullptr && known == name) {
            if (size != nullptr)
                *size = text.size();
            return text.c_str();
        }
    errno = name == nullptr ? EFAULT : ENOENT;
    return nullptr;
}

const char *zlink_stats_name(const zlink_stats *stats, int subject, int index) {
    const placed_subject *const found = subject_at(stats, subject);
    if (found == nullptr)
        return nullptr;
    if (index < 0 || static_cast<std::size_t>(index) >= found->values->numbers.size()) {
        errno = ENOENT;
        return nullptr;
    }
    return found->values->numbers[static_cast<std::size_t>(index)].first.c_str();
}

const char *zlink_stats_json(zlink_stats *stats) {
    return text_kept(stats, &zlink_stats::json, counters::to_json);
}

const char *zlink_stats_prometheus(zlink_stats *stats) {
    return text_kept(stats, &zlink_stats::prometheus, metrics::text_of);
}

} // extern "C"
