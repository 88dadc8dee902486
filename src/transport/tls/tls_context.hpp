// SPDX-License-Identifier: MPL-2.0
// tls_context: what the handshakes of one endpoint need: certificate, trust, rules, and the session to be
// resumed. It follows certificates that are renewed.
//
// Threads: any. Ownership: shared by the options of the endpoint and by its sessions. Errors: EINVAL: a
// listener without a certificate, nobody to trust, names of protocols that do not fit; ENOMEM; those of
// pem.hpp and of tls_credentials.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "base/result.hpp"
#include "base/socket_options.hpp"
#include "transport/tls/tls_rules.hpp"

namespace zlink::transport {

class tls_context {
  public:
    // `host`: of the endpoint that a client connects to; the option comes before it.
    static result<std::shared_ptr<tls_context>> make(tls_role role, const std::string &host,
                                                     const tls_options &options,
                                                     std::shared_ptr<tls_credentials> credentials);
    tls_context(const tls_context &) = delete;
    tls_context &operator=(const tls_context &) = delete;

    [[nodiscard]] tls_role role() const noexcept { return rules_.role; }
    // Returns the name or the numeric address that the peer's certificate has to be for. Empty: it is not
    // asked.
    [[nodiscard]] const std::string &host() const noexcept { return host_; }
    [[nodiscard]] bool names_protocols() const noexcept { return !rules_.protocols.empty(); }

    // Returns a new connection's object, with the certificates of now and the session to be resumed. Null: no
    // memory.
    [[nodiscard]] ssl_handle open() noexcept;

  private:
    tls_context(tls_rules rules, std::string host, std::shared_ptr<tls_credentials> credentials);

    result<void> renew();
    static int choose_protocol(SSL *of, const unsigned char **chosen, unsigned char *size,
                               const unsigned char *offered, unsigned int offered_size, void *) noexcept;
    static int keep_session(SSL *of, SSL_SESSION *session) noexcept;

    const tls_rules rules_;
    const std::string host_;
    const std::shared_ptr<tls_credentials> credentials_;

    std::mutex mutex_; // of all that follows
    std::shared_ptr<const tls_credentials::loaded> own_;
    file_stamp authorities_stamp_;
    file_stamp revocations_stamp_;
    shared_ssl_context context_; // other endpoints with equal rules may have it, too
    ssl_session_handle session_; // of this endpoint alone
};

} // namespace zlink::transport
