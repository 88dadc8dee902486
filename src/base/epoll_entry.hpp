// SPDX-License-Identifier: MPL-2.0
// epoll_entry: the place of a descriptor in an epoll(7), where it is watched for readability.
//
// Threads: one at a time, while both descriptors are open. Ownership: none. A descriptor that is closed
// leaves by itself, and its entry ends with it.
#pragma once

#include <sys/epoll.h>
#include <utility>

namespace zlink {

class epoll_entry {
  public:
    // Nothing happens if it is in one. Returns false if the system refused.
    [[nodiscard]] bool enter(int epoll, int descriptor) noexcept {
        epoll_event wanted{EPOLLIN, {}};
        if (epoll_ < 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &wanted) == 0) {
            epoll_ = epoll;
            descriptor_ = descriptor;
        }
        return epoll_ >= 0;
    }
    void leave() noexcept {
        if (epoll_ >= 0)
            (void)epoll_ctl(std::exchange(epoll_, -1), EPOLL_CTL_DEL, descriptor_, nullptr);
    }

  private:
    int epoll_ = -1;
    int descriptor_ = -1;
};

} // namespace zlink
