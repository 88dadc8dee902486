// SPDX-License-Identifier: MPL-2.0
// Rules for both PLAIN and CURVE: both sides come to an end, whatever the pieces, whoever is asked.
#include "dialogue.hpp"

#include "security/mechanisms.hpp"
#include "zmtp/null_mechanism.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace zlink::security {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

dialogue null_dialogue() {
    return {handshake(config_of(socket_type::req, "c")),
            handshake(config_of(socket_type::rep),
                      std::make_unique<zmtp::null_mechanism>(zmtp::authentication{}))};
}

struct kind {
    const char *name;
    std::function<dialogue()> make;
};
const std::vector<kind> &kinds() {
    static const std::vector<kind> all{{"NULL", null_dialogue},
                                       {"PLAIN", [] { return plain_dialogue(); }},
                                       {"CURVE", [] { return curve_dialogue(); }}};
    return all;
}

TEST(security_dialogue, both_sides_agree_whatever_the_pieces) {
    for (const kind &one : kinds()) {
        for (const std::size_t step : {1U, 2U, 3U, 7U, 10U, 63U, 64U, 65U, 200U, 1000U}) {
            SCOPED_TRACE(std::string(one.name) + " by " + std::to_string(step));
            dialogue talk = one.make();
            talk.step = step;
            talk.run();
            ASSERT_EQ(talk.client.state(), handshake_state::done) << to_string(talk.client.failure());
            ASSERT_EQ(talk.server.state(), handshake_state::done) << to_string(talk.server.failure());
            EXPECT_EQ(talk.asked, 1);
            EXPECT_EQ(talk.client.peer().socket_type, "REP");
            EXPECT_EQ(talk.server.peer().socket_type, "REQ");
            EXPECT_EQ(talk.server.peer().routing_id, "c");
            EXPECT_EQ(*zmtp::find_property(talk.server.peer().properties, "x-note"), "of mine");
            EXPECT_THAT(talk.server.peer().vouched, ElementsAre(zmtp::property{"User-Id", "joe"}));
            EXPECT_TRUE(talk.client.peer().vouched.empty());
        }
    }
}

TEST(security_dialogue, who_is_refused_is_told_the_status_except_for_a_temporary_one) {
    for (const kind &one : kinds()) {
        for (const int status : {300, 400, 500}) {
            SCOPED_TRACE(std::string(one.name) + " " + std::to_string(status));
            dialogue talk = one.make();
            talk.answer = refused(status);
            talk.run();
            EXPECT_EQ(talk.server.failure(), handshake_failure::refused);
            EXPECT_EQ(talk.server.peer().refused_status, status);
            if (status == 300) {
                EXPECT_EQ(talk.client.state(), handshake_state::securing);
                EXPECT_THAT(talk.server_said, Not(HasSubstr("RROR")));
            } else {
                EXPECT_EQ(talk.client.failure(), handshake_failure::error_from_peer);
                EXPECT_EQ(talk.client.peer().error_reason, std::to_string(status));
            }
        }
    }
}

TEST(security_dialogue, a_broken_answer_ends_it_without_a_word) {
    for (const kind &one : kinds()) {
        dialogue talk = one.make();
        talk.answer = {.failure = handshake_failure::malformed_reply, .status = 0, .vouched = {}};
        talk.run();
        EXPECT_EQ(talk.server.failure(), handshake_failure::malformed_reply) << one.name;
        EXPECT_THAT(talk.server_said, Not(HasSubstr("RROR"))) << one.name;
    }
}

