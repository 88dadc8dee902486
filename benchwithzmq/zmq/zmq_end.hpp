// SPDX-License-Identifier: MPL-2.0
// One end of a measurement over the public API: a socket, measured through zmq_send and zmq_recv with plain
// buffers.
//
// Threads: one at a time. Every message received is checked: its size, and for a ROUTER the id frame before
// it; that nothing follows the body is asked for every 1024th message, because asking is a call of its own.
#pragma once

#include "common/body.hpp"
#include "common/end.hpp"
#include "common/settings.hpp"
#include "zmq/pattern.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <zmq.h>

namespace bench {

class zmq_context {
  public:
    explicit zmq_context(const settings &wanted);
    ~zmq_context();
    zmq_context(const zmq_context &) = delete;
    zmq_context &operator=(const zmq_context &) = delete;
    [[nodiscard]] void *get() const { return handle_; }

  private:
    void *handle_;
};

class zmq_end {
  public:
    zmq_end(const zmq_context &context, const end_row &row, const settings &wanted, pace how);
    ~zmq_end(); // with linger 0: what had to arrive has been waited for
    zmq_end(const zmq_end &) = delete;
    zmq_end &operator=(const zmq_end &) = delete;

    // Binds, and says where: wildcards are resolved.
    std::string bind(const std::string &endpoint);
    void connect(const std::string &endpoint);

    void send(const body &message) {
        if (!row_.peer_id.empty())
            send_id();
        if (zmq_send(socket_, message.data(), message.size(), 0) != static_cast<int>(message.size()))
            fail_call("zmq_send");
    }
    void flush() {}

    // Like send, but false while a ROUTER does not know its peer yet.
    bool offer(const body &message);

    void receive(body &message) {
        if (row_.polls == polling::never)
            receive_message(message, 0);
        else
            receive_polled(message);
        if (++received_ % 1024 == 0)
            check_last_frame();
    }

  private:
    // False when there is no message, which only ZMQ_DONTWAIT allows.
    bool receive_message(body &message, int flags) {
        if (!row_.peer_id.empty() && !receive_id(flags))
            return false;
        const int size = zmq_recv(socket_, message.data(), message.size(), flags);
        if (size != static_cast<int>(message.size()))
            return check_nothing_there(size, message.size(), flags);
        if (!row_.peer_id.empty())
            check_id();
        return true;
    }
    void receive_polled(body &message);
    void send_id();
    bool receive_id(int flags);
    void check_id();
    bool check_nothing_there(int received, std::size_t due, int flags);
    void check_last_frame();
    void set_option(int option, const void *value, std::size_t size);
    void set_int(int option, int value);
    void set_high_water_mark(int option, int value);
    void be_curve_server();
    void be_curve_client();
    void be_tls_server();
    void be_tls_client();
    [[noreturn]] void fail_call(const char *call) const;

    void *socket_;
    const end_row &row_;
    const settings &wanted_;
    const pace pace_;
    bool readable_ = false; // zmq_poll has said so and no EAGAIN has come since
    std::uint64_t received_ = 0;
    std::array<char, 256> id_{}; // received; looked at after the body, when its bytes have long been stored
};

} // namespace bench
