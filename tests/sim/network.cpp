// SPDX-License-Identifier: MPL-2.0
#include "sim/network.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <netinet/in.h>
#include <sys/un.h>

namespace sim {

network *net = nullptr;

namespace {
constexpr int most_pieces = 6;            // of one write
constexpr int most_tries = 5;             // of a connect to a full backlog
constexpr time_ns gives_up = 900 * one_s; // a kernel that hears no confirmation
} // namespace

// ---- addresses

std::string address::key() const {
    if (family() == AF_UNIX) {
        const auto &path = reinterpret_cast<const sockaddr_un &>(bytes);
        const auto named = size - static_cast<socklen_t>(offsetof(sockaddr_un, sun_path));
        return "unix:" + std::string(path.sun_path, named);
    }
    return "tcp:" + std::to_string(port());
}

int address::port() const noexcept {
    return ntohs(reinterpret_cast<const sockaddr_in &>(bytes).sin_port); // IPv6 has it there, too
}

void address::set_port(int to) noexcept {
    reinterpret_cast<sockaddr_in &>(bytes).sin_port = htons(static_cast<std::uint16_t>(to));
}

void address::copy_to(sockaddr *to, socklen_t *room) const noexcept {
    if (to == nullptr || room == nullptr)
        return;
    std::memcpy(to, &bytes, std::min(*room, size));
    *room = size;
}

// ---- what a program asks

stream_socket::~stream_socket() = default;

short stream_socket::readiness() const {
    switch (state_) {
    case state::listening:
        return backlog_.empty() ? 0 : POLLIN;
    case state::connecting:
        return 0;
    case state::fresh:
    case state::bound:
        return POLLOUT | POLLHUP;
    default:
        break;
    }
    if (state_ == state::dead)
        return static_cast<short>(POLLIN | POLLOUT | POLLHUP | POLLRDHUP | (error_ != 0 ? POLLERR : 0));
    int ready = received_.empty() && !ended_ ? 0 : POLLIN;
    ready |= ended_ ? POLLRDHUP : 0;
    ready |= ended_ && !sends_ ? POLLHUP : 0;
    if (!sends_ || room() * 3 >= window_)
        ready |= POLLOUT;
    else
        wants_room_ = true;
    return static_cast<short>(ready);
}

ssize_t stream_socket::read(void *to, std::size_t size) {
    if (!received_.empty()) {
        const std::size_t taken = std::min(size, received_.size());
        std::memcpy(to, received_.data(), taken);
        received_.erase(0, taken);
        if (const auto from = peer(); from != nullptr && from->wants_room_)
            run->at(run->now() + run->up_to(net->is.most_delay), [from] { from->room_again(); });
        return static_cast<ssize_t>(taken);
    }
    if (error_ != 0)
        return -take_error();
    if (ended_ || state_ == state::dead)
        return 0;
    return state_ == state::connected ? -EAGAIN : -ENOTCONN;
}

ssize_t stream_socket::write(const void *from, std::size_t size) {
    if (error_ != 0)
        return -take_error();
    if (!sends_ || state_ == state::dead)
        return -EPIPE;
    if (state_ != state::connected)
        return -ENOTCONN;
    if (run->chance(net->is.no_buffers_one_in)) {
        ++net->breaks; // the program has to give it up
        return -ENOBUFS;
    }
    std::size_t taken = std::min(size, room());
    if (taken > 1 && run->chance(net->is.short_write_one_in)) {
        taken = 1 + run->dice.below(static_cast<std::uint32_t>(taken));
        run->at(run->now() + run->up_to(net->is.most_delay),
                [self = shared_from_this(), this] { room_again(); });
    }
    if (taken < size)
        wants_room_ = true;
    if (taken == 0)
        return size == 0 ? 0 : -EAGAIN;
    send_later(std::string(static_cast<const char *>(from), taken));
    return static_cast<ssize_t>(taken);
}

int stream_socket::bind(const address &to) {
    own = to;
    if (to.family() != AF_UNIX && to.port() == 0)
        own.set_port(net->next_port++);
    const std::string name = own.key();
    if (net->listeners.contains(name) || (to.family() == AF_UNIX && net->bound.contains(name)))
        return -EADDRINUSE;
    if (to.family() == AF_UNIX)
        net->bound.insert(name);
    state_ = state::bound;
    return 0;
}

int stream_socket::listen(int backlog) {
    if (net->listeners.contains(own.key()))
        return -EADDRINUSE;
    net->listeners[own.key()] = this;
    most_backlog_ = static_cast<std::size_t>(std::max(backlog, 1));
    state_ = state::listening;
    return 0;
}

int stream_socket::connect(const address &to) {
    if (state_ != state::fresh && state_ != state::bound)
        return state_ == state::connecting ? -EALREADY : -EISCONN;
    other = to;
    ++net->attempts;
    if (family_ == AF_UNIX) {
        const auto found = net->listeners.find(to.key());
        if (found == net->listeners.end())
            return net->bound.contains(to.key()) ? -ECONNREFUSED : -ENOENT;
        if (found->second->backlog_.size() >= found->second->most_backlog_)
            return -EAGAIN;
        own.bytes.ss_family = AF_UNIX;
        own.size = sizeof(sa_family_t);
        establish(std::static_pointer_cast<stream_socket>(found->second->shared_from_this()));
        return 0;
    }
    if (own.size == 0) {
        own = to;
        own.set_port(net->next_port++);
    }
    state_ = state::connecting;
    run->at(arrival(), [self = shared_from_this(), this] { try_connect(other, 0); });
    return -EINPROGRESS;
}

std::shared_ptr<stream_socket> stream_socket::accept() {
    auto first = std::move(backlog_.front());
    backlog_.pop_front();
    return first;
}

int stream_socket::shut_down(int how) {
    if (state_ != state::connected)
        return -ENOTCONN;
    if (how != SHUT_RD && std::exchange(sends_, false))
        tell_peer(&stream_socket::on_end);
    if (how != SHUT_WR)
        ended_ = true;
    notify();
    return 0;
}

void stream_socket::closed() {
    open_ = false;
    if (state_ == state::listening) {
        net->listeners.erase(own.key());
        for (const auto &waiting : std::exchange(backlog_, {}))
            waiting->closed();
    }
    if (state_ == state::connected) {
        if (!received_.empty())
            drop_unsent();
        else if (sends_)
            tell_peer(&stream_socket::on_end);
        sends_ = false;
    } else {
        state_ = state::dead;
    }
    if (began_ != 0)
        net->lives += run->now() - std::exchange(began_, 0);
}

std::size_t stream_socket::in_flight() const noexcept {
    const auto to = peer();
    return to != nullptr ? to->under_way_ : 0;
}

// ---- connects

void stream_socket::try_connect(const address &to, int tries) {
    if (!open_ || state_ != state::connecting)
        return;
    if (run->now() < net->heals_at) {
        run->at(arrival(), [self = shared_from_this(), this, tries] { try_connect(other, tries); });
        return;
    }
    const auto found = net->listeners.find(to.key());
    if (found == net->listeners.end() || run->chance(net->is.refuses_one_in))
        return fail_connect(ECONNREFUSED);
    if (found->second->backlog_.size() < found->second->most_backlog_)
        return establish(std::static_pointer_cast<stream_socket>(found->second->shared_from_this()));
    if (tries >= most_tries)
        return fail_connect(ETIMEDOUT);
    run->at(run->now() + (one_s << tries),
            [self = shared_from_this(), this, tries] { try_connect(other, tries + 1); });
}

void stream_socket::fail_connect(int error) {
    state_ = state::dead;
    error_ = error;
    notify();
}

void stream_socket::establish(const std::shared_ptr<stream_socket> &listener) {
    const auto accepted = std::make_shared<stream_socket>(family_);
    accepted->own = listener->own;
    accepted->other = own;
    accepted->join(std::static_pointer_cast<stream_socket>(shared_from_this()));
    join(accepted);
    began_ = run->now();
    ++net->made;
    net->connections.push_back(accepted);
    listener->backlog_.push_back(accepted);
    listener->notify();
    notify();
}

void stream_socket::join(const std::shared_ptr<stream_socket> &with) {
    peer_ = with;
    const std::size_t spread = net->is.most_window - net->is.least_window;
    window_ = net->is.least_window + run->dice.below(static_cast<std::uint32_t>(spread + 1));
    state_ = state::connected;
}

// ---- bytes under way

std::size_t stream_socket::room() const noexcept {
    const auto to = peer();
    const std::size_t used = to != nullptr ? to->under_way_ + to->received_.size() : 0;
    return used >= window_ ? 0 : window_ - used;
}

time_ns stream_socket::arrival() {
    const network::nature &is = net->is;
    if (family_ == AF_UNIX) {
        last_arrival_ = std::max(last_arrival_, run->now() + run->up_to(2 * us));
        return last_arrival_;
    }
    time_ns takes = is.least_delay + run->up_to(is.most_delay - is.least_delay);
    if (run->chance(is.slow_one_in))
        takes *= 100;
    last_arrival_ = std::max({last_arrival_, run->now() + takes, net->heals_at + takes});
    return last_arrival_;
}

void stream_socket::send_later(std::string bytes) {
    const auto to = peer();
    if (to == nullptr)
        return;
    for (int pieces = 1; !bytes.empty(); ++pieces) {
        std::size_t size = bytes.size();
        if (pieces < most_pieces && run->chance(net->is.cuts_one_in))
            size = 1 + run->dice.below(static_cast<std::uint32_t>(size));
        to->under_way_ += size;
        if (!silent_)
            run->at(arrival(),
                    [to, piece = bytes.substr(0, size)]() mutable { to->arrive(std::move(piece)); });
        bytes.erase(0, size);
    }
}

void stream_socket::arrive(std::string bytes) {
    under_way_ -= bytes.size();
    if (state_ != state::connected) {
        if (answers_)
            tell_peer(&stream_socket::on_reset);
        return;
    }
    if (rest_lost_)
        return;
    if (!open_) // nobody can read it: the sender hears so
        return drop_unsent();
    received_ += bytes;
    run->note("arrive", static_cast<std::int64_t>(bytes.size()));
    notify();
}

void stream_socket::tell_peer(void (stream_socket::*what)()) {
    if (const auto to = peer(); to != nullptr && !silent_)
        run->at(arrival(), [to, what] { (to.get()->*what)(); });
}

// A kernel that has to throw bytes away resets the connection, and sends no more of its own. The peer of a
// unix socket has all written bytes already, and reads them before it hears of the reset.
void stream_socket::drop_unsent() {
    const auto to = peer();
    if (to == nullptr || silent_)
        return;
    if (family_ == AF_UNIX)
        return tell_peer(&stream_socket::on_reset);
    to->rest_lost_ = true;
    run->at(run->now() + net->is.least_delay, [to] { to->on_reset(); });
}

void stream_socket::on_end() {
    if (rest_lost_)
        return;
    ended_ = true;
    notify();
}

void stream_socket::on_reset() {
    if (state_ == state::connected)
        lose(ECONNRESET);
}

void stream_socket::room_again() {
    if (state_ != state::connected || room() * 3 < window_)
        return;
    wants_room_ = false;
    notify();
}

// ---- faults

void stream_socket::lose(int error) {
    if (state_ != state::connected)
        return;
    run->note("lose", error);
    state_ = state::dead;
    error_ = error;
    if (began_ != 0)
        net->lives += run->now() - std::exchange(began_, 0);
    notify();
}

void stream_socket::reset_both() {
    const auto with = peer();
    lose(ECONNRESET);
    if (with != nullptr)
        run->at(run->now() + run->up_to(ms), [with] { with->lose(ECONNRESET); });
}

// The sender hears of it when it sends, or when its kernel gives up.
void stream_socket::half_open(bool answers) {
    const auto with = peer();
    lose(ETIMEDOUT);
    answers_ = answers;
    if (with != nullptr)
        run->at(run->now() + gives_up, [with] { with->lose(ETIMEDOUT); });
}

std::shared_ptr<stream_socket> network::any_connection() {
    std::erase_if(connections, [](const auto &one) {
        const auto half = one.lock();
        return half == nullptr || !half->is_connected();
    });
    if (connections.empty())
        return nullptr;
    return connections[run->dice.below(static_cast<std::uint32_t>(connections.size()))].lock();
}

void network::silence() {
    ++breaks;
    run->note("silence");
    for (const auto &one : connections)
        if (const auto half = one.lock()) {
            half->fall_silent();
            if (const auto other = half->peer())
                other->fall_silent();
        }
}

void network::fault() {
    switch (run->dice.below(4)) {
    case 0:
    case 1:
        if (const auto one = any_connection(); one != nullptr && one->family() != AF_UNIX) {
            ++breaks;
            one->reset_both();
        }
        break;
    case 2: // one half is gone; what the other sends is answered by a reset, or never
        if (const auto one = any_connection(); one != nullptr && one->family() != AF_UNIX) {
            ++breaks;
            one->half_open(run->dice.below(2) == 0);
        }
        break;
    default:
        heals_at = run->now() + run->up_to(3 * one_s);
        run->note("partition", heals_at);
        break;
    }
}

void network::plan_faults(time_ns until, time_ns mean) {
    const time_ns next = run->now() + 1 + run->up_to(2 * mean);
    if (next >= until)
        return;
    run->at(next, [=, this] {
        fault();
        plan_faults(until, mean);
    });
}

} // namespace sim
