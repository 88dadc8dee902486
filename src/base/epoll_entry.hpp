// SPDX-License-Identifier: MPL-2.0
// epoll_entry: the place of one descriptor in one epoll(7), where it is watched for readability.
//
// Threads: one at a time, while the descriptor is open. Ownership: none. A descriptor that is closed leaves
// by itself, and its entry ends with it.
#pragma once

#include <sys/epoll.h>
#include <utility>

namespace zlink {

class epoll_entry {
  public:
    // Nothing happens if it is there. Returns false if the system refused.
    [[nodiscard]] bool enter(int epoll, int descriptor) noexcept {
        if (!there_) {
            epoll_event wanted{EPOLLIN, {}};
            there_ = epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &wanted) == 0;
        }
        return there_;
    }
    void leave(int epoll, int descriptor) noexcept {
        if (std::exchange(there_, false))
            (void)epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nullptr);
    }

  private:
    bool there_ = false;
};

} // namespace zlink
