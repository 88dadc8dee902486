// SPDX-License-Identifier: MPL-2.0
// The handshake of CURVE: every byte, every length, every key and every number that is not what it has to be.
#include "dialogue.hpp"

#include "base/bytes.hpp"
#include "security/curve_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zlink::security {
namespace {

using ::testing::ElementsAre;
using namespace std::string_literals;

// A client of the tests' own, which may do everything wrong.
struct script {
    curve::key_pair own = client_keys();
    curve::key_pair transient = curve::make_key_pair();
    curve::key server = server_keys().public_key;
    curve::key vouched_server = server_keys().public_key;
    curve::key vouched_transient = transient.public_key;
    std::uint64_t hello_number = 1;
    std::uint64_t initiate_number = 2;
    byte_buffer cookie{};                 // instead of the server's
    byte_buffer metadata = socket_type(); // as it is sealed
    std::size_t hello_cut = 0;
    std::size_t initiate_cut = 0;
    byte_buffer hello_more{};

    static byte_buffer socket_type() {
        byte_buffer out;
        zmtp::append_property(out, "Socket-Type", "REQ");
        return out;
    }
};

void append(byte_buffer &out, byte_view bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}

void append_number(byte_buffer &out, std::uint64_t number) {
    std::array<std::uint8_t, 8> bytes;
    store_big_endian_64(bytes.data(), number);
    append(out, bytes);
}

byte_buffer make_hello(const script &with) {
    byte_buffer data{1, 0};
    data.resize(74);
    append(data, with.transient.public_key);
    append_number(data, with.hello_number);
    const std::array<std::uint8_t, 64> zeros{};
    EXPECT_TRUE(curve::append_box(data, zeros, curve::make_nonce("CurveZMQHELLO---", with.hello_number),
                                  with.server, with.transient.secret_key));
    append(data, with.hello_more);
    data.resize(data.size() - with.hello_cut);
    return data;
}

byte_buffer make_initiate(const script &with, const byte_buffer &welcome) {
    const auto random = curve::first_of<16>(welcome);
    const auto opened = curve::open_box(byte_view(welcome).subspan(16), curve::make_nonce("WELCOME-", random),
                                        with.server, with.transient.secret_key);
    EXPECT_TRUE(opened.has_value());
    const auto server_transient = curve::first_of<32>(*opened);
    byte_buffer told;
    append(told, with.vouched_transient);
    append(told, with.vouched_server);
    const curve::long_nonce vouch_random = curve::random_long_nonce();
    byte_buffer plain;
    append(plain, with.own.public_key);
    append(plain, vouch_random);
    EXPECT_TRUE(curve::append_box(plain, told, curve::make_nonce("VOUCH---", vouch_random), server_transient,
                                  with.own.secret_key));
    append(plain, with.metadata);
    byte_buffer data = with.cookie;
    if (data.empty())
        append(data, byte_view(*opened).subspan(32));
    append_number(data, with.initiate_number);
    EXPECT_TRUE(curve::append_box(data, plain, curve::make_nonce("CurveZMQINITIATE", with.initiate_number),
                                  server_transient, with.transient.secret_key));
    data.resize(data.size() - with.initiate_cut);
    return data;
}

std::string greeting() {
    return "\xff" + std::string(8, '\0') + "\x7f\x03\x01" + "CURVE"s + std::string(47, '\0');
}

void say(handshake &to, std::string_view name, byte_view data) {
    byte_buffer frame;
    zmtp::append_command(frame, name, data);
    to.feed(frame);
}

// The data of the last command that the side has said.
byte_buffer heard(handshake &side, std::string_view name) {
    const std::string said(zmtp::as_text(side.output()));
    side.consume_output(said.size());
    const std::size_t at = said.find(name);
    if (at == std::string::npos)
        return {};
    return byte_buffer(said.begin() + static_cast<std::ptrdiff_t>(at + name.size()), said.end());
}

handshake fresh_server() {
    handshake side(config_of(socket_type::rep),
                   std::make_unique<curve_server>(server_keys().secret_key, true));
    side.feed(zmtp::as_bytes(greeting()));
    static_cast<void>(heard(side, ""));
    return side;
}

handshake_failure failure_with(const script &with) {
    handshake server = fresh_server();
    say(server, "HELLO", make_hello(with));
    if (server.state() == handshake_state::failed)
        return server.failure();
    const byte_buffer welcome = heard(server, "WELCOME");
    EXPECT_EQ(welcome.size(), curve::welcome_size);
    say(server, "INITIATE", make_initiate(with, welcome));
    if (server.state() == handshake_state::authenticating)
        server.authenticated(accepted());
    return server.failure();
}

class curve_handshake : public ::testing::Test {
  protected:
    void SetUp() override { ASSERT_TRUE(curve::ready()); }
};

TEST_F(curve_handshake, the_authenticator_is_asked_about_the_permanent_key) {
    dialogue talk = curve_dialogue();
    talk.run();
    EXPECT_THAT(talk.credentials, ElementsAre(std::string(zmtp::as_text(client_keys().public_key))));
    EXPECT_NE(talk.client.take_cipher(), nullptr);
    EXPECT_NE(talk.server.take_cipher(), nullptr);
}

TEST_F(curve_handshake, commands_have_their_sizes) {
    dialogue talk = curve_dialogue();
    talk.run();
    EXPECT_EQ(talk.client_said.find("\x04\xc8\x05HELLO\x01"), 64U);
    EXPECT_EQ(talk.server_said.find("\x04\xa8\x07WELCOME"), 64U);
}

TEST_F(curve_handshake, the_script_of_these_tests_is_right) {
    EXPECT_EQ(failure_with({}), handshake_failure::none);
    script far;
    far.hello_number = 500;
    far.initiate_number = 501;
    EXPECT_EQ(failure_with(far), handshake_failure::none);
}

TEST_F(curve_handshake, a_wrong_key_is_not_told_from_a_forgery) {
    dialogue talk = curve_dialogue(curve::make_key_pair().public_key);
    talk.run();
    EXPECT_EQ(talk.server.failure(), handshake_failure::cryptographic);
    EXPECT_EQ(talk.server_said.size(), 64U); // the greeting
    EXPECT_EQ(talk.asked, 0);
}

TEST_F(curve_handshake, keys_of_zeros_open_nothing) {
    dialogue talk = curve_dialogue(curve::key{});
    talk.run();
    EXPECT_EQ(talk.server.state(), handshake_state::failed);
    handshake server = fresh_server();
    byte_buffer hello(curve::hello_size);
    hello[0] = 1;
    say(server, "HELLO", hello);
    EXPECT_EQ(server.failure(), handshake_failure::cryptographic);
}

TEST_F(curve_handshake, every_length_of_hello_is_looked_at) {
    for (std::size_t cut = 1; cut <= curve::hello_size; ++cut) {
        script with;
        with.hello_cut = cut;
        ASSERT_EQ(failure_with(with), handshake_failure::malformed_hello) << cut;
    }
    script with;
    with.hello_more = {0};
    EXPECT_EQ(failure_with(with), handshake_failure::malformed_hello);
}

TEST_F(curve_handshake, every_length_of_initiate_is_looked_at) {
    const std::size_t whole = curve::initiate_least + script::socket_type().size();
    for (std::size_t cut = 1; cut <= whole; ++cut) {
        script with;
        with.initiate_cut = cut;
        const auto expected = whole - cut < curve::initiate_least ? handshake_failure::malformed_initiate
                                                                  : handshake_failure::cryptographic;
        ASSERT_EQ(failure_with(with), expected) << cut;
    }
}

TEST_F(curve_handshake, every_length_of_welcome_is_looked_at) {
    for (std::size_t size = 0; size < 200; ++size) {
        const byte_buffer data(size);
        handshake client(config_of(socket_type::req),
                         std::make_unique<curve_client>(client_keys(), server_keys().public_key));
        client.feed(zmtp::as_bytes(greeting()));
        say(client, "WELCOME", data);
        ASSERT_EQ(client.failure(), size == curve::welcome_size ? handshake_failure::cryptographic
                                                                : handshake_failure::malformed_welcome);
    }
}

TEST_F(curve_handshake, numbers_have_to_rise) {
    for (const std::uint64_t number :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{6}, std::uint64_t{7}}) {
        script with;
        with.hello_number = 7;
        with.initiate_number = number;
        EXPECT_EQ(failure_with(with), handshake_failure::replayed_number) << number;
    }
}

