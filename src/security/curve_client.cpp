// SPDX-License-Identifier: MPL-2.0
#include "security/curve_client.hpp"

#include "base/bytes.hpp"
#include "security/curve_cipher.hpp"
#include "security/curve_commands.hpp"

namespace zlink::security {

using zmtp::append_bytes;
using zmtp::byte_buffer;
using zmtp::byte_view;
using zmtp::handshake_failure;

namespace {

// Our commands in the order of their numbers; frames follow.
constexpr std::uint64_t hello_number = 1;
constexpr std::uint64_t initiate_number = 2;
constexpr std::uint64_t first_frame_of_client = 3;

void append_number(byte_buffer &out, std::uint64_t number) {
    std::array<std::uint8_t, curve::short_nonce_size> bytes;
    store_big_endian_64(bytes.data(), number);
    append_bytes(out, bytes);
}

} // namespace

curve_client::curve_client(const curve::key_pair &own, const curve::key &server)
    : own_(own), server_(server), transient_(curve::make_key_pair()) {}

std::string_view curve_client::name() const noexcept {
    return curve::mechanism_name;
}

bool curve_client::append_next(byte_buffer &out) {
    switch (step_) {
    case step::send_hello:
        append_hello(out);
        step_ = step::await_welcome;
        return true;
    case step::send_initiate:
        append_initiate(out);
        step_ = step::await_ready;
        return true;
    case step::await_welcome:
    case step::await_ready:
    case step::over:
        break;
    }
    return false;
}

// A key of the server's that is no key makes no box; the command is short then, and the server ends it.
void curve_client::append_hello(byte_buffer &out) {
    byte_buffer data(curve::version.begin(), curve::version.end());
    data.resize(data.size() + curve::hello_padding);
    append_bytes(data, transient_.public_key);
    append_number(data, hello_number);
    const std::array<std::uint8_t, curve::hello_zeros> zeros{};
    static_cast<void>(curve::append_box(data, zeros, curve::make_nonce(curve::hello_prefix, hello_number),
                                        server_, transient_.secret_key));
    zmtp::append_command(out, curve::hello, data);
}

handshake_failure curve_client::take_welcome(byte_view data) {
    if (data.size() != curve::welcome_size)
        return handshake_failure::malformed_welcome;
    const auto with = curve::make_nonce(curve::welcome_prefix, curve::first_of<curve::long_nonce_size>(data));
    const auto opened =
        curve::open_box(data.subspan(curve::long_nonce_size), with, server_, transient_.secret_key);
    if (!opened)
        return handshake_failure::cryptographic;
    server_transient_ = curve::first_of<curve::key_size>(*opened);
    cookie_.assign(opened->begin() + curve::key_size, opened->end());
    step_ = step::send_initiate;
    return handshake_failure::none;
}

void curve_client::append_initiate(byte_buffer &out) {
    byte_buffer told;
    append_bytes(told, transient_.public_key);
    append_bytes(told, server_);
    const curve::long_nonce random = curve::random_long_nonce();
    byte_buffer plain;
    append_bytes(plain, own_.public_key);
    append_bytes(plain, random);
    static_cast<void>(curve::append_box(plain, told, curve::make_nonce(curve::vouch_prefix, random),
                                        server_transient_, own_.secret_key));
    for (const zmtp::property &one : own_properties_)
        zmtp::append_property(plain, one.name, one.value);
    byte_buffer data = std::move(cookie_);
    append_number(data, initiate_number);
    static_cast<void>(curve::append_box(data, plain,
                                        curve::make_nonce(curve::initiate_prefix, initiate_number),
                                        server_transient_, transient_.secret_key));
    zmtp::append_command(out, curve::initiate, data);
}

handshake_failure curve_client::take_ready(byte_view data) {
    if (data.size() < curve::ready_least)
        return handshake_failure::malformed_ready;
    const std::uint64_t number = load_big_endian_64(data.data());
    const auto opened =
        curve::open_box(data.subspan(curve::short_nonce_size), curve::make_nonce(curve::ready_prefix, number),
                        server_transient_, transient_.secret_key);
    if (!opened)
        return handshake_failure::cryptographic;
    auto properties = zmtp::parse_properties(*opened);
    if (!properties)
        return handshake_failure::malformed_metadata;
    last_received_ = number;
    peer_ = std::move(*properties);
    step_ = step::over;
    return handshake_failure::none;
}

handshake_failure curve_client::accept(const zmtp::command &incoming) {
    if (step_ == step::await_welcome && incoming.name == curve::welcome)
        return take_welcome(incoming.data);
    if (step_ == step::await_ready && incoming.name == curve::ready_name)
        return take_ready(incoming.data);
    return handshake_failure::unexpected_command;
}

std::unique_ptr<zmtp::frame_cipher> curve_client::take_cipher() {
    if (!done())
        return nullptr;
    return curve_cipher::create(curve_cipher::side::client, server_transient_, transient_.secret_key,
                                first_frame_of_client, last_received_);
}

} // namespace zlink::security
