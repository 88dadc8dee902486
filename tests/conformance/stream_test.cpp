// SPDX-License-Identifier: MPL-2.0
// STREAM: zmq_socket(3), "Native pattern". Beside it, tests/abi/stream.c compares single steps with libzmq.
#include "bare_peer.hpp"

#include <cstdint>
#include <map>

#include <arpa/inet.h>

namespace zlink::conformance {
namespace {

// Bytes that differ from place to place.
std::string pattern_of(std::size_t size, unsigned seed) {
    std::string bytes(size, '\0');
    std::uint32_t state = seed * 2654435761U + 1;
    for (char &byte : bytes) {
        state = state * 1664525U + 1013904223U;
        byte = static_cast<char>(state >> 24);
    }
    return bytes;
}

class plain_peer {
  public:
    explicit plain_peer(const std::string &endpoint) { connect_bare(descriptor_, endpoint); }
    plain_peer(const plain_peer &) = delete;
    ~plain_peer() { ::close(descriptor_); }
    void write(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            ASSERT_GT(sent, 0);
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    }
    // So many bytes, or what comes before the end.
    std::string read(std::size_t size) const {
        std::string bytes(size, '\0');
        std::size_t got = 0;
        while (got < size) {
            const ssize_t more = ::recv(descriptor_, bytes.data() + got, size - got, 0);
            if (more <= 0)
                break;
            got += static_cast<std::size_t>(more);
        }
        bytes.resize(got);
        return bytes;
    }
    void shut_down() const { ::shutdown(descriptor_, SHUT_WR); }

  private:
    int descriptor_ = ::socket(AF_INET, SOCK_STREAM, 0);
};

class stream : public ::testing::Test {
  protected:
    std::string accept_from(const plain_peer &) {
        const frames first = server.receive_frames();
        EXPECT_EQ(first.size(), 2U);
        EXPECT_EQ(first.back(), "");
        return first.front();
    }
    // Returns so many bytes that come from `id`.
    std::string read(const std::string &id, std::size_t size) {
        std::string bytes;
        while (bytes.size() < size) {
            const frames piece = server.receive_frames();
            if (piece.size() != 2 || piece[0] != id || piece[1].empty())
                return "after " + std::to_string(bytes.size()) + " bytes: " + joined(piece);
            bytes += piece[1];
        }
        return bytes;
    }
    static std::string bound(socket &subject) {
        EXPECT_EQ(subject.bind("tcp://127.0.0.1:*"), 0);
        return subject.last_endpoint();
    }

