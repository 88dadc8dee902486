// SPDX-License-Identifier: MPL-2.0
// Secrets are gone from the process's memory when their sockets are.
// The tests read all memory of the process. A sanitizer maps terabytes, and keeps freed memory.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include "security_rig.hpp"

#include <fcntl.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <tuple>

namespace zlink::conformance {
namespace {

// A text that stands in memory only while it is made: what is kept is another text, of the characters behind
// each.
class hidden_text {
  public:
    explicit hidden_text(std::string &&text) {
        for (const char each : text)
            kept_ += static_cast<char>(each + 1);
        ::explicit_bzero(text.data(), text.size());
    }
    // Writes the text, to be wiped by the caller.
    void write(char *to) const {
        for (const char each : kept_)
            *to++ = static_cast<char>(each - 1);
    }
    [[nodiscard]] std::size_t size() const { return kept_.size(); }
    [[nodiscard]] bool is(std::string_view text) const {
        return std::ranges::equal(text, kept_, {}, [](char each) { return static_cast<char>(each + 1); });
    }
    // How often is the text in memory that can be written?
    [[nodiscard]] int count() const {
        std::ifstream maps("/proc/self/maps");
        const int memory = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
        int found = 0;
        for (std::string line; std::getline(maps, line);) {
            unsigned long begin = 0;
            unsigned long end = 0;
            char may_write = '-';
            if (std::sscanf(line.c_str(), "%lx-%lx %*c%c", &begin, &end, &may_write) != 3 || may_write != 'w')
                continue;
            std::string bytes(end - begin, '\0');
            if (::pread(memory, bytes.data(), bytes.size(), static_cast<off_t>(begin)) > 0)
                found += count_in(bytes);
            ::explicit_bzero(bytes.data(), bytes.size()); // the copy is not to be found the next time
        }
        ::close(memory);
        return found;
    }

  private:
    [[nodiscard]] int count_in(const std::string &bytes) const {
        int found = 0;
        for (std::size_t at = 0; at + kept_.size() <= bytes.size(); ++at) {
            std::size_t same = 0;
            while (same < kept_.size() && bytes[at + same] == static_cast<char>(kept_[same] - 1))
                ++same;
            found += same == kept_.size() ? 1 : 0;
        }
        return found;
    }
    std::string kept_;
};

void set_hidden(socket &on, int option, const hidden_text &text) {
    std::vector<char> bytes(text.size());
    text.write(bytes.data());
    EXPECT_EQ(zmq_setsockopt(on.handle(), option, bytes.data(), bytes.size()), 0);
    ::explicit_bzero(bytes.data(), bytes.size());
}

std::string random_text(std::size_t size) {
    std::random_device random;
    std::string text(size, ' ');
    for (char &each : text)
        each = static_cast<char>('a' + random() % 25);
    return text;
}

// A server that asks for a user's name and password, and a client that has them.
struct plain_pair {
    explicit plain_pair(const hidden_text &password) {
        server.set(ZMQ_PLAIN_SERVER, 1);
        client.set(ZMQ_PLAIN_USERNAME, "admin");
        set_hidden(client, ZMQ_PLAIN_PASSWORD, password);
    }
    void join() {
        ASSERT_EQ(server.bind("tcp://127.0.0.1:*"), 0);
        ASSERT_EQ(client.connect(server.last_endpoint()), 0);
    }
    context owner;
    socket server{owner, ZMQ_ROUTER};
    handshake_monitor monitor{owner, server};
    socket client{owner, ZMQ_DEALER};
};

class PasswordOfPlain : public ::testing::TestWithParam<std::size_t> {};

TEST_P(PasswordOfPlain, IsWiped) {
    const hidden_text password(random_text(GetParam()));
    ASSERT_EQ(password.count(), 0);
    {
        plain_pair pair(password);
        EXPECT_GT(password.count(), 0) << "the search finds nothing";
        set_hidden(pair.client, ZMQ_PLAIN_PASSWORD, hidden_text(random_text(250)));
        set_hidden(pair.client, ZMQ_PLAIN_PASSWORD, password);
        pair.join();
        EXPECT_NE(pair.monitor.next(), "succeeded"); // the server has heard it, and has nobody to ask
    }
    EXPECT_EQ(password.count(), 0);
}
INSTANTIATE_TEST_SUITE_P(of, PasswordOfPlain, ::testing::Values(14, 200),
                         ::testing::PrintToStringParamName());

enum class reading { by_message, by_buffer, not_at_all };

// Receives a message. Returns true if its last frame is the text. Memory of the test does not keep the text.
bool receive_hidden(socket &from, const hidden_text &text, reading how) {
    std::array<char, 256> bytes;
    bool same = false;
    do {
        if (how == reading::by_buffer) {
            const int size = zmq_recv(from.handle(), bytes.data(), bytes.size(), 0);
            EXPECT_GE(size, 0);
            same = size >= 0 && text.is({bytes.data(), static_cast<std::size_t>(size)});
        } else {
            zmq_msg_t frame;
            EXPECT_EQ(zmq_msg_init(&frame), 0);
            EXPECT_GE(zmq_msg_recv(&frame, from.handle(), 0), 0);
            same = text.is({static_cast<const char *>(zmq_msg_data(&frame)), zmq_msg_size(&frame)});
            EXPECT_EQ(zmq_msg_close(&frame), 0);
        }
    } while (from.get(ZMQ_RCVMORE) != 0);
    ::explicit_bzero(bytes.data(), bytes.size());
    return same;
}

class PasswordInZapRequest : public ::testing::TestWithParam<std::tuple<std::size_t, reading>> {};

TEST_P(PasswordInZapRequest, IsWiped) {
    const auto [size, how] = GetParam();
    const hidden_text password(random_text(size));
    {
        plain_pair pair(password);
        socket handler(pair.owner, ZMQ_REP);
        ASSERT_EQ(handler.bind(zap_endpoint), 0);
        pair.join();
        ASSERT_TRUE(handler.ready(ZMQ_POLLIN, patience_ms));
        if (how != reading::not_at_all) {
            EXPECT_TRUE(receive_hidden(handler, password, how));
            ASSERT_EQ(handler.send("1.0|1|200|||"), 0);
            EXPECT_EQ(pair.monitor.next(), "succeeded");
        }
        pair.client.close();
        if (how == reading::not_at_all)
            handler.close();
        EXPECT_TRUE(eventually([&] { return password.count() == 0; }))
            << "the sockets of the server are open";
    }
    EXPECT_EQ(password.count(), 0);
}
INSTANTIATE_TEST_SUITE_P(of, PasswordInZapRequest,
                         ::testing::Combine(::testing::Values(14, 200),
                                            ::testing::Values(reading::by_message, reading::by_buffer,
                                                              reading::not_at_all)));

int listen_locally(std::string &endpoint) {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof where;
    EXPECT_EQ(::bind(listener, reinterpret_cast<sockaddr *>(&where), sizeof where), 0);
    EXPECT_EQ(::listen(listener, 1), 0);
    EXPECT_EQ(::getsockname(listener, reinterpret_cast<sockaddr *>(&where), &size), 0);
    endpoint = "127.0.0.1:" + std::to_string(ntohs(where.sin_port));
    return listener;
}

// Reads `size` bytes. Returns true if they end with the text.
bool hears(int peer, std::size_t size, const hidden_text &text) {
    std::array<char, 600> bytes;
    EXPECT_EQ(::recv(peer, bytes.data(), size, MSG_WAITALL), static_cast<ssize_t>(size));
    const bool same = text.size() <= size && text.is({bytes.data() + size - text.size(), text.size()});
    ::explicit_bzero(bytes.data(), bytes.size());
    return same;
}

class PasswordForProxy : public ::testing::TestWithParam<std::size_t> {};

TEST_P(PasswordForProxy, IsWiped) {
    const hidden_text password(random_text(GetParam()));
    std::string proxy;
    const int listener = listen_locally(proxy);
    {
        context owner;
        socket client(owner, ZMQ_DEALER);
        client.set(ZMQ_SOCKS_PROXY, proxy);
        client.set(ZMQ_SOCKS_USERNAME, "user");
        set_hidden(client, ZMQ_SOCKS_PASSWORD, password);
        EXPECT_GT(password.count(), 0);
        set_hidden(client, ZMQ_SOCKS_PASSWORD, hidden_text(random_text(250)));
        set_hidden(client, ZMQ_SOCKS_PASSWORD, password);
        ASSERT_EQ(client.connect("tcp://127.0.0.1:1"), 0);
        const int peer = ::accept(listener, nullptr, nullptr);
        const hidden_text nothing("");
        EXPECT_TRUE(hears(peer, 3, nothing));
        EXPECT_EQ(::send(peer, "\x05\x02", 2, 0), 2);
        EXPECT_TRUE(hears(peer, 3 + std::strlen("user") + password.size(), password));
        EXPECT_EQ(::send(peer, "\x01\x00", 2, 0), 2);
        EXPECT_TRUE(hears(peer, 10, nothing)) << "the request";
        ::close(peer);
    }
    ::close(listener);
    EXPECT_EQ(password.count(), 0);
}
INSTANTIATE_TEST_SUITE_P(of, PasswordForProxy, ::testing::Values(14, 200),
                         ::testing::PrintToStringParamName());

// A pair whose secret key is not in the form that the arithmetic works on.
struct hidden_pair {
    std::string public_key = std::string(32, '\0');
    hidden_text secret_key{make()};

