// SPDX-License-Identifier: MPL-2.0
// The counts of a context, of a socket and of a pipe, as their owners hold them. When a pipe ends its sums go
// to its sockets, and those of a socket go to its context. So nothing is lost, and nothing counts twice.
//
// Threads: any; who may store which counter is said in layout.hpp. Ownership: a pipe holds the counts of its
// sockets, and a socket those of its context.
#pragma once

#include <memory>

#include "counters/region.hpp"

namespace zlink::counters {

class context_counts {
  public:
    explicit context_counts(const placement &where) : record_(std::make_shared<region>(where)) {}

    [[nodiscard]] context_record &record() const noexcept { return *record_; }
    [[nodiscard]] const std::shared_ptr<region> &memory() const noexcept { return record_.memory(); }

  private:
    handle<context_record> record_;
};

class socket_counts {
  public:
    socket_counts(std::shared_ptr<context_counts> owner, int type);
    ~socket_counts();
    socket_counts(const socket_counts &) = delete;
    socket_counts &operator=(const socket_counts &) = delete;

    [[nodiscard]] socket_record &record() const noexcept { return *record_; }
    [[nodiscard]] const std::shared_ptr<region> &memory() const noexcept { return record_.memory(); }
    // By the socket's thread.
    void drop(drop_reason why) noexcept {
        record_->gone.drops(why).add();
        tell_of_drop(why, 1);
    }
    // For tracers alone.
    void tell_of_drop(drop_reason why, std::uint64_t messages) const noexcept;
    void name_endpoint(std::string_view endpoint) noexcept { record_.write(record_->endpoint, endpoint); }
    // zmq_close was called.
    void begin_closing() noexcept { record_->closing.set(1); }

  private:
    std::shared_ptr<context_counts> owner_;
    handle<socket_record> record_;
};

enum class pipe_side : std::uint8_t { first, second };

class pipe_counts {
  public:
    // A side without a socket is null.
    pipe_counts(std::shared_ptr<socket_counts> first, std::shared_ptr<socket_counts> second,
                std::uint64_t flags);
    ~pipe_counts();
    pipe_counts(const pipe_counts &) = delete;
    pipe_counts &operator=(const pipe_counts &) = delete;

    [[nodiscard]] pipe_record &record() const noexcept { return *record_; }
    // A socket has come for the second end. Before anything is counted there.
    void join(std::shared_ptr<socket_counts> second) noexcept;
    // The peer's routing id, as the socket of that side knows it.
    void name_peer(pipe_side of, std::string_view routing_id) noexcept;
    void describe(std::string_view address, std::string_view mechanism) noexcept;
    void set_flag(std::uint64_t flag, bool on) noexcept;
    // The other side has let go of the pipe, and this one does. Messages that were not read there were
    // dropped. The other socket may still receive one of them: then this side is shown as one that has left.
    void settle(pipe_side of, drop_reason why) noexcept;
    // This side has let go of the pipe, and the other one has not heard of it. If that one is a socket that
    // has read all, this side is settled. Else it is shown as one that has left.
    void leave(pipe_side of) noexcept;

  private:
    struct side {
        std::shared_ptr<socket_counts> socket;
        bool settled = false;
    };
    [[nodiscard]] side &at(pipe_side of) noexcept { return of == pipe_side::first ? first_ : second_; }
    // In change().
    void note_left(pipe_side of) noexcept;
    [[nodiscard]] bool is_read_still(pipe_side written_by) noexcept;
    void conclude(pipe_side of, drop_reason why) noexcept;
    void add_to_socket(pipe_side of, drop_reason why) noexcept;

    side first_;
    side second_;
    handle<pipe_record> record_;
};

} // namespace zlink::counters