    context owner;
    socket server{owner, ZMQ_STREAM};
};

TEST_F(stream, carries_every_byte_in_both_directions) {
    const std::string endpoint = bound(server);
    constexpr std::size_t size = 3 << 20;
    const std::string forth = pattern_of(size, 1), back = pattern_of(size, 2);
    plain_peer peer(endpoint);
    const std::string id = accept_from(peer);
    std::thread writer([&] { peer.write(forth); });
    EXPECT_EQ(read(id, size), forth);
    writer.join();
    // Small ones, and large ones that are sent from where they lie, mixed.
    std::string echoed;
    std::thread reader([&] { echoed = peer.read(size); });
    for (std::size_t at = 0, turn = 0; at < size; ++turn) {
        const std::size_t count = std::min(size - at, turn % 7 == 0 ? std::size_t{50'000} : 1 + turn % 300);
        ASSERT_EQ(server.send(frames{id, back.substr(at, count)}), 0);
        at += count;
    }
    reader.join();
    EXPECT_EQ(echoed, back);
}

TEST_F(stream, what_was_sent_before_hanging_up_arrives) {
    const std::string endpoint = bound(server);
    constexpr std::size_t size = 2 << 20;
    plain_peer peer(endpoint);
    const std::string id = accept_from(peer);
    ASSERT_EQ(server.send(frames{id, pattern_of(size, 3)}), 0);
    ASSERT_EQ(server.send(frames{id, ""}), 0);
    EXPECT_EQ(server.send(frames{id, "more"}), EHOSTUNREACH);
    peer.write("nobody reads this"); // and it makes no reset of the end
    EXPECT_EQ(peer.read(size + 1), pattern_of(size, 3));
    EXPECT_TRUE(server.quiet());
}

TEST_F(stream, what_was_sent_before_close_arrives_as_far_as_linger_goes) {
    const std::string endpoint = bound(server);
    constexpr std::size_t size = 2 << 20;
    plain_peer peer(endpoint);
    const std::string id = accept_from(peer);
    server.set(ZMQ_LINGER, -1);
    ASSERT_EQ(server.send(frames{id, pattern_of(size, 4)}), 0);
    server.close();
    EXPECT_EQ(peer.read(size + 1), pattern_of(size, 4));
}

TEST_F(stream, many_peers_at_once_are_kept_apart) {
    const std::string endpoint = bound(server);
    constexpr int peers = 20, rounds = 30;
    std::vector<std::thread> clients;
    std::atomic<int> good = 0;
    for (int i = 0; i < peers; ++i)
        clients.emplace_back([&, i] {
            const plain_peer peer(endpoint);
            bool same = true;
            for (int round = 0; round < rounds; ++round) {
                const std::string text = "<" + std::to_string(i * 1000 + round) + ">";
                peer.write(text);
                same = same && peer.read(text.size()) == text;
            }
            peer.shut_down();
            same = same && peer.read(1).empty();
            good += same ? 1 : 0;
        });
    std::map<std::string, int> news; // of each: it came, it left
    for (int left = 0; left < peers;) {
        const frames message = server.receive_frames();
        ASSERT_EQ(message.size(), 2U);
        if (!message[1].empty())
            EXPECT_EQ(server.send(message), 0);
        else
            left += ++news[message[0]] == 2 ? 1 : 0;
    }
    for (std::thread &client : clients)
        client.join();
    EXPECT_EQ(good, peers);
    EXPECT_EQ(news.size(), static_cast<std::size_t>(peers));
}

TEST_F(stream, a_peer_that_is_not_read_is_held_back) {
    server.set(ZMQ_RCVHWM, 2);
    const std::string endpoint = bound(server);
    plain_peer peer(endpoint);
    const std::string id = accept_from(peer);
    constexpr std::size_t size = 16 << 20; // more than the system's buffers take
    std::atomic<bool> written = false;
    std::thread writer([&] {
        peer.write(std::string(size, 'x'));
        written = true;
    });
    zmq_poll(nullptr, 0, quiet_ms);
    EXPECT_FALSE(written);
    EXPECT_EQ(read(id, size).size(), size);
    writer.join();
}

TEST_F(stream, speaks_to_itself) {
    const std::string endpoint = bound(server);
    socket client(owner, ZMQ_STREAM);
    client.set(ZMQ_CONNECT_ROUTING_ID, "there");
    ASSERT_EQ(client.connect(endpoint), 0);
    EXPECT_EQ(client.receive_frames(), (frames{"there", ""}));
    ASSERT_EQ(client.send("there|GET / HTTP/1.0"), 0);
    const std::string id = server.receive_frames()[0];
    EXPECT_EQ(server.receive_frames(), (frames{id, "GET / HTTP/1.0"}));
    ASSERT_EQ(server.send(frames{id, "200 OK"}), 0);
    ASSERT_EQ(server.send(frames{id, ""}), 0);
    EXPECT_EQ(client.receive(), "there|200 OK");
    EXPECT_EQ(client.receive_frames(), (frames{"there", ""}));
}

TEST_F(stream, security_options_concern_it_not) {
    server.set(ZMQ_PLAIN_SERVER, 1);
    const std::string endpoint = bound(server);
    plain_peer peer(endpoint);
    const std::string id = accept_from(peer);
    peer.write("bare");
    EXPECT_EQ(read(id, 4), "bare");
}

} // namespace
} // namespace zlink::conformance
