// SPDX-License-Identifier: MPL-2.0
// Many ZMTP 3.1 connections without a library: each says it is a DEALER (RFC 37, mechanism NULL), and that is
// all.
//
// The same client for every library, so that what is measured is the server's part. Threads: one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <sys/socket.h>

namespace bench::scale {

class plain_peers {
  public:
    plain_peers();
    ~plain_peers(); // resets all connections, which leaves none of them waiting in the kernel
    plain_peers(const plain_peers &) = delete;
    plain_peers &operator=(const plain_peers &) = delete;

    // Makes `count` connections to "tcp://127.0.0.1:<port>", at most `at_once` of them unfinished; returns
    // when all handshakes are complete.
    void connect(const std::string &endpoint, std::size_t count, std::size_t at_once);
    // One message of `size` (at most 255) bytes on every connection, `at_once` at a time, each answered by
    // one of that size.
    void exchange(std::size_t size, std::size_t at_once);

  private:
    enum class phase { connecting, greeting, handshake, idle, awaiting_reply };
    struct peer {
        int stream = -1;
        phase now = phase::connecting;
        std::string received; // not understood yet
    };

    void start(peer &made, const sockaddr *address, socklen_t address_size);
    void ask(peer &asker, std::string_view frame);
    // Waits for something to happen; the number of peers that became idle.
    std::size_t advance_some();
    bool advance(peer &ready);
    // True when a step was made; false when more bytes are needed.
    bool step(peer &ready);
    void read(peer &ready);
    void write(peer &to, std::string_view bytes);
    void watch(peer &watched, std::uint32_t events, int operation);

    int events_;
    std::deque<peer> peers_; // addresses stay
};

} // namespace bench::scale
