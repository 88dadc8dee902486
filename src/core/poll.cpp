// SPDX-License-Identifier: MPL-2.0
#include "core/poll.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <optional>
#include <poll.h>
#include <vector>

#include "base/brief_yield.hpp"
#include "base/error.hpp"
#include "base/per_thread.hpp"
#include "core/persistence.hpp"
#include "core/poll_events.hpp"

namespace zlink::core {
namespace {

struct event_pair {
    short zmq;
    short system;
};
constexpr event_pair event_pairs[] = {{poll_in, POLLIN}, {poll_out, POLLOUT}, {poll_priority, POLLPRI}};

short to_system(short events) noexcept {
    short result = 0;
    for (const event_pair &pair : event_pairs)
        if ((events & pair.zmq) != 0)
            result = static_cast<short>(result | pair.system);
    return result;
}

short from_system(short events, short wanted) noexcept {
    short result = 0;
    for (const event_pair &pair : event_pairs)
        if ((events & pair.system) != 0 && (wanted & pair.zmq) != 0)
            result = static_cast<short>(result | pair.zmq);
    if ((events & ~(POLLIN | POLLOUT | POLLPRI)) != 0) // asked for or not, as poll(2) has it
        result = static_cast<short>(result | poll_error);
    return result;
}

using descriptor_list = std::vector<pollfd>;

// A call allocates nothing if an earlier call of its thread watched as many descriptors.
struct list_source {
    static descriptor_list *take() { return new descriptor_list; }
    static void release(descriptor_list *old) noexcept { delete old; }
};

class waiting {
  public:
    waiting(std::span<poll_item> items, const sigset_t *mask) : items_(items), mask_(mask) {
        for (poll_item &item : items_) {
            item.shared = item.waited != nullptr && !item.waited->exclusive();
            if (item.waited == nullptr)
                add({item.descriptor, to_system(item.events), 0});
            else if (item.shared)
                hold_box(*item.waited);
        }
    }

    // How many are ready now? EINTR, ETERM or what poll(2) says.
    result<int> look(bool waits) {
        if (own_ != 0 && ::poll(descriptors_->data(), own_, 0) < 0)
            return error{errno};
        int count = 0;
        const pollfd *descriptor = own_ != 0 ? descriptors_->data() : nullptr;
        for (poll_item &item : items_) {
            item.ready = 0;
            if (item.waited == nullptr) {
                item.ready = from_system((descriptor++)->revents, item.events);
            } else if (const auto ready = asked_once_.empty()
                                              ? item.waited->events_in_turn(item.events, waits)
                                              : ask_once(item, waits);
                       ready) {
                item.ready = static_cast<short>(*ready);
            } else {
                return error{ready.code()};
            }
            count += item.ready != 0 ? 1 : 0;
        }
        return count;
    }

    // Before the first sleep. A look takes a socket's events, also those that another row of the same socket
    // waits for. Such a socket is asked once from now on. Returns true if there is one.
    bool find_doubled() {
        bool doubled = false;
        for (const poll_item &item : items_)
            if (watches(item))
                doubled |= item.waited->peers().box().counted_in_poll(true);
        for (const poll_item &item : items_)
            if (watches(item))
                (void)item.waited->peers().box().counted_in_poll(false);
        if (doubled)
            asked_once_.resize(items_.size());
        return doubled;
    }

    // Looks a while longer. Returns true if there may be something.
    bool linger() {
        const bool in_process = std::any_of(items_.begin(), items_.end(), [](const poll_item &item) {
            return item.waited != nullptr && !item.shared && item.waited->peers().pipes().only_inproc();
        });
        if (in_process) // as a receive that waits does, see waiter::wait
            brief_yield();
        return stirs() || spin();
    }

    runtime::park_result sleep(runtime::time_ms deadline) {
        runtime::parker &self = runtime::parker::of_this_thread(); // may need memory: first of all
        begin_wait();
        const nap until_woken{*this};
        if (!announce() || !quiet())
            return runtime::park_result::woken;
        return descriptors_->size() != 1 || mask_ != nullptr ? self.park_with(*descriptors_, deadline, mask_)
                                                             : self.park(deadline);
    }

    // The process has no descriptor left by which others could wake the thread. Streams are left to the I/O
    // threads. Sockets alone need none then; with descriptors, or a mask, the thread looks again and again.
    runtime::park_result sleep_without(runtime::time_ms deadline) {
        for (const poll_item &item : items_)
            if (item.waited != nullptr && !item.shared)
                item.waited->streams().disable();
        if (own_ == 0 && mask_ == nullptr)
            return runtime::park_result::woken;
        return runtime::parker::of_this_thread().doze(descriptors(), deadline, mask_);
    }

    // The thread will not look: nobody was asked for the sockets in which it slept.
    void ask_for_turns() noexcept {
        for (const auto &box : boxes_)
            if (!box->ready.nothing_new())
                box->ask_for_turn();
    }

  private:
    // Ends with the thread, too, when that is cancelled.
    struct nap {
        ~nap() {
            all.withdraw();
            all.end_wait();
        }
        waiting &all;
    };

