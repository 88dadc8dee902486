// SPDX-License-Identifier: MPL-2.0
#include "metrics/endpoint.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <pthread.h>
#include <unistd.h>
#include <vector>

#include "base/fork.hpp"
#include "base/lasting.hpp"
#include "counters/snapshot.hpp"
#include "metrics/text.hpp"
#include "runtime/signals_blocked.hpp"

namespace zlink::metrics {
namespace {

page make_page(const std::string &path) {
    if (path != "/metrics" && path != "/")
        return {404, "text/plain", "look at /metrics\n"};
    const auto contexts = counters::snapshots_of(::getpid());
    return {200, text_type, text_of(contexts ? *contexts : std::vector<counters::snapshot>())};
}

// The only one of the process, for ever: who is destroyed last is not known.
struct only_endpoint final : fork_handler {
    std::mutex guard;
    std::weak_ptr<endpoint> held; // guarded
    bool refused = false;         // guarded; it is told of once

    // The thread is not here, and another one may have held the lock. So its endpoint is never ended here.
    void on_fork() noexcept override {
        ::new (&guard) std::mutex;
        ::new (&held) std::weak_ptr<endpoint>;
        refused = false;
    }
};

} // namespace

std::shared_ptr<endpoint> endpoint::of_process() {
    // A program that runs with more rights than its caller does not listen to the caller.
    const char *const place = ::secure_getenv("ZLINK_METRICS");
    if (place == nullptr || *place == '\0')
        return nullptr;
    auto *const only = &lasting<only_endpoint>();
    const std::lock_guard lock(only->guard);
    std::shared_ptr<endpoint> found = only->held.lock();
    if (found || only->refused)
        return found;
    try {
        found = std::make_shared<endpoint>(place);
        only->held = found;
    } catch (const std::bad_alloc &) {
        throw;
    } catch (const std::exception &why) {
        only->refused = true;
        std::fprintf(stderr, "zlink: no metrics are served: ZLINK_METRICS=%.200s\n", why.what());
    }
    return found;
}

endpoint::endpoint(const std::string &place) : server_(place, make_page), descriptor_(server_.descriptor()) {
    withhold_from_children(descriptor_);
    const runtime::signals_blocked meanwhile;
    try {
        thread_ = std::thread([this] {
            try {
                server_.run();
            } catch (const std::exception &) {
                return; // out of memory: no more answers
            }
        });
    } catch (const std::exception &) {
        release_to_children(descriptor_);
        throw;
    }
    ::pthread_setname_np(thread_.native_handle(), "ZMQbg/metrics");
}

endpoint::~endpoint() {
    server_.stop();
    thread_.join();
    release_to_children(descriptor_);
}

} // namespace zlink::metrics
