// SPDX-License-Identifier: MPL-2.0
// Sockets that many threads may use at once, and what their types have beside send and receive.
#include <cerrno>

#include "core/socket.hpp"

namespace zlink::core {
void socket::share() {
    auto &box = static_cast<runtime::shared_mailbox &>(box_); // see make_box()
    shared_access_ = std::make_unique<shared_access>(box);
    pipes_.streams().disable(); // who reads and who waits are different threads
    tag_ = living_shared;
}

std::shared_ptr<runtime::shared_mailbox> socket::shared_box() const {
    return std::static_pointer_cast<runtime::shared_mailbox>(inbox_->shared_box());
}

// ----
// waiting

// ENOTSOCK: the socket was closed meanwhile.
int socket::wait_for_access(persistence &limits) {
    if (news()) {
        if (limits.in_vain())
            shared_access_->let_others_in();
        return shared_access_->closing() ? ENOTSOCK : handle_news();
    }
    if (const int interrupted = limits.before_sleep(); interrupted != 0)
        return interrupted;
    const auto result = shared_access_->sleep(limits.deadline(), [this] { return !news(); });
    if (shared_access_->closing())
        return ENOTSOCK;
    switch (result) {
    case runtime::park_result::woken:
        return check_alive();
    case runtime::park_result::timed_out:
        return EAGAIN;
    case runtime::park_result::interrupted:
        return EINTR;
    case runtime::park_result::failed:
        return 0; // it needs no descriptor, so it does not fail
    }
    return 0;
}

void socket::announce_sleep(bool asleep) {
    if (!shared())
        return box_.sleeping(asleep);
    runtime::parker &self = runtime::parker::of_this_thread();
    asleep ? shared_access_->box().add(self) : shared_access_->box().remove(self);
}

// Another thread may have taken the news of a shared socket and left messages: it has to be asked itself.
bool socket::quiet(int wanted) {
    if (!shared())
        return box_.ready.empty();
    return in_turn([&] {
        const auto ready = events(wanted);
        return ready && *ready == 0;
    });
}

// ----
// messages

// Tries, and waits and tries again until it is something else than EAGAIN.
template <class Attempt> int socket::persist(int flags, int timeout_ms, Attempt &&attempt) {
    if (const int ended = check_alive(); ended != 0)
        return ended;
    int code = attempt();
    if (code != EAGAIN || (flags & dont_wait) != 0 || timeout_ms == 0)
        return code;
    for (persistence limits(runtime::deadline_after(timeout_ms));;) {
        if (pipes_.any_finished())
            close_finished();
        if (const int ended = wait(limits, false); ended != 0)
            return ended;
        if (code = attempt(); code != EAGAIN)
            return code;
        if (const int over = limits.check(); over != 0)
            return over;
    }
}

int socket::send_to(const outgoing_frame &frame, const patterns::message_address &address, int flags) {
    return persist(flags, options_.send_timeout_ms,
                   [&] { return send_frame(*this, *pattern_, frame, address); });
}

int socket::receive_from(incoming_frame &frame, patterns::message_address &address, int flags) {
    return persist(flags, options_.receive_timeout_ms,
                   [&] { return receive_addressed(*this, *pattern_, frame, address); });
}

// ----
// peers and groups

result<std::uint32_t> socket::connect_peer(const std::string &text) {
    if (!traits_.numbers_its_connections())
        return error{ENOTSUP};
    if (options_.immediate)
        return error{EFAULT};
    if (const auto connected = connect(text); !connected)
        return error{connected.code()};
    return pattern_->number_of(endpoints_.newest(text));
}

result<void> socket::disconnect_peer(std::uint32_t number) {
    if (!traits_.numbers_peers())
        return error{ENOTSUP};
    if (const int ended = check_alive(); ended != 0)
        return error{ended};
    pipe_end *end = pattern_->numbered(number);
    if (end == nullptr)
        return error{EHOSTUNREACH};
    if (auto taken = endpoints_.take(*end); !taken.empty())
        end_record(std::move(taken));
    else
        let_go(*end);
    return {};
}

result<int> socket::peer_state(std::string_view routing_id) {
    if (const int ended = check_alive(); ended != 0)
        return error{ended};
    const auto state = pattern_->state_of(routing_id);
    if (!state)
        return error{state.code()};
    return (state->readable ? poll_in : 0) | (state->writable ? poll_out : 0);
}

result<void> socket::join_group(std::string_view group) {
    if (const int ended = check_alive(); ended != 0)
        return error{ended};
    return pattern_->join_group(group);
}

result<void> socket::leave_group(std::string_view group) {
    if (const int ended = check_alive(); ended != 0)
        return error{ended};
    return pattern_->leave_group(group);
}

// The last word to a socket of this process that asked for one (ZMQ_DISCONNECT_MSG).
void socket::say_disconnect_message(pipe_end &end) noexcept {
    if (!end.traits.in_process() || end.peer_closed() || end.peer() == nullptr)
        return;
    const std::string *word = end.peer()->property(disconnect_property);
    if (word == nullptr)
        return;
    end.out().rollback();
    if (end.out().write({reinterpret_cast<const std::uint8_t *>(word->data()), word->size(), 0, nullptr}))
        end.writer().commit_from_io();
}

} // namespace zlink::core
