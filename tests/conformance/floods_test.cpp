// SPDX-License-Identifier: MPL-2.0
// Every call keeps its timeout while a peer sends without end what the socket has no use for.
#include "bare_peer.hpp"

#include <csignal>
#include <ctime>
#include <pthread.h>

namespace zlink::conformance {
namespace {

constexpr int timeout_ms = 100;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int late_ms = 1000;
#else
constexpr int late_ms = 50;
#endif
constexpr int most_late_ms = 5000; // of a call on a loaded machine; without a bound the calls never return

// A peer that sends the same frames again and again, from a thread of its own.
class flood {
  public:
    flood(const std::string &endpoint, const std::string &type, const std::string &frames) : peer_(endpoint) {
        while (bytes_.size() + frames.size() <= 65536)
            bytes_ += frames;
        peer_.shake_hands(type);
        sender_ = std::thread([this] {
            for (; !over_ && peer_.pour(bytes_); ++poured_) {
            }
        });
        EXPECT_TRUE(eventually([this] { return poured_ != 0; }));
    }
    ~flood() {
        over_ = true;
        peer_.hang_up();
        sender_.join();
    }
    flood(const flood &) = delete;

  private:
    std::atomic<bool> over_ = false;
    std::atomic<int> poured_ = 0;
    std::string bytes_;
    bare_peer peer_;
    std::thread sender_;
};

template <class Call> int milliseconds_of(Call &&call) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    const auto took = std::chrono::steady_clock::now() - begin;
    return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
}

// One call.
template <class Call> void expect_to_return(const char *what, int least_ms, Call &&call) {
    const int took = milliseconds_of(call);
    EXPECT_GE(took, least_ms - 1) << what; // timeouts are counted in whole milliseconds
    EXPECT_LE(took, least_ms + most_late_ms) << what;
}

// Most of several calls, since other programs may take the processor away from some.
template <class Call> void expect_in_time(const char *what, int least_ms, Call &&call) {
    constexpr int calls = 5;
    int late = 0;
    std::string times;
    for (int count = 0; count < calls; ++count)
        expect_to_return(what, least_ms, [&] {
            const int took = milliseconds_of(call);
            late += took > least_ms + late_ms ? 1 : 0;
            times += " " + std::to_string(took);
        });
    EXPECT_LE(late, calls / 2) << what << " took ms:" << times;
}

std::string endpoint_of(socket &server) {
    EXPECT_EQ(server.bind("tcp://127.0.0.1:*"), 0);
    return server.last_endpoint();
}

// A row sends frames that a socket of its type, as `prepare` leaves it, has no use for.
struct useless {
    const char *name;
    int type;
    const char *peer;
    std::string frames;
    void (*prepare)(socket &) = [](socket &) {};
};
const useless rows[] = {
    {"SUB", ZMQ_SUB, "PUB", "\0\1x"s, [](socket &sub) { sub.set(ZMQ_SUBSCRIBE, "wanted"); }},
    {"SUB_multipart", ZMQ_SUB, "PUB", "\1\1x\0\1y"s, [](socket &sub) { sub.set(ZMQ_SUBSCRIBE, "wanted"); }},
    {"SUB_commands", ZMQ_SUB, "PUB", "\4\xb\x9SUBSCRIBEx"s},
    {"XSUB_commands", ZMQ_XSUB, "PUB", "\4\xb\x9SUBSCRIBEx"s},
    {"PULL_commands", ZMQ_PULL, "PUSH", "\4\xb\x9SUBSCRIBEx"s},
    {"PAIR_commands", ZMQ_PAIR, "PAIR", "\4\xb\x9SUBSCRIBEx"s},
    {"DEALER_commands", ZMQ_DEALER, "ROUTER", "\4\xb\x9SUBSCRIBEx"s},
    {"ROUTER_commands", ZMQ_ROUTER, "DEALER", "\4\xb\x9SUBSCRIBEx"s},
    {"DISH", ZMQ_DISH, "RADIO", "\1\1g\0\1x"s, [](socket &dish) { zmq_join(dish.handle(), "wanted"); }},
    {"REP", ZMQ_REP, "DEALER", "\0\1x"s},
    {"REP_without_an_end", ZMQ_REP, "DEALER", "\1\1x\1\1y\0\1z"s},
    {"CLIENT", ZMQ_CLIENT, "SERVER", "\1\1x\0\1x"s},
    {"SERVER", ZMQ_SERVER, "CLIENT", "\1\1x\0\1x"s},
    {"GATHER", ZMQ_GATHER, "SCATTER", "\1\1x\0\1x"s},
    {"CHANNEL", ZMQ_CHANNEL, "CHANNEL", "\1\1x\0\1x"s},
    {"PEER", ZMQ_PEER, "PEER", "\1\1x\0\1x"s},
};

class floods : public ::testing::TestWithParam<useless> {
  protected:
    explicit floods(int mark = 0) : flooded(owner, GetParam().type) {
        flooded.set(ZMQ_RCVHWM, mark);
        GetParam().prepare(flooded);
        peer = std::make_unique<flood>(endpoint_of(flooded), GetParam().peer, GetParam().frames);
    }
    ~floods() override {
        flooded.close();
        peer.reset();
    }
    context owner;
    socket flooded;
    std::unique_ptr<flood> peer;
};
struct floods_without_mark : floods {};
struct floods_with_mark : floods {
    floods_with_mark() : floods(100000) {}
};

void receive_in_time(socket &flooded) {
    flooded.set(ZMQ_RCVTIMEO, timeout_ms);
    expect_in_time("receive", timeout_ms,
                   [&] { EXPECT_EQ(flooded.receive(), "error: Resource temporarily unavailable"); });
    expect_in_time("receive at once", 0, [&] {
        EXPECT_EQ(flooded.receive(ZMQ_DONTWAIT), "error: Resource temporarily unavailable");
    });
}

// The flooded socket comes first, and the other one gets its turn.
void poll_in_time(context &owner, socket &flooded) {
    socket pull(owner, ZMQ_PULL);
    socket push(owner, ZMQ_PUSH);
    const std::string name = unused_endpoint("inproc");
    ASSERT_EQ(pull.bind(name), 0);
    ASSERT_EQ(push.connect(name), 0);
    zmq_pollitem_t items[] = {{flooded.handle(), 0, ZMQ_POLLIN, 0}, {pull.handle(), 0, ZMQ_POLLIN, 0}};
    expect_in_time("poll", timeout_ms, [&] { EXPECT_EQ(zmq_poll(items, 2, timeout_ms), 0); });
    void *poller = zmq_poller_new();
    ASSERT_EQ(zmq_poller_add(poller, flooded.handle(), nullptr, ZMQ_POLLIN), 0);
    zmq_poller_event_t event;
    expect_in_time("poller", timeout_ms, [&] { EXPECT_EQ(zmq_poller_wait(poller, &event, timeout_ms), -1); });
    EXPECT_EQ(zmq_poller_destroy(&poller), 0);
    ASSERT_EQ(push.send("x"), 0);
    expect_in_time("poll of two", 0, [&] { EXPECT_EQ(zmq_poll(items, 2, -1), 1); });
    EXPECT_EQ(items[1].revents, ZMQ_POLLIN);
}

TEST_P(floods_without_mark, Receives) {
    receive_in_time(flooded);
}
TEST_P(floods_with_mark, Receives) {
    receive_in_time(flooded);
}
TEST_P(floods_without_mark, Polls) {
    poll_in_time(owner, flooded);
}
TEST_P(floods_with_mark, Polls) {
    poll_in_time(owner, flooded);
}

TEST_P(floods_without_mark, HearsOfTheContextsEnd) {
    flooded.set(ZMQ_RCVTIMEO, -1);
    std::thread receiver(
        [this] { EXPECT_EQ(flooded.receive(), std::string("error: ") + zmq_strerror(ETERM)); });
    expect_to_return("receive until shutdown", 0, [&] {
        EXPECT_EQ(zmq_ctx_shutdown(owner.handle()), 0);
        receiver.join();
    });
}

void on_signal(int) {}

TEST_P(floods_without_mark, ASignalEndsAReceive) {
    struct sigaction action {};
    struct sigaction before {};
    action.sa_handler = on_signal;
    sigaction(SIGUSR1, &action, &before);
    flooded.set(ZMQ_RCVTIMEO, -1);
    std::atomic<bool> done = false;
    std::thread receiver([&] {
        EXPECT_EQ(flooded.receive(), "error: Interrupted system call");
        done = true;
    });
    // The first one may come before the call has begun.
    EXPECT_TRUE(eventually([&] {
        if (!done)
            pthread_kill(receiver.native_handle(), SIGUSR1);
        return done.load();
    }));
    receiver.join();
    sigaction(SIGUSR1, &before, nullptr);
}

std::string row_name(const ::testing::TestParamInfo<useless> &info) {
    return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(of, floods_without_mark, ::testing::ValuesIn(rows), row_name);
INSTANTIATE_TEST_SUITE_P(of, floods_with_mark, ::testing::ValuesIn(rows), row_name);

// ---- requests of subscribers

const useless publishers[] = {
    {"PUB", ZMQ_PUB, "SUB", "\0\2\1x\0\2\0x"s},
    {"PUB_commands", ZMQ_PUB, "SUB", "\4\xb\x9SUBSCRIBEx\4\x8\6CANCELx"s},
    {"XPUB", ZMQ_XPUB, "SUB", "\0\2\1x\0\2\0x"s},
    {"RADIO", ZMQ_RADIO, "DISH", "\4\6\4JOINx\4\7\5LEAVEx"s},
};
struct floods_of_requests : floods {};

TEST_P(floods_of_requests, Sends) {
    expect_in_time("send", 0, [&] { EXPECT_EQ(flooded.send("x"), 0); });
}
TEST_P(floods_of_requests, TellsItsEvents) {
    expect_in_time("EVENTS", 0, [&] { EXPECT_NE(flooded.get(ZMQ_EVENTS) & ZMQ_POLLOUT, 0); });
}
TEST_P(floods_of_requests, Polls) {
    if (GetParam().type == ZMQ_XPUB)
        expect_in_time("poll", 0, [&] { EXPECT_TRUE(flooded.ready(ZMQ_POLLIN)); });
    else
        poll_in_time(owner, flooded);
}
TEST_P(floods_of_requests, HearsOfTheContextsEnd) {
    EXPECT_EQ(zmq_ctx_shutdown(owner.handle()), 0);
    expect_to_return("send until shutdown", 0, [&] {
        while (flooded.send("x") == 0) {
        }
    });
    EXPECT_EQ(flooded.send("x"), ETERM);
}
INSTANTIATE_TEST_SUITE_P(of, floods_of_requests, ::testing::ValuesIn(publishers), row_name);

// ---- messages, to a socket that sends

const useless senders[] = {
    {"PUSH", ZMQ_PUSH, "PULL", "\0\1x"s},
    {"SCATTER", ZMQ_SCATTER, "GATHER", "\0\1x"s},
    {"PAIR", ZMQ_PAIR, "PAIR", "\0\1x"s},
    {"DEALER", ZMQ_DEALER, "ROUTER", "\0\1x"s},
    {"ROUTER", ZMQ_ROUTER, "DEALER", "\0\1x"s},
    {"REQ", ZMQ_REQ, "ROUTER", "\1\0\0\1x"s, [](socket &req) { req.set(ZMQ_REQ_RELAXED, 1); }},
    {"CLIENT", ZMQ_CLIENT, "SERVER", "\0\1x"s},
    {"CHANNEL", ZMQ_CHANNEL, "CHANNEL", "\0\1x"s},
    {"XSUB", ZMQ_XSUB, "PUB", "\0\1x"s},
};
struct floods_of_messages : floods {
    floods_of_messages() : floods(100000) {
        EXPECT_TRUE(eventually([this] { return (flooded.get(ZMQ_EVENTS) & ZMQ_POLLOUT) != 0; }));
    }
};

TEST_P(floods_of_messages, Sends) {
    expect_in_time("send", 0, [&] { EXPECT_EQ(flooded.send("x"), 0); });
}
TEST_P(floods_of_messages, SendsWithoutRoom) {
    flooded.set(ZMQ_SNDTIMEO, timeout_ms);
    flooded.set(ZMQ_SNDHWM, 1);
    const std::string large(1 << 20, 'x');
    constexpr int enough = 50; // refusals in a row: an I/O thread makes room until the system has none
    int refused = 0;
    for (int count = 0; refused < enough && count < 1000; ++count) {
        refused = flooded.send(large, ZMQ_DONTWAIT) == EAGAIN ? refused + 1 : 0;
        if (refused != 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        else if (count > 100)
            break; // the type drops
    }
    if (refused != 0)
        expect_in_time("send", timeout_ms, [&] { EXPECT_EQ(flooded.send(large), EAGAIN); });
}
TEST_P(floods_of_messages, TellsItsEvents) {
    expect_in_time("EVENTS", 0, [&] { EXPECT_NE(flooded.get(ZMQ_EVENTS) & ZMQ_POLLOUT, 0); });
}
INSTANTIATE_TEST_SUITE_P(of, floods_of_messages, ::testing::ValuesIn(senders), row_name);

// ---- peers with a part in what the socket does

TEST(Floods, OfAnswersToNoQuestion) {
    context owner;
    socket req(owner, ZMQ_REQ);
    req.set(ZMQ_RCVHWM, 0);
    req.set(ZMQ_REQ_RELAXED, 1);
    req.set(ZMQ_REQ_CORRELATE, 1);
    flood peer(endpoint_of(req), "ROUTER", "\1\4none\1\0\0\1x"s);
    ASSERT_EQ(req.send("question"), 0);
    receive_in_time(req);
    poll_in_time(owner, req);
    expect_in_time("send", 0, [&] { EXPECT_EQ(req.send("again"), 0); });
    req.close();
}

// A peer that has lost its id to another one still sends.
TEST(Floods, OfAPeerWithoutItsId) {
    context owner;
    socket router(owner, ZMQ_ROUTER);
    router.set(ZMQ_RCVHWM, 0);
    router.set(ZMQ_ROUTER_HANDOVER, 1);
    const std::string endpoint = endpoint_of(router);
    socket first(owner, ZMQ_DEALER);
    first.set(ZMQ_ROUTING_ID, "one");
    ASSERT_EQ(first.connect(endpoint), 0);
    std::atomic<bool> over = false;
    std::thread sender([&] {
        while (!over)
            (void)first.send("x", ZMQ_DONTWAIT);
    });
    EXPECT_EQ(router.receive(), "one|x");
    socket second(owner, ZMQ_DEALER);
    second.set(ZMQ_ROUTING_ID, "one");
    ASSERT_EQ(second.connect(endpoint), 0);
    ASSERT_EQ(second.send("mine"), 0);
    EXPECT_TRUE(eventually([&] { return router.receive() == "one|mine"; }));
    receive_in_time(router);
    poll_in_time(owner, router);
    over = true;
    sender.join();
}

// A thread receives for ever, and others use the socket.
TEST(Floods, OtherThreadsGetTheirTurn) {
    context owner;
    socket dish(owner, ZMQ_DISH);
    dish.set(ZMQ_RCVTIMEO, -1);
    flood peer(endpoint_of(dish), "RADIO", "\1\1g\0\1x"s);
    std::thread receiver([&] { EXPECT_EQ(dish.receive(), std::string("error: ") + zmq_strerror(ENOTSOCK)); });
    clockid_t processor_time{};
    ASSERT_EQ(pthread_getcpuclockid(receiver.native_handle(), &processor_time), 0);
    EXPECT_TRUE(eventually([&] { // the receiver is at work, and will be when the socket is closed
        timespec used{};
        clock_gettime(processor_time, &used);
        return used.tv_sec > 0 || used.tv_nsec > 20'000'000;
    }));
    expect_in_time("join and leave", 0, [&] {
        EXPECT_EQ(zmq_join(dish.handle(), "group"), 0);
        EXPECT_EQ(zmq_leave(dish.handle(), "group"), 0);
    });
    expect_to_return("close", 0, [&] { dish.close(); });
    receiver.join();
}

// The sender is a thread of this process.
TEST(Floods, OverInproc) {
    context owner;
    socket rep(owner, ZMQ_REP);
    socket dealer(owner, ZMQ_DEALER);
    const std::string name = unused_endpoint("inproc");
    ASSERT_EQ(rep.bind(name), 0);
    ASSERT_EQ(dealer.connect(name), 0);
    std::atomic<bool> over = false;
    std::thread sender([&] {
        while (!over)
            (void)dealer.send("x", ZMQ_DONTWAIT);
    });
    receive_in_time(rep);
    poll_in_time(owner, rep);
    over = true;
    sender.join();
}

} // namespace
} // namespace zlink::conformance
