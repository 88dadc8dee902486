// SPDX-License-Identifier: MPL-2.0
// pipe_table: the pipes of a socket, with the streams that its thread may read, and the memory that a call
// posts for the next message.
//
// Threads: the application thread in a call on the socket. Ownership: an end is here from add() to remove(),
// or until forget_all(). Ends that part stay until the other side has heard of it. The table knows no
// pattern and calls none.
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/socket_traits.hpp"
#include "core/socket_inbox.hpp"
#include "direct_io/leased_streams.hpp"

namespace zlink::core {

class pipe_table {
  public:
    pipe_table(const socket_traits &traits, direct_io::poll_groups &groups);
    pipe_table(const pipe_table &) = delete;
    pipe_table &operator=(const pipe_table &) = delete;

    // Throws std::bad_alloc; the end may be here then. A posted receive ends: the next message may come from
    // this pipe.
    void add(new_pipe fresh);
    // The posted receive of the end, if there is one, ends first.
    [[nodiscard]] new_pipe remove(pipe_end &end) noexcept;
    // Closes an end that was removed, and keeps it until the other side has heard of it.
    void part(new_pipe removed, int linger_ms);
    // Pipes end here whose other side has heard of it.
    void forget_parted() noexcept {
        if (!parting_.empty())
            std::erase_if(parting_, [](const auto &each) { return each.second->gone(); });
    }
    // All ends are closed: forgets them.
    void forget_all() noexcept;

    [[nodiscard]] bool contains(pipe_end *end) const noexcept { return ends_.contains(end); }
    [[nodiscard]] bool empty() const noexcept { return ends_.empty(); }
    [[nodiscard]] const std::unordered_map<pipe_end *, new_pipe> &all() const noexcept { return ends_; }
    [[nodiscard]] bool any_inproc() const noexcept { return inproc_ends_ != 0; }
    [[nodiscard]] bool only_inproc() const noexcept { return any_inproc() && inproc_ends_ == ends_.size(); }
    [[nodiscard]] direct_io::leased_streams &streams() noexcept { return streams_; }
    // The marks of the socket's options, for all pipes.
    void set_high_water_marks(int send_hwm, int receive_hwm) noexcept;
    void set_byte_marks(std::uint64_t sending, std::uint64_t receiving) noexcept;

    // ---- ends to be closed at a safe point
    void note_finished(pipe_end &end) noexcept { finished_.push_back(&end); } // see add()
    [[nodiscard]] bool any_finished() const noexcept { return !finished_.empty(); }
    // `close` may note further ones.
    template <class Close> void close_finished(Close &&close) {
        for (std::size_t index = 0; index < finished_.size(); ++index)
            close(*finished_[index]);
        finished_.clear(); // and keep the place: note_finished() must not fail
    }

    // ---- a posted receive: memory of the caller where the body of the next message is wanted
    void begin_receive() noexcept { placed_ = false; }
    // For a stream, and for the thread at the other end of a lone inproc pipe.
    void post_to_stream(const posted_buffer &place) noexcept { streams_.post_receive(place); }
    void post_to_peer(const posted_buffer &place) noexcept;
    // The memory is the caller's again. Returns true if a body has begun to arrive there and was not
    // received.
    bool end_receive() noexcept;

  private:
    [[nodiscard]] direct_writing direct_of(const pipe_end &end) const noexcept;
    void pipes_changed();
    void end_receive_from_peer() noexcept;

    std::unordered_map<pipe_end *, new_pipe> ends_;
    std::size_t inproc_ends_ = 0;       // of these
    direct_io::leased_streams streams_; // of the others
    pipe_end *awaiting_ = nullptr;      // where memory is posted for the next message
    bool placed_ = false;               // a body came to that memory, and was not received yet
    bool many_streams_ = false;         // too many to be written by the sending thread
    const direct_writing tcp_direct_;   // of few tcp streams
    const socket_traits &traits_;
    std::vector<pipe_end *> finished_; // to be detached and closed at a safe point
    std::vector<std::pair<std::shared_ptr<pipe>, pipe_end *>> parting_; // closed by this side first
};

} // namespace zlink::core
