// SPDX-License-Identifier: MPL-2.0
// zmq_poller_* and zmq_ppoll: zmq_poller(3) and ppoll(2) say what they promise.
#include "rig.hpp"

#include <csignal>

#include <pthread.h>
#include <sys/eventfd.h>

namespace zlink::conformance {
namespace {

// A descriptor that a test makes readable.
class flag {
  public:
    flag() : descriptor_(::eventfd(0, EFD_NONBLOCK)) {}
    ~flag() { ::close(descriptor_); }
    flag(const flag &) = delete;
    void raise() {
        const std::uint64_t one = 1;
        EXPECT_EQ(::write(descriptor_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
    }
    [[nodiscard]] int descriptor() const { return descriptor_; }

  private:
    int descriptor_;
};

int code_of(int outcome) {
    return outcome < 0 ? errno : 0;
}

class poller : public transport_test {
  protected:
    ~poller() override { EXPECT_EQ(zmq_poller_destroy(&handle), 0); }

    // Returns what is reported: the user data of each event as text and its bits, or the error.
    std::string wait_all(int room = 8, long timeout_ms = patience_ms) {
        std::vector<zmq_poller_event_t> events(static_cast<std::size_t>(room) + 1); // never null
        const int count = zmq_poller_wait_all(handle, events.data(), room, timeout_ms);
        if (count < 0)
            return zmq_strerror(errno);
        std::string text;
        for (int i = 0; i < count; ++i) {
            const zmq_poller_event_t &event = events[static_cast<std::size_t>(i)];
            text += (i == 0 ? "" : " ") + std::string(static_cast<const char *>(event.user_data)) + ":" +
                    std::to_string(event.events);
            EXPECT_EQ(event.socket == nullptr, event.fd >= 0);
        }
        return text;
    }
    int add(socket &added, const char *name, short events) {
        return code_of(zmq_poller_add(handle, added.handle(), const_cast<char *>(name), events));
    }
    int add(const flag &added, const char *name, short events) {
        return code_of(zmq_poller_add_fd(handle, added.descriptor(), const_cast<char *>(name), events));
    }

    void *handle = zmq_poller_new();
    socket server{owner, ZMQ_PULL};
};

TEST_P(poller, reports_each_ready_socket_and_descriptor_with_its_user_data) {
    socket client = connected(ZMQ_PUSH, bind(server));
    flag raised;
    EXPECT_EQ(add(server, "server", ZMQ_POLLIN), 0);
    EXPECT_EQ(add(client, "client", ZMQ_POLLOUT), 0);
    EXPECT_EQ(add(raised, "flag", ZMQ_POLLIN), 0);
    EXPECT_EQ(zmq_poller_size(handle), 3);
    EXPECT_EQ(wait_all(), "client:2");
    ASSERT_EQ(client.send("x"), 0);
    raised.raise();
    ASSERT_TRUE(server.ready(ZMQ_POLLIN));
    EXPECT_EQ(wait_all(), "server:1 client:2 flag:1");
    EXPECT_EQ(wait_all(), "server:1 client:2 flag:1") << "it is of a level";
    EXPECT_EQ(server.receive(), "x");
    EXPECT_EQ(wait_all(), "client:2 flag:1");
}

TEST_P(poller, wakes_up_for_a_message) {
    socket client = connected(ZMQ_PUSH, bind(server));
    EXPECT_EQ(add(server, "server", ZMQ_POLLIN), 0);
    std::thread sender([&] {
        zmq_poll(nullptr, 0, 20);
        EXPECT_EQ(client.send("late"), 0);
    });
    zmq_poller_event_t event{};
    EXPECT_EQ(zmq_poller_wait(handle, &event, patience_ms), 0);
    sender.join();
    EXPECT_EQ(event.socket, server.handle());
    EXPECT_EQ(event.events, ZMQ_POLLIN);
    EXPECT_EQ(server.receive(), "late");
}

TEST_P(poller, watches_what_modify_says_and_nothing_that_was_removed) {
    socket client = connected(ZMQ_PUSH, bind(server));
    flag raised;
    raised.raise();
    EXPECT_EQ(add(client, "client", 0), 0);
    EXPECT_EQ(add(raised, "flag", 0), 0);
    EXPECT_EQ(wait_all(8, 0), zmq_strerror(EAGAIN)) << "no events are legal, and none are reported";
    EXPECT_EQ(wait_all(8, -1), zmq_strerror(EFAULT)) << "nothing would ever end this wait";
    EXPECT_EQ(zmq_poller_modify(handle, client.handle(), ZMQ_POLLOUT), 0);
    EXPECT_EQ(wait_all(), "client:2");
    EXPECT_EQ(zmq_poller_modify_fd(handle, raised.descriptor(), ZMQ_POLLIN), 0);
    EXPECT_EQ(wait_all(), "client:2 flag:1");
    EXPECT_EQ(zmq_poller_remove(handle, client.handle()), 0);
    EXPECT_EQ(wait_all(), "flag:1");
    EXPECT_EQ(zmq_poller_remove_fd(handle, raised.descriptor()), 0);
    EXPECT_EQ(zmq_poller_size(handle), 0);
}

TEST_P(poller, reports_in_the_order_of_registration_when_there_is_little_room) {
    flag flags[3];
    const char *names[] = {"a", "b", "c"};
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(add(flags[i], names[i], ZMQ_POLLIN), 0);
        flags[i].raise();
    }
    EXPECT_EQ(wait_all(1), "a:1");
    EXPECT_EQ(wait_all(1), "a:1") << "the first one has priority as long as it is ready";
    EXPECT_EQ(wait_all(2), "a:1 b:1");
    EXPECT_EQ(zmq_poller_remove_fd(handle, flags[0].descriptor()), 0);
    EXPECT_EQ(add(flags[0], "a", ZMQ_POLLIN), 0);
    EXPECT_EQ(wait_all(3), "b:1 c:1 a:1");
}

TEST_P(poller, with_no_room_answers_as_if_nothing_was_ready) {
    EXPECT_EQ(wait_all(0, 0), zmq_strerror(EAGAIN)) << "the poller is empty";
    EXPECT_EQ(wait_all(0, -1), zmq_strerror(EFAULT)) << "the poller is empty";
    EXPECT_EQ(wait_all(1, 0), zmq_strerror(EAGAIN)) << "the poller is empty";
    EXPECT_EQ(wait_all(1, -1), zmq_strerror(EFAULT)) << "the poller is empty";
    flag raised;
    raised.raise();
    EXPECT_EQ(add(raised, "flag", ZMQ_POLLIN), 0);
    EXPECT_EQ(wait_all(0, 0), zmq_strerror(EAGAIN));
    zmq_poller_event_t event{};
    EXPECT_EQ(code_of(zmq_poller_wait_all(handle, &event, -1, 0)), EINVAL);
}

TEST_P(poller, empties_the_room_behind_the_events) {
    flag raised;
    raised.raise();
    EXPECT_EQ(add(raised, "flag", ZMQ_POLLIN), 0);
    std::array<zmq_poller_event_t, 4> events;
    events.fill({this, 7, this, 7});
    EXPECT_EQ(zmq_poller_wait_all(handle, events.data(), 4, patience_ms), 1);
    EXPECT_EQ(events[0].fd, raised.descriptor());
    for (std::size_t i = 1; i < events.size(); ++i) {
        EXPECT_EQ(events[i].socket, nullptr);
        EXPECT_EQ(events[i].fd, -1);
        EXPECT_EQ(events[i].user_data, nullptr);
        EXPECT_EQ(events[i].events, 0);
    }
}

TEST_P(poller, says_what_is_wrong) {
    flag raised;
    zmq_poller_event_t event{};
    int number = 0;
    alignas(std::max_align_t) std::array<char, 4096> other{}; // as large as a socket: its mark is looked for
    void *none = nullptr;
    EXPECT_EQ(code_of(zmq_poller_destroy(nullptr)), EFAULT);
    EXPECT_EQ(code_of(zmq_poller_destroy(&none)), EFAULT);
    EXPECT_EQ(code_of(zmq_poller_size(nullptr)), EFAULT);
    EXPECT_EQ(code_of(zmq_poller_add(nullptr, server.handle(), nullptr, 0)), EFAULT);
    EXPECT_EQ(code_of(zmq_poller_add(handle, nullptr, nullptr, 0)), ENOTSOCK);
    EXPECT_EQ(code_of(zmq_poller_add(handle, other.data(), nullptr, 0)), ENOTSOCK);
    EXPECT_EQ(code_of(zmq_poller_add_fd(handle, -1, nullptr, 0)), EBADF);
    EXPECT_EQ(code_of(zmq_poller_add(handle, server.handle(), nullptr, 16)), EINVAL) << "no such event";
    EXPECT_EQ(add(server, "server", ZMQ_POLLIN), 0);
    EXPECT_EQ(add(server, "server", ZMQ_POLLIN), EINVAL);
    EXPECT_EQ(add(raised, "flag", ZMQ_POLLIN), 0);
    EXPECT_EQ(add(raised, "flag", ZMQ_POLLIN), EINVAL);
    EXPECT_EQ(code_of(zmq_poller_modify(handle, server.handle(), 16)), EINVAL);
    EXPECT_EQ(zmq_poller_remove(handle, server.handle()), 0);
    EXPECT_EQ(code_of(zmq_poller_remove(handle, server.handle())), EINVAL);
    EXPECT_EQ(code_of(zmq_poller_modify(handle, server.handle(), 0)), EINVAL);
    EXPECT_EQ(zmq_poller_remove_fd(handle, raised.descriptor()), 0);
    EXPECT_EQ(code_of(zmq_poller_remove_fd(handle, raised.descriptor())), EINVAL);
    EXPECT_EQ(code_of(zmq_poller_modify_fd(handle, raised.descriptor(), 0)), EINVAL);
    EXPECT_EQ(code_of(zmq_poller_modify_fd(handle, -1, 0)), EBADF);
    EXPECT_EQ(code_of(zmq_poller_remove_fd(handle, -1)), EBADF);
    EXPECT_EQ(code_of(zmq_poller_wait(handle, nullptr, 0)), EFAULT);
    EXPECT_EQ(code_of(zmq_poller_wait(nullptr, &event, 0)), EFAULT);
    EXPECT_EQ(code_of(zmq_poller_wait(handle, &event, -1)), EFAULT) << "it is empty";
    EXPECT_EQ(code_of(zmq_poller_wait(handle, &event, 1)), EAGAIN);
    EXPECT_EQ(code_of(zmq_poller_wait_all(handle, &event, -1, 0)), EINVAL);
    EXPECT_EQ(code_of(zmq_poller_fd(handle, &number)), EINVAL) << "there is no thread-safe socket in it";
    EXPECT_EQ(code_of(zmq_poller_fd(nullptr, &number)), EFAULT);
}

TEST_P(poller, hears_of_the_end_of_the_context) {
    EXPECT_EQ(add(server, "server", ZMQ_POLLIN), 0);
    EXPECT_EQ(zmq_ctx_shutdown(owner.handle()), 0);
    EXPECT_EQ(wait_all(), zmq_strerror(ETERM));
    EXPECT_EQ(zmq_poller_remove(handle, server.handle()), 0);
}

ZLINK_OVER_EVERY_TRANSPORT(poller);

// ---- zmq_ppoll

std::atomic<int> alarms = 0;

// SIGUSR1 is blocked in this thread, and counted when it comes through.
class masked : public ::testing::Test {
  protected:
    masked() {
        struct sigaction action {};
        action.sa_handler = [](int) { ++alarms; };
        ::sigaction(SIGUSR1, &action, &before_);
        alarms = 0;
        sigset_t blocked;
        sigemptyset(&blocked);
        sigaddset(&blocked, SIGUSR1);
        pthread_sigmask(SIG_BLOCK, &blocked, &open);
    }
    ~masked() override {
        pthread_sigmask(SIG_SETMASK, &open, nullptr);
        ::sigaction(SIGUSR1, &before_, nullptr);
    }