TEST(security_dialogue, nothing_is_taken_while_somebody_is_asked) {
    for (const kind &one : kinds()) {
        dialogue talk = one.make();
        byte_buffer none;
        for (int turn = 0; turn < 9 && talk.server.state() != handshake_state::authenticating; ++turn) {
            const byte_buffer there(talk.client.output().begin(), talk.client.output().end());
            talk.client.consume_output(there.size());
            talk.server.feed(there);
            const byte_buffer back(talk.server.output().begin(), talk.server.output().end());
            talk.server.consume_output(back.size());
            talk.client.feed(back);
        }
        ASSERT_EQ(talk.server.state(), handshake_state::authenticating) << one.name;
        const byte_buffer more(100, 0);
        EXPECT_EQ(talk.server.feed(more), 0U) << one.name;
        EXPECT_TRUE(talk.server.output().empty()) << one.name;
    }
}

TEST(security_dialogue, two_of_one_role_never_come_to_an_end) {
    const auto check = [](handshake a, handshake b) {
        dialogue talk{std::move(a), std::move(b)};
        talk.run();
        EXPECT_NE(talk.client.state(), handshake_state::done);
        EXPECT_NE(talk.server.state(), handshake_state::done);
        EXPECT_EQ(talk.asked, 0);
    };
    const auto config = config_of(socket_type::dealer);
    const auto plain = [&](bool server) {
        return server ? handshake(config, std::make_unique<plain_server>())
                      : handshake(config, std::make_unique<plain_client>("a", "b"));
    };
    const auto curve = [&](bool server) {
        return server ? handshake(config, std::make_unique<curve_server>(server_keys().secret_key, true))
                      : handshake(config,
                                  std::make_unique<curve_client>(client_keys(), server_keys().public_key));
    };
    for (const bool server : {false, true}) {
        check(plain(server), plain(server));
        check(curve(server), curve(server));
        check(plain(server), curve(!server));
        check(handshake(config), plain(server));
        check(handshake(config), curve(server));
    }
}

TEST(security_dialogue, no_byte_can_be_changed_into_harm) {
    for (const kind &one : kinds()) {
        dialogue whole = one.make();
        whole.run();
        const std::size_t of_client = whole.client_said.size();
        const std::size_t of_server = whole.server_said.size();
        for (std::size_t place = 0; place < of_client + of_server; ++place) {
            dialogue talk = one.make();
            (place < of_client ? talk.of_client : talk.of_server) =
                flip(place < of_client ? place : place - of_client, 0x41);
            talk.run();
            for (const handshake *side : {&talk.client, &talk.server}) {
                ASSERT_EQ(side->state() == handshake_state::failed,
                          side->failure() != handshake_failure::none);
                ASSERT_LE(side->peer().routing_id.size(), zmtp::max_routing_id);
            }
        }
    }
}

TEST(security_mechanisms, follow_the_options) {
    security_options options;
    const auto made = [&] { return make_mechanism(options); };
    EXPECT_EQ(made()->name(), "NULL");
    EXPECT_TRUE(made()->allows_old_peers());
    EXPECT_EQ(made()->awaits(), nullptr);
    options.zap_domain = "global";
    EXPECT_FALSE(made()->allows_old_peers());
    const auto asking = made();
    ASSERT_NE(asking->awaits(), nullptr);
    EXPECT_TRUE(asking->awaits()->optional);
    EXPECT_TRUE(asking->awaits()->credentials.empty());
    options.zap_enforce_domain = true;
    EXPECT_FALSE(made()->awaits()->optional);
    for (const mechanism_type type : {mechanism_type::plain, mechanism_type::curve}) {
        const std::string name = type == mechanism_type::plain ? "PLAIN" : "CURVE";
        options.mechanism = type;
        for (const bool server : {false, true}) {
            options.as_server = server;
            const auto one = made();
            EXPECT_EQ(one->name(), name);
            EXPECT_EQ(one->as_server(), server);
            EXPECT_FALSE(one->allows_old_peers());
            EXPECT_FALSE(one->may_start_early());
            EXPECT_EQ(one->seals_traffic(), type == mechanism_type::curve);
        }
    }
    options.mechanism = mechanism_type::gssapi;
    EXPECT_EQ(made(), nullptr);
}

} // namespace
} // namespace zlink::security
