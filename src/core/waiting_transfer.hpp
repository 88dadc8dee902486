// SPDX-License-Identifier: MPL-2.0
// waiting_transfer: what a send or a receive does after its first attempt has failed: it waits and tries
// again, until the time is over. A receive of a lone stream, which its thread reads, begins here.
//
// Threads: the application thread in a call on the socket; on a shared one the thread that has its lock.
// Ownership: none. Errors: errno numbers. ENOTSOCK: a shared socket was closed meanwhile.
#pragma once

#include <span>

#include "core/loop_descriptor.hpp"
#include "core/peer_list.hpp"
#include "core/persistence.hpp"
#include "core/poll_events.hpp"
#include "core/shared_access.hpp"
#include "core/waiter.hpp"

namespace zlink::core {

class waiting_transfer {
  public:
    // `access`: of a shared socket; else null.
    waiting_transfer(peer_list &peers, shared_access *access) noexcept : peers_(peers), access_(access) {}
    // The socket is shared from now on.
    void share(shared_access &access) noexcept { access_ = &access; }
    waiting_transfer(const waiting_transfer &) = delete;
    waiting_transfer &operator=(const waiting_transfer &) = delete;

    // After an attempt that gave `code`. Waits after EAGAIN, unless the flags or the options forbid it;
    // returns other errors. `posted`: memory that the frame may be received into.
    [[nodiscard]] int send_failed(int code, const outgoing_frame &frame, int flags);
    [[nodiscard]] int receive_failed(int code, incoming_frame &frame, int flags,
                                     std::span<std::uint8_t> posted);
    // A receive that may wait, for a socket whose only pipe has a stream of this thread.
    [[nodiscard]] int receive_ahead(incoming_frame &frame, std::span<std::uint8_t> posted);
    // May a receive with these flags wait?
    [[nodiscard]] bool may_wait(int flags) const noexcept {
        return (flags & dont_wait) == 0 && peers_.options().receive_timeout_ms != 0;
    }

    // Whole transfers of shared sockets, with the address of the message.
    [[nodiscard]] int send_to(const outgoing_frame &frame, const patterns::message_address &address,
                              int flags);
    [[nodiscard]] int receive_from(incoming_frame &frame, patterns::message_address &address, int flags);

    // Readiness: bits of ZMQ_POLLIN and ZMQ_POLLOUT among those asked for; ETERM. A thread that waits then
    // reads the streams that are its own.
    [[nodiscard]] result<int> events(int wanted, bool waits);
    // After a look at the socket's events: can a message be sent?
    [[nodiscard]] bool has_room();
    // For an event loop. Readiness, by a thread that looks until begin_loop_wait(): nobody rings for it.
    [[nodiscard]] result<int> loop_events();
    // The loop is about to wait. Returns its descriptor. EINVAL: a shared socket.
    [[nodiscard]] result<int> begin_loop_wait();
    // For ZMQ_RCVMORE. On a shared socket the answer concerns the calling thread.
    [[nodiscard]] bool more_follows() const noexcept {
        return peers_.receiving.more_follows && (access_ == nullptr || access_->receiving.taken_by_me());
    }
    [[nodiscard]] waiter &waiting() noexcept { return waiter_; }

  private:
    class receive_offer;

    [[nodiscard]] int wait(waits_for what, persistence &limits);
    template <class Attempt> int retry(waits_for what, int timeout_ms, Attempt &&attempt);
    template <class Attempt> int send_waiting(Attempt &&attempt);
    [[nodiscard]] int try_to_send(const outgoing_frame &frame, const patterns::message_address &address);
    [[nodiscard]] int try_to_receive(incoming_frame &frame, patterns::message_address &address);
    [[nodiscard]] int look_again();
    void look_ahead();
    [[nodiscard]] bool can_send();
    [[nodiscard]] bool may_send_wait(int flags) const noexcept {
        return (flags & dont_wait) == 0 && peers_.options().send_timeout_ms != 0;
    }
    [[nodiscard]] int send_again(const outgoing_frame &frame);
    [[nodiscard]] int receive_again(incoming_frame &frame);
    [[nodiscard]] int receive_waiting(incoming_frame &frame);
    [[nodiscard]] int receive_begun(int given_up_for, incoming_frame &frame);

    peer_list &peers_;
    shared_access *access_;
    waiter waiter_;
    loop_descriptor loop_;
};

} // namespace zlink::core
