// SPDX-License-Identifier: MPL-2.0
// socket: a facade of the parts that carry out the functions of the API. It tells a handle from other memory,
// lets one thread in at a time, and makes the first attempt of each transfer.
//
// Threads: one application thread at a time, in any call; calls may move between threads with a fence. By its
// type, or by ZLINK_THREAD_SAFE, a socket may be for many threads at once: then it has a lock. Calls on it go
// through in_turn(), which others pass for free. An I/O thread takes a turn there for work that cannot wait
// for a call.
// Other threads reach the socket through its inbox and its mailbox, which are read at the start of its calls.
// Ownership: owned by the application between zmq_socket and zmq_close; close() deletes it. Its pipes and
// workers end by themselves. Errors: errno numbers.
#pragma once

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/looks_into_anything.hpp"
#include "core/endpoint_list.hpp"
#include "core/waiting_transfer.hpp"

namespace zlink::core {

class alignas(64) socket final {
  public:
    // Null: no such type.
    static std::unique_ptr<socket> create(context &owner, socket_options options, int type,
                                          const std::shared_ptr<counters::context_counts> &counts);
    ~socket() { peers_.clear_mark(); }
    socket(const socket &) = delete;
    socket &operator=(const socket &) = delete;
    // Keeps the memory of the last closed sockets for a while, so that a call with such a handle finds no
    // socket there.
    [[gnu::noinline]] static void *operator new(std::size_t size, std::align_val_t alignment);
    [[gnu::noinline]] static void operator delete(void *memory, std::align_val_t alignment) noexcept;
    // zmq_close: ends and deletes the socket. Returns 0, or ENOTSOCK: another thread is closing it.
    [[nodiscard]] static int close(socket *open);

    [[nodiscard]] ZLINK_LOOKS_INTO_ANYTHING bool valid() const noexcept { return exclusive() || shared(); }
    // Is it for one thread at a time, or for many?
    [[nodiscard]] ZLINK_LOOKS_INTO_ANYTHING bool exclusive() const noexcept {
        return peers_.mark().exclusive();
    }
    [[nodiscard]] ZLINK_LOOKS_INTO_ANYTHING bool shared() const noexcept { return peers_.mark().shared(); }
    // Runs a call, alone in the socket: behind its lock, when it has one. After the call, only values and
    // frames that have an owner are of use. `closed` runs instead if another thread has closed the socket.
    template <class Call, class Closed> auto in_turn(Call &&call, Closed &&closed) {
        if (exclusive()) [[likely]]
            return call();
        if (!shared() || !turn_.enter()) [[unlikely]]
            return closed();
        const turn_end at_end{*this};
        return access_->closing() ? closed() : call();
    }

    // ---- messages; flags are those of the C API
    [[nodiscard, gnu::always_inline]] int send(const outgoing_frame &frame, int flags) {
        if (peers_.has_events()) [[unlikely]]
            if (const int ended = peers_.handle_events(); ended != 0)
                return ended;
        if (const int code = send_frame(peers_, peers_.chooser(), frame, patterns::no_address); code != 0)
            [[unlikely]]
            if (const int failed = transfers_.send_failed(code, frame, flags); failed != 0)
                return failed;
        if (peers_.watched()) [[unlikely]]
            peers_.rearm(frame.more());
        return 0;
    }
    // The frame's bytes are valid until the next call on the socket, or as long as its owner is held. They
    // may lie in `posted` already.
    [[nodiscard, gnu::always_inline]] int receive(incoming_frame &frame, int flags,
                                                  std::span<std::uint8_t> posted = {}) {
        if (peers_.has_events()) [[unlikely]]
            if (const int ended = peers_.handle_events(); ended != 0)
                return ended;
        if (streams().lone_and_dry() && transfers_.may_wait(flags)) [[likely]]
            return transfers_.receive_ahead(frame, posted);
        if (const int code = receive_frame(peers_, peers_.chooser(), frame); code != 0) [[unlikely]]
            if (const int failed = transfers_.receive_failed(code, frame, flags, posted); failed != 0)
                return failed;
        peers_.receiving.more_follows = frame.more();
        if (peers_.watched()) [[unlikely]]
            peers_.rearm(peers_.receiving.more_follows);
        return 0;
    }
    // Transfers of shared sockets, with the address of the message.
    [[nodiscard]] int send_to(const outgoing_frame &frame, const patterns::message_address &address,
                              int flags) {
        return transfers_.send_to(frame, address, flags);
    }
    [[nodiscard]] int receive_from(incoming_frame &frame, patterns::message_address &address, int flags) {
        return transfers_.receive_from(frame, address, flags);
    }
    // Gives `use` the cached route of a shared socket, alone in it, unless another thread is in the middle of
    // a message. Returns false if there is no route, else what `use` returns. Neither throws.
    template <class Route, class Use> [[nodiscard]] bool route_in_turn(Use &&use) noexcept;
    // Gives the cached route of a shared socket to the thread to which its lock is biased. With a route that
    // thread is alone in the socket until leave_route().
    template <class Route> [[nodiscard]] Route biased_route() noexcept;
    [[gnu::always_inline]] void leave_route() noexcept { turn_.leave_biased(); }

