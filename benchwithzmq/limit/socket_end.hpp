// SPDX-License-Identifier: MPL-2.0
// A bare connected stream socket doing a library's work: batches of 64 KiB, one send() each, copied out
// message by message; a message that is larger goes as a whole, gathered from and scattered to the caller's
// buffer, or from and to an own one where the kernel would copy slowly (block.hpp).
//
// Threads: one at a time per end. Owns its descriptor.
#pragma once

#include "common/body.hpp"
#include "common/end.hpp"
#include "common/settings.hpp"
#include "limit/frame.hpp"

#include <cstddef>
#include <utility>

namespace bench {

class socket_end {
  public:
    socket_end(int descriptor, frame_shape shape, const settings &wanted, pace how);
    ~socket_end();
    socket_end(const socket_end &) = delete;
    socket_end &operator=(const socket_end &) = delete;

    void send(const body &message) {
        if (framer_.is_large()) {
            send_whole(message);
            return;
        }
        if (filled_ + framer_.frame_bytes() > out_.size())
            flush();
        framer_.write(out_.data() + filled_, message);
        filled_ += framer_.frame_bytes();
    }
    bool offer(const body &message) {
        send(message);
        return true;
    }
    void flush();

    void receive(body &message) {
        if (framer_.is_large()) {
            receive_whole(message);
            return;
        }
        if (arrived_ - taken_ < framer_.frame_bytes())
            receive_batch();
        framer_.read(in_.data() + taken_, message);
        taken_ += framer_.frame_bytes();
    }

    [[nodiscard]] bool is_large() const { return framer_.is_large(); }

    // A large message from this end to `to` in one thread: neither call may wait for the other one's turn.
    void pass_whole(socket_end &to, const body &out, body &in);

  private:
    void send_whole(const body &message);
    void receive_whole(body &message);
    void receive_batch();
    // One system call from `done` bytes of the frame on; how many bytes it moved, 0 when it would have
    // waited.
    std::size_t send_rest(const std::byte *bytes, std::size_t done, int flags);
    std::size_t receive_rest(std::byte *bytes, std::size_t done);
    // Returns the place that the kernel copies the body's bytes from, with these bytes.
    const std::byte *leaving(const body &message);
    // Returns the place that the kernel copies the body's bytes to.
    std::byte *landing(body &message);
    void land(body &message);

    int descriptor_;
    framer framer_;
    const bool avoids_slow_copies_; // of large bodies, by way of out_ and in_
    block out_;
    std::size_t filled_ = 0;
    block in_;
    bool lands_in_buffer_ = false;
    std::size_t taken_ = 0;
    std::size_t arrived_ = 0;
    std::byte prefix_[16] = {};
};

inline void pass(socket_end &from, socket_end &to, const body &out, body &in) {
    if (from.is_large()) {
        from.pass_whole(to, out, in);
        return;
    }
    from.send(out);
    from.flush();
    to.receive(in);
}

// Connected from the start.
inline void first_pass(socket_end &one, socket_end &other, body &out, body &in) {
    out.stamp(kind::hello, 0);
    pass(one, other, out, in);
}

// Two connected descriptors: a pair of unix sockets for ipc, else tcp over loopback.
std::pair<int, int> connected_sockets(const settings &wanted);

} // namespace bench
