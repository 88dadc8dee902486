// SPDX-License-Identifier: MPL-2.0
// fork(2): the child gets errors, and holds nothing of the parent's. tests/abi/forked.c compares with libzmq.
#include "rig.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/wait.h>

namespace zlink::conformance {
namespace {

// Runs it in a child; the child's exit code tells how it went: 0 is well.
class child {
  public:
    explicit child(const std::function<int()> &work) : id_(::fork()) {
        if (id_ == 0) {
            ::alarm(patience_ms / 1000);
            ::_exit(work());
        }
    }
    ~child() { EXPECT_EQ(wait(), 0); }
    child(const child &) = delete;

  private:
    [[nodiscard]] int wait() const {
        int status = -1;
        while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
        }
        return status;
    }
    pid_t id_;
};

// Comes back when the child has ended.
void run_in_child(const std::function<int()> &work) {
    const child worker(work);
}

// Lives as long as the parent does not close its end.
class sleeping_child {
  public:
    sleeping_child() {
        EXPECT_EQ(::pipe(ends_), 0);
        sleeper_ = std::make_unique<child>([this] {
            ::close(ends_[1]);
            char byte = 0;
            return ::read(ends_[0], &byte, 1) == 0 ? 0 : 1;
        });
    }
    ~sleeping_child() {
        ::close(ends_[1]);
        sleeper_.reset();
        ::close(ends_[0]);
    }

  private:
    int ends_[2] = {-1, -1};
    std::unique_ptr<child> sleeper_;
};

class forked : public transport_test {};

// Streams of the child's, one byte in each; they have the numbers that the parent's had.
class streams_with_a_byte {
  public:
    streams_with_a_byte() {
        for (std::array<int, 2> &pair : pairs_) {
            ::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data());
            for (const int end : pair)
                complete_ &= ::send(end, "x", 1, 0) == 1;
        }
    }
    [[nodiscard]] bool untouched() const {
        bool all = complete_;
        for (const std::array<int, 2> &pair : pairs_)
            for (const int end : pair) {
                char byte = 0;
                all &= ::recv(end, &byte, 1, MSG_DONTWAIT) == 1;
            }
        return all;
    }

  private:
    std::array<std::array<int, 2>, 8> pairs_{};
    bool complete_ = true;
};