TEST_F(curve_handshake, a_cookie_of_another_connection_is_none) {
    handshake other = fresh_server();
    script with;
    say(other, "HELLO", make_hello(with));
    const byte_buffer welcome = heard(other, "WELCOME");
    const auto opened = curve::open_box(byte_view(welcome).subspan(16),
                                        curve::make_nonce("WELCOME-", curve::first_of<16>(welcome)),
                                        with.server, with.transient.secret_key);
    ASSERT_TRUE(opened.has_value());
    with.cookie.assign(opened->begin() + 32, opened->end());
    EXPECT_EQ(failure_with(with), handshake_failure::cryptographic);
    with.cookie.assign(curve::cookie_size, 0);
    EXPECT_EQ(failure_with(with), handshake_failure::cryptographic);
}

TEST_F(curve_handshake, the_vouch_has_to_be_the_clients_own_for_this_server_and_this_key) {
    script other_server;
    other_server.vouched_server = curve::make_key_pair().public_key;
    EXPECT_EQ(failure_with(other_server), handshake_failure::wrong_key_exchange);
    script other_transient;
    other_transient.vouched_transient = curve::make_key_pair().public_key;
    EXPECT_EQ(failure_with(other_transient), handshake_failure::wrong_key_exchange);
    script stolen; // somebody else's public key, without the secret one
    stolen.own.public_key = curve::make_key_pair().public_key;
    EXPECT_EQ(failure_with(stolen), handshake_failure::cryptographic);
}

