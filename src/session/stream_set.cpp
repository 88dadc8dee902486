// SPDX-License-Identifier: MPL-2.0
#include "session/stream_set.hpp"

#include <cerrno>
#include <chrono>
#include <new>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/system_calls.hpp"

namespace zlink::session {

stream_set::stream_set(runtime::io_thread &thread, bool further)
    : thread_(thread), further_(further), watched_(epoll_create1(EPOLL_CLOEXEC)) {
    if (watched_ < 0)
        throw std::system_error(errno, std::generic_category());
}

stream_set::~stream_set() {
    system_calls::close(watched_);
}

// ----
// who is in it

bool stream_set::add(set_member &fresh) noexcept {
    try {
        return enter(fresh);
    } catch (...) {
        if (members_.empty())
            leave();
        return false;
    }
}

bool stream_set::enter(set_member &fresh) {
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

bool stream_set::watch(set_member &member) const noexcept {
    epoll_event wanted{EPOLLIN, {&member}};
    return epoll_ctl(watched_, EPOLL_CTL_ADD, member.descriptor, &wanted) == 0;
}

void stream_set::forget(const set_member &old) noexcept {
    members_.back()->place = old.place;
    members_[old.place] = members_.back();
    members_.pop_back();
    if (members_.empty())
        leave();
}

void stream_set::remove(set_member &old) noexcept {
    {
        const std::lock_guard token(token_); // the application's thread may be reading it
        epoll_ctl(watched_, EPOLL_CTL_DEL, old.descriptor, nullptr);
    }
    for (std::size_t index = 0; index < found_count_; ++index)
        if (found_[index].data.ptr == &old)
            found_[index].data.ptr = nullptr;
    forget(old);
}

// Out of the watch altogether: without events it would still tell of the peer's end, again and again.
void stream_set::mute(const set_member &member) noexcept {
    epoll_ctl(watched_, EPOLL_CTL_DEL, member.descriptor, nullptr);
}

// ----
// in the event loop

bool stream_set::listen() noexcept {
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

void stream_set::leave() noexcept {
    if (!loop_)
        return;
    if (loop_->descriptor.is_open())
        loop_->descriptor.release();
    loop_.reset();
    waiting_ = false;
    const std::lock_guard token(token_);
    custody_.take_back();
    custody_.refuse();
}

void stream_set::wait_readable() {
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

void stream_set::turn() {
    if (!loop_ || custody_.handed_over())
        return;
    const int count = system_calls::look_at_epoll(watched_, found_.data(), static_cast<int>(found_.size()));
    serve(count > 0 ? static_cast<std::size_t>(count) : 0);
    if (loop_ && !custody_.handed_over() && !listen())
        (void)look_in(custody::first_look_ms);
}

void stream_set::serve(std::size_t count) {
    found_count_ = count;
    for (std::size_t index = 0; index < count; ++index)
        if (auto *const member = static_cast<set_member *>(found_[index].data.ptr)) // it may have left
            member->reader->on_set_readable();
    found_count_ = 0;
}

// ----
// whose it is

void stream_set::on_calls() {
    std::uint32_t calls = 0;
    {
        const std::lock_guard token(token_);
        calls = std::exchange(calls_, 0);
        called_ = false;
        if (!loop_)
            return custody_.refuse();
    }
    if ((calls & pipe_event::stream_returned) != 0)
        reclaim();
    if ((calls & pipe_event::stream_watched) != 0 && custody_.handed_over() &&
        !look_in(custody::first_look_ms))
        reclaim();
    if ((calls & pipe_event::stream_wanted) != 0)
        hand_over();
}

void stream_set::hand_over() {
    if (custody_.handed_over())
        return;
    if (const auto now = runtime::now_ms(); now < rest_until_) {
        if (!look_in(static_cast<int>(rest_until_ - now)))
            refuse();
        return;
    }
    if (!look_in(custody::first_look_ms))
        return refuse(); // nobody would look after it
    loop_->descriptor.release();
    waiting_ = false;
    idle_seen_ = thread_.times_idle();
    {
        const std::lock_guard token(token_);
        custody_.hand_over();
        looks_ = finds_ = 0;
    }
    members_.front()->end->notify_peer(pipe_event::stream_moved);
}

// Takes it back and goes on reading here.
void stream_set::reclaim() {
    if (!custody_.handed_over())
        return;
    {
        const std::lock_guard token(token_);
        custody_.take_back();
    }
    if (!listen())
        (void)look_in(custody::first_look_ms);
}

// The application may ask again.
void stream_set::refuse() noexcept {
    const std::lock_guard token(token_);
    custody_.refuse();
}

// Returns false if there is no memory for it.
bool stream_set::look_in(int milliseconds) noexcept {
    try {
        loop_->timer.expires_after(std::chrono::milliseconds(milliseconds));
        loop_->timer.async_wait(runtime::slotted(
            timer_slot_, [self = shared_from_this()](const boost::system::error_code &error) {
                if (!error && self->loop_)
                    self->look_after();
            }));
    } catch (const std::exception &) {
        return false;
    }
    return true;
}

// While it is not handed over: the system refused to listen, or the application asked too soon.
void stream_set::look_again() {
    if (!waiting_ && !listen()) {
        (void)look_in(custody::first_look_ms);
        return;
    }
    bool asked = false;
    {
        const std::lock_guard token(token_);
        asked = custody_.asked_for();
    }
    if (asked)
        hand_over();
}

// Has the application's thread, since the last time, hardly ever found nothing? Then this one better reads
// when it often had nothing to do, or when the application's has the first set to read. Under the token.
bool stream_set::hands_full() noexcept {
    const std::uint32_t looks = std::exchange(looks_, 0);
    const std::uint32_t finds = std::exchange(finds_, 0);
    const std::uint32_t idle = thread_.times_idle() - std::exchange(idle_seen_, thread_.times_idle());
    return looks >= least_looks && finds > looks - looks / 8 && (further_ || idle >= often_idle);
}

void stream_set::look_after() {
    if (!custody_.handed_over())
        return look_again();
    custody_look found{};
    bool busy = false;
    {
        const std::lock_guard token(token_);
        found = custody_.look_after();
        busy = hands_full();
    }
    if (busy)
        rest_until_ = runtime::now_ms() + rest_ms;
    if (busy || found.left || (found.next_look_ms != 0 && !look_in(found.next_look_ms)))
        reclaim();
}

// ----
// by the application's thread

// Under the token.
void stream_set::call(std::uint32_t events) noexcept {
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
std::optional<std::size_t> stream_set::read_some() noexcept {
    const std::lock_guard token(token_);
    if (!custody_.kept())
        return std::nullopt;
    custody_.reads();
    std::array<epoll_event, most_helped> found;
    const int count = system_calls::look_at_epoll(watched_, found.data(), static_cast<int>(found.size()));
    ++looks_;
    finds_ += count > 0 ? 1U : 0U;
    for (int index = 0; index < count; ++index)
        static_cast<set_member *>(found[static_cast<std::size_t>(index)].data.ptr)
            ->end->other()
            .read_in_group();
    return count > 0 ? static_cast<std::size_t>(count) : 0;
}

bool stream_set::read() noexcept {
    for (int round = 0; round < most_rounds; ++round) {
        const auto count = read_some();
        if (!count)
            return false;
        if (*count < most_helped)
            break;
    }
    return true;
}

int stream_set::begin_wait() noexcept {
    const std::lock_guard token(token_);
    if (custody_.kept()) {
        custody_.begin_wait();
        return watched_;
    }
    call(custody_.ask());
    return -1;
}

void stream_set::end_wait(bool readable) noexcept {
    {
        const std::lock_guard token(token_);
        call(custody_.end_wait());
    }
    if (readable)
        read();
}

void stream_set::give_back() noexcept {
    const std::lock_guard token(token_);
    if (custody_.kept())
        call(custody_.give_back());
}

} // namespace zlink::session
