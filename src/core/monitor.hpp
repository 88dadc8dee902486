// SPDX-License-Identifier: MPL-2.0
// monitor: writes the events of a socket to whoever connects to an inproc endpoint (zmq_socket_monitor).
//
// Threads: any. Its socket, which the context does not count, is used under a mutex and never waited for: an
// event that finds no room is dropped. Events before the first reader are kept for it, as many as its queue
// would hold. Ownership: shared by the inbox of the monitored socket and by who is writing to it; stop()
// gives up the socket, before the context ends. Locks: inproc names, then the monitor.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "connections/socket_event.hpp"

namespace zlink::core {

class context;
class socket;

struct monitor_settings {
    std::uint64_t events; // mask of event_kind
    int version;          // of the format: 1 or 2
    socket_type type;     // pair, pub or push
};

class monitor final : public std::enable_shared_from_this<monitor> {
  public:
    // EINVAL: no such version or type, or events that version 1 does not have.
    static result<monitor_settings> check(std::uint64_t events, int version, int type) noexcept;
    // ETERM, EADDRINUSE.
    static result<std::shared_ptr<monitor>> start(context &owner, const std::string &endpoint,
                                                  const monitor_settings &settings);

    explicit monitor(const monitor_settings &settings) : settings_(settings) {} // allocates: std::deque
    monitor(const monitor &) = delete;
    monitor &operator=(const monitor &) = delete;

    void write(const connections::socket_event &event) noexcept;
    [[nodiscard]] bool wants(connections::event_kind kind) const noexcept {
        return (settings_.events & static_cast<std::uint64_t>(kind)) != 0;
    }
    // Its own socket has got a pipe. Called by the thread that posted the pipe.
    void on_new_pipe() noexcept;
    // Says that it stopped, and closes its socket. Nothing is written any more.
    void stop() noexcept;

  private:
    using frames = std::vector<std::string>;

    result<void> open(context &owner, const std::string &endpoint);
    [[nodiscard]] frames frames_of(const connections::socket_event &event) const;
    void put(frames message);                       // guarded
    [[nodiscard]] bool send(const frames &message); // guarded
    void flush();                                   // guarded

    const monitor_settings settings_;
    std::mutex guard_;
    socket *writer_ = nullptr; // guarded; null before open() is done and after stop()
    bool joined_ = false;      // guarded; somebody has connected
    std::deque<frames> kept_;  // guarded; until then
};

} // namespace zlink::core
