// SPDX-License-Identifier: MPL-2.0
#include "transport/tls/tls_session.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <openssl/tls1.h>
#include <openssl/x509_vfy.h>

#include "transport/tls/tls_peer.hpp"

namespace zlink::transport {
namespace {

constexpr std::size_t input_bytes = 32768; // two records, with what surrounds them
constexpr std::size_t most_kept = 4096;    // bytes of output memory of a session that rests
// Bytes that wait to be sent. A layer writes fewer. A peer that asks for new keys without end, and reads no
// answer, makes more.
constexpr std::size_t most_waiting = 128 * 1024;
constexpr int no_alert = -1;

} // namespace

const char *to_string(tls_state state) noexcept {
    switch (state) {
    case tls_state::handshake:
        return "handshake";
    case tls_state::open:
        return "open";
    case tls_state::closed:
        return "closed";
    case tls_state::failed:
        return "failed";
    }
    return "?";
}

const char *to_string(tls_failure failure) noexcept {
    switch (failure) {
    case tls_failure::none:
        return "none";
    case tls_failure::no_memory:
        return "no memory";
    case tls_failure::protocol:
        return "protocol";
    case tls_failure::version:
        return "version";
    case tls_failure::protocol_name:
        return "protocol name";
    case tls_failure::refused:
        return "refused";
    case tls_failure::no_certificate:
        return "no certificate";
    case tls_failure::expired:
        return "expired";
    case tls_failure::not_yet_valid:
        return "not yet valid";
    case tls_failure::other_host:
        return "other host";
    case tls_failure::untrusted:
        return "untrusted";
    case tls_failure::bad_certificate:
        return "bad certificate";
    case tls_failure::revoked:
        return "revoked";
    case tls_failure::no_revocations:
        return "no revocations";
    }
    return "?";
}

std::unique_ptr<tls_session> tls_session::make(std::shared_ptr<tls_context> context) {
    const openssl_errors_kept errors;
    std::unique_ptr<tls_session> made(new tls_session(std::move(context)));
    return made->begin() ? std::move(made) : nullptr;
}

bool tls_session::begin() noexcept {
    ssl_ = context_->open();
    BIO_METHOD *const method = carrier();
    if (!ssl_ || method == nullptr)
        return false;
    BIO *const network = BIO_new(method);
    if (network == nullptr)
        return false;
    BIO_set_data(network, this);
    BIO_set_init(network, 1);
    SSL_set_bio(ssl_.get(), network, network);
    SSL_set_info_callback(ssl_.get(), note_alert);
    return true;
}

// Without this OpenSSL forgets the session, which could be resumed.
tls_session::~tls_session() {
    if (ssl_ && state_ != tls_state::failed && state_ != tls_state::handshake)
        SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}

// ---- the bytes below

// One for the process, and without a lock, as the library context.
BIO_METHOD *tls_session::carrier() noexcept {
    static std::atomic<BIO_METHOD *> known{nullptr};
    if (BIO_METHOD *const there = known.load(std::memory_order_acquire))
        return there;
    BIO_METHOD *const made = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "zlink");
    if (made == nullptr)
        return nullptr;
    BIO_meth_set_read(made, take_input);
    BIO_meth_set_write(made, put_output);
    BIO_meth_set_ctrl(made, control);
    BIO_METHOD *there = nullptr;
    if (known.compare_exchange_strong(there, made, std::memory_order_acq_rel))
        return made;
    BIO_meth_free(made);
    return there;
}

int tls_session::take_input(BIO *from, char *to, int size) noexcept {
    auto &self = *static_cast<tls_session *>(BIO_get_data(from));
    BIO_clear_retry_flags(from);
    const std::size_t count =
        std::min(static_cast<std::size_t>(std::max(size, 0)), self.input_end_ - self.input_begin_);
    self.starved_ = count == 0;
    if (count == 0) {
        BIO_set_retry_read(from);
        return -1;
    }
    std::memcpy(to, self.input_.get() + self.input_begin_, count);
    self.input_begin_ += count;
    return static_cast<int>(count);
}

int tls_session::put_output(BIO *to, const char *from, int size) noexcept {
    auto &self = *static_cast<tls_session *>(BIO_get_data(to));
    BIO_clear_retry_flags(to);
    const std::span bytes(reinterpret_cast<const std::uint8_t *>(from),
                          static_cast<std::size_t>(std::max(size, 0)));
    try {
        self.output_.insert(self.output_.end(), bytes.begin(), bytes.end());
    } catch (const std::bad_alloc &) {
        self.no_memory_ = true;
        return -1;
    }
    return size;
}

