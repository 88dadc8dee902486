// SPDX-License-Identifier: MPL-2.0
// socket: a pattern with its pipes, endpoints and options; what the functions of the API do.
//
// Threads: one application thread at a time, in any call; calls may move between threads with a fence. A type
// that many threads may use at once has a lock: calls on it go through in_turn(), which others pass for free.
// Other threads reach the socket through its inbox and its mailbox, which are read at the start of its calls.
// Ownership: owned by the application between zmq_socket and zmq_close; close() deletes it. Its pipes and
// workers end by themselves. Errors: errno numbers.
#pragma once

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "base/looks_into_anything.hpp"
#include "core/context.hpp"
#include "core/endpoint_table.hpp"
#include "core/persistence.hpp"
#include "core/pipe_table.hpp"
#include "core/poll_events.hpp"
#include "core/shared_access.hpp"
#include "core/socket_inbox.hpp"
#include "core/transfer.hpp"
#include "patterns/pattern.hpp"
#include "runtime/adaptive_spin.hpp"
#include "transport/transports.hpp"

namespace zlink::core {

class alignas(64) socket final : private patterns::pattern_host, private pipe_owner, private fork_handler {
  public:
    // Null: no such type.
    static std::unique_ptr<socket> create(context &owner, socket_options options, int type);
    ~socket();
    socket(const socket &) = delete;
    socket &operator=(const socket &) = delete;
    // Keeps the memory of the last closed sockets for a while, so that a call with such a handle finds no
    // socket there.
    [[gnu::noinline]] static void *operator new(std::size_t size, std::align_val_t alignment);
    [[gnu::noinline]] static void operator delete(void *memory, std::align_val_t alignment) noexcept;

    [[nodiscard]] ZLINK_LOOKS_INTO_ANYTHING bool valid() const noexcept { return exclusive() || shared(); }
    // Is it for one thread at a time, or for many?
    [[nodiscard]] ZLINK_LOOKS_INTO_ANYTHING bool exclusive() const noexcept { return tag_ == living; }
    [[nodiscard]] ZLINK_LOOKS_INTO_ANYTHING bool shared() const noexcept { return tag_ == living_shared; }
    // Runs a call, alone in the socket: behind its lock, when it has one. After the call, only values and
    // frames that have an owner are of use.
    template <class Call> auto in_turn(Call &&call) {
        if (!shared()) [[likely]]
            return call();
        const std::lock_guard turn(shared_access_->guard());
        return call();
    }

    // ---- messages; flags are those of the C API
    // For out_route and in_route. Does something have to be done first, by send() or receive()?
    [[nodiscard, gnu::always_inline]] bool nothing_new() const noexcept {
        return box_.ready.nothing_new() && !attention_;
    }
    [[nodiscard, gnu::always_inline]] patterns::pattern_host &host() noexcept { return *this; }
    [[nodiscard, gnu::always_inline]] int send(const outgoing_frame &frame, int flags) {
        if (news()) [[unlikely]]
            if (const int ended = handle_news(); ended != 0)
                return ended;
        if (const int code = send_frame(*this, *pattern_, frame, patterns::no_address); code != 0)
            [[unlikely]]
            if (const int failed = send_failed(code, frame, flags); failed != 0)
                return failed;
        if (watched_) [[unlikely]]
            rearm(frame.more());
        return 0;
    }
    // The frame's bytes are valid until the next call on the socket, or as long as its owner is held. They
    // may lie in `posted` already.
    [[nodiscard, gnu::always_inline]] int receive(incoming_frame &frame, int flags,
                                                  std::span<std::uint8_t> posted = {}) {
        if (news()) [[unlikely]]
            if (const int ended = handle_news(); ended != 0)
                return ended;
        if (hangs_on_stream() && waits(flags)) [[likely]]
            return receive_ahead(frame, posted);
        if (const int code = receive_frame(*this, *pattern_, frame); code != 0) [[unlikely]]
            if (const int failed = receive_failed(code, frame, flags, posted); failed != 0)
                return failed;
        receiving.more_follows = frame.more();
        if (watched_) [[unlikely]]
            rearm(receiving.more_follows);
        return 0;
    }

