// SPDX-License-Identifier: MPL-2.0
#include "direct_io/poll_group.hpp"

#include <cerrno>
#include <chrono>
#include <new>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/system_calls.hpp"

namespace zlink::direct_io {

poll_group::poll_group(runtime::io_thread &thread, bool further)
    : thread_(thread), further_(further), watched_(epoll_create1(EPOLL_CLOEXEC)) {
    if (watched_ < 0)
        throw std::system_error(errno, std::generic_category());
}

poll_group::~poll_group() {
    system_calls::close(watched_);
}

// ----
// who is in it

bool poll_group::add(group_member &fresh) noexcept {
    try {
        return enter(fresh);
    } catch (...) {
        if (members_.empty())
            leave();
        return false;
    }
}

bool poll_group::enter(group_member &fresh) {
    const bool first = !loop_;
    if (first)
        loop_.emplace(thread_.context());
    fresh.place = members_.size();
    members_.push_back(&fresh);
    if ((!first || listen()) && watch(fresh))
        return true;
    forget(fresh);
    return false;
}

bool poll_group::watch(group_member &member) const noexcept {
    epoll_event wanted{EPOLLIN, {&member}};
    return epoll_ctl(watched_, EPOLL_CTL_ADD, member.descriptor, &wanted) == 0;
}

void poll_group::forget(const group_member &old) noexcept {
    members_.back()->place = old.place;
    members_[old.place] = members_.back();
    members_.pop_back();
    if (members_.empty())
        leave();
}

void poll_group::remove(group_member &old) noexcept {
    {
        const std::lock_guard lock(mutex_); // the application's thread may be reading it
        epoll_ctl(watched_, EPOLL_CTL_DEL, old.descriptor, nullptr);
    }
    for (std::size_t index = 0; index < found_count_; ++index)
        if (found_[index].data.ptr == &old)
            found_[index].data.ptr = nullptr;
    forget(old);
}

// Out of the watch altogether: without events it would still tell of the peer's end, again and again.
void poll_group::pause(const group_member &member) noexcept {
    epoll_ctl(watched_, EPOLL_CTL_DEL, member.descriptor, nullptr);
}

// ----
// in the event loop

bool poll_group::listen() noexcept {
    boost::system::error_code error;
    try {
        if (!loop_->descriptor.is_open())
            loop_->descriptor.assign(watched_, error);
        if (!error)
            wait_readable();
    } catch (const std::bad_alloc &) {
        waiting_ = false;
        return false;
    }
    return !error;
}

void poll_group::leave() noexcept {
    if (!loop_)
        return;
    if (loop_->descriptor.is_open())
        loop_->descriptor.release();
    loop_.reset();
    waiting_ = false;
    const std::lock_guard lock(mutex_);
    lease_.revoke();
    lease_.refuse();
}

void poll_group::wait_readable() {
    if (std::exchange(waiting_, true))
        return;
    loop_->descriptor.async_wait(
        boost::asio::posix::stream_descriptor::wait_read,
        runtime::slotted(read_slot_, [self = shared_from_this()](const boost::system::error_code &error) {
            if (error)
                return;
            self->waiting_ = false;
            self->turn();
        }));
}

void poll_group::turn() {
    if (!loop_ || lease_.is_granted())
        return;
    const int count = system_calls::look_at_epoll(watched_, found_.data(), static_cast<int>(found_.size()));
    serve(count > 0 ? static_cast<std::size_t>(count) : 0);
    if (loop_ && !lease_.is_granted() && !listen())
        (void)look_in(lease::check_ms);
}

void poll_group::serve(std::size_t count) {
    found_count_ = count;
    for (std::size_t index = 0; index < count; ++index)
        if (auto *const member = static_cast<group_member *>(found_[index].data.ptr)) // it may have left
            member->worker_end->on_stream_readable();
    found_count_ = 0;
}

// ----
// whose it is

void poll_group::on_calls() {
    std::uint32_t calls = 0;
    {
        const std::lock_guard lock(mutex_);
        calls = std::exchange(calls_, 0);
        called_ = false;
        if (!loop_)
            return lease_.refuse();
    }
    if ((calls & pipe_event::lease_released) != 0)
        reclaim_lease();
    if ((calls & pipe_event::lease_resumed) != 0 && lease_.is_granted() && !look_in(lease::check_ms))
        reclaim_lease();
    if ((calls & pipe_event::lease_wanted) != 0)
        grant_lease();
}

void poll_group::grant_lease() {
    if (lease_.is_granted())
        return;
    if (const auto now = runtime::now_ms(); now < rest_until_) {
        if (!look_in(static_cast<int>(rest_until_ - now)))
            refuse();
        return;
    }
    if (!look_in(lease::check_ms))
        return refuse(); // nobody would look after it
    loop_->descriptor.release();
    waiting_ = false;
    idle_seen_ = thread_.times_idle();
    {
        const std::lock_guard lock(mutex_);
        lease_.grant();
        looks_ = finds_ = 0;
    }
    members_.front()->worker_end->notify_peer(pipe_event::lease_moved);
}

// Takes it back and goes on reading here.
void poll_group::reclaim_lease() {
    if (!lease_.is_granted())
        return;
    {
        const std::lock_guard lock(mutex_);
        lease_.revoke();
    }
    if (!listen())
        (void)look_in(lease::check_ms);
}

// The application may ask again.
void poll_group::refuse() noexcept {
    const std::lock_guard lock(mutex_);
    lease_.refuse();
}

// Returns false if there is no memory for it.
bool poll_group::look_in(int milliseconds) noexcept {
    try {
        loop_->timer.expires_after(std::chrono::milliseconds(milliseconds));
        loop_->timer.async_wait(runtime::slotted(
            timer_slot_, [self = shared_from_this()](const boost::system::error_code &error) {
                if (!error && self->loop_)
                    self->check_use();
            }));
    } catch (const std::exception &) {
        return false;
    }
    return true;
}

// While it is not leased: the system refused to listen, or the application asked too soon.
void poll_group::look_again() {
    if (!waiting_ && !listen()) {
        (void)look_in(lease::check_ms);
        return;
    }
    bool asked = false;
    {
        const std::lock_guard lock(mutex_);
        asked = lease_.is_wanted();
    }
    if (asked)
        grant_lease();
}

// Returns true if the application's thread found data on nearly every read since the last call. The I/O
// thread must have been often idle too, unless this is not the socket's first poll group. Under the mutex.
bool poll_group::overloaded() noexcept {
    const std::uint32_t looks = std::exchange(looks_, 0);
    const std::uint32_t finds = std::exchange(finds_, 0);
    const std::uint32_t idle = thread_.times_idle() - std::exchange(idle_seen_, thread_.times_idle());
    return looks >= least_looks && finds > looks - looks / 8 && (further_ || idle >= often_idle);
}

void poll_group::check_use() {
    if (!lease_.is_granted())
        return look_again();
    auto found = lease_use::expired;
    bool busy = false;
    {
        const std::lock_guard lock(mutex_);
        found = lease_.check();
        busy = overloaded();
    }
    if (busy)
        rest_until_ = runtime::now_ms() + rest_ms;
    if (busy || found == lease_use::expired || (found == lease_use::in_use && !look_in(lease::check_ms)))
        reclaim_lease();
}

// ----
// by the application's thread

// Under the mutex.
void poll_group::call(std::uint32_t events) noexcept {
    calls_ |= events;
    if (events == 0 || std::exchange(called_, true))
        return;
    try {
        thread_.post(runtime::slotted(call_slot_, [self = shared_from_this()] { self->on_calls(); }));
    } catch (const std::bad_alloc &) {
        called_ = false; // with the next
    }
}

// How many streams had something; none: it is not the application's.
std::optional<std::size_t> poll_group::read_some() noexcept {
    const std::lock_guard lock(mutex_);
    if (!lease_.is_held())
        return std::nullopt;
    lease_.use();
    std::array<epoll_event, most_helped> found;
    const int count = system_calls::look_at_epoll(watched_, found.data(), static_cast<int>(found.size()));
    ++looks_;
    finds_ += count > 0 ? 1U : 0U;
    for (int index = 0; index < count; ++index)
        static_cast<group_member *>(found[static_cast<std::size_t>(index)].data.ptr)
            ->socket_end->slot()
            .read_in_group();
    return count > 0 ? static_cast<std::size_t>(count) : 0;
}

bool poll_group::read() noexcept {
    for (int round = 0; round < most_rounds; ++round) {
        const auto count = read_some();
        if (!count)
            return false;
        if (*count < most_helped)
            break;
    }
    return true;
}

int poll_group::begin_wait() noexcept {
    const std::lock_guard lock(mutex_);
    if (lease_.is_held()) {
        lease_.begin_sleep();
        return watched_;
    }
    if (lease_.ask())
        call(pipe_event::lease_wanted);
    return -1;
}

void poll_group::end_wait(bool readable) noexcept {
    {
        const std::lock_guard lock(mutex_);
        if (lease_.end_sleep())
            call(pipe_event::lease_resumed);
    }
    if (readable)
        read();
}

bool poll_group::watch_in(int epoll, bool asks) noexcept {
    const std::lock_guard lock(mutex_);
    if (lease_.watch_in(epoll, watched_))
        return true;
    if (lease_.is_held()) {
        lease_.release();
        call(pipe_event::lease_released);
    } else if (asks && lease_.ask()) {
        call(pipe_event::lease_wanted);
    }
    return false;
}

void poll_group::release_lease() noexcept {
    const std::lock_guard lock(mutex_);
    if (!lease_.is_held())
        return;
    lease_.release();
    call(pipe_event::lease_released);
}

} // namespace zlink::direct_io