    // ---- parts with calls of their own
    [[nodiscard]] endpoint_list &endpoints() noexcept { return endpoints_; }
    [[nodiscard, gnu::always_inline]] peer_list &peers() noexcept { return peers_; }
    [[nodiscard]] direct_io::leased_streams &streams() noexcept { return peers_.pipes().streams(); }

    // ---- events of its connections, from now on, through an inproc endpoint (zmq_socket_monitor)
    result<void> monitor_at(const std::string &endpoint, std::uint64_t events, int version, int type);
    result<void> stop_monitor();
    result<void> report_pipes(); // see core::report_pipes()

    // ---- options
    result<void> set(int option, std::span<const std::byte> value);
    result<std::size_t> get(int option, std::span<std::byte> out);
    [[nodiscard]] const socket_options &options() const noexcept { return peers_.options(); }

    // ---- readiness
    // See waiting_transfer::events(). `waits`: the thread sleeps if nothing is ready.
    result<int> events(int wanted, bool waits = false) { return transfers_.events(wanted, waits); }
    // Can a message be sent? As events(poll_out) says, for a caller that sends or asks for events next.
    [[nodiscard, gnu::always_inline]] result<bool> has_room() {
        if (const int ended = peers_.check_alive(); ended != 0) [[unlikely]]
            return error{ended};
        return transfers_.has_room();
    }
    // Gives events() in a turn of its own. ENOTSOCK: another thread has closed the socket.
    result<int> events_in_turn(int wanted, bool waits = false);
    // After the announcement: has nothing come?
    [[nodiscard]] bool quiet(int wanted);
    [[nodiscard]] runtime::adaptive_spin &spin() noexcept { return transfers_.waiting().message_spin(); }

    // They outlive the socket. The inbox tells that the socket is gone.
    [[nodiscard]] const std::shared_ptr<socket_inbox> &inbox() const noexcept { return peers_.inbox(); }
    // In a turn. Null: another thread has closed it.
    [[nodiscard]] std::shared_ptr<socket_inbox> hold_inbox();

  private:
    struct turn_end {
        ~turn_end() {
            left.peers_.announce_to_others();
            left.turn_.leave();
        }
        socket &left;
    };
    socket(context &owner, socket_options options, const std::shared_ptr<counters::context_counts> &counts);

    // In a turn. There is no route while a thread is in the middle of a message.
    template <class Route> [[nodiscard]] Route route_between_messages() noexcept;
    void share();
    [[nodiscard]] bool end_sharing();
    [[nodiscard]] bool take_background_turn();

    peer_list peers_; // begins with what each message touches
    turn_lock turn_;  // of a shared socket, as the next two
    std::unique_ptr<shared_access> access_;
    std::shared_ptr<runtime::background_turn> background_; // null for types with a lock of their own
    endpoint_table records_;
    endpoint_list endpoints_;
    waiting_transfer transfers_;
    context &context_;
};

// ---- the cached route: whole messages without the pattern
// Each of these objects is for one call on the socket, by its thread. It refuses everything that is not a
// plain message of one frame; see patterns::cached_target and cached_source.

class out_route {
  public:
    // Null: there is no socket.
    [[nodiscard, gnu::always_inline]] static out_route of(socket *used) noexcept {
        socket *const ready = used != nullptr && used->peers().nothing_new() ? used : nullptr;
        return {ready, ready != nullptr ? ready->peers().cached.out.end : nullptr};
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
        used_->peers().cached.out.used();
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
        return used_ != nullptr && used_->peers().send_id(id);
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
        socket *const ready = used != nullptr && used->peers().nothing_new() ? used : nullptr;
        return {ready, ready != nullptr ? ready->peers().cached.in.end : nullptr};
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
        return used_ != nullptr && used_->peers().cached.in.named != nullptr;
    }
    // Receives it. Returns null if nothing was done. Only when it is expected.
    [[nodiscard, gnu::always_inline]] const std::string *receive_id() noexcept {
        return used_->peers().receive_id();
    }

  private:
    in_route(socket *used, pipe_end *end) noexcept : used_(used), end_(end) {}
    [[gnu::always_inline]] std::size_t note(std::size_t size) noexcept {
        if (size != refused) [[likely]]
            used_->peers().received_on_route();
        return size;
    }

    socket *used_;
    pipe_end *end_;
};

// ---- the cached route of a shared socket

template <class Route> [[gnu::always_inline]] inline Route socket::route_between_messages() noexcept {
    const message_turn &way = std::is_same_v<Route, out_route> ? access_->sending : access_->receiving;
    return Route::of(way.free() && !access_->closing() ? this : nullptr);
}

template <class Route, class Use>
[[gnu::always_inline]] inline bool socket::route_in_turn(Use &&use) noexcept {
    if (!turn_.enter())
        return false;
    Route route = route_between_messages<Route>();
    const bool done = route && use(route);
    turn_.leave();
    return done;
}

template <class Route> [[gnu::always_inline]] inline Route socket::biased_route() noexcept {
    if (!turn_.enter_biased())
        return Route::of(nullptr);
    Route route = route_between_messages<Route>();
    if (!route) [[unlikely]]
        turn_.leave_biased();
    return route;
}

} // namespace zlink::core
