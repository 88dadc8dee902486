// SPDX-License-Identifier: MPL-2.0
// network: stream sockets of the simulated program (tcp and unix), and the way between them.
//
// A connection delivers bytes in order, in pieces that the dice cut, after times that they throw. It loses
// bytes only if it breaks. Faults: a reset, a half that dies without a word, a partition that heals, refused
// and slow connects. Connections differ in their times, so that they overtake each other.
//
// Threads: one of the host.
#pragma once

#include <array>
#include <utility>

#include "sim/kernel.hpp"

namespace sim {

struct address {
    sockaddr_storage bytes{};
    socklen_t size = 0;

    [[nodiscard]] int family() const noexcept { return bytes.ss_family; }
    // The port, or the path: two names of one place have it in common.
    [[nodiscard]] std::string key() const;
    [[nodiscard]] int port() const noexcept;
    void set_port(int to) noexcept;
    void copy_to(sockaddr *to, socklen_t *room) const noexcept;
};

class stream_socket final : public object {
  public:
    explicit stream_socket(int family) : family_(family) {}
    ~stream_socket() override;
    [[nodiscard]] short readiness() const override;
    ssize_t read(void *to, std::size_t size) override;
    ssize_t write(const void *from, std::size_t size) override;
    void closed() override;

    int bind(const address &to);
    int listen(int backlog);
    int connect(const address &to);
    // Null with errno: there is none, or no descriptor is to be had.
    [[nodiscard]] std::shared_ptr<stream_socket> accept();
    int shut_down(int how);
    [[nodiscard]] int take_error() noexcept { return std::exchange(error_, 0); }
    [[nodiscard]] std::size_t in_flight() const noexcept;
    [[nodiscard]] int family() const noexcept { return family_; }
    [[nodiscard]] bool is_connected() const noexcept { return state_ == state::connected; }
    [[nodiscard]] std::shared_ptr<stream_socket> peer() const noexcept { return peer_.lock(); }
    [[nodiscard]] bool has_backlog() const noexcept { return !backlog_.empty(); }

    address own;
    address other;

    // ---- what the network does to it
    void lose(int error); // it dies here; the other half hears nothing
    void reset_both();
    void half_open(bool answers);
    void fall_silent() noexcept { silent_ = true; }

  private:
    enum class state : std::uint8_t { fresh, bound, listening, connecting, connected, dead };

    [[nodiscard]] std::size_t room() const noexcept;
    void join(const std::shared_ptr<stream_socket> &with);
    void try_connect(const address &to, int tries);
    void establish(const std::shared_ptr<stream_socket> &listener);
    void fail_connect(int error);
    void arrive(std::string bytes);
    void send_later(std::string bytes);
    // Runs on the other half, behind all bytes that are under way.
    void tell_peer(void (stream_socket::*what)());
    void on_end();
    void on_reset();
    void drop_unsent();
    void room_again();
    [[nodiscard]] time_ns arrival();

    const int family_;
    state state_ = state::fresh;
    std::weak_ptr<stream_socket> peer_;
    std::deque<std::shared_ptr<stream_socket>> backlog_;
    std::size_t most_backlog_ = 0;
    std::string received_;
    std::size_t under_way_ = 0; // sent by the peer, not arrived
    std::size_t window_ = 0;
    time_ns last_arrival_ = 0; // at the peer, of what was sent last
    time_ns began_ = 0;
    int error_ = 0;
    bool open_ = true;   // has a descriptor
    bool ended_ = false; // the peer sends no more
    bool sends_ = true;
    mutable bool wants_room_ = false; // was told that there is none
    bool rest_lost_ = false;          // the peer closed with unread bytes: what it had not sent is gone
    bool answers_ = false;            // dead: with a reset
    bool silent_ = false;             // nothing that it sends arrives, and it does not hear so
};

class network {
  public:
    // How this run's network is.
    struct nature {
        time_ns least_delay = 20 * us;
        time_ns most_delay = 200 * us;
        std::size_t least_window = 4096;
        std::size_t most_window = 256 * 1024;
        std::uint32_t cuts_one_in = 4;        // pieces, at any byte
        std::uint32_t short_write_one_in = 8; // writes, at any byte
        std::uint32_t refuses_one_in = 0;     // connects
        std::uint32_t no_buffers_one_in = 0;  // sends, with ENOBUFS
        std::uint32_t slow_one_in = 0;        // pieces that take a hundred times as long
    };
    nature is;
    time_ns heals_at = 0; // nothing arrives before
    std::map<std::string, stream_socket *> listeners;
    std::set<std::string> bound;
    std::vector<std::weak_ptr<stream_socket>> connections; // one half of each
    std::uint64_t breaks = 0;                              // connections that the network broke
    std::uint64_t made = 0;
    std::uint64_t attempts = 0; // to connect
    time_ns lives = 0;          // of connections that ended
    int next_port = 40000;

    [[nodiscard]] std::shared_ptr<stream_socket> any_connection();
    // Faults of random kinds come until `until`, `mean` apart.
    void plan_faults(time_ns until, time_ns mean);

    // From here on the connections that exist deliver nothing.
    void silence();

  private:
    void fault();
};

extern network *net;

} // namespace sim