    void hold_box(socket &waited) {
        if (const auto inbox = waited.hold_inbox()) // else the look will say that it is closed
            boxes_.push_back(inbox->box_of_many());
    }
    // Is it a socket of this thread alone? A shared one is asked again behind the announcement of a sleep.
    static bool watches(const poll_item &item) noexcept { return item.waited != nullptr && !item.shared; }
    // The first row of a socket asks for the events of all its rows, and keeps the answer.
    result<int> ask_once(const poll_item &item, bool waits) {
        if (!watches(item))
            return item.waited->events_in_turn(item.events, waits);
        const auto same = [&](const poll_item &other) { return other.waited == item.waited; };
        const auto first = std::find_if(items_.begin(), items_.end(), same);
        int &answer = asked_once_[static_cast<std::size_t>(first - items_.begin())];
        if (&*first == &item) {
            int wanted = 0;
            for (const poll_item &row : items_)
                wanted |= same(row) ? row.events : 0;
            const auto ready = item.waited->events_in_turn(wanted, waits);
            if (!ready)
                return ready;
            answer = *ready;
        }
        return answer & item.events;
    }
    // Does the thread look for messages of this socket itself? Shared ones leave it to the I/O threads.
    static bool reads(const poll_item &item) noexcept {
        return item.waited != nullptr && (item.events & poll_in) != 0 && !item.shared;
    }
    bool spin() {
        const auto watched =
            std::find_if(items_.begin(), items_.end(), [](const poll_item &item) { return reads(item); });
        return watched != items_.end() &&
               watched->waited->spin().spin([this] { return stirs(); }, [this] { read_streams(); });
    }
    void read_streams() noexcept {
        for (const poll_item &item : items_)
            if (reads(item))
                item.waited->streams().read();
    }
    [[nodiscard]] bool stirs() const noexcept {
        return std::any_of(items_.begin(), items_.end(), [](const poll_item &item) {
            return item.waited != nullptr && !item.shared && !item.waited->peers().box().ready.empty();
        });
    }
    [[nodiscard]] bool quiet() {
        return std::all_of(items_.begin(), items_.end(), [](const poll_item &item) {
            return item.waited == nullptr || item.waited->quiet(item.events);
        });
    }
    descriptor_list &descriptors() {
        if (descriptors_ == nullptr) {
            descriptors_ = per_thread<descriptor_list, list_source>::get_unless_ended();
            if (descriptors_ == nullptr) [[unlikely]] {
                late_ = std::make_unique<descriptor_list>();
                descriptors_ = late_.get();
            }
            descriptors_->clear();
        }
        return *descriptors_;
    }
    void add(const pollfd &own) {
        descriptors().push_back(own);
        ++own_;
    }
    // Puts the streams that sockets read themselves behind the descriptors, and one entry for the parker.
    void begin_wait() {
        descriptor_list &all = descriptors();
        all.reserve(own_ + items_.size() * direct_io::leased_streams::most_watched +
                    1); // nothing fails half-way
        for (poll_item &item : items_) {
            item.streams = 0;
            if (!reads(item))
                continue;
            const std::size_t before = all.size();
            all.resize(before + direct_io::leased_streams::most_watched);
            item.streams = item.waited->streams().begin_wait(
                {all.data() + before, direct_io::leased_streams::most_watched});
            all.resize(before + item.streams);
        }
        all.push_back({-1, 0, 0});
    }
    void end_wait() noexcept {
        const pollfd *next = descriptors_->data() + own_;
        for (const poll_item &item : items_) {
            if (item.streams != 0)
                item.waited->streams().end_wait({next, item.streams});
            next += item.streams;
        }
        descriptors_->resize(own_);
    }
    // Returns false if there is no memory for it: the caller tries again. Call withdraw() in both cases.
    [[nodiscard]] bool announce() noexcept {
        try {
            for (const auto &box : boxes_)
                box->add(runtime::parker::of_this_thread());
            announce_exclusive(true);
            return true;
        } catch (const std::bad_alloc &) {
            return false;
        }
    }
    void withdraw() noexcept {
        for (const auto &box : boxes_)
            box->remove(runtime::parker::of_this_thread());
        announce_exclusive(false);
    }
    void announce_exclusive(bool asleep) noexcept {
        for (const poll_item &item : items_)
            if (item.waited != nullptr && !item.shared)
                item.waited->peers().box().sleeping(asleep);
    }

    std::span<poll_item> items_;
    const sigset_t *mask_;
    descriptor_list *descriptors_ = nullptr; // those of items, and during a sleep those of begin_wait()
    std::size_t own_ = 0;                    // of items
    std::vector<int> asked_once_;            // answers, in the places of items; empty: each row asks
    std::unique_ptr<descriptor_list> late_;  // of a call after the thread's destructors
    std::vector<std::shared_ptr<runtime::shared_mailbox>> boxes_; // of shared sockets, which may be closed
};

} // namespace

result<int> poll(std::span<poll_item> items, long timeout_ms, const sigset_t *mask) {
    waiting all(items, mask);
    std::optional<persistence> limits; // the first look is without a look at the clock
    for (;;) {
        auto ready = all.look(timeout_ms != 0);
        if (!ready || *ready != 0 || (timeout_ms == 0 && mask == nullptr))
            return ready;
        if (!limits) {
            limits.emplace(timeout_ms != 0 ? runtime::deadline_after(timeout_ms) : 0, mask);
            if (all.find_doubled())
                continue;
        } else if (const int over = limits->check(); over != 0)
            return over == EAGAIN ? ready : error{over};
        if (timeout_ms != 0 && all.linger())
            continue;
        if (const int interrupted = limits->before_sleep(); interrupted != 0)
            return error{interrupted};
        runtime::park_result ended = all.sleep(limits->deadline());
        if (ended == runtime::park_result::failed)
            ended = all.sleep_without(limits->deadline());
        switch (ended) {
        case runtime::park_result::woken:
            break;
        case runtime::park_result::timed_out:
            return all.look(true);
        case runtime::park_result::interrupted:
            all.ask_for_turns();
            return error{EINTR};
        case runtime::park_result::failed:
            return error{runtime::parker::of_this_thread().failure()};
        }
    }
}

} // namespace zlink::core
