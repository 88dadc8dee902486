// SPDX-License-Identifier: MPL-2.0
// Frames may be sent and received by any of the calls, one like this and the next like that.
#include <cstdlib>
#include <cstring>
#include <random>

#include "rig.hpp"

namespace zlink::conformance {
namespace {

class mixed_calls : public transport_test {
  protected:
    enum class way : std::uint8_t { buffer, constant, message, lent };

    [[nodiscard]] unsigned chance(unsigned out_of) { return static_cast<unsigned>(random_() % out_of); }
    std::string some_bytes() {
        constexpr std::array sizes{0U,  1U,   16U,  17U,  33U,   34U,   64U,
                                   65U, 255U, 256U, 300U, 8192U, 8193U, 70'000U};
        std::string bytes(sizes.at(chance(sizes.size())), '\0');
        for (char &byte : bytes)
            byte = static_cast<char>(random_());
        return bytes;
    }

    void send_frame(socket &by, const std::string &bytes, bool more) {
        const int flags = more ? ZMQ_SNDMORE : 0;
        const auto size = static_cast<int>(bytes.size());
        const auto how = static_cast<way>(chance(4));
        if (how == way::buffer) {
            EXPECT_EQ(zmq_send(by.handle(), bytes.data(), bytes.size(), flags), size);
        } else if (how == way::constant) {
            constants_.push_back(std::make_unique<std::string>(bytes));
            EXPECT_EQ(zmq_send_const(by.handle(), constants_.back()->data(), bytes.size(), flags), size);
        } else {
            send_message(by, bytes, flags, how == way::lent);
        }
    }
    void send_message(socket &by, const std::string &bytes, int flags, bool lent) {
        zmq_msg_t sent;
        if (lent) {
            void *memory = std::malloc(bytes.size() + 1);
            std::memcpy(memory, bytes.data(), bytes.size());
            ++lent_;
            zmq_msg_init_data(&sent, memory, bytes.size(), count_release, &released_);
        } else {
            zmq_msg_init_size(&sent, bytes.size());
            std::memcpy(zmq_msg_data(&sent), bytes.data(), bytes.size());
        }
        EXPECT_EQ(zmq_msg_send(&sent, by.handle(), flags), static_cast<int>(bytes.size()));
        EXPECT_EQ(zmq_msg_size(&sent), 0U) << "the message is to be empty now";
        zmq_msg_close(&sent);
    }
    static void count_release(void *memory, void *counter) {
        std::free(memory);
        ++*static_cast<std::atomic<int> *>(counter);
    }

    std::string receive_frame(socket &by, bool &more) {
        std::string bytes = chance(2) == 0 ? receive_buffer(by) : receive_message(by);
        more = by.get(ZMQ_RCVMORE) == 1;
        return bytes;
    }
    static std::string receive_buffer(socket &by) {
        std::string room(70'001, '-');
        const int size = zmq_recv(by.handle(), room.data(), room.size(), 0);
        EXPECT_GE(size, 0);
        EXPECT_EQ(room[static_cast<std::size_t>(size)], '-') << "beyond what was received";
        return room.substr(0, static_cast<std::size_t>(size));
    }
    // Into one that holds something else.
    static std::string receive_message(socket &by) {
        zmq_msg_t got;
        zmq_msg_init_size(&got, 100);
        EXPECT_GE(zmq_msg_recv(&got, by.handle(), 0), 0);
        EXPECT_EQ(zmq_msg_more(&got), by.get(ZMQ_RCVMORE));
        std::string bytes(static_cast<const char *>(zmq_msg_data(&got)), zmq_msg_size(&got));
        zmq_msg_close(&got);
        return bytes;
    }
    frames receive_message_of(socket &by) {
        frames parts;
        bool more = true;
        while (more)
            parts.push_back(receive_frame(by, more));
        return parts;
    }
    // A few messages, then the same number is received: some wait in a queue then, some do not.
    void exchange(socket &from, socket &to, const std::string &id_sent, const std::string &id_received) {
        std::vector<frames> due;
        for (unsigned left = chance(5) + 1; left != 0; --left) {
            frames parts;
            for (unsigned more = chance(4) == 0 ? chance(3) + 1 : 1; more != 0; --more)
                parts.push_back(some_bytes());
            if (!id_sent.empty())
                send_frame(from, id_sent, true);
            for (std::size_t at = 0; at < parts.size(); ++at)
                send_frame(from, parts[at], at + 1 < parts.size());
            if (!id_received.empty())
                parts.insert(parts.begin(), id_received);
            due.push_back(std::move(parts));
        }
        for (const frames &parts : due)
            ASSERT_EQ(receive_message_of(to), parts);
    }

    std::minstd_rand random_{17};
    std::vector<std::unique_ptr<std::string>> constants_;
    std::atomic<int> released_{0};
    int lent_ = 0;
};

TEST_P(mixed_calls, pairs) {
    socket one{owner, ZMQ_PAIR};
    socket other = connected(ZMQ_PAIR, bind(one));
    for (int round = 0; round < 300; ++round) {
        exchange(one, other, "", "");
        exchange(other, one, "", "");
    }
    EXPECT_TRUE(eventually([&] { return released_ == lent_; }));
}

TEST_P(mixed_calls, router_and_dealer) {
    socket router{owner, ZMQ_ROUTER};
    socket dealer{owner, ZMQ_DEALER};
    dealer.set(ZMQ_ROUTING_ID, "it");
    ASSERT_EQ(dealer.connect(bind(router)), 0);
    for (int round = 0; round < 300; ++round) {
        exchange(dealer, router, "", "it");
        exchange(router, dealer, "it", "");
    }
    EXPECT_TRUE(eventually([&] { return released_ == lent_; }));
}

ZLINK_OVER_EVERY_TRANSPORT(mixed_calls);

} // namespace
} // namespace zlink::conformance
