// SPDX-License-Identifier: MPL-2.0
// Sockets, endpoints and descriptors that come and go under load, and processes that have too few of them.
#include <csignal>
#include <dirent.h>
#include <pthread.h>
#include <random>
#include <sys/resource.h>

#include "stress/api_tools.hpp"

namespace zlink::stress {
namespace {

class Churn : public testing::TestWithParam<const char *> {
  protected:
    [[nodiscard]] static std::string endpoint() { return wildcard(GetParam()); }
};

int open_descriptors() {
    DIR *list = ::opendir("/proc/self/fd");
    int count = 0;
    while (::readdir(list) != nullptr)
        ++count;
    ::closedir(list);
    return count;
}

// Threads connect, disconnect, and bind and unbind a second endpoint, while messages flow. Arriving messages
// must be whole, and all of it must end.
TEST_P(Churn, ConnectAndBindStorm) {
    const std::uint64_t rounds = scaled(60);
    const bool inproc = std::string(GetParam()) == "inproc";
    api_context context;
    api_context of_writers; // it lingers for ever: the reader stays until it has ended
    api_context &theirs = inproc ? context : of_writers;
    api_socket pull(context, ZMQ_PULL);
    pull.set(ZMQ_RCVTIMEO, 5);
    const std::string stays = pull.bind(endpoint());
    std::atomic<std::uint64_t> received{0};
    std::vector<std::thread> writers;
    for (unsigned me = 0; me < 3; ++me)
        writers.emplace_back([&, me] {
            std::minstd_rand random(me);
            for (std::uint64_t round = 0; round < rounds; ++round) {
                api_socket push(theirs, ZMQ_PUSH);
                push.set(ZMQ_LINGER, round % 3 == 0 ? -1 : 0);
                push.set(ZMQ_SNDTIMEO, 1000);
                push.connect(stays);
                for (auto count = random() % 50; count != 0; --count)
                    push.send(numbered(round, 8 + random() % 9000));
                if (round % 2 == 0) {
                    EXPECT_EQ(zmq_disconnect(push.get(), stays.c_str()), 0);
                }
            }
        });
    std::atomic<bool> ended{false};
    std::thread ending([&] {
        for (std::thread &one : writers)
            one.join();
        of_writers.term();
        ended.store(true);
    });
    std::string body;
    while (!ended.load()) {
        const std::string second = pull.bind(endpoint());
        while (pull.try_receive(body)) {
            EXPECT_TRUE(is_whole(body));
            received.fetch_add(1);
        }
        EXPECT_EQ(zmq_unbind(pull.get(), second.c_str()), 0);
    }
    ending.join();
    EXPECT_GT(received.load(), 0U);
}

// Pairs of sockets made, used and closed by several threads at once. No descriptor stays.
TEST_P(Churn, ManySocketsInThreads) {
    const int before = open_descriptors();
    {
        api_context context;
        std::vector<std::thread> threads;
        for (int me = 0; me < 4; ++me)
            threads.emplace_back([&] {
                for (std::uint64_t round = 0; round < scaled(25); ++round) {
                    api_socket reply(context, ZMQ_REP);
                    api_socket request(context, ZMQ_REQ);
                    request.connect(reply.bind(endpoint()));
                    ASSERT_GE(request.send(numbered(round)), 0);
                    ASSERT_EQ(number_of(reply.receive()), round);
                    ASSERT_GE(reply.send("yes"), 0);
                    ASSERT_EQ(request.receive(), "yes");
                }
            });
        for (std::thread &one : threads)
            one.join();
    }
    EXPECT_LE(open_descriptors(), before);
}

INSTANTIATE_TEST_SUITE_P(Api, Churn, testing::Values("inproc", "tcp", "ipc"), name_of_transport);

// A connect whose name nobody binds leaves nothing behind.
TEST(ChurnOfNames, ConnectsThatNobodyBinds) {
    api_context context;
    for (int round = 0; round < 50; ++round) {
        api_socket waits(context, ZMQ_DEALER);
        waits.connect("inproc://nobody");
        ASSERT_GE(waits.send("into the void"), 0);
    }
}

// More peers come than there are descriptors: accepting pauses, those who are in go on, and when descriptors
// are free again the rest comes in.
TEST(Shortage, NoDescriptorsLeft) {
#ifdef __SANITIZE_ADDRESS__
    // The checks of undefined behaviour that come with it need descriptors of their own to look at memory.
    GTEST_SKIP() << "the sanitizer needs descriptors";
#endif
    api_context context;
    api_socket pull(context, ZMQ_PULL);
    pull.set(ZMQ_RCVTIMEO, 10000);
    const std::string where = pull.bind("tcp://127.0.0.1:*");
    api_socket early(context, ZMQ_PUSH);
    early.connect(where);
    ASSERT_GE(early.send("early"), 0);
    ASSERT_EQ(pull.receive(), "early");
    api_socket late(context, ZMQ_PUSH);
    late.set(ZMQ_RECONNECT_IVL, 20);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit few{static_cast<rlim_t>(open_descriptors() + 8), before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    std::vector<int> taken; // all of them
    for (int fd = ::dup(0); fd >= 0; fd = ::dup(0))
        taken.push_back(fd);
    ASSERT_FALSE(taken.empty());
    late.connect(where); // finds no descriptor, and tries again
    ASSERT_GE(late.send("late"), 0);
    ::close(taken.back()); // one: enough to connect, not to accept
    taken.pop_back();
    for (int count = 0; count < 50; ++count) {
        ASSERT_GE(early.send("goes on"), 0);
        ASSERT_EQ(pull.receive(), "goes on");
    }
    {
        const api_context starved; // no event loop without descriptors
        void *none = zmq_socket(starved.get(), ZMQ_PAIR);
        EXPECT_EQ(none, nullptr);
        EXPECT_EQ(errno, EMFILE);
        if (none != nullptr)
            zmq_close(none);
    }
    for (const int fd : taken)
        ::close(fd);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(pull.receive(), "late");
}

void do_nothing(int) {}

// A signal ends a blocked call with EINTR, and never ends in a thread of the library.
TEST(Signals, EndBlockedCalls) {
    struct sigaction action {};
    action.sa_handler = do_nothing;
    ASSERT_EQ(::sigaction(SIGUSR1, &action, nullptr), 0);
    api_context context;
    api_socket pull(context, ZMQ_PULL);
    api_socket push(context, ZMQ_PUSH);
    pull.bind("tcp://127.0.0.1:*");
    const auto interrupted = [&](auto call) {
        std::atomic<bool> ended{false};
        sigset_t usr1;
        sigset_t old;
        sigemptyset(&usr1);
        sigaddset(&usr1, SIGUSR1);
        pthread_sigmask(SIG_BLOCK, &usr1, &old); // here and in the sender: only the sleeper takes it
        std::thread sleeper([&] {
            pthread_sigmask(SIG_SETMASK, &old, nullptr);
            EXPECT_EQ(call(), -1);
            EXPECT_EQ(errno, EINTR);
            ended.store(true);
        });
        EXPECT_TRUE(eventually([&] {
            ::kill(::getpid(), SIGUSR1);
            return ended.load();
        }));
        sleeper.join();
        pthread_sigmask(SIG_SETMASK, &old, nullptr);
    };
    char byte = 0;
    interrupted([&] { return zmq_recv(pull.get(), &byte, 1, 0); });
    interrupted([&] { return zmq_send(push.get(), "x", 1, 0); });
    interrupted([&] {
        zmq_pollitem_t item{pull.get(), 0, ZMQ_POLLIN, 0};
        return zmq_poll(&item, 1, -1);
    });
    interrupted([&] {
        zmq_pollitem_t items[] = {{pull.get(), 0, ZMQ_POLLIN, 0}, {nullptr, 0, ZMQ_POLLERR, 0}};
        return zmq_poll(items, 2, -1);
    });
}

// Nothing to do: no processor time.
TEST(Idle, UsesNoProcessorTime) {
    api_context context;
    api_socket pull(context, ZMQ_PULL);
    api_socket push(context, ZMQ_PUSH);
    push.connect(pull.bind("tcp://127.0.0.1:*"));
    ASSERT_GE(push.send("x"), 0);
    pull.receive();
    const auto used = [] {
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        return usage.ru_nvcsw + usage.ru_nivcsw;
    };
    const long before = used();
    pull.set(ZMQ_RCVTIMEO, 500);
    std::string body;
    EXPECT_FALSE(pull.try_receive(body));
    EXPECT_LE(used() - before, 20); // switches of context: one for the wait itself, and no thread that wakes
}

} // namespace
} // namespace zlink::stress
