// SPDX-License-Identifier: MPL-2.0
#include "core/socket_inbox.hpp"

#include <utility>

#include "core/inproc_names.hpp"
#include "core/monitor.hpp"
#include "security/zap.hpp"

namespace zlink::core {

bool socket_inbox::post(new_pipe fresh) {
    {
        std::lock_guard lock(guard_);
        if (closed_)
            return false;
        pipes_.push_back(std::move(fresh));
    }
    box_->ready.notify(*this, 1);
    box_->ask_for_turn();
    if (const auto writer = written_by_.lock())
        writer->on_new_pipe();
    return true;
}

bool socket_inbox::adopt(std::shared_ptr<pipe> made, connections::pipe_origin origin) {
    new_pipe fresh;
    fresh.end = &made->first();
    fresh.made = std::move(made);
    fresh.origin = std::move(origin);
    return post(std::move(fresh));
}

std::shared_ptr<pipe> socket_inbox::reach_authenticator() {
    constexpr socket_types answering = types_with(socket_rule::answers_zap);
    return names_.reach(std::string(security::zap::endpoint_name), answering);
}

void socket_inbox::tell(const connections::socket_event &event) noexcept {
    log(event);
    tell_monitor(event);
}

void socket_inbox::tell_monitor(const connections::socket_event &event) noexcept {
    std::shared_ptr<monitor> listener;
    {
        std::lock_guard lock(guard_);
        listener = monitor_;
    }
    if (listener)
        listener->write(event);
}

bool socket_inbox::wanted(connections::event_kind kind) noexcept {
    std::lock_guard lock(guard_);
    return monitor_ != nullptr && monitor_->wants(kind);
}

void socket_inbox::replace_monitor(std::shared_ptr<monitor> next) noexcept {
    monitored_.store(next != nullptr, std::memory_order_relaxed);
    {
        std::lock_guard lock(guard_);
        monitor_.swap(next);
    }
    if (next)
        next->stop();
}

void socket_inbox::terminate() noexcept {
    terminated_.store(true, std::memory_order_release);
    std::lock_guard lock(guard_);
    if (!closed_)
        box_->ready.notify(*this, 1);
}

void socket_inbox::move_to(std::shared_ptr<runtime::socket_mailbox> box) noexcept {
    std::lock_guard lock(guard_); // the context may end meanwhile
    box_->ready.drain();
    box_ = std::move(box);
    if (terminated())
        box_->ready.notify(*this, 1);
}

std::vector<new_pipe> socket_inbox::take() {
    std::lock_guard lock(guard_);
    return std::exchange(pipes_, {});
}

std::vector<new_pipe> socket_inbox::close() {
    gone_.store(true, std::memory_order_relaxed);
    std::lock_guard lock(guard_);
    closed_ = true;
    return std::exchange(pipes_, {});
}

} // namespace zlink::core
