// SPDX-License-Identifier: MPL-2.0
#include "limit/tls_end.hpp"

#include "common/certificate.hpp"
#include "common/fail.hpp"

#include <algorithm>
#include <cstring>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <thread>
#include <unistd.h>

namespace bench {
namespace {

constexpr std::size_t record_bytes = SSL3_RT_MAX_PLAIN_LENGTH;

[[noreturn]] void fail_call(const char *call) {
    char text[256] = "the connection ended early";
    if (const unsigned long code = ERR_get_error(); code != 0)
        ERR_error_string_n(code, text, sizeof text);
    fail("%s: %s", call, text);
}

struct release {
    void operator()(SSL_CTX *context) const { SSL_CTX_free(context); }
    void operator()(BIO *bytes) const { BIO_free(bytes); }
    void operator()(X509 *read) const { X509_free(read); }
    void operator()(EVP_PKEY *read) const { EVP_PKEY_free(read); }
};
using context_pointer = std::unique_ptr<SSL_CTX, release>;
using bio_pointer = std::unique_ptr<BIO, release>;

bio_pointer bytes_of(const std::string &text) {
    return bio_pointer(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

context_pointer make_context(const SSL_METHOD *method) {
    context_pointer made(SSL_CTX_new(method));
    if (!made || SSL_CTX_set_min_proto_version(made.get(), TLS1_3_VERSION) != 1)
        fail_call("SSL_CTX_new");
    // One read(2) for many records; one SSL_write() writes all that it is given.
    SSL_CTX_set_read_ahead(made.get(), 1);
    SSL_CTX_set_default_read_buffer_len(made.get(), 2 * framer::batch_bytes);
    SSL_CTX_set_mode(made.get(), SSL_MODE_AUTO_RETRY);
    return made;
}

context_pointer server_context() {
    context_pointer made = make_context(TLS_server_method());
    const bio_pointer chain = bytes_of(own_certificate().chain_pem);
    const bio_pointer key = bytes_of(own_certificate().key_pem);
    const std::unique_ptr<X509, release> own(PEM_read_bio_X509(chain.get(), nullptr, nullptr, nullptr));
    const std::unique_ptr<EVP_PKEY, release> secret(
        PEM_read_bio_PrivateKey(key.get(), nullptr, nullptr, nullptr));
    if (SSL_CTX_use_certificate(made.get(), own.get()) != 1 ||
        SSL_CTX_use_PrivateKey(made.get(), secret.get()) != 1)
        fail_call("the server's certificate");
    return made;
}

context_pointer client_context() {
    context_pointer made = make_context(TLS_client_method());
    const bio_pointer chain = bytes_of(own_certificate().chain_pem);
    const std::unique_ptr<X509, release> trusted(PEM_read_bio_X509(chain.get(), nullptr, nullptr, nullptr));
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(made.get()), trusted.get()) != 1)
        fail_call("the client's authorities");
    SSL_CTX_set_verify(made.get(), SSL_VERIFY_PEER, nullptr);
    return made;
}

tls_session make_session(SSL_CTX *context, int descriptor) {
    tls_session made(SSL_new(context));
    if (!made || SSL_set_fd(made.get(), descriptor) != 1)
        fail_call("SSL_new");
    return made;
}

} // namespace

void close_session::operator()(SSL *session) const {
    const int descriptor = SSL_get_fd(session);
    SSL_free(session);
    close(descriptor);
}

std::pair<tls_session, tls_session> connected_sessions(std::pair<int, int> descriptors) {
    tls_session client = make_session(client_context().get(), descriptors.first);
    tls_session server = make_session(server_context().get(), descriptors.second);
    std::thread accepting([&server] {
        if (SSL_accept(server.get()) != 1)
            fail_call("SSL_accept");
    });
    if (SSL_connect(client.get()) != 1)
        fail_call("SSL_connect");
    accepting.join();
    return {std::move(client), std::move(server)};
}

tls_end::tls_end(tls_session session, frame_shape shape, const settings &wanted)
    : tls_end(std::move(session), framer(shape, wanted.size_bytes), wanted) {}

tls_end::tls_end(tls_session session, const framer &frames, const settings &wanted)
    : batched_end(frames, frames.is_large() ? record_bytes : framer::batch_bytes, framer::batch_bytes,
                  offset_apart_from(wanted.body_offset)),
      session_(std::move(session)) {}

std::size_t tls_end::send_all(const std::byte *bytes, std::size_t size) {
    std::size_t done = 0;
    if (SSL_write_ex(session_.get(), bytes, size, &done) != 1)
        fail_call("SSL_write_ex");
    return done;
}

std::size_t tls_end::receive_some(std::byte *to, std::size_t room) {
    std::size_t done = 0;
    if (SSL_read_ex(session_.get(), to, room, &done) != 1)
        fail_call("SSL_read_ex");
    return done;
}

std::size_t tls_end::send_record(const body &message, std::size_t done) {
    const std::size_t size = std::min(record_bytes, framer_.frame_bytes() - done);
    const std::size_t prefix = framer_.prefix_bytes();
    if (done != 0)
        return send_all(message.data() + (done - prefix), size);
    framer_.note_sent();
    std::memcpy(out_.data(), framer_.prefix(), prefix);
    std::memcpy(out_.data() + prefix, message.data(), size - prefix);
    return send_all(out_.data(), size);
}

std::size_t tls_end::receive_part(body &message, std::size_t done) {
    const std::size_t prefix = framer_.prefix_bytes();
    if (done < prefix)
        return receive_some(prefix_ + done, prefix - done);
    return receive_some(message.data() + (done - prefix), framer_.frame_bytes() - done);
}

void tls_end::send_whole(const body &message) {
    const std::size_t first = send_record(message, 0);
    if (first < framer_.frame_bytes())
        send_all(message.data() + (first - framer_.prefix_bytes()), framer_.frame_bytes() - first);
}

void tls_end::receive_whole(body &message) {
    for (std::size_t done = 0; done < framer_.frame_bytes();)
        done += receive_part(message, done);
    framer_.check_prefix(prefix_);
    framer_.note_received();
}

void tls_end::pass_whole(tls_end &to, const body &out, body &in) {
    std::size_t received = 0;
    for (std::size_t sent = 0; sent < framer_.frame_bytes();) {
        sent += send_record(out, sent);
        while (received < sent)
            received += to.receive_part(in, received);
    }
    to.framer_.check_prefix(to.prefix_);
    to.framer_.note_received();
}

} // namespace bench
