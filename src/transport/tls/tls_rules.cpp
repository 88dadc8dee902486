// SPDX-License-Identifier: MPL-2.0
#include "transport/tls/tls_rules.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <string_view>

#include "base/error.hpp"
#include "base/fork.hpp"
#include "base/lasting.hpp"

namespace zlink::transport {
namespace {

// TLS 1.2 has a fresh key for each connection, and authenticated encryption.
constexpr const char *ciphers_of_tls_1_2 = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr std::array<unsigned char, 5> session_purpose{'z', 'l', 'i', 'n', 'k'};

// ---- what the rules trust

struct trust {
    std::vector<certificate_handle> authorities;
    std::vector<revocations_handle> revocations;
};

// A listener that asks for certificates trusts those authorities only that it was given.
result<trust> read_trust(const tls_rules &rules) {
    trust read;
    if (!rules.verifies)
        return read;
    if (!rules.trusts_system() && rules.authorities.empty())
        return error{EINVAL};
    if (!rules.authorities.empty()) {
        auto found = read_certificates(rules.authorities);
        if (!found)
            return error{found.code()};
        read.authorities = *std::move(found);
    }
    if (!rules.revocations.empty()) {
        auto found = read_revocations(rules.revocations);
        if (!found)
            return error{found.code()};
        read.revocations = *std::move(found);
    }
    return read;
}

// Each authority of a chain needs a list if there are any: without one nobody knows what it has revoked.
store_handle make_store(const tls_rules &rules, const trust &read) noexcept {
    store_handle store(X509_STORE_new());
    if (!store || (rules.trusts_system() &&
                   X509_STORE_set_default_paths_ex(store.get(), openssl_library(), nullptr) != 1))
        return nullptr;
    for (const certificate_handle &one : read.authorities)
        if (X509_STORE_add_cert(store.get(), one.get()) != 1)
            return nullptr;
    for (const revocations_handle &one : read.revocations)
        if (X509_STORE_add_crl(store.get(), one.get()) != 1)
            return nullptr;
    const bool asks_lists = !read.revocations.empty();
    if (asks_lists &&
        X509_STORE_set_flags(store.get(), X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL) != 1)
        return nullptr;
    return store;
}

// ---- OpenSSL's context

bool set_certificate(SSL_CTX *made, const tls_credentials::loaded &own) noexcept {
    if (own.chain.empty())
        return true;
    if (SSL_CTX_use_certificate(made, own.chain.front().get()) != 1)
        return false;
    for (std::size_t at = 1; at < own.chain.size(); ++at)
        if (SSL_CTX_add1_chain_cert(made, own.chain[at].get()) != 1)
            return false;
    return SSL_CTX_use_PrivateKey(made, own.key.get()) == 1;
}

// A session is resumed by a ticket, so a listener keeps none.
bool set_rules(SSL_CTX *made, const tls_rules &rules) noexcept {
    SSL_CTX_set_options(made, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                  SSL_OP_CIPHER_SERVER_PREFERENCE |
                                  (rules.resumes() ? 0U : SSL_OP_NO_TICKET));
    SSL_CTX_set_mode(made, SSL_MODE_RELEASE_BUFFERS); // a connection that rests needs no memory for records
    SSL_CTX_set_session_cache_mode(made, rules.role == tls_role::client && rules.resumes()
                                             ? SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL
                                             : SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(made, rules.resumes() ? 1 : 0);
    return SSL_CTX_set_min_proto_version(made, rules.min_version) == 1 &&
           SSL_CTX_set_max_proto_version(made, TLS1_3_VERSION) == 1 &&
           SSL_CTX_set_cipher_list(made, ciphers_of_tls_1_2) == 1 &&
           SSL_CTX_set_session_id_context(made, session_purpose.data(), session_purpose.size()) == 1;
}

bool set_protocols(SSL_CTX *made, const tls_rules &rules) noexcept {
    if (rules.protocols.empty())
        return true;
    if (rules.role == tls_role::server) {
        SSL_CTX_set_alpn_select_cb(made, rules.calls.choose_protocol, nullptr);
        return true;
    }
    return SSL_CTX_set_alpn_protos(made, reinterpret_cast<const unsigned char *>(rules.protocols.data()),
                                   static_cast<unsigned int>(rules.protocols.size())) == 0;
}

bool set_peer_rules(SSL_CTX *made, const tls_rules &rules, const trust &read) noexcept {
    const int refuses_none = rules.role == tls_role::server ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
    SSL_CTX_set_verify(made, rules.verifies ? SSL_VERIFY_PEER | refuses_none : SSL_VERIFY_NONE, nullptr);
    if (rules.role == tls_role::client)
        SSL_CTX_sess_set_new_cb(made, rules.calls.keep_session);
    if (rules.role == tls_role::server)
        for (const certificate_handle &one : read.authorities) // a client with several chooses by them
            if (SSL_CTX_add_client_CA(made, one.get()) != 1)
                return false;
    return set_protocols(made, rules);
}

result<shared_ssl_context> make_context(const tls_rules &rules, const trust &read,
                                        const tls_credentials::loaded &own) {
    ssl_context_handle made(
        SSL_CTX_new_ex(openssl_library(), nullptr,
                       rules.role == tls_role::server ? TLS_server_method() : TLS_client_method()));
    if (!made)
        return error{ENOMEM};
    if (rules.verifies) {
        const store_handle store = make_store(rules, read);
        if (!store)
            return error{ENOMEM};
        SSL_CTX_set1_cert_store(made.get(), store.get());
    }
    // OpenSSL refuses certificates whose keys are too short to be safe.
    if (!set_rules(made.get(), rules) || !set_certificate(made.get(), own) ||
        !set_peer_rules(made.get(), rules, read))
        return error{EINVAL};
    return shared_ssl_context(std::move(made));
}

// ---- which rules are equal

using digest = std::array<unsigned char, 32>;

// The SHA-256 of parts, each with its size before it.
class digest_maker {
  public:
    digest_maker() noexcept
        : kind_(EVP_MD_fetch(openssl_library(), "SHA256", nullptr)), state_(EVP_MD_CTX_new()),
          works_(kind_ && state_ && EVP_DigestInit_ex(state_.get(), kind_.get(), nullptr) == 1) {}

    void add(std::string_view bytes) noexcept {
        add_number(bytes.size());
        works_ = works_ && EVP_DigestUpdate(state_.get(), bytes.data(), bytes.size()) == 1;
    }
    void add_number(std::uint64_t number) noexcept {
        works_ = works_ && EVP_DigestUpdate(state_.get(), &number, sizeof number) == 1;
    }
    // `take`: X509_digest or X509_CRL_digest.
    template <class Handles, class Take> void add_all(const Handles &all, Take take) noexcept {
        add_number(all.size());
        for (const auto &one : all) {
            digest of_one{};
            unsigned int size = 0;
            works_ = works_ && take(one.get(), kind_.get(), of_one.data(), &size) == 1;
            add({reinterpret_cast<const char *>(of_one.data()), size});
        }
    }
    // The bytes do not stay in memory.
    void add_key(const EVP_PKEY *key) noexcept {
        unsigned char *bytes = nullptr;
        const int size = i2d_PrivateKey(key, &bytes);
        works_ = works_ && size > 0;
        if (size <= 0)
            return;
        add({reinterpret_cast<const char *>(bytes), static_cast<std::size_t>(size)});
        OPENSSL_clear_free(bytes, static_cast<std::size_t>(size));
    }
    // All zero: OpenSSL failed, for want of memory most likely.
    [[nodiscard]] digest finish() noexcept {
        digest made{};
        unsigned int size = 0;
        if (!works_ || EVP_DigestFinal_ex(state_.get(), made.data(), &size) != 1)
            return {};
        return made;
    }

  private:
    std::unique_ptr<EVP_MD, openssl_deleter<EVP_MD_free>> kind_;
    std::unique_ptr<EVP_MD_CTX, openssl_deleter<EVP_MD_CTX_free>> state_;
    bool works_;
};

// The authorities of the system are many, so their files are not read for this: a stamp stands for each.
void add_stamp(digest_maker &to, const std::string &path) {
    const file_stamp stamp = stamp_of(path);
    to.add(path);
    to.add_number(stamp.device);
    to.add_number(stamp.node);
    for (const std::int64_t number : {stamp.size, stamp.seconds, stamp.nanoseconds})
        to.add_number(static_cast<std::uint64_t>(number));
}

void add_system(digest_maker &to) {
    const auto place = [](const char *variable, const char *otherwise) -> std::string {
        const char *const given = ::secure_getenv(variable);
        return given != nullptr ? given : otherwise;
    };
    add_stamp(to, place(X509_get_default_cert_file_env(), X509_get_default_cert_file()));
    const std::string folders = place(X509_get_default_cert_dir_env(), X509_get_default_cert_dir());
    for (std::size_t begin = 0; begin <= folders.size();) {
        const std::size_t end = std::min(folders.find(':', begin), folders.size());
        add_stamp(to, folders.substr(begin, end - begin));
        begin = end + 1;
    }
}

// The key has a part in this: OpenSSL compares its public half with the certificate, and nothing else.
digest digest_of(const tls_rules &rules, const trust &read, const tls_credentials::loaded &own) {
    digest_maker made;
    made.add_number(static_cast<std::uint64_t>(rules.min_version));
    made.add_number(rules.verifies ? 1 : 0);
    made.add_number(rules.resumes() ? 1 : 0);
    made.add(rules.protocols);
    made.add_all(own.chain, X509_digest);
    if (own.key)
        made.add_key(own.key.get());
    made.add_all(read.authorities, X509_digest);
    made.add_all(read.revocations, X509_CRL_digest);
    made.add_number(rules.trusts_system() ? 1 : 0);
    if (rules.trusts_system())
        add_system(made);
    return made.finish();
}

// ---- the contexts of the process

class shared_contexts final : fork_handler {
  public:
    shared_ssl_context find(const digest &of) {
        const std::lock_guard lock(guard_);
        const auto entry = known_.find(of);
        return entry != known_.end() ? entry->second.lock() : nullptr;
    }
    // Returns what another thread has put there first, or `made`.
    shared_ssl_context put(const digest &of, shared_ssl_context made) {
        const std::lock_guard lock(guard_);
        std::erase_if(known_, [](const auto &entry) { return entry.second.expired(); });
        auto &place = known_[of];
        if (shared_ssl_context there = place.lock())
            return there;
        place = made;
        return made;
    }

  private:
    // Another thread may have been in the middle of it. The child begins with none.
    void on_fork() noexcept override {
        ::new (&guard_) std::mutex;
        ::new (&known_) known_contexts;
    }

    using known_contexts = std::map<digest, std::weak_ptr<SSL_CTX>>;
    std::mutex guard_;
    known_contexts known_; // guarded
};

} // namespace

result<shared_ssl_context> find_ssl_context(const tls_rules &rules, const tls_credentials::loaded &own) {
    const openssl_use use;
    if (!use)
        return error{errc::terminated};
    if (rules.role == tls_role::server && own.chain.empty())
        return error{EINVAL};
    if (openssl_library() == nullptr)
        return error{ENOMEM};
    const auto read = read_trust(rules);
    if (!read)
        return error{read.code()};
    if (rules.role == tls_role::server)
        return make_context(rules, *read, own);
    const digest key = digest_of(rules, *read, own);
    if (key == digest{})
        return error{ENOMEM};
    if (shared_ssl_context known = lasting<shared_contexts>().find(key))
        return known;
    auto made = make_context(rules, *read, own);
    if (!made)
        return made;
    return lasting<shared_contexts>().put(key, *std::move(made));
}

} // namespace zlink::transport