  private:
    std::string make() {
        char open[41];
        char secret[41];
        std::string bytes(32, '\0');
        do {
            EXPECT_EQ(zmq_curve_keypair(open, secret), 0);
            EXPECT_NE(zmq_z85_decode(reinterpret_cast<std::uint8_t *>(bytes.data()), secret), nullptr);
        } while ((bytes[0] & 7) == 0);
        EXPECT_NE(zmq_z85_decode(reinterpret_cast<std::uint8_t *>(public_key.data()), open), nullptr);
        return bytes;
    }
};

TEST(KeysOfCurve, AreWiped) {
    hidden_pair server_pair;
    hidden_pair client_pair;
    ASSERT_EQ(server_pair.secret_key.count() + client_pair.secret_key.count(), 0);
    {
        context owner;
        socket server(owner, ZMQ_PULL);
        server.set(ZMQ_CURVE_SERVER, 1);
        set_hidden(server, ZMQ_CURVE_SECRETKEY, server_pair.secret_key);
        socket client(owner, ZMQ_PUSH);
        client.set(ZMQ_CURVE_SERVERKEY, server_pair.public_key);
        client.set(ZMQ_CURVE_PUBLICKEY, client_pair.public_key);
        set_hidden(client, ZMQ_CURVE_SECRETKEY, client_pair.secret_key);
        EXPECT_GT(server_pair.secret_key.count(), 0);
        EXPECT_GT(client_pair.secret_key.count(), 0);
        ASSERT_EQ(server.bind("tcp://127.0.0.1:*"), 0);
        ASSERT_EQ(client.connect(server.last_endpoint()), 0);
        ASSERT_EQ(client.send("hello"), 0);
        EXPECT_EQ(server.receive(), "hello");
    }
    EXPECT_EQ(server_pair.secret_key.count(), 0);
    EXPECT_EQ(client_pair.secret_key.count(), 0);
}

} // namespace
} // namespace zlink::conformance
#endif
