// SPDX-License-Identifier: MPL-2.0
#include "core/loop_descriptor.hpp"

#include <cerrno>
#include <sys/epoll.h>

#include "base/epoll_entry.hpp"
#include "base/system_calls.hpp"

namespace zlink::core {

loop_descriptor::~loop_descriptor() {
    if (epoll_ >= 0)
        system_calls::close(epoll_);
}

int loop_descriptor::begin_wait(runtime::socket_mailbox &box, direct_io::leased_streams &streams) noexcept {
    if (epoll_ < 0 && !make(box))
        return -1;
    streams.watch_in(epoll_);
    box.ring_for_loop(true);
    return epoll_;
}

bool loop_descriptor::make(runtime::socket_mailbox &box) noexcept {
    const int bell = box.loop_descriptor();
    if (bell < 0)
        return false;
    const int made = epoll_create1(EPOLL_CLOEXEC);
    if (made < 0)
        return false;
    epoll_entry rings;
    if (rings.enter(made, bell)) {
        epoll_ = made;
        return true;
    }
    const int why = errno;
    system_calls::close(made);
    errno = why;
    return false;
}

} // namespace zlink::core
