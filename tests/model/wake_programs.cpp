// SPDX-License-Identifier: MPL-2.0
// Programs of what wakes threads: ready queues, mailboxes, parkers, and a queue with all of them.
#include <atomic>

#include "model/programs.hpp"
#include "queue/message_queue.hpp"
#include "runtime/socket_mailbox.hpp"

namespace zlink::model {
namespace {

using runtime::parker;
constexpr std::size_t owning = 1; // threads; the others tell it something

// News of each thread, told by an event with the thread's number.
class news final : public ready_node {
  public:
    void tell(std::size_t thread, ready_queue &to) noexcept {
        told_[thread] = 1;
        to.notify(*this, 1U << thread);
    }
    [[nodiscard]] std::uint32_t seen() const noexcept { return seen_; }

  private:
    void on_ready(std::uint32_t events) override {
        for (std::size_t thread = 0; thread < most_threads; ++thread)
            if ((events >> thread & 1) != 0)
                require(told_[thread] == 1, "an event came before its news");
        require((seen_ & events) == 0, "an event came twice");
        seen_ |= events;
    }

    static constexpr std::size_t most_threads = 4;
    int told_[most_threads]{};
    std::uint32_t seen_ = 0;
};

// The owner of a mailbox sleeps until all others have told it something.
template <std::size_t Nodes> struct mailbox_program {
    static constexpr std::size_t threads = 3;

    mailbox_program() { set_parker(owning, own_parker_); }
    void run(std::size_t thread) {
        if (thread != owning)
            return nodes_[thread % Nodes].tell(thread, box_.ready);
        while (!(box_.ready.drain(), done())) {
            box_.sleeping(true);
            if (box_.ready.empty())
                (void)own_parker_.park(runtime::never);
            box_.sleeping(false);
        }
    }
    void finish() { require(box_.ready.empty(), "a node is in the queue that nobody has told anything"); }

  private:
    [[nodiscard]] bool done() const noexcept {
        std::uint32_t seen = 0;
        for (const news &one : nodes_)
            seen |= one.seen();
        return seen == (1U << 2 | 1U << 3);
    }

    parker own_parker_;
    runtime::socket_mailbox box_;
    news nodes_[Nodes];
};

// One wakeup ends one sleep, also if it comes first.
struct one_wakeup {
    static constexpr std::size_t threads = 2;

    void run(std::size_t thread) {
        if (thread == owning) {
            require(parker_.park(runtime::never) == runtime::park_result::woken, "a sleep has no reason");
            require(told_ == 1, "a sleep ended too early");
        } else {
            told_ = 1;
            parker_.unpark();
        }
    }
    void finish() {}

  private:
    parker parker_;
    int told_ = 0;
};

// Two wakeups may be one: the sleeper looks what it waits for.
struct two_wakeups {
    static constexpr std::size_t threads = 3;

    void run(std::size_t thread) {
        if (thread != owning) {
            told_[thread].store(1, std::memory_order_relaxed);
            return parker_.unpark();
        }
        while (told_[2].load(std::memory_order_relaxed) + told_[3].load(std::memory_order_relaxed) != 2)
            (void)parker_.park(runtime::never);
    }
    void finish() {}

  private:
    parker parker_;
    std::atomic<int> told_[4]{};
};

// A receive of a socket: the queue's reader asks to be notified, and then sleeps on its mailbox.
struct receive {
    static constexpr std::size_t threads = 2;

    receive() { set_parker(owning, own_parker_); }
    void run(std::size_t thread) {
        for (std::uint8_t number = 1; number <= 2; ++number)
            thread == owning ? read(number) : write(number);
    }
    void finish() {}

  private:
    class end final : public ready_node {
        void on_ready(std::uint32_t) override {}
    };

    void write(std::uint8_t number) noexcept {
        require(queue_.writer().write({&number, 1, 0, nullptr}), "no memory");
        if (queue_.writer().commit())
            box_.ready.notify(end_, 1);
    }
    void read(std::uint8_t number) {
        while (!queue_.reader().has_message()) {
            box_.ready.drain();
            if (!queue_.reader().prepare_wait_data())
                continue;
            box_.sleeping(true);
            if (box_.ready.empty())
                (void)own_parker_.park(runtime::never);
            box_.sleeping(false);
        }
        incoming_frame frame;
        require(queue_.reader().read(frame) && frame.data[0] == number, "another message came");
    }

    parker own_parker_;
    runtime::socket_mailbox box_;
    end end_;
    message_queue queue_;
};

} // namespace

std::vector<program> wake_programs() {
    return {make_program<mailbox_program<1>>("wake.one_node", 2, 1),
            make_program<mailbox_program<2>>("wake.two_nodes", 2, 1),
            make_program<one_wakeup>("wake.one_wakeup", 6, 4),
            make_program<two_wakeups>("wake.two_wakeups", 3, 2), make_program<receive>("wake.receive", 2, 1)};
}

} // namespace zlink::model
