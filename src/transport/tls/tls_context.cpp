// SPDX-License-Identifier: MPL-2.0
#include "transport/tls/tls_context.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <limits>
#include <new>
#include <openssl/x509v3.h>
#include <string_view>

#include "base/error.hpp"

namespace zlink::transport {
namespace {

// Returns the names as TLS carries them. Empty if one of them does not fit.
std::string wire_form(std::string_view names) {
    std::string wire;
    while (!names.empty()) {
        const std::size_t end = std::min(names.find(','), names.size());
        if (end == 0 || end > std::numeric_limits<unsigned char>::max())
            return {};
        wire.push_back(static_cast<char>(end));
        wire.append(names.substr(0, end));
        names.remove_prefix(end == names.size() ? end : end + 1);
    }
    return wire;
}

bool is_numeric(const std::string &host) noexcept {
    std::array<unsigned char, sizeof(in6_addr)> address;
    return ::inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
           ::inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
}

// The certificate has to be for this host, and the server is told which one is meant.
bool name_host(SSL *of, const std::string &host, bool verifies) noexcept {
    if (host.empty())
        return true;
    X509_VERIFY_PARAM *const rules = SSL_get0_param(of);
    if (is_numeric(host))
        return !verifies || X509_VERIFY_PARAM_set1_ip_asc(rules, host.c_str()) == 1;
    X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return SSL_set_tlsext_host_name(of, host.c_str()) == 1 &&
           (!verifies || X509_VERIFY_PARAM_set1_host(rules, host.data(), host.size()) == 1);
}

} // namespace

tls_context::tls_context(tls_rules rules, std::string host, std::shared_ptr<tls_credentials> credentials)
    : rules_(std::move(rules)), host_(std::move(host)), credentials_(std::move(credentials)) {}

result<std::shared_ptr<tls_context>> tls_context::make(tls_role role, const std::string &host,
                                                       const tls_options &options,
                                                       std::shared_ptr<tls_credentials> credentials) {
    const bool verifies =
        role == tls_role::server ? options.require_client_certificate : options.verification != 0;
    tls_rules rules{role,
                    options.authorities,
                    options.revocations,
                    options.trust_system,
                    verifies,
                    options.min_version,
                    wire_form(options.application_protocols),
                    {keep_session, choose_protocol}};
    if (rules.protocols.empty() && !options.application_protocols.empty())
        return error{EINVAL};
    std::string wanted = options.host.empty() ? host : options.host;
    const std::shared_ptr<tls_context> made(
        new tls_context(std::move(rules), std::move(wanted), std::move(credentials)));
    const std::lock_guard lock(made->mutex_);
    if (const auto done = made->renew(); !done)
        return error{done.code()};
    return made;
}

int tls_context::choose_protocol(SSL *of, const unsigned char **chosen, unsigned char *size,
                                 const unsigned char *offered, unsigned int offered_size, void *) noexcept {
    const std::string &own = static_cast<tls_context *>(SSL_get_app_data(of))->rules_.protocols;
    unsigned char *found = nullptr;
    if (SSL_select_next_proto(&found, size, reinterpret_cast<const unsigned char *>(own.data()),
                              static_cast<unsigned int>(own.size()), offered,
                              offered_size) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

// Follows what has changed. After a failure handshakes go on as before.
result<void> tls_context::renew() {
    auto own = credentials_->current();
    const file_stamp stamp = stamp_of(rules_.authorities); // before the file is read
    const file_stamp lists_stamp = stamp_of(rules_.revocations);
    if (context_ && own == own_ && stamp == authorities_stamp_ && lists_stamp == revocations_stamp_)
        return {};
    auto found = find_ssl_context(rules_, *own);
    if (!found)
        return error{found.code()};
    context_ = *std::move(found);
    own_ = std::move(own);
    authorities_stamp_ = stamp;
    revocations_stamp_ = lists_stamp;
    session_.reset(); // it was made under the rules of before
    return {};
}

ssl_handle tls_context::open() noexcept {
    const std::lock_guard lock(mutex_);
    try {
        (void)renew();                 // with what there was, if it fails
    } catch (const std::bad_alloc &) { // likewise
    }
    const openssl_use use;
    ssl_handle made(use ? SSL_new(context_.get()) : nullptr);
    if (!made)
        return nullptr;
    if (SSL_set_app_data(made.get(), this) != 1)
        return nullptr;
    if (rules_.role == tls_role::server) {
        SSL_set_accept_state(made.get());
        return made;
    }
    SSL_set_connect_state(made.get());
    if (!name_host(made.get(), host_, rules_.verifies))
        return nullptr;
    if (const ssl_session_handle last = std::move(session_)) // a ticket is for one use
        SSL_set_session(made.get(), last.get());
    return made;
}

// For OpenSSL: keeps the session for the next handshake of a client. Returns 1 if it was taken.
int tls_context::keep_session(SSL *of, SSL_SESSION *session) noexcept {
    auto &self = *static_cast<tls_context *>(SSL_get_app_data(of));
    const std::lock_guard lock(self.mutex_);
    if (SSL_get_SSL_CTX(of) != self.context_.get())
        return 0; // the certificates were renewed
    self.session_.reset(session);
    return 1;
}

} // namespace zlink::transport
