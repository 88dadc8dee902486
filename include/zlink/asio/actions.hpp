// SPDX-License-Identifier: MPL-2.0
// The calls on a socket that the operations consist of: send, receive, wait.
#pragma once

#include "zlink/asio/config.hpp"

namespace zlink::asio {
inline namespace ZLINK_ASIO_FLAVOUR {
namespace detail {

[[nodiscard]] inline int number_of(int result) noexcept {
    return result == -1 ? zmq_errno() : 0;
}

// Sends one frame of the caller's bytes.
struct send_bytes {
    bytes_view frame;
    int perform(void *handle) noexcept {
        return number_of(zmq_send(handle, frame.data(), frame.size(), ZMQ_DONTWAIT));
    }
    template <class Handler> void deliver(Handler &handler, const error_code &code) {
        std::move(handler)(code);
    }
};

struct send_message {
    message frame;
    int perform(void *handle) noexcept {
        return number_of(zmq_msg_send(frame.native(), handle, ZMQ_DONTWAIT));
    }
    template <class Handler> void deliver(Handler &handler, const error_code &code) {
        std::move(handler)(code);
    }
};

struct send_multipart {
    multipart frames;
    std::size_t sent = 0;
    [[nodiscard]] bool has_begun() const noexcept { return sent != 0; }
    int perform(void *handle) noexcept {
        if (frames.empty())
            return EINVAL;
        for (; sent != frames.size(); ++sent) {
            const int more = sent + 1 == frames.size() ? 0 : ZMQ_SNDMORE;
            if (zmq_msg_send(frames[sent].native(), handle, ZMQ_DONTWAIT | more) == -1)
                return zmq_errno();
        }
        return 0;
    }
    template <class Handler> void deliver(Handler &handler, const error_code &code) {
        std::move(handler)(code);
    }
};

// Receives one frame into a message of the caller.
struct receive_into {
    message *frame;
    int perform(void *handle) noexcept {
        return number_of(zmq_msg_recv(frame->native(), handle, ZMQ_DONTWAIT));
    }
    template <class Handler> void deliver(Handler &handler, const error_code &code) {
        std::move(handler)(code, code ? 0 : frame->size());
    }
};

struct receive_message {
    message frame;
    int perform(void *handle) noexcept {
        return number_of(zmq_msg_recv(frame.native(), handle, ZMQ_DONTWAIT));
    }
    template <class Handler> void deliver(Handler &handler, const error_code &code) {
        std::move(handler)(code, std::move(frame));
    }
};

// Receives all frames of a message. They are there when the first one is.
inline int receive_frames(void *handle, multipart &frames) {
    frames.clear();
    for (bool more = true; more;) {
        message frame;
        if (zmq_msg_recv(frame.native(), handle, ZMQ_DONTWAIT) == -1)
            return zmq_errno();
        more = frame.more();
        frames.push_back(std::move(frame));
    }
    return 0;
}

struct receive_multipart_into {
    multipart *frames;
    int perform(void *handle) { return receive_frames(handle, *frames); }
    template <class Handler> void deliver(Handler &handler, const error_code &code) {
        std::move(handler)(code, code ? 0 : frames->size());
    }
};

struct receive_multipart {
    multipart frames;
    int perform(void *handle) { return receive_frames(handle, frames); }
    template <class Handler> void deliver(Handler &handler, const error_code &code) {
        std::move(handler)(code, std::move(frames));
    }
};

// Waits for events and takes nothing.
struct wait_for_events {
    static constexpr bool in_any_order = true;
    poll_events wanted;
    poll_events found = poll_events::none;
    int perform(void *handle) noexcept {
        int events = 0;
        std::size_t size_bytes = sizeof(events);
        if (zmq_getsockopt(handle, ZMQ_EVENTS, &events, &size_bytes) == -1)
            return zmq_errno();
        found = static_cast<poll_events>(events) & wanted;
        return any(found) ? 0 : EAGAIN;
    }
    template <class Handler> void deliver(Handler &handler, const error_code &code) {
        std::move(handler)(code, found);
    }
};

} // namespace detail
} // namespace ZLINK_ASIO_FLAVOUR
} // namespace zlink::asio
