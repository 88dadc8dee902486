// SPDX-License-Identifier: MPL-2.0
#include "core/loop_descriptor.hpp"

#include <cerrno>
#include <sys/epoll.h>
#include <utility>

#include "base/epoll_entry.hpp"
#include "base/system_calls.hpp"

namespace zlink::core {

loop_descriptor::~loop_descriptor() {
    if (epoll_ >= 0)
        system_calls::close(epoll_);
}

result<int> loop_descriptor::begin_wait(runtime::socket_mailbox &box,
                                        direct_io::leased_streams &streams) noexcept {
    if (epoll_ < 0)
        if (const auto made = make(box); !made)
            return error{made.code()};
    if (leaves_messages_) // else the descriptor would stay readable
        streams.release_lease();
    else
        streams.watch_in(epoll_);
    box.ring_for_loop(true);
    return epoll_;
}

// The mailbox's descriptor goes in before anything else: an epoll(7) without it is of no use.
result<void> loop_descriptor::make(runtime::socket_mailbox &box) noexcept {
    const int ringing = box.loop_descriptor();
    if (ringing < 0)
        return error{errno};
    epoll_ = epoll_create1(EPOLL_CLOEXEC);
    if (epoll_ < 0)
        return error{errno};
    epoll_entry rings;
    if (rings.enter(epoll_, ringing))
        return {};
    const int why = errno;
    system_calls::close(std::exchange(epoll_, -1));
    return error{why};
}

} // namespace zlink::core
