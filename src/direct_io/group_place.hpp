// SPDX-License-Identifier: MPL-2.0
// group_place: the place of a connection in a poll group.
//
// Threads: the I/O thread. Ownership: of the connection, which does not move while the place is taken; shares
// the group.
#pragma once

#include <memory>
#include <utility>

#include "direct_io/poll_group.hpp"

namespace zlink::direct_io {

class group_place {
  public:
    [[nodiscard]] bool is_taken() const noexcept { return group_ != nullptr; }
    // Returns false if memory or descriptors are short. The application's thread may read the stream before
    // this returns.
    [[nodiscard]] bool take(std::shared_ptr<poll_group> group, pipe_end &worker_end,
                            int descriptor) noexcept {
        member_ = {&worker_end, &worker_end.other(), descriptor};
        if (!group->add(member_))
            return false;
        group_ = std::move(group);
        return true;
    }
    void leave() noexcept { std::exchange(group_, nullptr)->remove(member_); }
    // See poll_group.
    void pause() noexcept { group_->pause(member_); }
    [[nodiscard]] bool resume() noexcept { return group_->watch(member_); }

  private:
    std::shared_ptr<poll_group> group_;
    group_member member_{};
};

} // namespace zlink::direct_io
