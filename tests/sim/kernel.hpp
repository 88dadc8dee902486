// SPDX-License-Identifier: MPL-2.0
// kernel: the descriptors of the simulated program, and the objects behind them.
//
// A call returns what the man page says, and a negative errno number for an error. None of them waits, apart
// from poll and epoll_wait. The lowest free number is the next descriptor, as with a real kernel.
//
// Threads: one of the host. Ownership: a descriptor owns its object, as do connections under way.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <poll.h>
#include <set>
#include <string>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <vector>

#include "sim/turns.hpp"

namespace sim {

class epoll_object;

// Something that a descriptor names.
class object : public std::enable_shared_from_this<object> {
  public:
    object() = default;
    object(const object &) = delete;
    object &operator=(const object &) = delete;
    virtual ~object() = default;
    // All that poll(2) says of it.
    [[nodiscard]] virtual short readiness() const = 0;
    virtual ssize_t read(void *, std::size_t) { return -EINVAL; }
    virtual ssize_t write(const void *, std::size_t) { return -EINVAL; }
    // Its last descriptor was closed.
    virtual void closed() {}
    // Something happened: whoever watches it looks again.
    void notify();

    bool blocks = true;
    std::vector<epoll_object *> watchers;
};

class event_object final : public object {
  public:
    explicit event_object(std::uint64_t count) : count_(count) {}
    [[nodiscard]] short readiness() const override { return count_ != 0 ? POLLIN | POLLOUT : POLLOUT; }
    ssize_t read(void *to, std::size_t size) override;
    ssize_t write(const void *from, std::size_t size) override;

  private:
    std::uint64_t count_;
};

class timer_object final : public object {
  public:
    [[nodiscard]] short readiness() const override { return rang_ ? POLLIN : 0; }
    ssize_t read(void *to, std::size_t size) override;
    // 0: stops it.
    void set(time_ns at);

  private:
    bool rang_ = false;
    std::uint64_t setting_ = 0;
};

class epoll_object final : public object {
  public:
    [[nodiscard]] short readiness() const override;
    void closed() override;
    int control(int operation, int descriptor, const std::shared_ptr<object> &of, const epoll_event *wanted);
    int take(epoll_event *found, int room);
    void notified(const object &by);
    void forget(const object &gone);

  private:
    struct entry {
        int descriptor = -1;
        std::shared_ptr<object> of;
        epoll_event wanted{};
        bool queued = false;
    };
    [[nodiscard]] static std::uint32_t found_in(const entry &one);
    void queue(entry &one);

    std::map<int, entry> entries_;
    std::deque<int> queue_;
};

class kernel {
  public:
    // -EMFILE if the dice say so, or the table is full.
    int add(std::shared_ptr<object> made);
    [[nodiscard]] std::shared_ptr<object> find(int descriptor) const;
    template <class Kind> [[nodiscard]] std::shared_ptr<Kind> find_as(int descriptor) const {
        return std::dynamic_pointer_cast<Kind>(find(descriptor));
    }
    int close(int descriptor);
    void replace(int descriptor, std::shared_ptr<object> by) {
        table_[static_cast<std::size_t>(descriptor - first_descriptor)] = std::move(by);
    }
    int poll(pollfd *asked, std::size_t count, time_ns until, const sigset_t *mask);
    int epoll_wait(epoll_object &of, epoll_event *found, int room, time_ns until);
    [[nodiscard]] std::size_t open_count() const noexcept;

    static constexpr int first_descriptor = 256; // below are the host's
    std::size_t most_descriptors = 512;
    std::uint32_t refuses_one_in = 0; // new descriptors, with EMFILE

  private:
    [[nodiscard]] int look(pollfd *asked, std::size_t count) const;

    std::vector<std::shared_ptr<object>> table_;
};

extern kernel *pretend;

} // namespace sim
