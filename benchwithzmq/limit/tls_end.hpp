// SPDX-License-Identifier: MPL-2.0
// A connection of OpenSSL over a bare tcp socket doing a library's work: batches of 64 KiB, one SSL_write()
// each, copied out message by message. A message that is larger goes as a whole, from and to the caller's
// buffer.
//
// TLS 1.3, the certificate of certificate.hpp, blocking calls. Threads: one at a time per end. Owns the
// session and its descriptor.
#pragma once

#include "common/body.hpp"
#include "common/end.hpp"
#include "common/settings.hpp"
#include "limit/frame.hpp"

#include <cstddef>
#include <memory>
#include <openssl/ssl.h>
#include <utility>

namespace bench {

struct close_session {
    void operator()(SSL *session) const;
};
using tls_session = std::unique_ptr<SSL, close_session>;

// The client's and the server's session over two connected descriptors, after the handshake.
std::pair<tls_session, tls_session> connected_sessions(std::pair<int, int> descriptors);

class tls_end {
  public:
    tls_end(tls_session session, frame_shape shape, const settings &wanted);

    void send(const body &message) {
        if (framer_.is_large()) {
            send_whole(message);
            return;
        }
        if (filled_ + framer_.frame_bytes() > out_.size())
            flush();
        framer_.write(out_.data() + filled_, message);
        filled_ += framer_.frame_bytes();
    }
    bool offer(const body &message) {
        send(message);
        return true;
    }
    void flush();

    void receive(body &message) {
        if (framer_.is_large()) {
            receive_whole(message);
            return;
        }
        if (arrived_ - taken_ < framer_.frame_bytes())
            receive_batch();
        framer_.read(in_.data() + taken_, message);
        taken_ += framer_.frame_bytes();
    }

    [[nodiscard]] bool is_large() const { return framer_.is_large(); }
    // A large message from this end to `to` in one thread: record by record, so that neither call waits.
    void pass_whole(tls_end &to, const body &out, body &in);

  private:
    void send_whole(const body &message);
    void receive_whole(body &message);
    void receive_batch();
    // One record of the frame from `done` bytes on. Returns its bytes.
    std::size_t send_record(const body &message, std::size_t done);
    // What there is of the frame from `done` bytes on, or up to the end of its prefix. Returns its bytes.
    std::size_t receive_some(body &message, std::size_t done);
    std::size_t write(const std::byte *bytes, std::size_t size);
    std::size_t read(std::byte *bytes, std::size_t size);

    tls_session session_;
    framer framer_;
    block out_;
    std::size_t filled_ = 0;
    block in_;
    std::size_t taken_ = 0;
    std::size_t arrived_ = 0;
    std::byte prefix_[16] = {};
};

inline void pass(tls_end &from, tls_end &to, const body &out, body &in) {
    if (from.is_large()) {
        from.pass_whole(to, out, in);
        return;
    }
    from.send(out);
    from.flush();
    to.receive(in);
}

// Connected from the start.
inline void first_pass(tls_end &one, tls_end &other, body &out, body &in) {
    out.stamp(kind::hello, 0);
    pass(one, other, out, in);
}

} // namespace bench