long tls_session::control(BIO *, int command, long, void *) noexcept {
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

void tls_session::note_alert(const SSL *of, int where, int value) noexcept {
    auto &self = *static_cast<tls_session *>(BIO_get_data(SSL_get_rbio(of)));
    if (where == SSL_CB_READ_ALERT)
        self.alert_received_ = value & 0xff;
    else if (where == SSL_CB_WRITE_ALERT)
        self.alert_sent_ = value & 0xff;
}

std::span<std::uint8_t> tls_session::room() noexcept {
    if (!input_)
        input_.reset(new (std::nothrow) std::uint8_t[input_bytes]);
    if (!input_) {
        fail(tls_failure::no_memory);
        return {};
    }
    if (input_begin_ != 0) {
        std::memmove(input_.get(), input_.get() + input_begin_, input_end_ - input_begin_);
        input_end_ -= std::exchange(input_begin_, 0);
    }
    return std::span(input_.get(), input_bytes).subspan(input_end_);
}

void tls_session::received(std::size_t size) noexcept {
    if (size == 0)
        return;
    if (first_byte_ < 0)
        first_byte_ = input_[input_end_];
    input_end_ += size;
    starved_ = false;
}

std::span<const std::uint8_t> tls_session::output() const noexcept {
    return std::span(output_).subspan(output_sent_);
}

void tls_session::sent(std::size_t size) noexcept {
    output_sent_ += size;
    if (output_sent_ == output_.size()) {
        output_.clear();
        output_sent_ = 0;
    }
}

void tls_session::rest() noexcept {
    if (input_begin_ == input_end_) {
        input_begin_ = input_end_ = 0;
        input_.reset();
    }
}

void tls_session::rest_output() noexcept {
    if (output_.empty() && output_.capacity() > most_kept)
        std::vector<std::uint8_t>().swap(output_);
}

// ---- the machine

void tls_session::fail(tls_failure failure) noexcept {
    state_ = tls_state::failed;
    failure_ = failure;
}

// An operation of OpenSSL did not succeed. Its error queue may hold failures of the application, so it is not
// asked.
void tls_session::settle() noexcept {
    if (no_memory_)
        return fail(tls_failure::no_memory);
    if (SSL_want_read(ssl_.get()) && starved_)
        return;
    if (state_ == tls_state::open && (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0 &&
        alert_received_ == SSL_AD_CLOSE_NOTIFY)
        state_ = tls_state::closed;
    else
        fail(reason());
}

tls_failure tls_session::reason() const noexcept {
    if (first_byte_ != SSL3_RT_HANDSHAKE && first_byte_ != SSL3_RT_ALERT)
        return tls_failure::protocol; // whatever OpenSSL takes it for
    if (alert_sent_ != no_alert && SSL_get_verify_result(ssl_.get()) != X509_V_OK)
        return failure_of_verification(SSL_get_verify_result(ssl_.get()));
    if (alert_sent_ == no_alert && alert_received_ != no_alert)
        return failure_of_received_alert(alert_received_);
    return failure_of_sent_alert(alert_sent_);
}

void tls_session::advance() noexcept {
    if (state_ != tls_state::handshake)
        return;
    const openssl_use use;
    if (!use)
        return fail(tls_failure::no_memory);
    if (SSL_do_handshake(ssl_.get()) == 1)
        return on_done();
    settle();
}

void tls_session::on_done() noexcept {
    const unsigned char *name = nullptr;
    unsigned int size = 0;
    SSL_get0_alpn_selected(ssl_.get(), &name, &size);
    if (context_->names_protocols() && size == 0)
        return fail(tls_failure::protocol_name);
    state_ = tls_state::open;
}

std::size_t tls_session::read(std::span<std::uint8_t> room) noexcept {
    const openssl_errors_kept errors;
    std::size_t all = 0;
    while (state_ == tls_state::open && all < room.size()) {
        std::size_t got = 0;
        if (SSL_read_ex(ssl_.get(), room.data() + all, room.size() - all, &got) == 1) {
            all += got;
            continue;
        }
        settle();
        if (starved_)
            break;
    }
    if (output_.size() > most_waiting)
        fail(tls_failure::protocol);
    return all;
}

std::size_t tls_session::write(std::span<const std::uint8_t> bytes) noexcept {
    if (state_ != tls_state::open || bytes.empty())
        return 0;
    const openssl_errors_kept errors;
    std::size_t taken = 0;
    if (SSL_write_ex(ssl_.get(), bytes.data(), std::min(bytes.size(), largest_record), &taken) != 1) {
        fail(no_memory_ ? tls_failure::no_memory : tls_failure::protocol);
        return 0;
    }
    return taken;
}

bool tls_session::has_buffered() const noexcept {
    switch (state_) {
    case tls_state::handshake:
        return false;
    case tls_state::open:
        return SSL_pending(ssl_.get()) > 0 || (input_begin_ != input_end_ && !starved_);
    case tls_state::closed:
    case tls_state::failed:
        return true;
    }
    return false;
}

void tls_session::close() noexcept {
    if (state_ != tls_state::open && state_ != tls_state::closed)
        return;
    const openssl_errors_kept errors;
    (void)SSL_shutdown(ssl_.get());
}

bool tls_session::resumed() const noexcept {
    return SSL_session_reused(ssl_.get()) == 1;
}

tls_session::properties tls_session::facts() const {
    return facts_of_peer(ssl_.get());
}

} // namespace zlink::transport
