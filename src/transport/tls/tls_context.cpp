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

// TLS 1.2 has a fresh key for each connection, and authenticated encryption.
constexpr const char *ciphers_of_tls_1_2 = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr std::array<unsigned char, 5> session_purpose{'z', 'l', 'i', 'n', 'k'};

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

tls_context::tls_context(tls_role role, std::string host, const tls_options &options,
                         std::shared_ptr<tls_credentials> credentials)
    : role_(role), host_(std::move(host)), authorities_(options.authorities),
      revocations_(options.revocations), trust_system_(options.trust_system),
      verifies_(role == tls_role::server ? options.require_client_certificate : options.verification != 0),
      min_version_(options.min_version), protocols_(wire_form(options.application_protocols)),
      credentials_(std::move(credentials)) {}

result<std::shared_ptr<tls_context>> tls_context::make(tls_role role, const std::string &host,
                                                       const tls_options &options,
                                                       std::shared_ptr<tls_credentials> credentials) {
    std::string wanted = options.host.empty() ? host : options.host;
    const std::shared_ptr<tls_context> made(
        new tls_context(role, std::move(wanted), options, std::move(credentials)));
    if (made->protocols_.empty() && !options.application_protocols.empty())
        return error{EINVAL};
    const std::lock_guard lock(made->mutex_);
    if (const auto done = made->renew(); !done)
        return error{done.code()};
    return made;
}

// A listener that asks for certificates trusts those authorities only that it was given.
result<void> tls_context::load_trust() {
    if (!verifies_)
        return {};
    const openssl_use use;
    if (!use)
        return error{errc::terminated};
    const bool by_default = role_ == tls_role::client && authorities_.empty();
    const bool system = trust_system_ >= 0 ? trust_system_ != 0 : by_default;
    if (!system && authorities_.empty())
        return error{EINVAL};
    OSSL_LIB_CTX *const library = openssl_library();
    store_handle store(library != nullptr ? X509_STORE_new() : nullptr);
    if (!store || (system && X509_STORE_set_default_paths_ex(store.get(), library, nullptr) != 1))
        return error{ENOMEM};
    std::vector<certificate_handle> list;
    if (!authorities_.empty()) {
        auto found = read_certificates(authorities_);
        if (!found)
            return error{found.code()};
        list = *std::move(found);
    }
    for (const certificate_handle &one : list)
        if (X509_STORE_add_cert(store.get(), one.get()) != 1)
            return error{ENOMEM};
    if (const auto added = add_revocations(store.get()); !added)
        return added;
    trusted_ = std::move(store);
    authority_list_ = std::move(list);
    return {};
}

// Each authority of a chain needs a list then: without one nobody knows what it has revoked.
result<void> tls_context::add_revocations(X509_STORE *to) const {
    if (revocations_.empty())
        return {};
    const auto lists = read_revocations(revocations_);
    if (!lists)
        return error{lists.code()};
    for (const revocations_handle &one : *lists)
        if (X509_STORE_add_crl(to, one.get()) != 1)
            return error{ENOMEM};
    return X509_STORE_set_flags(to, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL) == 1 ? result<void>()
                                                                                            : error{ENOMEM};
}

bool tls_context::set_certificate(SSL_CTX *made, const tls_credentials::loaded &own) noexcept {
    if (own.chain.empty())
        return true;
    if (SSL_CTX_use_certificate(made, own.chain.front().get()) != 1)
        return false;
    for (std::size_t at = 1; at < own.chain.size(); ++at)
        if (SSL_CTX_add1_chain_cert(made, own.chain[at].get()) != 1)
            return false;
    return SSL_CTX_use_PrivateKey(made, own.key.get()) == 1;
}

