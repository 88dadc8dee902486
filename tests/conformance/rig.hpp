// SPDX-License-Identifier: MPL-2.0
// Tools for conformance tests: contexts and sockets of the C API that clean up after themselves.
//
// Threads: those of the C API. Texts: frames are written "a|b|c"; bytes that are not text travel as frames.
// Time: every call that waits gives up after `patience_ms`, which no test that passes comes near to.
#pragma once

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tls_certificates.hpp"
#include "zlink/options.h"
#include "zmq.h"

namespace zlink::conformance {

inline constexpr int patience_ms = 30'000;
// For what is not to come.
inline constexpr int quiet_ms = 30;

using frames = std::vector<std::string>;

inline frames split(std::string_view text) {
    frames parts;
    for (std::size_t bar; (bar = text.find('|')) != text.npos; text.remove_prefix(bar + 1))
        parts.emplace_back(text.substr(0, bar));
    parts.emplace_back(text);
    return parts;
}

inline std::string joined(const frames &parts) {
    std::string text;
    for (const std::string &part : parts)
        text += (&part == parts.data() ? "" : "|") + part;
    return text;
}

// Asks until it is true.
[[nodiscard]] inline bool eventually(const std::function<bool()> &condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline)
            return false;
        zmq_poll(nullptr, 0, 1);
    }
    return true;
}

class context {
  public:
    context() = default;
    ~context() { term(); }
    context(const context &) = delete;
    void term() {
        while (handle_ != nullptr && zmq_ctx_term(handle_) != 0)
            EXPECT_EQ(errno, EINTR);
        handle_ = nullptr;
    }
    [[nodiscard]] void *handle() const { return handle_; }

  private:
    void *handle_ = zmq_ctx_new();
};

class socket {
  public:
    socket(context &owner, int type) : handle_(zmq_socket(owner.handle(), type)) {
        EXPECT_NE(handle_, nullptr);
        set(ZMQ_LINGER, 0);
        set(ZMQ_RCVTIMEO, patience_ms);
        set(ZMQ_SNDTIMEO, patience_ms);
    }
    socket(socket &&other) noexcept
        : handle_(std::exchange(other.handle_, nullptr)), has_certificate_(other.has_certificate_) {}
    ~socket() { close(); }
    void close() {
        if (handle_ == nullptr)
            return;
        EXPECT_EQ(zmq_close(std::exchange(handle_, nullptr)), 0);
    }
    [[nodiscard]] void *handle() const { return handle_; }

    void set(int option, int value) { EXPECT_EQ(zmq_setsockopt(handle_, option, &value, sizeof value), 0); }
    void set(int option, std::string_view value) {
        EXPECT_EQ(zmq_setsockopt(handle_, option, value.data(), value.size()), 0);
    }
    [[nodiscard]] int get(int option) const {
        int value = -1;
        std::size_t size = sizeof value;
        EXPECT_EQ(zmq_getsockopt(handle_, option, &value, &size), 0);
        return value;
    }
    [[nodiscard]] std::string last_endpoint() const {
        char text[256] = "";
        std::size_t size = sizeof text;
        EXPECT_EQ(zmq_getsockopt(handle_, ZMQ_LAST_ENDPOINT, text, &size), 0);
        return text;
    }

