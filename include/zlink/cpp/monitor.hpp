// SPDX-License-Identifier: MPL-2.0
// A monitor receives what happens to the connections of a socket.
//
// - Ownership. It owns the PAIR that receives the events. A socket has one monitor: a later one takes its
// place. The
//   events end with monitor_event_type::monitor_stopped when the socket closes. inproc has no events.
// - Threads. The constructor runs in the thread of the socket. After that, the monitor belongs to one thread
// at a
//   time, which may be another one. A monitor that is not read loses events and holds nobody up.
// - Source. zmq_socket_monitor(3).
#pragma once

#include <atomic>

#include "zlink/cpp/socket.hpp"

namespace zlink {
inline namespace v1 {

// The events, as bits.
enum class monitor_event_type : int {
    connected = ZMQ_EVENT_CONNECTED,
    connect_delayed = ZMQ_EVENT_CONNECT_DELAYED,
    connect_retried = ZMQ_EVENT_CONNECT_RETRIED,
    listening = ZMQ_EVENT_LISTENING,
    bind_failed = ZMQ_EVENT_BIND_FAILED,
    accepted = ZMQ_EVENT_ACCEPTED,
    accept_failed = ZMQ_EVENT_ACCEPT_FAILED,
    closed = ZMQ_EVENT_CLOSED,
    close_failed = ZMQ_EVENT_CLOSE_FAILED,
    disconnected = ZMQ_EVENT_DISCONNECTED,
    monitor_stopped = ZMQ_EVENT_MONITOR_STOPPED,
    handshake_failed_no_detail = ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL,
    handshake_succeeded = ZMQ_EVENT_HANDSHAKE_SUCCEEDED,
    handshake_failed_protocol = ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL,
    handshake_failed_auth = ZMQ_EVENT_HANDSHAKE_FAILED_AUTH,
    all = ZMQ_EVENT_ALL,
};
[[nodiscard]] constexpr monitor_event_type operator|(monitor_event_type left,
                                                     monitor_event_type right) noexcept {
    return static_cast<monitor_event_type>(static_cast<int>(left) | static_cast<int>(right));
}

struct monitor_event {
    monitor_event_type type{};
    // A descriptor, an errno, an interval in ms, a protocol error or a ZAP status, as zmq_socket_monitor(3)
    // says.
    std::uint32_t value = 0;
    std::string endpoint;
};

namespace detail {

// Reads an event from the two frames that a monitor sends. EPROTO: they are not an event.
inline bool parse_event(const multipart &frames, monitor_event &event, std::error_code &code) {
    constexpr std::size_t type_size = sizeof(std::uint16_t);
    if (frames.size() != 2 || frames[0].size() != type_size + sizeof(event.value)) {
        code = std::error_code(EPROTO, error_category());
        return false;
    }
    std::uint16_t type = 0;
    std::memcpy(&type, frames[0].data(), type_size);
    std::memcpy(&event.value, frames[0].bytes().data() + type_size, sizeof(event.value));
    event.type = static_cast<monitor_event_type>(type);
    event.endpoint = frames[1].text();
    code.clear();
    return true;
}

// An inproc endpoint that no other monitor of this process has.
[[nodiscard]] inline std::string monitor_endpoint() {
    static std::atomic<unsigned> count{0};
    return "inproc://zlink.monitor." + std::to_string(count.fetch_add(1, std::memory_order_relaxed));
}

} // namespace detail

class monitor {
  public:
    monitor(context &owner, const socket &watched, monitor_event_type events = monitor_event_type::all)
        : pair_(owner, socket_type::pair) {
        const std::string endpoint = detail::monitor_endpoint();
        if (zmq_socket_monitor(watched.native(), endpoint.c_str(), static_cast<int>(events)) == -1)
            throw error(zmq_errno(), "zmq_socket_monitor");
        pair_.connect(endpoint);
    }

    // Waits for the next event.
    [[nodiscard]] monitor_event receive() {
        monitor_event event;
        std::error_code code;
        receive(event, receive_flags::none, code);
        detail::raise(code, "monitor::receive");
        return event;
    }
    // Returns the next event if there is one.
    [[nodiscard]] std::optional<monitor_event> try_receive() {
        std::optional<monitor_event> event(std::in_place);
        std::error_code code;
        if (receive(*event, receive_flags::dontwait, code))
            return event;
        if (!detail::would_wait(code))
            detail::raise(code, "monitor::try_receive");
        return std::nullopt;
    }
    bool receive(monitor_event &event, receive_flags flags, std::error_code &code) {
        multipart frames;
        return pair_.receive(frames, flags, code) && detail::parse_event(frames, event, code);
    }

    // The PAIR, for a poller.
    [[nodiscard]] socket &reader() noexcept { return pair_; }

  private:
    socket pair_;
};

// Ends the monitor of a socket. Call it in the thread of the socket.
inline void stop_monitor(const socket &watched) noexcept {
    zmq_socket_monitor(watched.native(), nullptr, 0);
}

} // namespace v1
} // namespace zlink
