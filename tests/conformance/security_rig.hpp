// SPDX-License-Identifier: MPL-2.0
// Tools for tests of security: keys, an authenticator in a thread of its own, the end of a handshake as a
// monitor tells it.
#pragma once

#include "rig.hpp"

#include <cstdio>
#include <cstring>
#include <mutex>

namespace zlink::conformance {

// A pair that libsodium made, and its text.
struct key_texts {
    key_texts() { EXPECT_EQ(zmq_curve_keypair(public_key, secret_key), 0); }
    char public_key[41] = "";
    char secret_key[41] = "";
};
inline const key_texts &server_key_texts() {
    static const key_texts keys;
    return keys;
}
inline const key_texts &client_key_texts() {
    static const key_texts keys;
    return keys;
}

enum class mechanism { null, plain, curve };

inline void serve_with(socket &server, mechanism chosen, std::string_view domain = "domain") {
    if (chosen == mechanism::plain)
        server.set(ZMQ_PLAIN_SERVER, 1);
    if (chosen == mechanism::curve) {
        server.set(ZMQ_CURVE_SERVER, 1);
        server.set(ZMQ_CURVE_SECRETKEY, server_key_texts().secret_key);
    }
    if (!domain.empty())
        server.set(ZMQ_ZAP_DOMAIN, domain);
}

inline void call_with(socket &client, mechanism chosen) {
    if (chosen == mechanism::plain) {
        client.set(ZMQ_PLAIN_USERNAME, "admin");
        client.set(ZMQ_PLAIN_PASSWORD, "secret");
    }
    if (chosen == mechanism::curve) {
        client.set(ZMQ_CURVE_SERVERKEY, server_key_texts().public_key);
        client.set(ZMQ_CURVE_PUBLICKEY, client_key_texts().public_key);
        client.set(ZMQ_CURVE_SECRETKEY, client_key_texts().secret_key);
    }
}

inline constexpr const char *zap_endpoint = "inproc://zeromq.zap.01";

// The frames behind the request id: status, text, user, metadata.
inline frames reply_of(const char *status, std::string user = "joe", std::string metadata = "") {
    return {status, "text", std::move(user), std::move(metadata)};
}

// Answers every request with what `answer` makes of it; nothing when that is empty.
class authenticator {
  public:
    using answerer = std::function<frames(const frames &request)>;

    authenticator(context &owner, answerer answer) : handler_(owner, ZMQ_REP), answer_(std::move(answer)) {
        EXPECT_EQ(handler_.bind(zap_endpoint), 0);
        thread_ = std::thread([this] { run(); });
    }
    authenticator(context &owner, const char *status)
        : authenticator(owner, [status](const frames &) { return reply_of(status); }) {}
    ~authenticator() {
        done_ = true;
        thread_.join();
    }

    [[nodiscard]] std::vector<frames> requests() const {
        const std::lock_guard lock(guard_);
        return requests_;
    }

  private:
    void run() {
        while (!done_) {
            if (!handler_.ready(ZMQ_POLLIN, 1))
                continue;
            const frames request = handler_.receive_frames();
            {
                const std::lock_guard lock(guard_);
                requests_.push_back(request);
            }
            frames reply = answer_(request);
            if (reply.empty())
                return;
            reply.insert(reply.begin(), {"1.0", request.at(1)});
            EXPECT_EQ(handler_.send(reply), 0);
        }
    }

    mutable std::mutex guard_;
    std::vector<frames> requests_; // guarded
    socket handler_;
    answerer answer_;
    std::atomic<bool> done_ = false;
    std::thread thread_;
};

// Hears how handshakes end.
class handshake_monitor {
  public:
    handshake_monitor(context &owner, socket &watched) : ear_(owner, ZMQ_PAIR) {
        const std::string endpoint = unused_endpoint("inproc");
        EXPECT_EQ(zmq_socket_monitor(watched.handle(), endpoint.c_str(),
                                     ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                                         ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                                         ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_HANDSHAKE_SUCCEEDED),
                  0);
        EXPECT_EQ(ear_.connect(endpoint), 0);
    }

    // "auth 400", "protocol 11000001", "other 14", "succeeded"
    std::string next() {
        const frames told = ear_.receive_frames();
        std::uint16_t event = 0;
        std::uint32_t value = 0;
        if (told.size() != 2 || told[0].size() != sizeof event + sizeof value)
            return joined(told);
        std::memcpy(&event, told[0].data(), sizeof event);
        std::memcpy(&value, told[0].data() + sizeof event, sizeof value);
        char text[32];
        const bool wide = event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL;
        std::snprintf(text, sizeof text, wide ? "%x" : "%u", value);
        return event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED     ? "succeeded"
               : event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH ? std::string("auth ") + text
               : wide                                     ? std::string("protocol ") + text
                                                          : std::string("other ") + text;
    }

  private:
    socket ear_;
};

} // namespace zlink::conformance
