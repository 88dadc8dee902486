// SPDX-License-Identifier: MPL-2.0
// A bare connected stream socket doing a library's work (batched_end.hpp). A large message is gathered from
// and scattered to the caller's buffer, or from and to an own one where the kernel would copy slowly
// (block.hpp).
//
// Threads: one at a time per end. Owns its descriptor.
#pragma once

#include "common/settings.hpp"
#include "limit/batched_end.hpp"

#include <cstddef>
#include <utility>

namespace bench {

class socket_end : public batched_end<socket_end> {
  public:
    socket_end(int descriptor, frame_shape shape, const settings &wanted, pace how);
    ~socket_end();

    // A large message from this end to `to` in one thread: neither call may wait for the other one's turn.
    void pass_whole(socket_end &to, const body &out, body &in);

  private:
    friend class batched_end<socket_end>;
    socket_end(int descriptor, const framer &frames, const settings &wanted, bool avoids);
    void send_all(const std::byte *bytes, std::size_t size);
    [[nodiscard]] std::size_t receive_some(std::byte *to, std::size_t room);
    void send_whole(const body &message);
    void receive_whole(body &message);
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
    const bool avoids_slow_copies_; // of large bodies, by way of out_ and in_
    bool lands_in_buffer_ = false;
    std::byte prefix_[16] = {};
};

// Two connected descriptors: a pair of unix sockets for ipc, else tcp over loopback.
std::pair<int, int> connected_sockets(const settings &wanted);

} // namespace bench