TEST_F(curve_handshake, metadata_is_parsed_with_every_length_checked) {
    const byte_buffer right = script::socket_type();
    for (std::size_t size = 0; size < right.size(); ++size) {
        script with;
        with.metadata.assign(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(size));
        ASSERT_EQ(failure_with(with),
                  size == 0 ? handshake_failure::missing_socket_type : handshake_failure::malformed_metadata);
    }
    for (std::size_t place = 12; place < 16; ++place) {
        script with;
        with.metadata[place] = 0xFF;
        ASSERT_EQ(failure_with(with), handshake_failure::malformed_metadata);
    }
}

TEST_F(curve_handshake, no_byte_of_a_command_can_be_changed) {
    dialogue whole = curve_dialogue();
    whole.run();
    ASSERT_EQ(whole.client.state(), handshake_state::done);
    // Behind the greetings; padding of HELLO is for nobody.
    for (std::size_t place = 64; place < whole.client_said.size(); ++place) {
        if (place >= 64 + 2 + 6 + 2 && place < 64 + 2 + 6 + 2 + curve::hello_padding)
            continue;
        dialogue talk = curve_dialogue();
        talk.of_client = flip(place, 0x01);
        talk.run();
        ASSERT_NE(talk.server.state(), handshake_state::done) << place;
        ASSERT_EQ(talk.asked, 0) << place;
    }
    for (std::size_t place = 64; place < whole.server_said.size(); ++place) {
        dialogue talk = curve_dialogue();
        talk.of_server = flip(place, 0x01);
        talk.run();
        ASSERT_NE(talk.client.state(), handshake_state::done) << place;
    }
}

TEST_F(curve_handshake, commands_out_of_order_end_it) {
    for (const char *name : {"INITIATE", "READY", "WELCOME", "MESSAGE", "hello"}) {
        handshake server = fresh_server();
        say(server, name, make_hello({}));
        EXPECT_EQ(server.failure(), handshake_failure::unexpected_command) << name;
    }
    handshake twice = fresh_server();
    const script with;
    say(twice, "HELLO", make_hello(with));
    say(twice, "HELLO", make_hello(with));
    EXPECT_EQ(twice.failure(), handshake_failure::unexpected_command);
}

} // namespace
} // namespace zlink::security