    // Transfers of shared sockets, with the address of the message.
    [[nodiscard]] int send_to(const outgoing_frame &frame, const patterns::message_address &address,
                              int flags);
    [[nodiscard]] int receive_from(incoming_frame &frame, patterns::message_address &address, int flags);

    // ---- endpoints
    result<void> bind(const std::string &text);
    result<void> connect(const std::string &text);
    result<void> disconnect(const std::string &text); // and unbind: the same operation

    // ---- peers
    // Connects, and gives the number of the new peer (PEER). ENOTSUP, EFAULT: with IMMEDIATE there is none
    // yet.
    result<std::uint32_t> connect_peer(const std::string &text);
    // ENOTSUP, EHOSTUNREACH.
    result<void> disconnect_peer(std::uint32_t number);
    // Bits of ZMQ_POLLIN and ZMQ_POLLOUT (ROUTER). ENOTSUP, EHOSTUNREACH.
    result<int> peer_state(std::string_view routing_id);
    // Groups (DISH). ENOTSUP, EINVAL.
    result<void> join_group(std::string_view group);
    result<void> leave_group(std::string_view group);

    // ---- events of its connections, from now on, through an inproc endpoint (zmq_socket_monitor)
    result<void> monitor_at(const std::string &endpoint, std::uint64_t events, int version, int type);
    result<void> stop_monitor();
    // Tells it how much waits in the pipes. EINVAL: there is no monitor for it. EAGAIN: there is no pipe.
    result<void> report_pipes();

    // ---- options
    result<void> set(int option, std::span<const std::byte> value);
    result<std::size_t> get(int option, std::span<std::byte> out);

    // ---- readiness: bits of ZMQ_POLLIN and ZMQ_POLLOUT among those asked for; ETERM
    result<int> events(int wanted) { return events(wanted, false); }
    // Like events(), for a thread that then waits: it reads the streams that are its own.
    result<int> awaited_events(int wanted) { return events(wanted, true); }
    // For a sleep on several sockets at once: see runtime::socket_mailbox. Not in a turn.
    [[nodiscard]] runtime::socket_mailbox &box() noexcept { return inbox_->box(); }
    void announce_sleep(bool asleep);
    // After the announcement: has nothing come?
    [[nodiscard]] bool quiet(int wanted);
    // The mailbox of a shared socket, which outlives it.
    [[nodiscard]] std::shared_ptr<runtime::shared_mailbox> shared_box() const;
    [[nodiscard]] direct_io::leased_streams &streams() noexcept { return pipes_.streams(); }
    [[nodiscard]] runtime::adaptive_spin &adaptive_spin() noexcept { return spin_; }
    [[nodiscard]] bool only_inproc() const noexcept { return pipes_.only_inproc(); }

    [[nodiscard]] socket_inbox &inbox() noexcept { return *inbox_; }
    // It outlives the socket, and tells that the socket is gone.
    [[nodiscard]] const std::shared_ptr<socket_inbox> &shared_inbox() const noexcept { return inbox_; }
    [[nodiscard]] const socket_options &options() const noexcept { return options_; }
    // Returns the error that the end of the context gives to every call; 0 as long as it has not ended.
    [[nodiscard]] int check_alive() { return news() ? handle_news() : 0; }
    // Like check_alive(), for options. The context's end counts there when another call has heard of it: a
    // program may set LINGER between zmq_ctx_shutdown and zmq_close.
    [[nodiscard]] int check_options_allowed() { return !ended_ && inbox_->terminated() ? 0 : check_alive(); }
    // zmq_close: ends and deletes the socket.
    static void close(socket *open);
    // From now on calls give EINTR, and nothing is touched that the parent uses: what the socket has is left
    // where it lies.
    void on_fork() noexcept override {
        forked_ = true;
        attention_ = true;
        box_.forget_descriptor();
        if (shared_access_)
            shared_access_->on_fork();
    }

  private:
    socket(context &owner, socket_options options);
    void share();

