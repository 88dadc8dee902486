// SPDX-License-Identifier: MPL-2.0
// Every exchange split at every byte, cut off at every byte, mutated at every byte; two handshakes against
// each other.
#include "handshake_script.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

namespace zlink::zmtp {
namespace {

using namespace std::string_literals;

struct exchange {
    const char *what;
    std::string wire;
    int major, minor;
    std::string routing_id;
};

std::vector<exchange> exchanges() {
    const std::vector<property> told{
        {"Socket-Type", "DEALER"}, {"Identity", "peer"}, {"X-a", std::string(300, 'v')}};
    return {
        {"3.1", greeting() + ready(told), 3, 1, "peer"},
        {"3.0", greeting(0) + ready({{"Socket-Type", "REQ"}}), 3, 0, ""},
        {"4.2", greeting(2, 4) + ready(told), 3, 1, "peer"},
        {"2.0", signature() + "\x01\x05\0\x04peer"s, 2, 0, "peer"},
        {"2.0 without identity", signature() + "\x01\x03\0\0"s, 2, 0, ""},
        {"version byte 0", signature() + "\0\x03\x05\0peer"s, 1, 0, "peer"},
        {"version byte 0, long", signature() + "\0\x03\xff\0\0\0\0\0\0\0\x05\0peer"s, 1, 0, "peer"},
        {"2.0 long", signature() + "\x01\x05\x02\0\0\0\0\0\0\0\x04peer"s, 2, 0, "peer"},
        {"1.0", "\x05\0peer"s, 1, 0, "peer"},
        {"1.0 without identity", "\x01\0"s, 1, 0, ""},
        {"1.0 long", "\xff\0\0\0\0\0\0\0\x05\0peer"s, 1, 0, "peer"},
    };
}

void expect_done(const handshake &side, const exchange &expected) {
    ASSERT_EQ(to_string(side.state()), "done") << expected.what << ": " << to_string(side.failure());
    ASSERT_EQ(side.peer().version_major, expected.major) << expected.what;
    ASSERT_EQ(side.peer().version_minor, expected.minor) << expected.what;
    ASSERT_EQ(side.peer().routing_id, expected.routing_id) << expected.what;
}

TEST(handshake_split, in_three_at_every_pair_of_bytes) {
    for (const exchange &one : exchanges()) {
        const std::size_t size = one.wire.size();
        const std::string wire = one.wire + "behind";
        handshake whole(config_of(socket_type::router, "own"));
        whole.feed(as_bytes(one.wire));
        const std::string sent = drain(whole);
        for (std::size_t first = 0; first <= size; ++first) {
            for (std::size_t second = first; second <= size; second += 1 + (size > 100 ? 13U : 0U)) {
                handshake side(config_of(socket_type::router, "own"));
                ASSERT_EQ(feed_pieces(side, wire, {first, second, wire.size()}), size);
                ASSERT_NO_FATAL_FAILURE(expect_done(side, one));
                ASSERT_EQ(drain(side), sent) << one.what;
            }
        }
    }
}

TEST(handshake_split, byte_by_byte_with_the_output_taken_byte_by_byte) {
    for (const exchange &one : exchanges()) {
        handshake whole(config_of(socket_type::router, "own"));
        whole.feed(as_bytes(one.wire));
        handshake side(config_of(socket_type::router, "own"));
        std::string sent;
        for (const char byte : one.wire) {
            ASSERT_EQ(side.feed(as_bytes({&byte, 1})), 1U);
            if (!side.output().empty()) {
                sent += static_cast<char>(side.output()[0]);
                side.consume_output(1);
            }
        }
        ASSERT_NO_FATAL_FAILURE(expect_done(side, one));
        EXPECT_EQ(sent + drain(side), drain(whole));
    }
}

TEST(handshake_split, cut_off_anywhere_it_waits_and_is_not_done) {
    for (const exchange &one : exchanges()) {
        for (std::size_t size = 0; size < one.wire.size(); ++size) {
            handshake side(config_of(socket_type::router));
            ASSERT_EQ(side.feed(as_bytes(one.wire.substr(0, size))), size);
            ASSERT_NE(side.state(), handshake_state::done) << one.what << " at " << size;
            ASSERT_NE(side.state(), handshake_state::failed) << one.what << " at " << size;
        }
    }
}

// Any byte may be anything: the handshake ends in a state that says so, the same for every split, and what is
// done is legal.
TEST(handshake_split, every_byte_mutated) {
    for (const exchange &one : exchanges()) {
        for (std::size_t at = 0; at < one.wire.size(); ++at) {
            for (const int flip : {0x01, 0x02, 0x04, 0x20, 0x80, 0xFF}) {
                std::string wire = one.wire;
                wire[at] = static_cast<char>(wire[at] ^ flip);
                handshake whole(config_of(socket_type::router));
                const std::size_t used = whole.feed(as_bytes(wire));
                handshake split(config_of(socket_type::router));
                std::vector<std::size_t> cuts;
                for (std::size_t cut = 1; cut <= wire.size(); ++cut) {
                    cuts.push_back(cut);
                }
                ASSERT_EQ(feed_pieces(split, wire, cuts), used);
                ASSERT_EQ(split.state(), whole.state());
                ASSERT_EQ(split.failure(), whole.failure());
                ASSERT_EQ(whole.state() == handshake_state::failed,
                          whole.failure() != handshake_failure::none);
                ASSERT_LE(whole.peer().routing_id.size(), max_old_routing_id);
                ASSERT_EQ(drain(split), drain(whole));
            }
        }
    }
}

// Moves `step` bytes at a time each way until both sides have nothing to say. Bytes behind the end of
// the handshake are returned as traffic: there must be none.
void talk(handshake &a, handshake &b, std::size_t step) {
    const auto move = [step](handshake &from, handshake &to) {
        const byte_view bytes = from.output().first(std::min(step, from.output().size()));
        const byte_buffer copy(bytes.begin(), bytes.end());
        from.consume_output(copy.size());
        const std::size_t used = to.feed(copy);
        EXPECT_TRUE(used == copy.size() || to.state() == handshake_state::failed);
        return !copy.empty();
    };
    for (bool moved = true; moved;) {
        const bool there = move(a, b);
        moved = move(b, a) || there;
    }
}

TEST(handshake_talk, two_sides_agree_whatever_the_pieces) {
    for (const std::size_t step : {1U, 2U, 3U, 7U, 10U, 11U, 64U, 1000U}) {
        handshake a(config_of(socket_type::dealer, "left"));
        handshake b(config_of(socket_type::router, "right"));
        talk(a, b, step);
        ASSERT_EQ(a.state(), handshake_state::done) << step;
        ASSERT_EQ(b.state(), handshake_state::done) << step;
        EXPECT_EQ(a.peer().routing_id, "right");
        EXPECT_EQ(b.peer().routing_id, "left");
        EXPECT_EQ(a.peer().socket_type, "ROUTER");
        EXPECT_TRUE(a.peer().subscribes_by_command());
    }
}

TEST(handshake_talk, types_that_do_not_fit_fail_on_both_sides) {
    for (const std::size_t step : {1U, 5U, 1000U}) {
        handshake a(config_of(socket_type::push));
        handshake b(config_of(socket_type::pub));
        talk(a, b, step);
        EXPECT_EQ(a.failure(), handshake_failure::socket_type_mismatch);
        EXPECT_EQ(b.failure(), handshake_failure::socket_type_mismatch);
    }
}

// A mechanism as PLAIN and CURVE are: two commands each way, one after the other, nothing early, no old
// peers.
class dialogue final : public mechanism {
  public:
    explicit dialogue(bool server) : server_(server) {}
    std::string_view name() const noexcept override { return "DIALOGUE"; }
    bool as_server() const noexcept override { return server_; }
    bool allows_old_peers() const noexcept override { return false; }
    bool may_start_early() const noexcept override { return false; }
    void begin(std::vector<property> own) override { own_ = std::move(own); }
    bool append_next(byte_buffer &out) override {
        const int turn = server_ ? received_ - 1 : received_;
        if (sent_ > turn || sent_ == 2) {
            return false;
        }
        if (++sent_ == 1) {
            append_command(out, "HELLO", {});
        } else {
            append_ready(out, own_);
        }
        return true;
    }
    handshake_failure accept(const command &incoming) override {
        if (++received_ == 1) {
            return incoming.name == "HELLO" ? handshake_failure::none : handshake_failure::unexpected_command;
        }
        peer_ = *parse_properties(incoming.data);
        return handshake_failure::none;
    }
    bool done() const noexcept override { return sent_ == 2 && received_ == 2; }
    std::span<const property> peer_properties() const noexcept override { return peer_; }