    sigset_t open; // the mask that lets it through
    context owner;
    socket waited{owner, ZMQ_PULL};

  private:
    struct sigaction before_ {};
};

TEST_F(masked, a_signal_that_waited_ends_the_wait) {
    zmq_pollitem_t item{waited.handle(), 0, ZMQ_POLLIN, 0};
    for (const long timeout_ms : {-1L, 0L, 10'000L}) {
        ASSERT_EQ(pthread_kill(pthread_self(), SIGUSR1), 0);
        EXPECT_EQ(alarms, 0);
        EXPECT_EQ(code_of(zmq_ppoll(&item, 1, timeout_ms, &open)), EINTR) << timeout_ms;
        EXPECT_EQ(alarms.exchange(0), 1);
    }
}

TEST_F(masked, a_signal_that_is_not_let_through_does_not) {
    zmq_pollitem_t item{waited.handle(), 0, ZMQ_POLLIN, 0};
    ASSERT_EQ(pthread_kill(pthread_self(), SIGUSR1), 0);
    EXPECT_EQ(zmq_ppoll(&item, 1, quiet_ms, nullptr), 0);
    EXPECT_EQ(zmq_poll(&item, 1, quiet_ms), 0);
    EXPECT_EQ(alarms, 0);
    EXPECT_EQ(code_of(zmq_ppoll(nullptr, 0, -1, &open)), EINTR) << "with nothing but the signal to wait for";
    EXPECT_EQ(alarms, 1);
}

TEST_F(masked, messages_come_through_the_mask) {
    socket sender(owner, ZMQ_PUSH);
    const std::string endpoint = unused_endpoint("inproc");
    ASSERT_EQ(waited.bind(endpoint), 0);
    ASSERT_EQ(sender.connect(endpoint), 0);
    std::thread later([&] {
        zmq_poll(nullptr, 0, 20);
        EXPECT_EQ(sender.send("x"), 0);
    });
    zmq_pollitem_t item{waited.handle(), 0, ZMQ_POLLIN, 0};
    EXPECT_EQ(zmq_ppoll(&item, 1, patience_ms, &open), 1);
    EXPECT_EQ(item.revents, ZMQ_POLLIN);
    later.join();
    EXPECT_EQ(waited.receive(), "x");
}

} // namespace
} // namespace zlink::conformance