    [[nodiscard]] bool news() const noexcept {
        if (!box_.ready.empty()) [[unlikely]]
            return true;
        return attention_;
    }
    [[nodiscard]] int handle_news();
    void rearm(bool in_message) noexcept;
    void take_new_pipes();
    // Handles an error: waits after EAGAIN, returns others.
    [[nodiscard]] int send_failed(int code, const outgoing_frame &frame, int flags);
    [[nodiscard]] int receive_failed(int code, incoming_frame &frame, int flags,
                                     std::span<std::uint8_t> posted);
    [[nodiscard]] int send_nothing(const outgoing_frame &frame);
    [[nodiscard]] int receive_waiting(incoming_frame &frame);
    [[nodiscard]] int receive_ahead(incoming_frame &frame, std::span<std::uint8_t> posted);
    // Can nothing be received but what comes by one stream, which this thread reads? SUB and XSUB may hold a
    // message that was found by zmq_poll.
    [[nodiscard]] bool hangs_on_stream() noexcept {
        return pipes_.streams().lone_and_dry() && !pipes_.any_inproc() &&
               traits_.rules.contains(socket_rule::holds_nothing);
    }
    [[nodiscard]] bool waits(int flags) const noexcept {
        return (flags & dont_wait) == 0 && options_.receive_timeout_ms != 0;
    }
    void post_receive(std::span<std::uint8_t> memory, bool waits) noexcept;
    [[nodiscard]] int receive_begun(int given_up_for, incoming_frame &frame);
    // Offers memory for a message, until the call ends.
    struct receive_offer {
        ~receive_offer() { used.pipes_.end_receive(); }
        void make(std::span<std::uint8_t> memory, bool waits) noexcept { used.post_receive(memory, waits); }
        socket &used;
    };
    [[nodiscard]] int receive_nothing(incoming_frame &frame);
    result<int> events(int wanted, bool waits);
    [[nodiscard]] int wait(persistence &limits, bool for_input);
    [[nodiscard]] int wait_for_access(persistence &limits);
    template <class Attempt> int persist(int flags, int timeout_ms, Attempt &&attempt);
    static void say_disconnect_message(pipe_end &end) noexcept;
    [[nodiscard]] runtime::park_result sleep(runtime::time_ms deadline, bool for_input);

    void attach(new_pipe fresh);
    void detach(pipe_end &end) noexcept;
    void release(pipe_end &end);
    [[nodiscard]] std::shared_ptr<const socket_options> snapshot();

    result<void> bind_inproc(const transport::endpoint &where, const std::string &text);
    result<void> bind_stream(const transport::endpoint &where);
    enum class endpoint_side : std::uint8_t { bound, connected };
    result<void> open_datagrams(const transport::endpoint &where, endpoint_side side);
    result<void> connect_inproc(const transport::endpoint &where, const std::string &text);
    result<void> connect_stream(const transport::endpoint &where, const std::string &text);
    [[nodiscard]] bool end_records(const std::string &text); // false: there is none
    void end_record(endpoint_table::map::node_type taken);
    void let_go(pipe_end &end);
    [[nodiscard]] int leave_taking_ms() const noexcept;
    result<std::size_t> get_live(int option, std::span<std::byte> out);
    result<std::size_t> get_descriptor(std::span<std::byte> out);
    result<std::size_t> get_closed_count(int option, std::span<std::byte> out);
    [[nodiscard]] connections::socket_event statistics_of(pipe_end &end) const;
    void tell_of_bind(connections::event_kind kind, int value, const std::string &local) noexcept;
    void end_monitor() noexcept;

    void finished(pipe_end &end) noexcept override;
    void close_finished() override;
    void on_pipe_event(pipe_end &end, std::uint32_t events) override;

    static constexpr std::uint32_t living = 0x7A736F63;
    static constexpr std::uint32_t living_shared = 0x7A736F64;
    std::uint32_t tag_ = living;
    bool watched_ = false;   // the program has the descriptor of ZMQ_FD
    bool attention_ = false; // ended_ or forked_: handle_news() has to be called
    bool ended_ = false;     // the context's end was heard
    bool forked_ = false;    // see on_fork(); attention_ stays
    std::unique_ptr<patterns::pattern> pattern_;
    const socket_traits &traits_; // of the type in options_
    runtime::socket_mailbox &box_;
    std::unique_ptr<shared_access> shared_access_; // of a shared socket
    std::shared_ptr<socket_inbox> inbox_;
    context &context_;
    socket_options options_;
    pipe_table pipes_;
    runtime::adaptive_spin spin_;      // of a thread that waits for messages
    runtime::adaptive_spin room_spin_; // for room for one
    endpoint_table endpoints_;
};

// ---- the cached route: whole messages without the pattern
// Each of these objects is for one call on the socket, by its thread. It refuses everything that is not a
// plain message of one frame; see patterns::cached_target and cached_source.

class out_route {
  public:
    // Null: there is no socket.
    [[nodiscard, gnu::always_inline]] static out_route of(socket *used) noexcept {
        socket *const ready = used != nullptr && used->nothing_new() ? used : nullptr;
        return {ready, ready != nullptr ? ready->host().cached.out.end : nullptr};
    }

