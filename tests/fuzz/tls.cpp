// SPDX-License-Identifier: MPL-2.0
// A session of TLS against OpenSSL in memory. The first byte chooses the role of the session, the size of the
// pieces and the form of the rest, one of four. It is where the bytes of the peer are cut, and nothing may be
// lost by that. It is all that the session gets. It is changes to the bytes of the peer, in the handshake and
// behind it. Or it is bytes of a stranger behind the handshake. The session may give out the beginning of the
// peer's message, and nothing else.
#include "require.hpp"

#include "transport/tls/tls_session.hpp"

#include <algorithm>
#include <array>
#include <openssl/pem.h>
#include <string>
#include <vector>

using namespace zlink;
using namespace zlink::transport;
using zlink::fuzz::require;

namespace {

using bytes = std::vector<std::uint8_t>;
using byte_view = std::span<const std::uint8_t>;

enum class form : std::uint8_t { cuts, stranger, changes, stranger_behind };

std::string text_of(BIO *memory) {
    char *data = nullptr;
    const long size = BIO_get_mem_data(memory, &data);
    return {data, static_cast<std::size_t>(size)};
}

// A certificate that vouches for itself.
struct identity {
    identity() : key(EVP_EC_gen("P-256")), certificate(X509_new()) {
        X509_set_version(certificate.get(), 2);
        ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
        X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -86400L);
        X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 365L * 86400);
        X509_set_pubkey(certificate.get(), key.get());
        X509_NAME *const name = X509_get_subject_name(certificate.get());
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char *>("fuzz"),
                                   -1, -1, 0);
        X509_set_issuer_name(certificate.get(), name);
        require(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
        const bio_handle one(BIO_new(BIO_s_mem()));
        const bio_handle other(BIO_new(BIO_s_mem()));
        require(PEM_write_bio_X509(one.get(), certificate.get()) == 1);
        require(PEM_write_bio_PrivateKey(other.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
        certificate_text = text_of(one.get());
        key_text = text_of(other.get());
    }
    key_handle key;
    certificate_handle certificate;
    std::string certificate_text;
    std::string key_text;
};
const identity &everybody() {
    static const identity made;
    return made;
}

// Both sides show the certificate, and the session verifies that of the peer.
std::shared_ptr<tls_context> make_context(tls_role role) {
    tls_options options;
    options.certificate = options.authorities = everybody().certificate_text;
    options.key = everybody().key_text;
    options.require_client_certificate = true;
    options.min_version = TLS1_2_VERSION;
    auto credentials = std::make_shared<tls_credentials>();
    require(credentials->set(options).ok());
    auto made = tls_context::make(role, "", options, credentials);
    require(made.ok());
    return *made;
}

// Contexts are made once: they take longer than a handshake.
std::shared_ptr<tls_context> context_of(tls_role role) {
    static const std::shared_ptr<tls_context> client = make_context(tls_role::client);
    static const std::shared_ptr<tls_context> server = make_context(tls_role::server);
    return role == tls_role::client ? client : server;
}

ssl_context_handle make_peer_context(bool serves) {
    ssl_context_handle made(SSL_CTX_new(serves ? TLS_server_method() : TLS_client_method()));
    require(SSL_CTX_use_certificate(made.get(), everybody().certificate.get()) == 1);
    require(SSL_CTX_use_PrivateKey(made.get(), everybody().key.get()) == 1);
    return made;
}

// Other keys for tickets each time: no session of the last run is resumed.
SSL_CTX *peer_context(bool serves) {
    static const ssl_context_handle client = make_peer_context(false);
    static const ssl_context_handle server = make_peer_context(true);
    static std::array<unsigned char, 80> keys{};
    for (std::size_t at = 0; at < keys.size() && ++keys[at] == 0;)
        ++at;
    require(SSL_CTX_set_tlsext_ticket_keys(server.get(), keys.data(), keys.size()) == 1);
    return serves ? server.get() : client.get();
}

// OpenSSL without any code of ours.
class peer {
  public:
    explicit peer(bool serves, bool old) : ssl_(SSL_new(peer_context(serves))) {
        require(ssl_ != nullptr);
        if (old)
            SSL_set_max_proto_version(ssl_.get(), TLS1_2_VERSION);
        in_ = BIO_new(BIO_s_mem());
        out_ = BIO_new(BIO_s_mem());
        SSL_set_bio(ssl_.get(), in_, out_);
        serves ? SSL_set_accept_state(ssl_.get()) : SSL_set_connect_state(ssl_.get());
    }
    [[nodiscard]] bool done() const { return SSL_is_init_finished(ssl_.get()) == 1; }
    void put(byte_view from) {
        if (!from.empty())
            BIO_write(in_, from.data(), static_cast<int>(from.size()));
    }
    bytes take() {
        bytes out(BIO_ctrl_pending(out_));
        if (!out.empty())
            BIO_read(out_, out.data(), static_cast<int>(out.size()));
        return out;
    }
    void go_on() {
        if (!done())
            (void)SSL_do_handshake(ssl_.get());
        std::uint8_t room[4096];
        std::size_t got = 0;
        while (done() && SSL_read_ex(ssl_.get(), room, sizeof room, &got) == 1)
            came.insert(came.end(), room, room + got);
        ERR_clear_error();
    }
    void write(byte_view from) {
        std::size_t taken = 0;
        require(SSL_write_ex(ssl_.get(), from.data(), from.size(), &taken) == 1 && taken == from.size());
    }

    bytes came;

  private:
    ssl_handle ssl_;
    BIO *in_;  // of ssl_
    BIO *out_; // likewise
};

class trial {
  public:
    trial(tls_role role, form which, std::uint8_t first, byte_view rest)
        : own_(tls_session::make(context_of(role))), other_(role == tls_role::client, (first & 8U) != 0),
          form_(which), piece_(1U + first / 16U * std::size_t{7}), rest_(rest), message_(20'000, 'm') {
        require(own_ != nullptr);
    }

    void run() {
        if (form_ == form::stranger)
            return feed(rest_);
        for (int round = 0; round < 64; ++round) {
            other_.go_on();
            own_->advance();
            begin_traffic();
            const bytes there = pass_output();
            const bytes here = changed(other_.take());
            if (there.empty() && here.empty())
                break;
            other_.put(there);
            feed(here);
        }
        if (form_ == form::stranger_behind && own_->state() == tls_state::open)
            feed(rest_);
        check();
    }

  private:
    void begin_traffic() {
        if (began_ || own_->state() != tls_state::open || !other_.done())
            return;
        began_ = true;
        other_.write(message_);
        require(own_->write(message_) != 0);
    }

    bytes pass_output() {
        bytes out(own_->output().begin(), own_->output().end());
        own_->sent(out.size());
        return out;
    }

    // Three bytes say how far, in two of them, and what to change.
    bytes changed(bytes from) {
        for (std::size_t at = 0; form_ == form::changes && at + 2 < rest_.size(); at += 3) {
            const std::size_t place = rest_[at] * std::size_t{256} + rest_[at + 1];
            if (place >= passed_ && place < passed_ + from.size())
                from[place - passed_] ^= rest_[at + 2];
        }
        passed_ += from.size();
        return from;
    }

    std::size_t next_piece() {
        if (form_ != form::cuts || rest_.empty())
            return piece_;
        return 1U + rest_[cut_++ % rest_.size()];
    }

    void feed(byte_view from) {
        while (!from.empty() && own_->state() != tls_state::failed) {
            const auto room = own_->room();
            const std::size_t size = std::min({next_piece(), from.size(), room.size()});
            require(size != 0 || own_->state() != tls_state::open);
            if (size == 0)
                break;
            std::copy_n(from.begin(), size, room.begin());
            own_->received(size);
            from = from.subspan(size);
            own_->advance();
            read();
            own_->rest();
        }
        check();
    }

    void read() {
        std::uint8_t room[1000];
        while (const std::size_t got = own_->read(room))
            came_.insert(came_.end(), room, room + got);
    }

    void check() const {
        require((own_->state() == tls_state::failed) == (own_->failure() != tls_failure::none));
        require(came_.size() <= message_.size() && std::equal(came_.begin(), came_.end(), message_.begin()));
        require(came_.empty() || began_);
        require(own_->output().size() <= 256U * 1024);
        if (form_ != form::cuts || !began_)
            return;
        require(own_->state() == tls_state::open);
    }

    std::unique_ptr<tls_session> own_;
    peer other_;
    const form form_;
    const std::size_t piece_;
    const byte_view rest_;
    const bytes message_;
    bytes came_;
    bool began_ = false;
    std::size_t passed_ = 0;
    std::size_t cut_ = 0;

  public:
    // With cuts alone everything arrives.
    [[nodiscard]] bool complete() const {
        return came_.size() == message_.size() && !other_.came.empty() &&
               std::equal(other_.came.begin(), other_.came.end(), message_.begin());
    }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size == 0)
        return 0;
    const auto which = static_cast<form>(data[0] >> 1U & 3U);
    trial one((data[0] & 1U) != 0 ? tls_role::server : tls_role::client, which, data[0],
              byte_view(data + 1, size - 1));
    one.run();
    require(which != form::cuts || one.complete());
    return 0;
}