    // These answer errno, or 0.
    int bind(const std::string &endpoint) {
        prepare_for(endpoint);
        return outcome(zmq_bind(handle_, endpoint.c_str()));
    }
    int connect(const std::string &endpoint) {
        prepare_for(endpoint);
        return outcome(zmq_connect(handle_, endpoint.c_str()));
    }
    int disconnect(const std::string &endpoint) { return outcome(zmq_disconnect(handle_, endpoint.c_str())); }
    int unbind(const std::string &endpoint) { return outcome(zmq_unbind(handle_, endpoint.c_str())); }
    int send(std::string_view text, int flags = 0) { return send(split(text), flags); }
    int send(const frames &parts, int flags = 0) {
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const int more = i + 1 < parts.size() ? ZMQ_SNDMORE : 0;
            if (zmq_send(handle_, parts[i].data(), parts[i].size(), flags | more) < 0)
                return errno;
        }
        return 0;
    }

    // A whole message; one frame with the error's text when there is none.
    frames receive_frames(int flags = 0) {
        frames parts;
        bool more = true;
        while (more) {
            zmq_msg_t part;
            zmq_msg_init(&part);
            if (zmq_msg_recv(&part, handle_, flags) < 0) {
                parts.push_back(std::string("error: ") + zmq_strerror(errno));
                zmq_msg_close(&part);
                return parts;
            }
            parts.emplace_back(static_cast<const char *>(zmq_msg_data(&part)), zmq_msg_size(&part));
            more = zmq_msg_more(&part) != 0;
            zmq_msg_close(&part);
        }
        return parts;
    }
    std::string receive(int flags = 0) { return joined(receive_frames(flags)); }
    // Does nothing come?
    [[nodiscard]] bool quiet() { return !ready(ZMQ_POLLIN, quiet_ms); }
    [[nodiscard]] bool ready(short events, int timeout_ms = patience_ms) {
        zmq_pollitem_t item{handle_, 0, events, 0};
        return zmq_poll(&item, 1, timeout_ms) == 1;
    }

    // Sets what tls and wss need. Other values that were set before are overwritten, once.
    void prepare_for(const std::string &endpoint) {
        const bool wants_one = endpoint.starts_with("tls://") || endpoint.starts_with("wss://");
        if (!wants_one || std::exchange(has_certificate_, true))
            return;
        set(ZLINK_TLS_CERT, test::certificates().server.pem);
        set(ZLINK_TLS_KEY, test::certificates().server.key);
        set(ZLINK_TLS_CA, test::certificates().authority.pem);
    }

  private:
    static int outcome(int code) { return code == 0 ? 0 : errno; }
    void *handle_;
    bool has_certificate_ = false;
};

inline int next_number() {
    static std::atomic<int> count = 0;
    return ++count;
}

// An endpoint nobody is bound to.
inline std::string unused_endpoint(std::string_view transport) {
    const std::string name =
        "zlink-conformance-" + std::to_string(::getpid()) + "-" + std::to_string(next_number());
    if (transport == "inproc")
        return "inproc://" + name;
    if (transport == "ipc")
        return "ipc://@" + name;
    // Below the ports that the kernel gives to connections and to wildcards: none of these takes it
    // meanwhile.
    constexpr int lowest = 20000;
    constexpr int ports = 12000;
    const int descriptor = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    do {
        const int drawn = (::getpid() * 31 + next_number()) % ports;
        address.sin_port = htons(static_cast<std::uint16_t>(lowest + drawn));
    } while (::bind(descriptor, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0);
    ::close(descriptor);
    return std::string(transport) + "://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) +
           (transport.starts_with("ws") ? "/" : "");
}

// Tests that run over a transport: their parameter.
class transport_test : public ::testing::TestWithParam<const char *> {
  public:
    context owner; // of all sockets of the test

  protected:
    std::string bind(socket &server) {
        const std::string transport = GetParam();
        const bool over_tcp = transport != "inproc" && transport != "ipc";
        const std::string asked = over_tcp ? transport + "://127.0.0.1:*" : unused_endpoint(transport);
        EXPECT_EQ(server.bind(asked), 0);
        return server.last_endpoint();
    }
    // A socket connected to where the other one is bound.
    socket connected(int type, const std::string &endpoint, std::string_view routing_id = {}) {
        socket client(owner, type);
        if (!routing_id.empty())
            client.set(ZMQ_ROUTING_ID, routing_id);
        EXPECT_EQ(client.connect(endpoint), 0);
        return client;
    }
};

inline std::string transport_name(const ::testing::TestParamInfo<const char *> &info) {
    return info.param;
}

} // namespace zlink::conformance

#define ZLINK_OVER_EVERY_TRANSPORT(suite)                                                                    \
    INSTANTIATE_TEST_SUITE_P(over, suite, ::testing::Values("inproc", "tcp", "ipc", "tls", "ws", "wss"),     \
                             transport_name)
#define ZLINK_OVER_CONNECTIONS(suite)                                                                        \
    INSTANTIATE_TEST_SUITE_P(over, suite, ::testing::Values("tcp", "ipc", "tls", "ws", "wss"), transport_name)
