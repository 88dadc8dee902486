// SPDX-License-Identifier: MPL-2.0
#include "core/context.hpp"

#include <algorithm>
#include <cerrno>
#include <stdexcept>

#include "base/asymmetric_fence.hpp"
#include "base/error.hpp"
#include "core/socket.hpp"
#include "runtime/place_of_counters.hpp"
#include "runtime/tuning.hpp"

namespace zlink::core {

context::context() {
    if (runtime::process_tuning().streams)
        enable_asymmetric_fence(); // while the process has few threads
}

context::~context() {
    tag_ = 0;
    stop_threads();
}

// Another thread may have held the lock.
void context::on_fork() noexcept {
    forked_ = true;
    ::new (&guard_) std::mutex;
}

result<void> context::set(int option, int value) {
    std::lock_guard lock(guard_);
    return set_context_option(options_, option, value);
}

result<int> context::get(int option) {
    std::lock_guard lock(guard_);
    return get_context_option(options_, option);
}

result<void> context::set(int option, std::span<const std::byte> value) {
    std::lock_guard lock(guard_);
    return set_context_option(options_, option, value);
}

result<std::size_t> context::get(int option, std::span<std::byte> value) {
    std::lock_guard lock(guard_);
    return get_context_option(options_, option, value);
}

const std::shared_ptr<counters::context_counts> &context::counts() {
    if (!counts_)
        counts_ = std::make_shared<counters::context_counts>(runtime::place_of_counters());
    return counts_;
}

std::shared_ptr<counters::region> context::memory_of_counts() {
    const std::lock_guard lock(guard_);
    return counts_ ? counts_->memory() : nullptr;
}

// Null: no descriptors are left for its event loop.
std::unique_ptr<context::io_place> context::make_place() {
    try {
        return std::make_unique<io_place>(counts()->memory(), sessions_);
    } catch (const std::runtime_error &) {
        return nullptr;
    }
}

bool context::start_threads() {
    const std::string prefix = options_.thread_name_prefix.empty() ? "" : options_.thread_name_prefix + "/";
    const std::vector<int> cpus(options_.thread_affinity_cpus.begin(), options_.thread_affinity_cpus.end());
    for (int index = 0; index < options_.io_threads; ++index) {
        auto place = make_place();
        if (!place)
            return false;
        io_.push_back(std::move(place)); // first of all: a thread that runs has to be stopped
        if (!io_.back()->thread.start({prefix + "ZMQbg/IO/" + std::to_string(index),
                                       options_.thread_sched_policy, options_.thread_priority, cpus,
                                       &*io_.back()->counts}))
            return false;
    }
    counts()->record().io_threads.set(io_.size());
    return true;
}

void context::stop_threads() noexcept {
    for (const auto &place : io_)
        place->thread.stop();
    io_.clear();
}

result<socket *> context::create_socket(int type) {
    std::lock_guard lock(guard_);
    if (ending_)
        return error{errc::terminated};
    if (forked_)
        return create_useless_socket(type);
    if (!started_) {
        stop_threads(); // of an attempt for which there was no memory
        if (!start_threads()) {
            stop_threads();
            return error{EMFILE};
        }
        metrics_ = metrics::endpoint::of_process();
        socket_limit_ = options_.max_sockets;
        started_ = true;
    }
    if (sockets_.size() >= static_cast<std::size_t>(socket_limit_))
        return error{EMFILE};
    auto made =
        socket::create(*this, new_socket_options(options_, static_cast<socket_type>(type)), type, counts());
    if (!made)
        return error{EINVAL};
    sockets_.insert(made.get());
    counts_->record().sockets.set(sockets_.size());
    open_sockets_.enter();
    return made.release();
}

// In a child there is a socket as with libzmq, and every call on it is an error.
result<socket *> context::create_useless_socket(int type) {
    auto made =
        socket::create(*this, new_socket_options(options_, static_cast<socket_type>(type)), type, counts());
    if (!made)
        return error{EINVAL};
    made->peers().on_fork();
    return made.release();
}

result<socket *> context::create_internal_socket(socket_type type) {
    std::lock_guard lock(guard_);
    if (ending_)
        return error{errc::terminated};
    return socket::create(*this, new_socket_options(options_, type), static_cast<int>(type), counts())
        .release();
}

void context::forget(socket &closed) {
    std::lock_guard lock(guard_);
    if (sockets_.erase(&closed) == 0)
        return;
    counts_->record().sockets.set(sockets_.size());
    open_sockets_.leave();
}

void context::shutdown() {
    if (forked_)
        return;
    std::lock_guard lock(guard_);
    ending_ = true;
    for (socket *open : sockets_)
        open->inbox()->terminate();
}

result<void> context::terminate() {
    if (forked_)
        return error{EINTR}; // as libzmq has it
    shutdown();
    if (!open_sockets_.wait_empty() || !sessions_.wait_empty())
        return error{EINTR};
    const std::lock_guard last(guard_); // the last socket may still be in forget()
    return {};
}

std::vector<connections::worker_list *> context::groups(std::uint64_t affinity) {
    std::vector<connections::worker_list *> chosen;
    for (std::size_t index = 0; index < io_.size(); ++index)
        if (affinity == 0 || (index < 64 && (affinity & (std::uint64_t{1} << index)) != 0))
            chosen.push_back(&io_[index]->workers);
    return chosen;
}

connections::worker_list *context::choose_group(std::uint64_t affinity) {
    const auto candidates = groups(affinity);
    const auto least = std::min_element(candidates.begin(), candidates.end(), [](auto *a, auto *b) {
        return a->thread().load() < b->thread().load();
    });
    return least == candidates.end() ? nullptr : *least;
}

} // namespace zlink::core
