// SPDX-License-Identifier: MPL-2.0
#include "core/poll.hpp"

#include <algorithm>
#include <cerrno>
#include <poll.h>

#include "base/error.hpp"
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

class waiting {
  public:
    explicit waiting(std::span<poll_item> items) : items_(items) {
        for (const poll_item &item : items_)
            if (item.waited == nullptr)
                descriptors_.push_back({item.descriptor, to_system(item.events), 0});
        has_descriptors_ = !descriptors_.empty();
        if (has_descriptors_)
            descriptors_.push_back({-1, 0, 0}); // the parker's
    }

    // How many are ready now? EINTR, ETERM or what poll(2) says.
    result<int> look() {
        if (has_descriptors_ && ::poll(descriptors_.data(), descriptors_.size() - 1, 0) < 0)
            return error{errno};
        int count = 0;
        auto descriptor = descriptors_.begin();
        for (poll_item &item : items_) {
            item.ready = 0;
            if (item.waited == nullptr) {
                item.ready = from_system((descriptor++)->revents, item.events);
            } else if (const auto ready = item.waited->events(item.events); ready) {
                item.ready = static_cast<short>(*ready);
            } else {
                return error{ready.code()};
            }
            count += item.ready != 0 ? 1 : 0;
        }
        return count;
    }

    runtime::park_result sleep(runtime::time_ms deadline) {
        announce(true);
        auto outcome = runtime::park_result::woken;
        const bool quiet = std::all_of(items_.begin(), items_.end(), [](const poll_item &item) {
            return item.waited == nullptr || item.waited->box().ready.empty();
        });
        runtime::parker &self = runtime::parker::of_this_thread();
        if (quiet)
            outcome = has_descriptors_ ? self.park_with(descriptors_, deadline) : self.park(deadline);
        announce(false);
        return outcome;
    }

  private:
    void announce(bool asleep) noexcept {
        for (const poll_item &item : items_)
            if (item.waited != nullptr)
                item.waited->box().sleeping(asleep);
    }

    std::span<poll_item> items_;
    std::vector<pollfd> descriptors_;
    bool has_descriptors_ = false;
};

} // namespace

result<int> poll(std::span<poll_item> items, long timeout_ms) {
    waiting all(items);
    const runtime::time_ms deadline = timeout_ms == 0 ? 0 : runtime::deadline_after(timeout_ms);
    for (;;) {
        auto ready = all.look();
        if (!ready || *ready != 0 || timeout_ms == 0)
            return ready;
        switch (all.sleep(deadline)) {
        case runtime::park_result::woken:
            break;
        case runtime::park_result::timed_out:
            return all.look();
        case runtime::park_result::interrupted:
            return error{EINTR};
        case runtime::park_result::failed:
            return error{runtime::parker::of_this_thread().failure()};
        }
    }
}

} // namespace zlink::core
