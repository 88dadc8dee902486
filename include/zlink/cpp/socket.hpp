// SPDX-License-Identifier: MPL-2.0
// A socket sends and receives messages.
//
// - Ownership. The destructor closes the socket. The context has to live as long. A moved-from socket is
// closed.
// - Threads. A socket may be used by one thread at a time, unless opt::thread_safe is true. It may move to
// another
//   thread with a full fence in between.
// - Forms. send() and receive() wait, and throw when opt::send_timeout or opt::receive_timeout is over
//   (std::errc::resource_unavailable_try_again). try_send() and try_receive() do not wait, and return whether
//   something was sent or received. The forms with a std::error_code do not throw.
// - Errors. errc::terminated: the context is ending. std::errc::not_a_socket: the socket is closed.
//   std::errc::interrupted: a signal came; try again. The functions name the others.
// - Source. zmq_socket(3), zmq_bind(3), zmq_connect(3), zmq_send(3), zmq_recv(3), zmq_msg_send(3),
// zmq_msg_recv(3).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "zlink/cpp/context.hpp"
#include "zlink/cpp/multipart.hpp"
#include "zlink/cpp/options.hpp"

namespace zlink {
inline namespace v1 {

// How a frame is sent. The flags can be combined with |.
enum class send_flags { none = 0, dontwait = ZMQ_DONTWAIT, sndmore = ZMQ_SNDMORE };
[[nodiscard]] constexpr send_flags operator|(send_flags left, send_flags right) noexcept {
    return static_cast<send_flags>(static_cast<int>(left) | static_cast<int>(right));
}
// How a frame is received.
enum class receive_flags { none = 0, dontwait = ZMQ_DONTWAIT };

// A frame that was received into memory of the caller.
struct received_bytes {
    std::size_t size_bytes;       // stored in the caller's memory
    std::size_t frame_size_bytes; // of the frame; what did not fit is lost
    [[nodiscard]] bool truncated() const noexcept { return frame_size_bytes > size_bytes; }
};

namespace detail {

[[nodiscard]] inline bool would_wait(const std::error_code &code) noexcept {
    return code.value() == EAGAIN && code.category() == error_category();
}

} // namespace detail

class socket {
  public:
    // A closed socket, to be assigned to.
    socket() noexcept = default;
    // Opens a socket. EMFILE: context_option::max_sockets are open. EINVAL: the type is unknown.
    socket(context &owner, socket_type type) : handle_(zmq_socket(owner.native(), static_cast<int>(type))) {
        if (!handle_)
            throw error(zmq_errno(), "zmq_socket");
    }
    socket(context &owner, socket_type type, std::error_code &code) noexcept
        : handle_(zmq_socket(owner.native(), static_cast<int>(type))) {
        detail::store(handle_ ? 0 : -1, code);
    }
    socket(socket &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    socket &operator=(socket &&other) noexcept {
        socket moved(std::move(other));
        std::swap(handle_, moved.handle_);
        return *this;
    }
    socket(const socket &) = delete;
    socket &operator=(const socket &) = delete;
    ~socket() { close(); }

    // Closes the socket. Messages that were not sent follow opt::linger. It does nothing to a closed socket.
    void close() noexcept {
        if (handle_)
            zmq_close(std::exchange(handle_, nullptr));
    }
    [[nodiscard]] bool is_open() const noexcept { return handle_ != nullptr; }

    // Listens at an endpoint. EADDRINUSE, EADDRNOTAVAIL, EINVAL, EPROTONOSUPPORT: as in zmq_bind(3).
    void bind(const std::string &endpoint) { call(zmq_bind, endpoint, "zmq_bind"); }
    void bind(const std::string &endpoint, std::error_code &code) noexcept {
        detail::store(zmq_bind(handle_, endpoint.c_str()), code);
    }
    // Begins to connect. Success does not mean that a peer is there.
    void connect(const std::string &endpoint) { call(zmq_connect, endpoint, "zmq_connect"); }
    void connect(const std::string &endpoint, std::error_code &code) noexcept {
        detail::store(zmq_connect(handle_, endpoint.c_str()), code);
    }
    // Take bind() and connect() back. ENOENT: the socket was not bound or connected there.
    void unbind(const std::string &endpoint) { call(zmq_unbind, endpoint, "zmq_unbind"); }
    void unbind(const std::string &endpoint, std::error_code &code) noexcept {
        detail::store(zmq_unbind(handle_, endpoint.c_str()), code);
    }
    void disconnect(const std::string &endpoint) { call(zmq_disconnect, endpoint, "zmq_disconnect"); }
    void disconnect(const std::string &endpoint, std::error_code &code) noexcept {
        detail::store(zmq_disconnect(handle_, endpoint.c_str()), code);
    }

    // Sets an option. EINVAL: the value is not allowed, or not for this type of socket.
    template <int Number, class Kind, opt::access Access>
    void set(opt::option<Number, Kind, Access> option, typename Kind::value_type value) {
        std::error_code code;
        set(option, value, code);
        detail::raise(code, "zmq_setsockopt");
    }
    template <int Number, class Kind, opt::access Access> void
    set(opt::option<Number, Kind, Access>, typename Kind::value_type value, std::error_code &code) noexcept {
        static_assert(Access != opt::access::read_only, "this option can only be read");
        detail::store(Kind::set(value,
                                [this](const void *data, std::size_t size_bytes) {
                                    return zmq_setsockopt(handle_, Number, data, size_bytes);
                                }),
                      code);
    }
    // Reads an option.
    template <int Number, class Kind, opt::access Access>
    [[nodiscard]] auto get(opt::option<Number, Kind, Access> option) const {
        std::error_code code;
        auto value = get(option, code);
        detail::raise(code, "zmq_getsockopt");
        return value;
    }
    template <int Number, class Kind, opt::access Access>
    [[nodiscard]] auto get(opt::option<Number, Kind, Access>, std::error_code &code) const {
        static_assert(Access != opt::access::write_only, "this option can only be set");
        typename opt::option<Number, Kind, Access>::result_type value{};
        detail::store(Kind::get(value,
                                [this](void *data, std::size_t *size_bytes) {
                                    return zmq_getsockopt(handle_, Number, data, size_bytes);
                                }),
                      code);
        return value;
    }
    // The endpoint of the last bind() or connect(), with its wildcards resolved.
    [[nodiscard]] std::string last_endpoint() const { return get(opt::last_endpoint); }

    // Sends one frame with a copy of some bytes. EHOSTUNREACH: there is no such peer. EFSM
    // (errc::wrong_state): it is not this socket's turn to send. ENOTSUP: sockets of this type do not send.
    void send(bytes_view frame, send_flags flags = send_flags::none) {
        std::error_code code;
        send(frame, flags, code);
        detail::raise(code, "zmq_send");
    }
    // Returns whether the frame was sent. The code tells why not.
    bool send(bytes_view frame, send_flags flags, std::error_code &code) noexcept {
        return detail::store(zmq_send(handle_, frame.data(), frame.size(), static_cast<int>(flags)), code);
    }
    // Sends a message without a copy and leaves it empty. After an error it is as before.
    void send(message &&frame, send_flags flags = send_flags::none) {
        std::error_code code;
        send(std::move(frame), flags, code);
        detail::raise(code, "zmq_msg_send");
    }
    bool send(message &&frame, send_flags flags, std::error_code &code) noexcept {
        return detail::store(zmq_msg_send(frame.native(), handle_, static_cast<int>(flags)), code);
    }
    // Sends all frames as one message and empties the multipart. EINVAL: it has no frame. After an error of
    // the first frame it is as before.
    void send(multipart &&frames, send_flags flags = send_flags::none) {
        std::error_code code;
        send(std::move(frames), flags, code);
        detail::raise(code, "zmq_msg_send");
    }
    bool send(multipart &&frames, send_flags flags, std::error_code &code) noexcept {
        if (frames.empty()) {
            code = make_error_code(EINVAL);
            return false;
        }
        for (message &frame : frames) {
            const bool last = &frame == &frames.back();
            if (!send(std::move(frame), last ? flags : flags | send_flags::sndmore, code))
                return false;
        }
        frames.clear();
        return true;
    }
    // Sends if that is possible without waiting, and returns whether it was.
    template <class Frame> [[nodiscard]] bool try_send(Frame &&frame, send_flags flags = send_flags::none) {
        std::error_code code;
        const bool sent = send(std::forward<Frame>(frame), flags | send_flags::dontwait, code);
        return sent || answer_of_try(code, "zmq_msg_send");
    }

    // Receives one frame. EFSM (errc::wrong_state): it is not this socket's turn to receive. ENOTSUP: sockets
    // of this type do not receive.
    [[nodiscard]] message receive(receive_flags flags = receive_flags::none) {
        message frame;
        receive(frame, flags);
        return frame;
    }
    // Receives one frame into a message, whose former content is dropped.
    void receive(message &frame, receive_flags flags = receive_flags::none) {
        std::error_code code;
        receive(frame, flags, code);
        detail::raise(code, "zmq_msg_recv");
    }
    // Returns whether a frame was received. The code tells why not.
    bool receive(message &frame, receive_flags flags, std::error_code &code) noexcept {
        return detail::store(zmq_msg_recv(frame.native(), handle_, static_cast<int>(flags)), code);
    }
    // Receives one frame into memory of the caller.
    received_bytes receive(std::span<std::byte> room, receive_flags flags = receive_flags::none) {
        const int size = zmq_recv(handle_, room.data(), room.size(), static_cast<int>(flags));
        if (size == -1)
            throw error(zmq_errno(), "zmq_recv");
        const auto frame_size = static_cast<std::size_t>(size);
        return {frame_size < room.size() ? frame_size : room.size(), frame_size};
    }
    // Receives all frames of a message.
    [[nodiscard]] multipart receive_multipart(receive_flags flags = receive_flags::none) {
        multipart frames;
        std::error_code code;
        receive(frames, flags, code);
        detail::raise(code, "zmq_msg_recv");
        return frames;
    }
    // Receives all frames of a message into a multipart, whose former frames are dropped.
    bool receive(multipart &frames, receive_flags flags, std::error_code &code) {
        frames.clear();
        for (bool more = true; more;) {
            message frame;
            if (!receive(frame, flags, code))
                return false;
            more = frame.more();
            frames.push_back(std::move(frame));
        }
        return true;
    }
    // Receives a frame if one is there.
    [[nodiscard]] std::optional<message> try_receive() {
        std::optional<message> frame(std::in_place);
        if (!try_receive(*frame))
            frame.reset();
        return frame;
    }
    [[nodiscard]] bool try_receive(message &frame) {
        std::error_code code;
        return receive(frame, receive_flags::dontwait, code) || answer_of_try(code, "zmq_msg_recv");
    }

    // Waits until the socket is ready for one of some events, and returns those. None: the time is over.
    [[nodiscard]] poll_events wait(poll_events events, std::chrono::milliseconds timeout = infinite) {
        zmq_pollitem_t item{handle_, 0, static_cast<short>(events), 0};
        if (zmq_poll(&item, 1, static_cast<long>(timeout.count())) == -1)
            throw error(zmq_errno(), "zmq_poll");
        return static_cast<poll_events>(item.revents);
    }

#ifdef ZLINK_HAS_DRAFTS
    // Has a DISH receive the messages of a group, or no longer. EINVAL: it does already, or it does not.
    void join(const std::string &group) {
        call(zmq_join, group, "zmq_join");
    }
    void leave(const std::string &group) {
        call(zmq_leave, group, "zmq_leave");
    }
#endif

    // The handle for a call of the C interface; nullptr if the socket is closed.
    [[nodiscard]] void *native() const noexcept {
        return handle_;
    }

  private:
    [[nodiscard]] static std::error_code make_error_code(int number) noexcept {
        return {number, error_category()};
    }
    void call(int (*function)(void *, const char *), const std::string &text, const char *name) {
        if (function(handle_, text.c_str()) == -1)
            throw error(zmq_errno(), name);
    }
    // The answer after a try that did not succeed: false, or an exception if it was no matter of waiting.
    static bool answer_of_try(const std::error_code &code, const char *function) {
        if (!detail::would_wait(code))
            detail::raise(code, function);
        return false;
    }

    void *handle_ = nullptr;
};

} // namespace v1
} // namespace zlink