    // Is there a route?
    [[nodiscard, gnu::always_inline]] explicit operator bool() const noexcept { return end_ != nullptr; }
    // The socket. Only when there is a route.
    [[nodiscard]] socket *owner() const noexcept { return used_; }

    enum class sent : std::uint8_t {
        refused, // nothing was done
        done,
        unfenced, // fence_and_wake() must follow
    };
    // Copies a message of at most `large_body` bytes. Only when there is a route.
    [[nodiscard, gnu::always_inline]] sent send(const std::uint8_t *bytes, std::size_t size) noexcept {
        const queue_writer::cached done = end_->writer().send_fast(bytes, size);
        if (done == queue_writer::cached::refused) [[unlikely]]
            return sent::refused;
        used_->host().cached.out.used();
        return done == queue_writer::cached::done ? sent::done : sent::unfenced;
    }
    void fence_and_wake() noexcept { end_->writer().fence_and_wake(); }
    // Both. Returns false if nothing was done.
    [[nodiscard, gnu::always_inline]] bool send_whole(const std::uint8_t *bytes, std::size_t size) noexcept {
        const sent how = send(bytes, size);
        if (how == sent::unfenced) [[unlikely]]
            fence_and_wake();
        return how != sent::refused;
    }
    // Sends the routing id that begins a message of ROUTER. Returns false if nothing was done.
    [[nodiscard, gnu::always_inline]] bool send_id(std::string_view id) noexcept {
        return used_ != nullptr && used_->host().send_id(id);
    }

  private:
    out_route(socket *used, pipe_end *end) noexcept : used_(used), end_(end) {}
    socket *used_;
    pipe_end *end_;
};

class in_route {
  public:
    static constexpr std::size_t refused = queue_reader::refused;

    // Null: there is no socket.
    [[nodiscard, gnu::always_inline]] static in_route of(socket *used) noexcept {
        socket *const ready = used != nullptr && used->nothing_new() ? used : nullptr;
        return {ready, ready != nullptr ? ready->host().cached.in.end : nullptr};
    }

    // Is there a route?
    [[nodiscard, gnu::always_inline]] explicit operator bool() const noexcept { return end_ != nullptr; }
    // The socket. Only when there is a route.
    [[nodiscard]] socket *owner() const noexcept { return used_; }

    // Copies a message of few bytes, as much as there is room for. Returns its size, or `refused`. Only when
    // there is a route, as all that follows.
    [[nodiscard, gnu::always_inline]] std::size_t receive_few(std::uint8_t *to, std::size_t room) noexcept {
        return note(end_->receive_few(to, room));
    }
    // Copies a message of any size whose body lies in the queue.
    [[nodiscard, gnu::always_inline]] std::size_t receive(std::uint8_t *to, std::size_t room) noexcept {
        return note(end_->receive_plain(to, room));
    }
    // Gives such a message as a frame. Returns false if nothing was done.
    [[nodiscard, gnu::always_inline]] bool read(incoming_frame &frame) noexcept {
        if (!end_->read_plain(frame))
            return false;
        (void)note(frame.size);
        return true;
    }
    // May the routing id of a message of ROUTER be next?
    [[nodiscard]] bool expects_id() const noexcept {
        return used_ != nullptr && used_->host().cached.in.named != nullptr;
    }
    // Receives it. Returns null if nothing was done. Only when it is expected.
    [[nodiscard, gnu::always_inline]] const std::string *receive_id() noexcept {
        return used_->host().receive_id();
    }

  private:
    in_route(socket *used, pipe_end *end) noexcept : used_(used), end_(end) {}
    [[gnu::always_inline]] std::size_t note(std::size_t size) noexcept {
        if (size != refused) [[likely]]
            used_->host().received_on_route();
        return size;
    }

    socket *used_;
    pipe_end *end_;
};

} // namespace zlink::core
