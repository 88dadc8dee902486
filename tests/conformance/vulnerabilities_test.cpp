// SPDX-License-Identifier: MPL-2.0
// One test, or more, for each vulnerability that was published of libzmq and concerns handshakes, security or
// decoding; from what the advisories say. Named after them.
#include "bare_peer.hpp"
#include "security_rig.hpp"

#include "security/curve_client.hpp"
#include "zmtp/command.hpp"
#include "zmtp/handshake.hpp"

#include <malloc.h>
#include <poll.h>

// Sizes that no memory is large enough for are asked for, and get none.
#if defined(__SANITIZE_ADDRESS__)
extern "C" __attribute__((visibility("default"))) const char *__asan_default_options() {
    return "allocator_may_return_null=1";
}
#elif defined(__SANITIZE_THREAD__)
extern "C" __attribute__((visibility("default"))) const char *__tsan_default_options() {
    return "allocator_may_return_null=1";
}
#endif

namespace zlink::conformance {
namespace {

constexpr std::array<mechanism, 3> all_mechanisms{mechanism::null, mechanism::plain, mechanism::curve};

std::string greeting_of(const std::string &name) {
    return "\xff"s + std::string(8, '\0') + "\x7f\x03\x01"s + name + std::string(52 - name.size(), '\0');
}
const std::string greeting_2_0 = "\xff"s + std::string(8, '\0') + "\x7f\x01\x08\0\0"s; // PUSH, no identity

// A server that asks about everybody, with a friend that is heard whatever happens to the others.
class guarded_server {
  public:
    explicit guarded_server(mechanism chosen)
        : chosen_(chosen),
          handler_(owner,
                   [](const frames &request) {
                       return reply_of(request.size() == 6 ? "400" : "200"); // NULL has no credentials
                   }),
          sink(owner, ZMQ_PULL) {
        serve_with(sink, chosen);
        EXPECT_EQ(sink.bind("tcp://127.0.0.1:*"), 0);
        endpoint = sink.last_endpoint();
    }
    // Is a client with the right credentials heard, and nobody else? (With NULL nobody has any.)
    void expect_only_friends() {
        if (chosen_ != mechanism::null) {
            socket client(owner, ZMQ_PUSH);
            call_with(client, chosen_);
            ASSERT_EQ(client.connect(endpoint), 0);
            ASSERT_EQ(client.send("friend"), 0);
            EXPECT_EQ(sink.receive(), "friend");
        }
        EXPECT_TRUE(sink.quiet());
    }

    context owner;
    std::string endpoint;

  private:
    mechanism chosen_;
    authenticator handler_;

  public:
    socket sink;
};

// ---- version downgrade

// A peer that says it is of an old version, or of another mechanism, must not come past the mechanism that
// was asked for.
TEST(CVE_2014_7202, a_peer_of_an_old_version_does_not_come_past_the_mechanism) {
    for (const mechanism chosen : all_mechanisms) {
        guarded_server server(chosen);
        for (const std::string &start : {greeting_2_0, "\xff"s + std::string(8, '\0') + "\x7f\0\x08\0\0"s,
                                         "\x01\0"s, "\x05\0peer"s, "\xff\0\0\0\0\0\0\0\x01\0"s}) {
            bare_peer peer(server.endpoint);
            peer.write(start);
            const std::string said = peer.read_to_end();
            EXPECT_LE(said.size(), 64U);
        }
        server.expect_only_friends();
    }
}

TEST(CVE_2014_9721, a_downgraded_peer_that_goes_on_is_not_heard) {
    for (const mechanism chosen : all_mechanisms) {
        guarded_server server(chosen);
        for (const std::string &start :
             {greeting_2_0 + "\0\x05HELLO"s, "\x01\0\x06\0HELLO"s,
              greeting_of("NULL") + "\x04\x1a\x05READY\x0bSocket-Type\0\0\0\x04PUSH\0\x05HELLO"s,
              greeting_of("PLAIN") + "\x04\x1a\x05READY\x0bSocket-Type\0\0\0\x04PUSH\0\x05HELLO"s,
              greeting_of("CURVE") + "\x04\x1a\x05READY\x0bSocket-Type\0\0\0\x04PUSH\0\x05HELLO"s}) {
            bare_peer peer(server.endpoint);
            peer.write(start);
            static_cast<void>(peer.read_to_end());
        }
        server.expect_only_friends();
    }
}

// The other way: a client that asks for CURVE says nothing to a server that has none.
TEST(CVE_2014_9721, a_client_of_curve_does_not_talk_to_an_open_server) {
    context owner;
    socket open(owner, ZMQ_PULL);
    ASSERT_EQ(open.bind("tcp://127.0.0.1:*"), 0);
    socket client(owner, ZMQ_PUSH);
    call_with(client, mechanism::curve);
    ASSERT_EQ(client.connect(open.last_endpoint()), 0);
    // The handshake may have failed before the send: then there is no peer, and the send says EAGAIN.
    const int sent = client.send("secret", ZMQ_DONTWAIT);
    EXPECT_TRUE(sent == 0 || sent == EAGAIN) << sent;
    EXPECT_TRUE(open.quiet());
}

// ---- nonces

// A client of CURVE made of the library's own machines, whose bytes the test has in its hands.
class curve_script {
  public:
    explicit curve_script(const std::string &endpoint) : peer_(endpoint), talk_(config(), make_client()) {
        exchange();
    }
    void write(const std::string &bytes) { peer_.write(bytes); }
    [[nodiscard]] std::string rest() { return peer_.read_to_end(); }
    [[nodiscard]] std::string sealed(const std::string &body) {
        std::string wire(cipher_->sealed_size(body.size()), '\0');
        cipher_->seal(0, zmtp::as_bytes(body), reinterpret_cast<std::uint8_t *>(wire.data()));
        return wire;
    }

