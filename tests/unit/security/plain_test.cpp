// SPDX-License-Identifier: MPL-2.0
#include "dialogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zlink::security {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using namespace std::string_literals;

std::string framed(const std::string &body) {
    return "\x04"s + static_cast<char>(body.size()) + body;
}
std::string greeting() {
    return "\xff" + std::string(8, '\0') + "\x7f\x03\x01PLAIN"s + std::string(47, '\0');
}

// The outcome of one side against a scripted peer.
handshake after(std::unique_ptr<zmtp::mechanism> security, const std::vector<std::string> &bodies) {
    handshake side(config_of(socket_type::rep), std::move(security));
    side.feed(zmtp::as_bytes(greeting()));
    for (const std::string &body : bodies) {
        side.feed(zmtp::as_bytes(framed(body)));
        if (side.state() == handshake_state::authenticating)
            side.authenticated(accepted());
    }
    return side;
}
handshake server_after(const std::vector<std::string> &bodies) {
    return after(std::make_unique<plain_server>(), bodies);
}
handshake client_after(const std::vector<std::string> &bodies) {
    return after(std::make_unique<plain_client>("admin", "secret"), bodies);
}

const std::string hello = "\5HELLO\5admin\6secret";
const std::string initiate = "\10INITIATE\13Socket-Type\0\0\0\3REQ"s;
const std::string ready = "\5READY\13Socket-Type\0\0\0\3REQ"s;

TEST(plain, says_what_the_specification_has) {
    dialogue talk = plain_dialogue();
    talk.run();
    EXPECT_THAT(talk.client_said, HasSubstr("\x04\x13\5HELLO\5admin\6secret\x04"));
    EXPECT_THAT(talk.client_said, HasSubstr("\10INITIATE\13Socket-Type\0\0\0\3REQ\10Identity\0\0\0\1c"s));
    EXPECT_THAT(talk.server_said, HasSubstr("\x04\x08\7WELCOME\x04"s));
    EXPECT_THAT(talk.server_said, HasSubstr("\5READY\13Socket-Type\0\0\0\3REP"s));
    EXPECT_THAT(talk.credentials, ElementsAre("admin", "secret"));
}

TEST(plain, credentials_may_be_empty_or_255_bytes) {
    for (const std::size_t size : {0U, 1U, 255U}) {
        dialogue talk = plain_dialogue(std::string(size, 'u'), std::string(size, 'p'));
        talk.run();
        EXPECT_EQ(talk.server.state(), handshake_state::done);
        EXPECT_THAT(talk.credentials, ElementsAre(std::string(size, 'u'), std::string(size, 'p')));
    }
}

TEST(plain, a_server_takes_no_other_command_and_no_other_length) {
    const struct {
        std::vector<std::string> said;
        handshake_failure expected;
    } cases[] = {
        {{"\5HELLX\5admin\6secret"}, handshake_failure::unexpected_command},
        {{initiate}, handshake_failure::unexpected_command},
        {{ready}, handshake_failure::unexpected_command},
        {{"\5HELLO"}, handshake_failure::malformed_hello},
        {{"\5HELLO\5adm"}, handshake_failure::malformed_hello},
        {{"\5HELLO\5admin"}, handshake_failure::malformed_hello},
        {{"\5HELLO\5admin\7secret"}, handshake_failure::malformed_hello},
        {{"\5HELLO\5admin\xff"
          "secret"},
         handshake_failure::malformed_hello},
        {{"\5HELLO\5admin\6secretX"}, handshake_failure::malformed_hello},
        {{"\5HELLO\xff"}, handshake_failure::malformed_hello},
        {{hello, hello}, handshake_failure::unexpected_command},
        {{hello, "\10INITIATX"}, handshake_failure::unexpected_command},
        {{hello, "\10INITIATE\13Socket-Type\0\0\0\4REQ"s}, handshake_failure::malformed_metadata},
        {{hello, "\10INITIATE\13Socket-Type\xff\xff\xff\xffREQ"s}, handshake_failure::malformed_metadata},
        {{hello, "\10INITIATE"}, handshake_failure::missing_socket_type},
        {{hello, "\10INITIATE\13Socket-Type\0\0\0\3SUB"s}, handshake_failure::socket_type_mismatch},
        {{"\5ERROR\003400"}, handshake_failure::error_from_peer},
    };
    for (const auto &one : cases)
        EXPECT_EQ(server_after(one.said).failure(), one.expected) << ::testing::PrintToString(one.said);
    EXPECT_EQ(server_after({hello, initiate}).state(), handshake_state::done);
}

TEST(plain, a_client_takes_no_other_command_and_no_other_length) {
    const struct {
        std::vector<std::string> said;
        handshake_failure expected;
    } cases[] = {
        {{"\7WELCOMX"}, handshake_failure::unexpected_command},
        {{"\7WELCOMEx"}, handshake_failure::malformed_welcome},
        {{ready}, handshake_failure::unexpected_command},
        {{hello}, handshake_failure::unexpected_command},
        {{"\7WELCOME", "\7WELCOME"}, handshake_failure::unexpected_command},
        {{"\7WELCOME", "\5READY\13Socket-Type\0\0\0\4REQ"s}, handshake_failure::malformed_metadata},
        {{"\7WELCOME", "\5READY"}, handshake_failure::missing_socket_type},
        {{"\5ERROR\011400"}, handshake_failure::malformed_command},
    };
    for (const auto &one : cases)
        EXPECT_EQ(client_after(one.said).failure(), one.expected) << ::testing::PrintToString(one.said);
    EXPECT_EQ(client_after({"\7WELCOME", ready}).state(), handshake_state::done);
}

// libzmq misspells ERROR in this mechanism, and understands nothing else.
TEST(plain, both_spellings_of_error_are_understood_and_libzmqs_is_sent) {
    for (const char *said : {"\5ERROR\003400", "\x5eRROR\003400"}) {
        const handshake side = client_after({said});
        EXPECT_EQ(side.failure(), handshake_failure::error_from_peer);
        EXPECT_EQ(side.peer().error_reason, "400");
    }
    EXPECT_EQ(client_after({"\x5eRROR\004400"}).failure(), handshake_failure::malformed_command);
    EXPECT_EQ(client_after({"\x5eRROX\003400"}).failure(), handshake_failure::malformed_command);
    dialogue talk = plain_dialogue();
    talk.answer = refused(400);
    talk.run();
    EXPECT_THAT(talk.server_said, EndsWith("\x04\x09\x5eRROR\003400"));
}

} // namespace
} // namespace zlink::security