// The rules that are no options. A session is resumed by a ticket, so a listener keeps none. With lists no
// session is resumed: it would not be verified again, and each use of a ticket gives another one.
bool tls_context::set_rules(SSL_CTX *made) const noexcept {
    const bool resumes = !verifies_ || revocations_.empty();
    SSL_CTX_set_options(made, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                  SSL_OP_CIPHER_SERVER_PREFERENCE | (resumes ? 0U : SSL_OP_NO_TICKET));
    SSL_CTX_set_mode(made, SSL_MODE_RELEASE_BUFFERS); // a connection that rests needs no memory for records
    SSL_CTX_set_session_cache_mode(made, role_ == tls_role::client && resumes
                                             ? SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL
                                             : SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(made, resumes ? 1 : 0);
    return SSL_CTX_set_min_proto_version(made, min_version_) == 1 &&
           SSL_CTX_set_max_proto_version(made, TLS1_3_VERSION) == 1 &&
           SSL_CTX_set_cipher_list(made, ciphers_of_tls_1_2) == 1 &&
           SSL_CTX_set_session_id_context(made, session_purpose.data(), session_purpose.size()) == 1;
}

bool tls_context::set_peer_rules(SSL_CTX *made) noexcept {
    SSL_CTX_set_app_data(made, this);
    const int refuses_none = role_ == tls_role::server ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
    SSL_CTX_set_verify(made, verifies_ ? SSL_VERIFY_PEER | refuses_none : SSL_VERIFY_NONE, nullptr);
    if (role_ == tls_role::client)
        SSL_CTX_sess_set_new_cb(made, keep_session);
    if (trusted_)
        SSL_CTX_set1_cert_store(made, trusted_.get());
    if (role_ == tls_role::server)
        for (const certificate_handle &one :
             authority_list_) // a client with several certificates chooses by them
            if (SSL_CTX_add_client_CA(made, one.get()) != 1)
                return false;
    if (protocols_.empty())
        return true;
    if (role_ == tls_role::server) {
        SSL_CTX_set_alpn_select_cb(made, choose_protocol, this);
        return true;
    }
    return SSL_CTX_set_alpn_protos(made, reinterpret_cast<const unsigned char *>(protocols_.data()),
                                   static_cast<unsigned int>(protocols_.size())) == 0;
}

int tls_context::choose_protocol(SSL *, const unsigned char **chosen, unsigned char *size,
                                 const unsigned char *offered, unsigned int offered_size,
                                 void *self) noexcept {
    const std::string &own = static_cast<tls_context *>(self)->protocols_;
    unsigned char *found = nullptr;
    if (SSL_select_next_proto(&found, size, reinterpret_cast<const unsigned char *>(own.data()),
                              static_cast<unsigned int>(own.size()), offered,
                              offered_size) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *chosen = found;
    return SSL_TLSEXT_ERR_OK;
}

result<ssl_context_handle> tls_context::build(const tls_credentials::loaded &own) {
    const openssl_use use;
    if (!use)
        return error{errc::terminated};
    if (role_ == tls_role::server && own.chain.empty())
        return error{EINVAL};
    OSSL_LIB_CTX *const library = openssl_library();
    if (library == nullptr)
        return error{ENOMEM};
    ssl_context_handle made(SSL_CTX_new_ex(
        library, nullptr, role_ == tls_role::server ? TLS_server_method() : TLS_client_method()));
    if (!made)
        return error{ENOMEM};
    // OpenSSL refuses certificates whose keys are too short to be safe.
    if (!set_rules(made.get()) || !set_certificate(made.get(), own) || !set_peer_rules(made.get()))
        return error{EINVAL};
    return made;
}

// Follows what has changed. After a failure handshakes go on as before.
result<void> tls_context::renew() {
    auto own = credentials_->current();
    const file_stamp stamp = stamp_of(authorities_); // before the file is read
    const file_stamp lists_stamp = stamp_of(revocations_);
    const bool other_trust = !context_ || stamp != authorities_stamp_ || lists_stamp != revocations_stamp_;
    if (own == own_ && !other_trust)
        return {};
    if (other_trust)
        if (const auto done = load_trust(); !done)
            return done;
    auto made = build(*own);
    if (!made)
        return error{made.code()};
    context_ = *std::move(made);
    own_ = std::move(own);
    authorities_stamp_ = stamp; // only now: trust that no context was made of is read again
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
    if (role_ == tls_role::server) {
        SSL_set_accept_state(made.get());
        return made;
    }
    SSL_set_connect_state(made.get());
    if (!name_host(made.get(), host_, verifies_))
        return nullptr;
    if (const ssl_session_handle last = std::move(session_)) // a ticket is for one use
        SSL_set_session(made.get(), last.get());
    return made;
}

// For OpenSSL: keeps the session for the next handshake of a client. Returns 1 if it was taken.
int tls_context::keep_session(SSL *of, SSL_SESSION *session) noexcept {
    SSL_CTX *const used = SSL_get_SSL_CTX(of);
    auto &self = *static_cast<tls_context *>(SSL_CTX_get_app_data(used));
    const std::lock_guard lock(self.mutex_);
    if (used != self.context_.get())
        return 0; // the certificates were renewed
    self.session_.reset(session);
    return 1;
}

} // namespace zlink::transport
