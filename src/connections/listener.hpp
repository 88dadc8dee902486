// SPDX-License-Identifier: MPL-2.0
// listener: accepts connections on one endpoint; accepted_worker: one of them.
//
// Threads: the I/O thread. Ownership: see worker.hpp. The listening socket was made by zmq_bind, in its
// thread. When there are no descriptors left, accepting pauses and is tried again: it neither spins nor ends.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <vector>

#include "connections/connection_limit.hpp"
#include "connections/pipe_worker.hpp"
#include "transport/descriptor_guard.hpp"
#include "transport/socket_setup.hpp"
#include "transport/ws/ws_port.hpp"

namespace zlink::connections {

class listener final : public worker {
  public:
    listener(worker_list &owner, std::vector<worker_list *> groups, std::shared_ptr<socket_link> link,
             std::shared_ptr<const socket_options> options, const transport::endpoint &where,
             transport::listening_socket socket);
    ~listener() override;

    void start() override;
    // Also ends the connections that were accepted here.
    void terminate(int linger_ms) override;
    // Like terminate(), but a connection stays until its socket has received the messages that had come.
    void disconnect(int linger_ms) override;

  private:
    void stop(int linger_ms, void (worker_list::*end_worker)(std::shared_ptr<worker>, int) noexcept);
    void wait();
    void accept_some();
    [[nodiscard]] int accept_one() noexcept;
    void accept_last() noexcept;
    void begin_session(transport::handed_connection accepted);
    void receive_handed();
    void pause(void (listener::*then)());
    void tell(event_kind kind, int value) noexcept;

    worker_list &workers_;
    std::vector<worker_list *> groups_; // that accepted connections are spread over
    std::shared_ptr<socket_link> link_;
    std::shared_ptr<const socket_options> options_;
    const transport::endpoint where_; // as it was asked for
    const std::shared_ptr<connection_limit> limit_;
    transport::listening_socket socket_;
    boost::asio::posix::stream_descriptor readiness_;
    boost::asio::steady_timer pause_;
    runtime::handler_slot wait_slot_;
    runtime::handler_slot pause_slot_;
    std::vector<std::pair<worker_list *, std::weak_ptr<worker>>> accepted_;
    bool stopped_ = false;
};

class accepted_worker final : public pipe_worker {
  public:
    accepted_worker(worker_list &owner, std::shared_ptr<socket_link> link,
                    std::shared_ptr<const socket_options> options, const transport::endpoint &where,
                    std::shared_ptr<connection_limit> limit, connection_limit::place place,
                    transport::handed_connection accepted)
        : pipe_worker(owner, std::move(link), std::move(options), *where.transport), address_(where.address),
          limit_(std::move(limit)), place_(std::move(place)), accepted_(std::move(accepted)) {}

    // Tells the monitor of it; before it is begun.
    void announce() noexcept;
    void start() override;
    // The connection ends when the socket has received what came before.
    void disconnect(int linger_ms) override;

  private:
    [[nodiscard]] transport::opening_list make_openings();
    void open(transport::stream stream, transport::opening_list openings);
    void on_opened(bool opened, transport::opening_failure why);
    [[nodiscard]] bool has_place(int descriptor);
    void on_finish() noexcept override;
    pipe_end *on_handshake(const zmtp::peer_info &peer, const connection_origin &origin) override;
    void on_ended(closed_reason reason) override;

    const std::string address_; // of the endpoint that it was accepted at
    const std::shared_ptr<connection_limit> limit_;
    connection_limit::place place_;                         // empty until the openings say whose it is
    transport::handed_connection accepted_;                 // until there is a stream
    std::shared_ptr<transport::stream> opening_;            // until ZMTP begins; its dialogue holds it too
    std::unique_ptr<boost::asio::steady_timer> open_timer_; // of the openings
};

} // namespace zlink::connections