  private:
    bool server_;
    int sent_ = 0, received_ = 0;
    std::vector<property> own_, peer_;
};

TEST(handshake_talk, mechanism_of_several_commands_is_driven_to_its_end) {
    for (const std::size_t step : {1U, 2U, 9U, 64U, 1000U}) {
        handshake client(config_of(socket_type::req, "c"), std::make_unique<dialogue>(false));
        handshake server(config_of(socket_type::rep), std::make_unique<dialogue>(true));
        talk(client, server, step);
        ASSERT_EQ(client.state(), handshake_state::done) << step;
        ASSERT_EQ(server.state(), handshake_state::done) << step;
        EXPECT_EQ(client.peer().socket_type, "REP");
        EXPECT_EQ(server.peer().routing_id, "c");
    }
}

TEST(handshake_talk, mechanism_without_old_peers_greets_at_once_and_refuses_them) {
    for (const std::string &old : {signature() + "\x01", "\x01\0"s, "\xff\0\0\0\0\0\0\0\x01\0"s}) {
        handshake side(config_of(socket_type::req), std::make_unique<dialogue>(false));
        EXPECT_EQ(drain(side).size(), 64U);
        side.feed(as_bytes(old));
        EXPECT_EQ(side.failure(), handshake_failure::version_refused);
        EXPECT_EQ(drain(side), "");
    }
}

TEST(handshake_talk, different_mechanisms_part) {
    handshake a(config_of(socket_type::req), std::make_unique<dialogue>(false));
    handshake b(config_of(socket_type::rep));
    talk(a, b, 16);
    EXPECT_EQ(a.failure(), handshake_failure::mechanism_mismatch);
    EXPECT_EQ(b.failure(), handshake_failure::mechanism_mismatch);
}

} // namespace
} // namespace zlink::zmtp
