// SPDX-License-Identifier: MPL-2.0
#include "security/curve_server.hpp"

#include "base/bytes.hpp"
#include "security/curve_cipher.hpp"
#include "security/curve_commands.hpp"

#include <algorithm>

namespace zlink::security {

using zmtp::append_bytes;
using zmtp::byte_buffer;
using zmtp::byte_view;
using zmtp::handshake_failure;

namespace {

// Ours: READY, then frames.
constexpr std::uint64_t ready_number = 1;
constexpr std::uint64_t first_frame_of_server = 2;

} // namespace

curve_server::curve_server(const curve::key &secret, bool optional)
    : secret_(secret), transient_(curve::make_key_pair()), cookie_key_(curve::random_key()) {
    asked_.optional = optional;
}

curve_server::~curve_server() {
    curve::wipe(secret_);
    curve::wipe(cookie_key_);
}

std::string_view curve_server::name() const noexcept {
    return curve::mechanism_name;
}

bool curve_server::append_next(byte_buffer &out) {
    switch (step_) {
    case step::send_welcome:
        append_welcome(out);
        step_ = step::await_initiate;
        return true;
    case step::send_ready:
        append_ready(out);
        step_ = step::over;
        return true;
    case step::await_hello:
    case step::await_initiate:
    case step::ask:
    case step::over:
        break;
    }
    return false;
}

handshake_failure curve_server::take_hello(byte_view data) {
    if (data.size() != curve::hello_size ||
        !std::equal(curve::version.begin(), curve::version.end(), data.begin()))
        return handshake_failure::malformed_hello;
    client_transient_ = curve::first_of<curve::key_size>(data.subspan(curve::hello_key_at));
    const std::uint64_t number = load_big_endian_64(data.data() + curve::hello_number_at);
    const auto opened =
        curve::open_box(data.subspan(curve::hello_box_at), curve::make_nonce(curve::hello_prefix, number),
                        client_transient_, secret_);
    const std::array<std::uint8_t, curve::hello_zeros> zeros{};
    if (!opened || !curve::same(*opened, zeros))
        return handshake_failure::cryptographic;
    last_received_ = number;
    step_ = step::send_welcome;
    return handshake_failure::none;
}

// HELLO's box was opened with the same keys, so that this one can be made.
void curve_server::append_welcome(byte_buffer &out) {
    curve::secret_bytes kept(2 * curve::key_size);
    append_bytes(kept.bytes, client_transient_);
    append_bytes(kept.bytes, transient_.secret_key);
    const curve::long_nonce cookie_random = curve::random_long_nonce();
    byte_buffer plain;
    append_bytes(plain, transient_.public_key);
    append_bytes(plain, cookie_random);
    curve::append_secret_box(plain, kept.bytes, curve::make_nonce(curve::cookie_prefix, cookie_random),
                             cookie_key_);
    const curve::long_nonce random = curve::random_long_nonce();
    byte_buffer data;
    append_bytes(data, random);
    static_cast<void>(curve::append_box(data, plain, curve::make_nonce(curve::welcome_prefix, random),
                                        client_transient_, secret_));
    zmtp::append_command(out, curve::welcome, data);
}

bool curve_server::is_our_cookie(byte_view cookie) const {
    const auto with =
        curve::make_nonce(curve::cookie_prefix, curve::first_of<curve::long_nonce_size>(cookie));
    auto opened = curve::open_secret_box(cookie.subspan(curve::long_nonce_size), with, cookie_key_);
    if (!opened)
        return false;
    const curve::secret_bytes kept(std::move(*opened));
    return curve::same(byte_view(kept.bytes).first(curve::key_size), client_transient_) &&
           curve::same(byte_view(kept.bytes).subspan(curve::key_size), transient_.secret_key);
}

handshake_failure curve_server::take_initiate(byte_view data) {
    if (data.size() < curve::initiate_least)
        return handshake_failure::malformed_initiate;
    if (!is_our_cookie(data.first(curve::cookie_size)))
        return handshake_failure::cryptographic;
    const std::uint64_t number = load_big_endian_64(data.data() + curve::cookie_size);
    if (number <= last_received_)
        return handshake_failure::replayed_number;
    const auto opened = curve::open_box(data.subspan(curve::initiate_box_at),
                                        curve::make_nonce(curve::initiate_prefix, number), client_transient_,
                                        transient_.secret_key);
    if (!opened)
        return handshake_failure::cryptographic;
    last_received_ = number;
    return take_client(*opened);
}

handshake_failure curve_server::take_client(byte_view told) {
    const curve::key client = curve::first_of<curve::key_size>(told);
    if (const auto failure = check_vouch(told.subspan(curve::key_size, curve::vouch_size), client);
        failure != handshake_failure::none)
        return failure;
    auto properties = zmtp::parse_properties(told.subspan(curve::key_size + curve::vouch_size));
    if (!properties)
        return handshake_failure::malformed_metadata;
    peer_ = std::move(*properties);
    asked_.credentials = {std::string(zmtp::as_text(client))};
    step_ = step::ask;
    return handshake_failure::none;
}

// The owner of the permanent key says that the transient one is its own, and for this server.
handshake_failure curve_server::check_vouch(byte_view vouch, const curve::key &client) const {
    const auto with = curve::make_nonce(curve::vouch_prefix, curve::first_of<curve::long_nonce_size>(vouch));
    const auto told =
        curve::open_box(vouch.subspan(curve::long_nonce_size), with, client, transient_.secret_key);
    if (!told)
        return handshake_failure::cryptographic;
    const bool right = curve::same(byte_view(*told).first(curve::key_size), client_transient_) &&
                       curve::same(byte_view(*told).subspan(curve::key_size), curve::public_key_of(secret_));
    return right ? handshake_failure::none : handshake_failure::wrong_key_exchange;
}

void curve_server::append_ready(byte_buffer &out) {
    byte_buffer plain;
    for (const zmtp::property &one : own_properties_)
        zmtp::append_property(plain, one.name, one.value);
    byte_buffer data(curve::short_nonce_size);
    store_big_endian_64(data.data(), ready_number);
    static_cast<void>(curve::append_box(data, plain, curve::make_nonce(curve::ready_prefix, ready_number),
                                        client_transient_, transient_.secret_key));
    zmtp::append_command(out, curve::ready_name, data);
}

handshake_failure curve_server::accept(const zmtp::command &incoming) {
    if (step_ == step::await_hello && incoming.name == curve::hello)
        return take_hello(incoming.data);
    if (step_ == step::await_initiate && incoming.name == curve::initiate)
        return take_initiate(incoming.data);
    return handshake_failure::unexpected_command;
}

std::unique_ptr<zmtp::frame_cipher> curve_server::take_cipher() {
    if (!done())
        return nullptr;
    return curve_cipher::create(curve_cipher::side::server, client_transient_, transient_.secret_key,
                                first_frame_of_server, last_received_);
}

} // namespace zlink::security
