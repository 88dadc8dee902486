// SPDX-License-Identifier: MPL-2.0
// tls_rules: what of an endpoint's options decides about its handshakes. OpenSSL's context is made from them,
// and from a certificate. Clients with equal rules and certificates share one context, since it takes more
// memory than a connection that rests. A context has no sessions: they belong to endpoints.
//
// Threads: any; a mutex of the process guards the list of shared contexts. Ownership: the endpoints own a
// shared context; the list does not. Equal are the certificates and lists that were read, not the paths.
// Listeners share none: the keys of their tickets are in it. Errors: EINVAL: a listener without a
// certificate, nobody to trust; ENOMEM; those of pem.hpp.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "transport/tls/tls_credentials.hpp"

namespace zlink::transport {

enum class tls_role : unsigned char { client, server };

struct tls_rules {
    // For OpenSSL. They find what belongs to a connection by the SSL, since the context may be another's too.
    struct callbacks {
        int (*keep_session)(SSL *, SSL_SESSION *) noexcept = nullptr;
        SSL_CTX_alpn_select_cb_func choose_protocol = nullptr;
    };

    tls_role role = tls_role::client;
    std::string authorities; // as the option gave them
    std::string revocations; // likewise
    int trust_system = -1;
    bool verifies = true;
    int min_version = 0;
    std::string protocols; // each behind its length
    callbacks calls;

    // With lists no session is resumed. It would not be verified again, and each use of a ticket gives
    // another one.
    [[nodiscard]] bool resumes() const noexcept { return !verifies || revocations.empty(); }
    [[nodiscard]] bool trusts_system() const noexcept {
        const bool by_default = role == tls_role::client && authorities.empty();
        return verifies && (trust_system >= 0 ? trust_system != 0 : by_default);
    }
};

using shared_ssl_context = std::shared_ptr<SSL_CTX>;

// Reads the files of the rules. Returns a context that was made by equal ones, or a new one.
result<shared_ssl_context> find_ssl_context(const tls_rules &rules, const tls_credentials::loaded &own);

} // namespace zlink::transport
