// SPDX-License-Identifier: MPL-2.0
// pipe_worker: the worker's end of a pipe, and the connection that serves it at the moment. It is the common
// base of accepted workers and connectors.
//
// Threads: the I/O thread. Ownership: holds the connection; closes the pipe end in release().
#pragma once

#include <memory>
#include <string_view>

#include "connections/connection.hpp"
#include "connections/worker.hpp"
#include "message/metadata.hpp"
#include "transport/transports.hpp"

namespace zlink::connections {

class pipe_worker : public worker, protected connection_owner, protected pipe_owner {
  public:
    // The socket wants no more.
    void terminate(int linger_ms) override;

  protected:
    pipe_worker(worker_list &owner, std::shared_ptr<socket_link> link,
                std::shared_ptr<const socket_options> options,
                const transport::transport_row &transport) noexcept
        : workers_(owner), link_(std::move(link)), options_(std::move(options)), transport_(transport) {}

    // Takes over an end of a pipe.
    void serve(pipe_end &end);
    // Serves a pipe of a new connection's own, and gives the socket the other end. Null: it does not want it.
    pipe_end *serve_new_pipe(const zmtp::peer_info &peer, const connection_origin &origin, bool local);
    void introduce(const zmtp::peer_info &peer, const connection_origin &origin, bool again);
    // Puts a message of one frame into the socket's queue, whatever its high-water mark.
    void say_to_socket(std::string_view text) noexcept;
    // ROUTER hears of its peers with messages without a body (ZMQ_ROUTER_NOTIFY).
    void notify(int occasion) noexcept;
    void open_connection(transport::stream stream);
    // Gives up the connection and the pipe; the worker is over.
    void finish();
    // Called once, at the beginning of finish().
    virtual void on_finish() noexcept {}
    // Finishes when the socket is gone and all that it sent has gone out.
    void finish_if_drained();

    void on_pipe_event(pipe_end &end, std::uint32_t events) override;
    void on_drained() override { finish_if_drained(); }
    void on_hung_up() override { leave(-1); }
    std::shared_ptr<pipe> reach_authenticator() override { return link_->reach_authenticator(); }
    std::shared_ptr<direct_io::poll_group> own_poll_group() override;
    void on_event(event_kind kind, std::uint32_t value, int descriptor) noexcept override;
    void on_heartbeat_missed() noexcept override;
    void on_disconnected(closed_reason reason, int descriptor) noexcept override;
    // Returns the endpoint that the application asked for; empty when the peer made the connection.
    [[nodiscard]] virtual std::string asked_for() const { return {}; }
    // Returns the endpoint of the name that it connects for; empty: there is none.
    [[nodiscard]] virtual std::string name_endpoint() const { return {}; }

    worker_list &workers_;
    std::shared_ptr<socket_link> link_;
    std::shared_ptr<const socket_options> options_;
    const transport::transport_row &transport_;
    std::shared_ptr<connection> connection_;
    pipe_end *end_ = nullptr;
    bool leaving_ = false; // the socket is gone; linger runs
    bool finished_ = false;

  private:
    void describe(counters::pipe_counts &to, const zmtp::peer_info &peer,
                  const connection_origin &origin) const noexcept;
    [[nodiscard]] socket_event event_of(event_kind kind, std::uint32_t value, int descriptor) const;
    void leave(int linger_ms);
    void linger_for(int linger_ms);
    std::unique_ptr<boost::asio::steady_timer> linger_;
};

// A pipe between a socket with these options (its first end) and a worker.
std::shared_ptr<pipe> make_worker_pipe(const socket_options &options, pipe_traits of_sockets_end,
                                       std::shared_ptr<counters::socket_counts> counts);

} // namespace zlink::connections
