// SPDX-License-Identifier: MPL-2.0
// proxy_dialogue: what is said to a SOCKS proxy over a stream that is connected to it, until the stream leads
// to the peer.
//
// Threads: the I/O thread. Ownership: held by its handlers; holds the stream with them. To close the stream
// ends it, and is told as a failure. on_end is called once, never from start().
#pragma once

#include <functional>
#include <memory>

#include "runtime/handler_slot.hpp"
#include "transport/socks5.hpp"
#include "transport/stream.hpp"

namespace zlink::connections {

class proxy_dialogue : public std::enable_shared_from_this<proxy_dialogue> {
  public:
    using answer = std::function<void(bool connected)>;

    // Asks the proxy for `host`. The dialogue keeps nothing of `login` after it was constructed.
    proxy_dialogue(std::shared_ptr<transport::stream> stream, const transport::tcp_host_port &host, bool ipv6,
                   const transport::socks5_login &login, answer on_end)
        : stream_(std::move(stream)), client_(host, ipv6, login), on_end_(std::move(on_end)) {}

    void start() { wait_writable(); }

  private:
    void wait_writable();
    void wait_readable();
    void write();
    void read();
    void go_on();
    void end(bool connected);

    std::shared_ptr<transport::stream> stream_;
    transport::socks5_client client_;
    answer on_end_;
    runtime::handler_slot slot_; // it reads or writes, never both
};

} // namespace zlink::connections
