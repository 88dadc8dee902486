// SPDX-License-Identifier: MPL-2.0
// ZLINK_THREAD_SAFE: many threads use one socket of any type.
#include "counters_rig.hpp"

#include <array>
#include <poll.h>
#include <set>
#include <thread>

namespace zlink::conformance {
namespace {

constexpr int thread_count = 3;

class thread_safe_over : public transport_test {
  protected:
    socket shared(int type) {
        socket made(owner, type);
        made.set(ZLINK_THREAD_SAFE, 1);
        return made;
    }
};

std::string receive_frame(const socket &from) {
    char bytes[16];
    const int size = zmq_recv(from.handle(), bytes, sizeof bytes, 0);
    return size < 0 ? zmq_strerror(errno) : std::string(bytes, static_cast<std::size_t>(size));
}

class thread_safe_over_network : public thread_safe_over {};

template <class Work> std::vector<std::thread> in_threads(int count, Work work) {
    std::vector<std::thread> all;
    for (int index = 0; index < count; ++index)
        all.emplace_back(work, index);
    return all;
}
void join(std::vector<std::thread> &&all) {
    for (std::thread &one : all)
        one.join();
}

TEST_P(thread_safe_over, messages_of_several_frames_stay_whole) {
    constexpr int each = 300;
    socket push = shared(ZMQ_PUSH);
    socket pull = shared(ZMQ_PULL);
    push.set(ZMQ_SNDHWM, 4); // threads wait for room in front of a message
    pull.set(ZMQ_RCVHWM, 4);
    const std::string endpoint = bind(pull);
    ASSERT_EQ(push.connect(endpoint), 0);
    std::mutex guard;
    std::set<std::string> arrived;
    auto readers = in_threads(thread_count, [&](int) {
        while (true) {
            const frames parts = pull.receive_frames();
            if (parts.size() == 1) {
                EXPECT_EQ(parts.front(), "end");
                return;
            }
            ASSERT_EQ(parts.size(), 3U);
            EXPECT_EQ(parts[0], parts[1]);
            EXPECT_EQ(parts[0], parts[2]);
            const std::lock_guard lock(guard);
            EXPECT_TRUE(arrived.insert(parts[0]).second) << parts[0] << " came twice";
        }
    });
    join(in_threads(thread_count, [&](int index) {
        for (int number = 0; number < each; ++number) {
            const std::string text = std::to_string(index) + "/" + std::to_string(number);
            ASSERT_EQ(push.send({text, text, text}), 0);
        }
    }));
    for (int reader = 0; reader < thread_count; ++reader)
        ASSERT_EQ(push.send("end"), 0);
    join(std::move(readers));
    EXPECT_EQ(arrived.size(), static_cast<std::size_t>(each * thread_count));
}

TEST_P(thread_safe_over, a_thread_in_the_middle_of_a_message_keeps_others_out) {
    socket push = shared(ZMQ_PUSH);
    socket pull = shared(ZMQ_PULL);
    const std::string endpoint = bind(pull);
    ASSERT_EQ(push.connect(endpoint), 0);
    ASSERT_EQ(zmq_send(push.handle(), "1", 1, ZMQ_SNDMORE), 1);
    std::thread([&] {
        EXPECT_EQ(push.send("no", ZMQ_DONTWAIT), EAGAIN);
        EXPECT_FALSE(push.ready(ZMQ_POLLOUT, 0));
    }).join();
    EXPECT_TRUE(push.ready(ZMQ_POLLOUT, 0));
    std::thread waiting([&] { EXPECT_EQ(push.send("3"), 0); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ASSERT_EQ(push.send("2"), 0);
    waiting.join();

    EXPECT_EQ(receive_frame(pull), "1");
    EXPECT_EQ(pull.get(ZMQ_RCVMORE), 1);
    std::thread([&] {
        EXPECT_EQ(pull.get(ZMQ_RCVMORE), 0);
        EXPECT_FALSE(pull.ready(ZMQ_POLLIN, 0));
        EXPECT_EQ(zmq_recv(pull.handle(), nullptr, 0, ZMQ_DONTWAIT), -1);
        EXPECT_EQ(errno, EAGAIN);
    }).join();
    std::thread reader([&] { EXPECT_EQ(pull.receive(), "3"); });
    std::thread poller([&] { EXPECT_TRUE(pull.ready(ZMQ_POLLIN, patience_ms)); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ASSERT_EQ(push.send("4"), 0);
    EXPECT_EQ(receive_frame(pull), "2");
    EXPECT_EQ(pull.get(ZMQ_RCVMORE), 0);
    reader.join();
    poller.join();
    EXPECT_EQ(pull.receive(), "4");
}

// Every call that waits ends with ENOTSOCK, and so does every later one.
TEST_P(thread_safe_over, a_close_ends_the_calls_of_other_threads) {
    for (int round = 0; round < 20; ++round) {
        socket pair = shared(ZMQ_PAIR);
        pair.set(ZMQ_SNDHWM, 1);
        socket peer(owner, ZMQ_PAIR);
        const std::string endpoint = bind(pair);
        ASSERT_EQ(peer.connect(endpoint), 0);
        ASSERT_EQ(peer.send("connected"), 0);
        EXPECT_EQ(pair.receive(), "connected");
        void *const handle = pair.handle();
        std::atomic<int> begun = 0;
        auto others = in_threads(4, [&](int index) {
            ++begun;
            char byte = 0;
            zmq_pollitem_t item{handle, 0, ZMQ_POLLIN, 0};
            switch (index) {
            case 0:
                EXPECT_EQ(zmq_recv(handle, &byte, 1, 0), -1);
                break;
            case 1:
                EXPECT_EQ(zmq_poll(&item, 1, -1), -1);
                break;
            case 2:
                while (zmq_send(handle, std::string(100'000, 'x').data(), 100'000, 0) >= 0) {
                }
                break;
            default:
                while (zmq_poll(&item, 1, 0) == 0) {
                }
            }
            EXPECT_EQ(errno, ENOTSOCK) << "in thread " << index;
            EXPECT_EQ(zmq_recv(handle, &byte, 1, 0), -1);
            EXPECT_EQ(errno, ENOTSOCK);
        });
        EXPECT_TRUE(eventually([&] { return begun == 4; }));
        std::this_thread::sleep_for(std::chrono::milliseconds(round));
        pair.close();
        join(std::move(others));
    }
}

TEST_P(thread_safe_over, its_descriptor_tells_of_messages) {
    socket pull = shared(ZMQ_PULL);
    socket push(owner, ZMQ_PUSH);
    const std::string endpoint = bind(pull);
    ASSERT_EQ(push.connect(endpoint), 0);
    const int descriptor = pull.get(ZMQ_FD);
    for (int number = 0; number < 50; ++number) {
        std::thread sender([&] { EXPECT_EQ(push.send(std::to_string(number)), 0); });
        while ((pull.get(ZMQ_EVENTS) & ZMQ_POLLIN) == 0) {
            pollfd watched{descriptor, POLLIN, 0};
            ASSERT_EQ(::poll(&watched, 1, patience_ms), 1) << "nobody told of message " << number;
        }
        EXPECT_EQ(pull.receive(), std::to_string(number));
        sender.join();
    }
}

// A call of another thread takes the event of a message. The thread that waits for the descriptor hears of
// it.
TEST_P(thread_safe_over, its_descriptor_tells_of_what_other_threads_have_left) {
    socket pair = shared(ZMQ_PAIR);
    socket peer(owner, ZMQ_PAIR);
    const std::string endpoint = bind(pair);
    ASSERT_EQ(peer.connect(endpoint), 0);
    pollfd watched{pair.get(ZMQ_FD), POLLIN, 0};
    const auto readable = [&](int timeout_ms) { return ::poll(&watched, 1, timeout_ms) == 1; };
    for (int way = 0; way < 3; ++way) {
        ASSERT_EQ(peer.send("a message"), 0);
        ASSERT_TRUE(eventually([&] { return readable(0); }));
        std::thread([&] {
            switch (way) {
            case 0:
                (void)pair.get(ZMQ_EVENTS);
                break;
            case 1:
                EXPECT_TRUE(pair.ready(ZMQ_POLLOUT));
                break;
            default:
                EXPECT_EQ(pair.send("an answer"), 0);
            }
        }).join();
        EXPECT_TRUE(readable(patience_ms)) << "way " << way;
        EXPECT_EQ(pair.receive(), "a message");
        while (zmq_recv(pair.handle(), nullptr, 0, ZMQ_DONTWAIT) >= 0) {
        }
        (void)pair.get(ZMQ_EVENTS);
        (void)pair.get(ZMQ_EVENTS);
        EXPECT_FALSE(readable(0)) << "way " << way;
    }
}

// The proxy is between two calls, or sleeps in a poll.
TEST_P(thread_safe_over, a_close_ends_a_proxy) {
    for (int round = 0; round < 20; ++round) {
        socket front = shared(ZMQ_PULL), back = shared(ZMQ_PUSH), control = shared(ZMQ_PAIR);
        const std::string endpoint = bind(front);
        ASSERT_EQ(control.bind(unused_endpoint("inproc")), 0);
        socket from(owner, ZMQ_PUSH), to(owner, ZMQ_PULL), steering(owner, ZMQ_PAIR);
        ASSERT_EQ(from.connect(endpoint), 0);
        ASSERT_EQ(to.connect(bind(back)), 0);
        ASSERT_EQ(steering.connect(control.last_endpoint()), 0);
        std::thread proxy([&, handles = std::array{front.handle(), back.handle(), control.handle()}] {
            EXPECT_EQ(zmq_proxy_steerable(handles[0], handles[1], nullptr, handles[2]), -1);
            EXPECT_EQ(errno, ENOTSOCK);
        });
        ASSERT_EQ(from.send("two|frames"), 0);
        EXPECT_EQ(to.receive(), "two|frames");
        ASSERT_EQ(steering.send("PAUSE"), 0);
        ASSERT_EQ(steering.send("RESUME"), 0);
        const bool busy = round % 2 == 0;
        for (int number = 0; busy && number < 500; ++number)
            ASSERT_EQ(from.send("x"), 0);
        (round % 4 < 2 ? front : back).close();
        proxy.join();
    }
}

// A call of the publisher would read the subscription. An I/O thread does instead.
TEST_P(thread_safe_over, a_publisher_without_a_call_hears_of_subscriptions) {
    socket pub = shared(ZMQ_PUB);
    socket sub(owner, ZMQ_SUB);
    const std::string endpoint = bind(pub);
    ASSERT_EQ(sub.connect(endpoint), 0);
    sub.set(ZMQ_SUBSCRIBE, "t");
    EXPECT_TRUE(eventually([&] { return now(owner, "PUB", "subscriptions") == 1; }));
}

// A subscriber that binds tells a publisher of its topics when that connects, without a call.
TEST_P(thread_safe_over, a_bound_subscriber_without_a_call_tells_its_topics) {
    socket sub = shared(ZMQ_SUB);
    sub.set(ZMQ_SUBSCRIBE, "t");
    const std::string endpoint = bind(sub);
    socket pub(owner, ZMQ_XPUB);
    ASSERT_EQ(pub.connect(endpoint), 0);
    EXPECT_EQ(pub.receive(), "\1t");
}

// So does one that loses its connection and gets another one.
TEST_P(thread_safe_over_network, a_subscriber_that_connects_again_tells_its_topics) {
    socket sub = shared(ZMQ_SUB);
    sub.set(ZMQ_RECONNECT_IVL, 10);
    sub.set(ZMQ_SUBSCRIBE, "t");
    const std::string endpoint = unused_endpoint(GetParam());
    ASSERT_EQ(sub.connect(endpoint), 0);
    for (int round = 0; round < 3; ++round) {
        socket pub(owner, ZMQ_XPUB);
        ASSERT_TRUE(eventually([&] { return pub.bind(endpoint) == 0; })); // the one before has ended
        EXPECT_EQ(pub.receive(), "\1t");
    }
}

TEST_P(thread_safe_over, requests_of_several_threads_wait_their_turn) {
    socket dealer = shared(ZMQ_DEALER);
    socket router = shared(ZMQ_ROUTER);
    const std::string endpoint = bind(router);
    ASSERT_EQ(dealer.connect(endpoint), 0);
    constexpr int each = 200;
    auto servers = in_threads(2, [&](int) {
        while (true) {
            const frames request = router.receive_frames();
            ASSERT_EQ(request.size(), 2U);
            ASSERT_EQ(router.send(request), 0);
            if (request[1] == "end")
                return;
        }
    });
    std::mutex guard;
    std::multiset<std::string> sent, answered;
    join(in_threads(thread_count, [&](int index) {
        for (int number = 0; number < each; ++number) {
            const std::string text = std::to_string(index * each + number);
            ASSERT_EQ(dealer.send(text), 0);
            const std::string reply = dealer.receive(); // of any thread's request
            const std::lock_guard lock(guard);
            sent.insert(text);
            answered.insert(reply);
        }
    }));
    EXPECT_EQ(sent, answered);
    for (int server = 0; server < 2; ++server)
        ASSERT_EQ(dealer.send("end"), 0);
    join(std::move(servers));
}

ZLINK_OVER_EVERY_TRANSPORT(thread_safe_over);
ZLINK_OVER_CONNECTIONS(thread_safe_over_network);

TEST(thread_safe, is_an_option_of_every_type) {
    context owner;
    for (int type = ZMQ_PAIR; type <= ZMQ_STREAM; ++type) {
        socket plain(owner, type);
        EXPECT_EQ(plain.get(ZLINK_THREAD_SAFE), 0);
        EXPECT_EQ(plain.get(ZMQ_THREAD_SAFE), 0);
        plain.set(ZLINK_THREAD_SAFE, 0);
        plain.set(ZLINK_THREAD_SAFE, 1);
        plain.set(ZLINK_THREAD_SAFE, 1);
        EXPECT_EQ(plain.get(ZLINK_THREAD_SAFE), 1);
        EXPECT_EQ(plain.get(ZMQ_THREAD_SAFE), 1);
        const int off = 0;
        EXPECT_EQ(zmq_setsockopt(plain.handle(), ZLINK_THREAD_SAFE, &off, sizeof off), -1);
        EXPECT_EQ(errno, EINVAL);
    }
    socket draft(owner, ZMQ_CLIENT);
    EXPECT_EQ(draft.get(ZLINK_THREAD_SAFE), 1);
    draft.set(ZLINK_THREAD_SAFE, 1);
}

TEST(thread_safe, is_too_late_once_others_know_the_socket) {
    context owner;
    const int on = 1;
    socket unbound(owner, ZMQ_PULL);
    ASSERT_EQ(unbound.bind("inproc://unbound"), 0);
    ASSERT_EQ(unbound.unbind("inproc://unbound"), 0);
    socket bound(owner, ZMQ_PULL), connected(owner, ZMQ_PUSH), watched(owner, ZMQ_PULL);
    ASSERT_EQ(bound.bind("inproc://late"), 0);
    ASSERT_EQ(connected.connect("inproc://late"), 0);
    EXPECT_GE(watched.get(ZMQ_FD), 0);
    for (const socket *late : {&unbound, &bound, &connected, &watched}) {
        EXPECT_EQ(zmq_setsockopt(late->handle(), ZLINK_THREAD_SAFE, &on, sizeof on), -1);
        EXPECT_EQ(errno, EINVAL);
        EXPECT_EQ(late->get(ZLINK_THREAD_SAFE), 0);
    }
}

TEST(thread_safe, two_threads_close_and_one_of_them_has_closed) {
    context owner;
    for (int round = 0; round < 200; ++round) {
        void *const handle = zmq_socket(owner.handle(), ZMQ_PULL);
        const int on = 1;
        ASSERT_EQ(zmq_setsockopt(handle, ZLINK_THREAD_SAFE, &on, sizeof on), 0);
        std::atomic<int> closed = 0;
        join(in_threads(2, [&](int) {
            if (zmq_close(handle) == 0)
                ++closed;
            else
                EXPECT_EQ(errno, ENOTSOCK);
        }));
        EXPECT_EQ(closed, 1);
    }
}

TEST(thread_safe, the_end_of_the_context_ends_every_wait) {
    context owner;
    socket pull(owner, ZMQ_PULL);
    pull.set(ZLINK_THREAD_SAFE, 1);
    pull.set(ZMQ_RCVTIMEO, -1);
    auto others = in_threads(2, [&](int index) {
        zmq_pollitem_t item{pull.handle(), 0, ZMQ_POLLIN, 0};
        EXPECT_EQ(index == 0 ? zmq_recv(pull.handle(), nullptr, 0, 0) : zmq_poll(&item, 1, -1), -1);
        EXPECT_EQ(errno, ETERM);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(zmq_ctx_shutdown(owner.handle()), 0);
    join(std::move(others));
    pull.close();
}

} // namespace
} // namespace zlink::conformance
