// SPDX-License-Identifier: MPL-2.0
// The memory that one peer can take is bounded by marks and limits.
#include "bare_peer.hpp"

#include <malloc.h>

#include <fstream>

namespace zlink::conformance {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr long factor = 20; // what the sanitizer keeps and shadows comes on top
#else
constexpr long factor = 1;
#endif
constexpr long mib = 1024 * 1024;

long resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    long size = 0;
    long resident = 0;
    statm >> size >> resident;
    return resident * ::sysconf(_SC_PAGESIZE);
}

// A frame with a long header.
std::string long_frame(char flags, const std::string &body) {
    std::string header(9, '\0');
    header[0] = static_cast<char>(flags | 2);
    for (std::size_t i = 0; i < 8; ++i)
        header[1 + i] = static_cast<char>(body.size() >> (56 - 8 * i));
    return header + body;
}

class CommandsOfAPeer : public ::testing::TestWithParam<std::size_t> {};

// Messages wait, none is received: the mark holds back what follows, and the commands between take no memory.
TEST_P(CommandsOfAPeer, BetweenMessagesTakeNoMemory) {
    const std::size_t size = GetParam();
    context owner;
    socket pull(owner, ZMQ_PULL);
    ASSERT_EQ(pull.bind("tcp://127.0.0.1:*"), 0);
    bare_peer peer(pull.last_endpoint());
    peer.shake_hands();
    const std::string command = long_frame(4, "\x08WHATEVER" + std::string(size, 'w'));
    const std::size_t messages = std::min<std::size_t>(900, 192 * mib / command.size()); // under the mark
    const std::size_t commands = 192 * mib / command.size() / messages;
    const long before = resident_bytes();
    for (std::size_t i = 0; i < messages; ++i) {
        for (std::size_t k = 0; k < commands; ++k)
            peer.write(command);
        peer.write("\0\1m"s);
    }
    peer.write("\x04\x07\x04PING\0\0"s);
    EXPECT_EQ(peer.read_frame(), "\x04PONG"); // all was taken
    EXPECT_LT(resident_bytes() - before, 16 * mib * factor);
    for (std::size_t i = 0; i < messages; ++i)
        ASSERT_EQ(pull.receive(), "m");
}
INSTANTIATE_TEST_SUITE_P(of, CommandsOfAPeer, ::testing::Values(90, 5000, 40'000, 1'000'000),
                         ::testing::PrintToStringParamName());

// A command comes between the frames of a message and in pieces.
TEST(CommandsOfOnePeer, AreCutOutWhereverTheyStand) {
    context owner;
    socket pull(owner, ZMQ_PULL);
    ASSERT_EQ(pull.bind("tcp://127.0.0.1:*"), 0);
    bare_peer peer(pull.last_endpoint());
    peer.shake_hands();
    const std::string command = long_frame(4, "\x08WHATEVER" + std::string(20'000, 'w'));
    const std::string large(100'000, 'l');
    for (const std::size_t piece :
         {std::size_t{1}, std::size_t{7}, std::size_t{5000}, std::size_t{1} << 20}) {
        const std::string all =
            command + "\1\1a"s + command + long_frame(1, large) + command + command + "\0\1c"s;
        for (std::size_t at = 0; at < all.size(); at += piece == 1 && at > 100 ? 4096 : piece)
            peer.write(all.substr(at, piece == 1 && at > 100 ? 4096 : piece));
        EXPECT_EQ(pull.receive_frames(), (frames{"a", large, "c"}));
    }
}

TEST(CommandsOfOnePeer, TopicsOfMoreThanAMebibyteArrive) {
    context owner;
    socket xpub(owner, ZMQ_XPUB);
    ASSERT_EQ(xpub.bind("tcp://127.0.0.1:*"), 0);
    socket sub(owner, ZMQ_SUB);
    const std::string topic(3 * mib, 't');
    sub.set(ZMQ_SUBSCRIBE, topic);
    ASSERT_EQ(sub.connect(xpub.last_endpoint()), 0);
    EXPECT_EQ(xpub.receive(), "\1"s + topic);
    ASSERT_EQ(xpub.send(topic + "!"), 0);
    EXPECT_EQ(sub.receive(), topic + "!");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// Bytes that the C library has given out.
std::size_t given_out() {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

// Messages of many sizes, of each 16 MiB in flight.
void send_many_sizes(context &owner, const char *endpoint) {
    socket push(owner, ZMQ_PUSH);
    socket pull(owner, ZMQ_PULL);
    for (socket *one : {&push, &pull}) {
        one->set(ZMQ_SNDHWM, 0);
        one->set(ZMQ_RCVHWM, 0);
    }
    ASSERT_EQ(pull.bind(endpoint), 0);
    ASSERT_EQ(push.connect(pull.last_endpoint()), 0);
    for (std::size_t size = 10'000; size < 4'000'000; size += size / 4) {
        const std::string body(size, 'b');
        const std::size_t count = 16 * mib / size;
        for (std::size_t i = 0; i < count; ++i)
            ASSERT_EQ(push.send(frames{body}), 0);
        for (std::size_t i = 0; i < count; ++i)
            ASSERT_EQ(pull.receive_frames()[0].size(), size);
    }
}

void send_many_sizes(const char *endpoint) {
    context owner;
    send_many_sizes(owner, endpoint);
}

TEST(KeptMemory, IsGivenBackWithTheLastContext) {
    send_many_sizes("tcp://127.0.0.1:*"); // what is made once and kept
    const std::size_t before = given_out();
    send_many_sizes("inproc://sizes");
    send_many_sizes("tcp://127.0.0.1:*");
    EXPECT_LT(given_out(), before + mib);
}

TEST(KeptMemory, IsBoundedWhileThereIsAContext) {
    const context other;
    const std::size_t before = given_out();
    send_many_sizes("inproc://sizes");
    EXPECT_LT(given_out(), before + 34 * mib);
}

// It has sent and received much, and does nothing more.
TEST(KeptMemory, OfAnIdleThreadIsAMebibyte) {
    send_many_sizes("inproc://sizes"); // what is made once and kept
    const std::size_t before = given_out();
    context owner;
    std::atomic<bool> idle = false;
    std::atomic<bool> over = false;
    std::thread thread([&] {
        send_many_sizes(owner, "inproc://sizes");
        idle = true;
        idle.notify_one();
        over.wait(false);
    });
    idle.wait(false);
    owner.term();
    EXPECT_LT(given_out(), before + 3 * mib / 2);
    over = true;
    over.notify_one();
    thread.join();
    EXPECT_LT(given_out(), before + mib / 2) << "after the end of the thread";
}

// Accepts a connection and shakes hands as a peer of that type, which does not read on.
class silent_server {
  public:
    silent_server(const bare_listener &listener, const std::string &type) : descriptor_(listener.accept()) {
        say("\xff"s + std::string(8, '\0') + "\x7f\x03\x01NULL"s + std::string(48, '\0'));
        hear(64);
        const std::string body = "\x05READY\x0bSocket-Type\0\0\0"s + static_cast<char>(type.size()) + type;
        say("\x04"s + static_cast<char>(body.size()) + body);
        const std::string head = hear(2);
        hear(static_cast<unsigned char>(head[1]));
    }
    ~silent_server() { ::close(descriptor_); }
    silent_server(const silent_server &) = delete;
    // Has anything come behind the handshake? The socket may have to make a call for it.
    [[nodiscard]] bool is_told(const socket &by) const {
        return eventually([&] {
            (void)by.get(ZMQ_EVENTS);
            char byte = 0;
            return ::recv(descriptor_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1;
        });
    }

  private:
    void say(const std::string &bytes) const {
        EXPECT_EQ(::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
    }
    std::string hear(std::size_t size) const {
        std::string bytes(size, ' ');
        EXPECT_EQ(::recv(descriptor_, bytes.data(), size, MSG_WAITALL), static_cast<ssize_t>(size));
        return bytes;
    }
    int descriptor_;
};

void reconnect_often(socket &client, const std::string &type) {
    const bare_listener listener;
    client.set(ZMQ_RECONNECT_IVL, 1);
    ASSERT_EQ(client.connect(listener.endpoint()), 0);
    std::size_t after_two = 0;
    for (int times = 0; times < 20; ++times) {
        const silent_server server(listener, type);
        ASSERT_TRUE(server.is_told(client));
        if (times == 1)
            after_two = given_out();
    }
    EXPECT_LT(given_out(), after_two + 16 * mib);
}

TEST(WhatWaits, DoesNotGrowWithTheReconnectsOfASub) {
    context owner;
    socket sub(owner, ZMQ_SUB);
    for (int topic = 0; topic < 1000; ++topic)
        sub.set(ZMQ_SUBSCRIBE, std::to_string(topic) + std::string(8000, 't'));
    reconnect_often(sub, "PUB");
}

TEST(WhatWaits, DoesNotGrowWithTheReconnectsOfADealerThatSaysHello) {
    context owner;
    socket dealer(owner, ZMQ_DEALER);
    dealer.set(ZMQ_HELLO_MSG, std::string(8 * mib, 'h'));
    reconnect_often(dealer, "ROUTER");
}

// Subscribes and unsubscribes while nobody is there, but for one topic.
void change_topics(const std::function<void(const std::string &, bool)> &change) {
    const std::size_t before = given_out();
    change("kept", true);
    for (int times = 0; times < 300'000; ++times) {
        change("topic", true);
        change("topic", false);
    }
    EXPECT_LT(given_out(), before + 2 * mib);
}

TEST(WhatWaits, IsTheSetOfTopicsWhileNobodyIsConnected) {
    context owner;
    const std::string endpoint = unused_endpoint("tcp");
    socket sub(owner, ZMQ_SUB);
    sub.set(ZMQ_RECONNECT_IVL, 10);
    ASSERT_EQ(sub.connect(endpoint), 0);
    change_topics(
        [&](const std::string &topic, bool on) { sub.set(on ? ZMQ_SUBSCRIBE : ZMQ_UNSUBSCRIBE, topic); });
    socket xpub(owner, ZMQ_XPUB);
    ASSERT_EQ(xpub.bind(endpoint), 0);
    EXPECT_EQ(xpub.receive(), "\1kept");
    ASSERT_EQ(xpub.send("topic not"), 0);
    ASSERT_EQ(xpub.send("kept it"), 0);
    EXPECT_EQ(sub.receive(), "kept it");
}

TEST(WhatWaits, KeepsTheMessagesOfAnXsub) {
    context owner;
    const std::string endpoint = unused_endpoint("tcp");
    socket xsub(owner, ZMQ_XSUB);
    xsub.set(ZMQ_RECONNECT_IVL, 10);
    xsub.set(ZMQ_SNDHWM, 0); // commands count, and a message beyond the mark is dropped
    ASSERT_EQ(xsub.connect(endpoint), 0);
    const std::string large(20'000, 'l');
    ASSERT_EQ(xsub.send(frames{"a message", large, "of three"}), 0);
    change_topics([&](const std::string &topic, bool on) {
        ASSERT_EQ(xsub.send(frames{(on ? "\1" : "\0"s) + topic}), 0);
    });
    ASSERT_EQ(xsub.send("another"), 0);
    socket xpub(owner, ZMQ_XPUB);
    ASSERT_EQ(xpub.bind(endpoint), 0);
    std::vector<std::string> messages; // and not what is said of topics
    while (messages.size() < 2) {
        const frames message = xpub.receive_frames();
        if (message[0][0] != '\0' && message[0][0] != '\1')
            messages.push_back(joined(message));
    }
    EXPECT_EQ(messages, (std::vector<std::string>{"a message|" + large + "|of three", "another"}));
}

#endif

} // namespace
} // namespace zlink::conformance