// A stream that the parent's thread reads itself stays the parent's.
TEST_P(forked, messages_that_wait_in_a_stream_are_not_the_childs) {
    socket one(owner, ZMQ_PAIR);
    socket other = connected(ZMQ_PAIR, bind(one));
    for (int round = 0; round < 20; ++round) {
        for (int turn = 0; turn < 20; ++turn) {
            ASSERT_EQ(other.send("question"), 0);
            ASSERT_EQ(one.receive(), "question");
            ASSERT_EQ(one.send("answer"), 0);
            ASSERT_EQ(other.receive(), "answer");
        }
        ASSERT_EQ(other.send("for the parent"), 0);
        run_in_child([&] {
            const streams_with_a_byte own;
            std::array<char, 100> small{};
            std::vector<char> large(100'000);
            const bool none = zmq_recv(one.handle(), small.data(), small.size(), 0) < 0 && errno == EINTR &&
                              zmq_recv(one.handle(), large.data(), large.size(), 0) < 0 && errno == EINTR;
            zmq_pollitem_t item{one.handle(), 0, ZMQ_POLLIN, 0};
            return none && zmq_poll(&item, 1, 1) < 0 && own.untouched() ? 0 : 1;
        });
        ASSERT_EQ(one.receive(), "for the parent");
    }
}

TEST_P(forked, messages_of_the_child_go_nowhere) {
    socket pull(owner, ZMQ_PULL), push(owner, ZMQ_PUSH);
    ASSERT_EQ(push.connect(bind(pull)), 0);
    ASSERT_EQ(push.send("first"), 0);
    ASSERT_EQ(pull.receive(), "first");
    for (int round = 0; round < 20; ++round) {
        run_in_child([&] {
            const int sent = push.send("by the child");
            zmq_msg_t message;
            zmq_msg_init(&message);
            const bool received = zmq_msg_recv(&message, pull.handle(), 0) >= 0;
            return sent == EINTR && !received && errno == EINTR ? 0 : 1;
        });
        ASSERT_EQ(push.send("by the parent"), 0);
        ASSERT_EQ(pull.receive(), "by the parent");
    }
}

TEST_P(forked, what_waits_for_the_parent_stays_its_own) {
    socket pull(owner, ZMQ_PULL), push(owner, ZMQ_PUSH);
    const int descriptor = pull.get(ZMQ_FD);
    ASSERT_EQ(push.connect(bind(pull)), 0);
    ASSERT_EQ(push.send("first"), 0);
    ASSERT_EQ(pull.receive(), "first");
    for (int round = 0; round < 20; ++round) {
        ASSERT_EQ(push.send("message"), 0);
        run_in_child([&] {
            int events = 0;
            std::size_t size = sizeof events;
            const bool failed = zmq_getsockopt(pull.handle(), ZMQ_EVENTS, &events, &size) < 0;
            return failed && errno == EINTR ? 0 : 1;
        });
        // The child must not have taken the news from the descriptor that it shares.
        ASSERT_TRUE(eventually([&] {
            if ((pull.get(ZMQ_EVENTS) & ZMQ_POLLIN) != 0)
                return true;
            pollfd item{descriptor, POLLIN, 0};
            return ::poll(&item, 1, patience_ms) == 1 && (pull.get(ZMQ_EVENTS) & ZMQ_POLLIN) != 0;
        }));
        ASSERT_EQ(pull.receive(), "message");
    }
}
ZLINK_OVER_EVERY_TRANSPORT(forked);

// Threads that sleep in the socket are woken under a lock. A thread that holds it in the moment of the fork
// is lost in the child.
TEST(forked_shared_sockets, options_are_set_although_a_lost_thread_tells_the_others) {
    context owner;
    socket server(owner, ZMQ_SERVER);
    server.set(ZMQ_RCVTIMEO, 10); // so that the sleepers look whether it is over
    std::atomic<bool> done = false;
    const auto set_mark = [&](int mark) {
        return zmq_setsockopt(server.handle(), ZMQ_SNDHWM, &mark, sizeof mark);
    };
    constexpr int sleepers = 3;
    std::vector<std::thread> others;
    others.reserve(sleepers + 1);
    for (int sleeper = 0; sleeper < sleepers; ++sleeper)
        others.emplace_back([&] {
            while (!done)
                zmq_recv(server.handle(), nullptr, 0, 0);
        });
    others.emplace_back([&] {
        for (int mark = 1; !done; mark = mark % 1000 + 1)
            EXPECT_EQ(set_mark(mark), 0);
    });
    for (int round = 0; round < 30; ++round)
        run_in_child([&] { return set_mark(7); });
    done = true;
    for (std::thread &other : others)
        other.join();
}

TEST(forked_connections, end_although_a_child_lives) {
    context owner;
    socket pull(owner, ZMQ_PULL);
    ASSERT_EQ(pull.bind("tcp://127.0.0.1:*"), 0);
    const std::string endpoint = pull.last_endpoint();
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))));
    const int peer = ::socket(AF_INET, SOCK_STREAM, 0);
    ASSERT_EQ(::connect(peer, reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
    char bytes[64];
    ASSERT_GT(::recv(peer, bytes, sizeof bytes, 0), 0); // the greeting: it was accepted
    const sleeping_child alive;
    pull.close();
    owner.term();
    ssize_t got = 0;
    while ((got = ::recv(peer, bytes, sizeof bytes, 0)) > 0) {
    }
    EXPECT_EQ(got, 0);
    ::close(peer);
    context next;
    socket other(next, ZMQ_PULL);
    EXPECT_EQ(other.bind(endpoint), 0);
}

} // namespace
} // namespace zlink::conformance
