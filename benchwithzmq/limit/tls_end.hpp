// SPDX-License-Identifier: MPL-2.0
// A connection of OpenSSL over a bare tcp socket doing a library's work (batched_end.hpp): TLS 1.3, the
// certificate of certificate.hpp, blocking calls.
//
// Threads: one at a time per end. Owns the session and its descriptor.
#pragma once

#include "common/settings.hpp"
#include "limit/batched_end.hpp"

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

class tls_end : public batched_end<tls_end> {
  public:
    tls_end(tls_session session, frame_shape shape, const settings &wanted);

    // A large message from this end to `to` in one thread: record by record, so that neither call waits.
    void pass_whole(tls_end &to, const body &out, body &in);

  private:
    friend class batched_end<tls_end>;
    tls_end(tls_session session, const framer &frames, const settings &wanted);
    std::size_t send_all(const std::byte *bytes, std::size_t size);
    [[nodiscard]] std::size_t receive_some(std::byte *to, std::size_t room);
    void send_whole(const body &message);
    void receive_whole(body &message);
    // One record of the frame from `done` bytes on. Returns its bytes.
    std::size_t send_record(const body &message, std::size_t done);
    // What there is of the frame from `done` bytes on, or up to the end of its prefix. Returns its bytes.
    std::size_t receive_part(body &message, std::size_t done);

    tls_session session_;
    std::byte prefix_[16] = {};
};

} // namespace bench
