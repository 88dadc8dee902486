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
#include "transport/tls/tls_credentials.hpp"

namespace zlink::transport {

enum class tls_role : unsigned char { client, server };

class tls_context {
  public:
    // `host`: of the endpoint that a client connects to; the option comes before it.
    static result<std::shared_ptr<tls_context>> make(tls_role role, const std::string &host,
                                                     const tls_options &options,
                                                     std::shared_ptr<tls_credentials> credentials);
    tls_context(const tls_context &) = delete;
    tls_context &operator=(const tls_context &) = delete;

    [[nodiscard]] tls_role role() const noexcept { return role_; }
    // Returns the name or the numeric address that the peer's certificate has to be for. Empty: it is not
    // asked.
    [[nodiscard]] const std::string &host() const noexcept { return host_; }
    [[nodiscard]] bool names_protocols() const noexcept { return !protocols_.empty(); }

    // Returns a new connection's object, with the certificates of now and the session to be resumed. Null: no
    // memory.
    [[nodiscard]] ssl_handle open() noexcept;

  private:
    tls_context(tls_role role, std::string host, const tls_options &options,
                std::shared_ptr<tls_credentials> credentials);

    result<ssl_context_handle> build(const tls_credentials::loaded &own);
    result<void> load_trust();
    result<void> add_revocations(X509_STORE *to) const;
    result<void> renew();
    [[nodiscard]] bool set_rules(SSL_CTX *made) const noexcept;
    [[nodiscard]] bool set_peer_rules(SSL_CTX *made) noexcept;
    [[nodiscard]] static bool set_certificate(SSL_CTX *made, const tls_credentials::loaded &own) noexcept;
    static int choose_protocol(SSL *, const unsigned char **chosen, unsigned char *size,
                               const unsigned char *offered, unsigned int offered_size, void *self) noexcept;
    static int keep_session(SSL *of, SSL_SESSION *session) noexcept;

    const tls_role role_;
    const std::string host_;
    const std::string authorities_; // as the option gave them
    const std::string revocations_; // likewise
    const int trust_system_;
    const bool verifies_;
    const int min_version_;
    std::string protocols_; // each behind its length
    const std::shared_ptr<tls_credentials> credentials_;

    std::mutex mutex_; // of all that follows
    std::shared_ptr<const tls_credentials::loaded> own_;
    file_stamp authorities_stamp_;
    file_stamp revocations_stamp_;
    store_handle trusted_;
    std::vector<certificate_handle> authority_list_;
    ssl_context_handle context_;
    ssl_session_handle session_;
};

} // namespace zlink::transport