  private:
    static zmtp::handshake_config config() {
        return {.type = socket_type::push, .routing_id = {}, .extra = {}};
    }
    static std::unique_ptr<zmtp::mechanism> make_client() {
        zlink::security::curve::key_pair own;
        zlink::security::curve::key server;
        zmq_z85_decode(own.public_key.data(), client_key_texts().public_key);
        zmq_z85_decode(own.secret_key.data(), client_key_texts().secret_key);
        zmq_z85_decode(server.data(), server_key_texts().public_key);
        return std::make_unique<zlink::security::curve_client>(own, server);
    }
    void exchange() {
        while (talk_.state() != zmtp::handshake_state::done) {
            const std::string out(zmtp::as_text(talk_.output()));
            talk_.consume_output(out.size());
            peer_.write(out);
            const std::string in = peer_.read(1);
            ASSERT_FALSE(in.empty());
            talk_.feed(zmtp::as_bytes(in));
            ASSERT_NE(talk_.state(), zmtp::handshake_state::failed);
        }
        cipher_ = talk_.take_cipher();
    }
    bare_peer peer_;
    zmtp::handshake talk_;
    std::unique_ptr<zmtp::frame_cipher> cipher_;
};

TEST(CVE_2014_7203, a_frame_that_is_sent_again_ends_the_connection_and_is_not_delivered) {
    guarded_server server(mechanism::curve);
    curve_script client(server.endpoint);
    const std::string first = client.sealed("first");
    const std::string second = client.sealed("second");
    client.write(first);
    EXPECT_EQ(server.sink.receive(), "first");
    client.write(second);
    EXPECT_EQ(server.sink.receive(), "second");
    client.write(first);
    static_cast<void>(client.rest());
    server.expect_only_friends();
}

TEST(CVE_2014_7203, a_frame_of_another_connection_is_not_delivered) {
    guarded_server server(mechanism::curve);
    curve_script one(server.endpoint);
    curve_script other(server.endpoint);
    other.write(one.sealed("of one"));
    static_cast<void>(other.rest());
    one.write(one.sealed("of one again"));
    EXPECT_EQ(server.sink.receive(), "of one again");
    server.expect_only_friends();
}

// ---- sizes

// A size near 2^64 must not wrap around in any sum.
TEST(CVE_2019_6250, sizes_near_the_largest_number_are_refused_before_anything_is_done) {
    context owner;
    socket sink(owner, ZMQ_PULL);
    ASSERT_EQ(sink.bind("tcp://127.0.0.1:*"), 0);
    for (const std::string &size :
         {"\xff\xff\xff\xff\xff\xff\xff\xff"s, "\xff\xff\xff\xff\xff\xff\xff\xf6"s, "\x80\0\0\0\0\0\0\0"s,
          "\x7f\xff\xff\xff\xff\xff\xff\xff"s, "\x7f\xff\xff\xff\xff\xff\xff\xbf"s}) {
        for (const char flags : {'\x02', '\x03', '\x06'}) {
            bare_peer peer(sink.last_endpoint());
            peer.shake_hands();
            peer.write(flags + size + std::string(100, 'x'));
            static_cast<void>(peer.read_to_end());
        }
        // Old peers are not believed in advance: a size that they may have is waited for.
        const bool possible = size[0] == '\x7f';
        bare_peer old(sink.last_endpoint()); // 1.0: the size counts the flags
        old.write("\x01\0\xff"s + size + "\0xxxx"s);
        static_cast<void>(possible ? "" : old.read_to_end());
        bare_peer second(sink.last_endpoint());
        second.write(greeting_2_0 + "\x02"s + size + "xxxx"s);
        static_cast<void>(possible ? "" : second.read_to_end());
    }
    EXPECT_TRUE(sink.quiet());
}

TEST(CVE_2019_6250, sealed_frames_too) {
    guarded_server server(mechanism::curve);
    for (const std::string &size :
         {"\x7f\xff\xff\xff\xff\xff\xff\xff"s, "\xff\xff\xff\xff\xff\xff\xff\xff"s}) {
        curve_script client(server.endpoint);
        client.write("\x02"s + size + "\x07MESSAGE"s + std::string(64, 'x'));
        static_cast<void>(client.rest());
    }
    for (int least = 0; least < 33; ++least) {
        curve_script client(server.endpoint);
        client.write("\0"s + static_cast<char>(least) + std::string(static_cast<std::size_t>(least), '\x07'));
        static_cast<void>(client.rest());
    }
    server.expect_only_friends();
}

// INITIATE carries metadata of any length: as much as a handshake frame may have is taken, more is refused
// before it has come.
TEST(CVE_2019_13132, long_metadata_in_initiate_overruns_nothing) {
    for (const std::size_t size : {200U, 256U, 512U, 4096U, 30'000U, 60'000U}) {
        guarded_server server(mechanism::curve);
        socket client(server.owner, ZMQ_PUSH);
        call_with(client, mechanism::curve);
        client.set(ZMQ_METADATA, "X-long:" + std::string(size, 'm'));
        ASSERT_EQ(client.connect(server.endpoint), 0);
        ASSERT_EQ(client.send("hello"), 0);
        zmq_msg_t message;
        zmq_msg_init(&message);
        ASSERT_EQ(zmq_msg_recv(&message, server.sink.handle(), 0), 5);
        EXPECT_EQ(zmq_msg_gets(&message, "X-long"), std::string(size, 'm'));
        zmq_msg_close(&message);
    }
    for (const mechanism chosen : all_mechanisms) {
        guarded_server server(chosen);
        const std::string name = chosen == mechanism::null    ? "NULL"
                                 : chosen == mechanism::plain ? "PLAIN"
                                                              : "CURVE";
        bare_peer peer(server.endpoint);
        peer.write(greeting_of(name) + "\x06\0\0\0\0\0\x01\0\x01\x08INITIATE"s);
        EXPECT_LE(peer.read_to_end().size(), 100U);
        server.expect_only_friends();
    }
}

// ---- peers that begin and do not go on

TEST(CVE_2020_15166, silent_clients_stop_nobody) {
    for (const mechanism chosen : {mechanism::plain, mechanism::curve}) {
        guarded_server server(chosen);
        const std::string name = chosen == mechanism::plain ? "PLAIN" : "CURVE";
        std::vector<std::unique_ptr<bare_peer>> silent;
        const std::string whole = greeting_of(name) + "\x04\xc8\x05HELLO\x01\0"s;
        for (const std::size_t said : {0U, 1U, 10U, 11U, 12U, 40U, 63U, 64U, 65U, 66U, 70U})
            for (int count = 0; count < 3; ++count) {
                silent.push_back(std::make_unique<bare_peer>(server.endpoint));
                silent.back()->write(whole.substr(0, said));
            }
        server.expect_only_friends();
    }
}

TEST(CVE_2020_15166, silent_clients_are_given_up) {
    for (const mechanism chosen : {mechanism::plain, mechanism::curve}) {
        context owner;
        socket server(owner, ZMQ_PULL);
        serve_with(server, chosen);
        server.set(ZMQ_HANDSHAKE_IVL, 50);
        ASSERT_EQ(server.bind("tcp://127.0.0.1:*"), 0);
        bare_peer silent(server.last_endpoint());
        silent.write("\xff"s + std::string(8, '\0') + "\x7f\x03"s);
        EXPECT_EQ(silent.read_to_end().size(), 64U);
    }
}

// ---- reads and writes past the end of a buffer

// The beginning of a frame is checked as far as it has come, in whatever pieces.
TEST(CVE_2020_36400, no_piece_of_a_frame_is_read_before_it_has_come) {
    context owner;
    socket sink(owner, ZMQ_PULL);
    ASSERT_EQ(sink.bind("tcp://127.0.0.1:*"), 0);
    for (const std::size_t size : {0U, 1U, 254U, 255U, 256U, 8191U, 8192U, 8193U, 70'000U}) {
        std::string frame = size < 256 ? "\0"s + static_cast<char>(size) : "\x02\0\0\0\0\0"s;
        if (size >= 256)
            for (int shift = 16; shift >= 0; shift -= 8)
                frame += static_cast<char>(size >> shift);
        frame += std::string(size, 's');
        for (const std::size_t cut : {1U, 2U, 3U, 8U, 9U, 10U, 100U, 8200U}) {
            if (cut >= frame.size())
                break;
            bare_peer peer(sink.last_endpoint());
            peer.shake_hands();
            peer.write(frame.substr(0, cut));
            EXPECT_TRUE(!sink.ready(ZMQ_POLLIN, 0));
            peer.write(frame.substr(cut) + frame.substr(0, cut));
            EXPECT_EQ(sink.receive(), std::string(size, 's'));
        }
    }
    EXPECT_TRUE(sink.quiet());
}

TEST(CVE_2021_20235, frames_of_version_1_of_growing_sizes_fit) {
    context owner;
    socket sink(owner, ZMQ_PULL);
    ASSERT_EQ(sink.bind("tcp://127.0.0.1:*"), 0);
    bare_peer peer(sink.last_endpoint());
    peer.write("\x01\0"s); // 1.0, no identity
    for (const std::size_t size :
         {0U, 1U, 29U, 30U, 100U, 253U, 254U, 255U, 256U, 8191U, 8193U, 100'000U, 3U}) {
        const std::uint64_t length = size + 1;
        std::string frame;
        if (length < 255) {
            frame = static_cast<char>(length);
        } else {
            frame = "\xff";
            for (int shift = 56; shift >= 0; shift -= 8)
                frame += static_cast<char>(length >> shift);
        }
        peer.write(frame + "\0"s + std::string(size, 'o'));
        ASSERT_EQ(sink.receive(), std::string(size, 'o')) << size;
    }
    // Announced, begun, and never finished.
    bare_peer liar(sink.last_endpoint());
    liar.write("\x01\0\xff\0\0\0\0\0\x10\0\0\0"s + std::string(5000, 'l'));
    peer.write("\x03\0ok"s);
    EXPECT_EQ(sink.receive(), "ok");
}

// ---- leaks

std::size_t bytes_in_use() {
    return mallinfo2().uordblks + mallinfo2().hblkhd;
}

// Accepts one, says that, reads what there is, and goes.
void visit(const bare_listener &listener, const std::string &bytes) {
    const int accepted = listener.accept();
    ASSERT_GE(accepted, 0);
    ::send(accepted, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    std::array<char, 4096> heard;
    pollfd item{accepted, POLLIN, 0};
    while (::poll(&item, 1, 5) > 0 && ::recv(accepted, heard.data(), heard.size(), 0) > 0) {
    }
    ::close(accepted);
}

TEST(CVE_2021_20234, a_server_that_never_finishes_a_message_makes_its_client_keep_nothing) {
    const std::string unfinished = greeting_of("NULL") + "\x04\x1a\x05READY\x0bSocket-Type\0\0\0\x04PUSH"s +
                                   "\x03\0\0\0\0\0\0\x40\0"s + std::string(0x4000, 'u') + "\x01\x05parts"s;
    const bare_listener server;
    context owner;
    socket client(owner, ZMQ_PULL);
    client.set(ZMQ_RECONNECT_IVL, 1);
    ASSERT_EQ(client.connect(server.endpoint()), 0);
    const auto visits = [&](int count) {
        for (int turn = 0; turn < count; ++turn)
            visit(server, unfinished);
    };
    visits(20);
    const std::size_t before = bytes_in_use();
    visits(200);
    EXPECT_LT(bytes_in_use(), before + 500'000); // each visit brought 16 KiB
    EXPECT_TRUE(client.quiet());
}

TEST(CVE_2021_20237, clients_that_never_finish_make_a_publisher_keep_nothing) {
    context owner;
    socket publisher(owner, ZMQ_XPUB);
    ASSERT_EQ(publisher.bind("tcp://127.0.0.1:*"), 0);
    const std::string subscriptions = greeting_of("NULL") + "\x04\x19\x05READY\x0bSocket-Type\0\0\0\x03SUB"s +
                                      "\x03\0\0\0\0\0\0\x40\0\x01"s + std::string(0x3FFF, 't');
    const std::string half_handshake =
        greeting_of("NULL") + "\x06\0\0\0\0\0\0\x80\0\x05READY"s + std::string(0x4000, 'r');
    const auto visits = [&](int count) {
        for (int turn = 0; turn < count; ++turn)
            for (const std::string &bytes : {subscriptions, half_handshake}) {
                bare_peer client(publisher.last_endpoint());
                client.write(bytes);
                EXPECT_EQ(client.read(64).size(), 64U);
            }
        EXPECT_TRUE(publisher.quiet());
    };
    visits(20);
    const std::size_t before = bytes_in_use();
    visits(200);
    EXPECT_LT(bytes_in_use(), before + 1'000'000); // each visit brought 16 KiB twice
}

// A topic of a million bytes is a branch as deep: it has to come, match and go without one call per level.
TEST(CVE_2021_20236, deep_topic_trees_come_and_go) {
    context owner;
    socket publisher(owner, ZMQ_XPUB);
    ASSERT_EQ(publisher.bind("tcp://127.0.0.1:*"), 0);
    for (const bool leaves : {false, true}) {
        socket subscriber(owner, ZMQ_SUB);
        ASSERT_EQ(subscriber.connect(publisher.last_endpoint()), 0);
        const std::string deep(1'000'000, 'd');
        subscriber.set(ZMQ_SUBSCRIBE, deep);
        EXPECT_EQ(publisher.receive(), "\x01" + deep);
        std::string steps;
        for (int depth = 1; depth < 2000; ++depth) {
            steps += static_cast<char>('a' + depth % 2);
            subscriber.set(ZMQ_SUBSCRIBE, steps);
            ASSERT_EQ(publisher.receive(), "\x01" + steps);
        }
        ASSERT_EQ(publisher.send(frames{deep + " and more"}), 0);
        EXPECT_EQ(subscriber.receive(), deep + " and more");
        if (leaves) {
            subscriber.set(ZMQ_UNSUBSCRIBE, deep);
            EXPECT_EQ(publisher.receive(), "\0"s + deep);
        }
        subscriber.close();
        for (int depth = leaves ? 1 : 0; depth < 2000; ++depth)
            EXPECT_EQ(publisher.receive_frames().at(0).substr(0, 1), "\0"s);
    }
    EXPECT_TRUE(publisher.quiet());
}

// ---- merged since 4.3.5

// A handshake that fails ends its connection once, whoever else is about to end it.
TEST(double_free_of_a_pipe, failed_handshakes_among_closing_sockets) {
    for (int turn = 0; turn < 60; ++turn) {
        const mechanism chosen = all_mechanisms[static_cast<std::size_t>(turn) % 3];
        context owner;
        authenticator handler(owner, turn % 2 == 0 ? "400" : "500");
        socket server(owner, ZMQ_ROUTER);
        serve_with(server, chosen);
        ASSERT_EQ(server.bind("tcp://127.0.0.1:*"), 0);
        const std::string endpoint = server.last_endpoint();
        std::vector<socket> clients;
        for (int count = 0; count < 6; ++count) {
            clients.emplace_back(owner, ZMQ_DEALER);
            call_with(clients.back(), chosen);
            clients.back().set(ZMQ_RECONNECT_IVL, 1);
            clients.back().set(ZMQ_IMMEDIATE, count % 2);
            ASSERT_EQ(clients.back().connect(endpoint), 0);
            static_cast<void>(zmq_send(clients.back().handle(), "x", 1, ZMQ_DONTWAIT));
        }
        zmq_poll(nullptr, 0, turn % 5);
        if (turn % 4 == 0) {
            EXPECT_EQ(server.unbind(endpoint), 0);
        }
        if (turn % 4 == 1)
            server.close();
        for (socket &client : clients)
            EXPECT_EQ(client.disconnect(endpoint), 0);
    }
}

} // namespace
} // namespace zlink::conformance
