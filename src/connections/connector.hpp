// SPDX-License-Identifier: MPL-2.0
// connector: makes, and makes again, the connection to one peer.
//
// Threads: the I/O thread. Ownership: see worker.hpp. It serves a pipe that the socket made with zmq_connect,
// or (IMMEDIATE) a new pipe for each connection. States: resolving -> connecting (-> openings) ->
// connected -> waiting -> resolving. Every failure leads to waiting, except the last one: RECONNECT_STOP says
// so, or there is no reconnect interval. The pipe then ends. It stays as long as the socket if there is no
// interval and there never was a connection. No linger time is spent on messages that have nowhere to go.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "connections/pipe_worker.hpp"
#include "runtime/lookup.hpp"
#include "transport/descriptor_guard.hpp"
#include "transport/transports.hpp"

namespace zlink::connections {

class connector final : public pipe_worker {
  public:
    // `made`: the pipe to serve; null with IMMEDIATE. `name`: the endpoint of several connections that this
    // one belongs to; empty: none.
    connector(worker_list &owner, std::shared_ptr<socket_link> link,
              std::shared_ptr<const socket_options> options, transport::endpoint peer,
              std::shared_ptr<pipe> made, std::string name = {});
    ~connector() override;

    void start() override;
    void terminate(int linger_ms) override;
    void disconnect(int linger_ms) override;
    // Ends the connection after what is queued. Without a connection nothing can be sent: it ends at once.
    void withdraw(int linger_ms) override;

  private:
    enum class attempt : std::uint8_t { none, resolving, connecting };

    template <class Step> void attempting(Step &&step);
    void try_now();
    void look_up(const transport::tcp_host_port &host);
    void take_answer(const addrinfo *found);
    void connect_next();
    void connect_to(const transport::socket_address &peer, transport::descriptor_guard descriptor);
    void on_connected(const boost::system::error_code &error);
    void open(std::shared_ptr<transport::stream> stream, transport::opening_list openings);
    void on_opened(bool opened, transport::opening_failure why);
    void begin_connection(transport::stream stream);
    void arm_connect_timeout(int timeout_ms);
    void failed();
    void retry_later();
    void retry();
    [[nodiscard]] int next_delay_ms();
    [[nodiscard]] bool stops_at(int condition) const noexcept;
    void give_up();
    void finish_if_hopeless();
    void on_finish() noexcept override;

    pipe_end *on_handshake(const zmtp::peer_info &peer, const connection_origin &origin) override;
    void on_ended(closed_reason reason) override;
    void on_pipe_event(pipe_end &end, std::uint32_t events) override;
    [[nodiscard]] std::string asked_for() const override;
    [[nodiscard]] std::string name_endpoint() const override { return name_; }
    void tell(event_kind kind, int value) noexcept;

    transport::endpoint peer_;
    const std::string name_;
    std::shared_ptr<pipe> made_; // until start()
    attempt attempt_ = attempt::none;
    runtime::lookup lookup_;
    transport::connect_plan plan_;                  // of this attempt: the addresses that are not yet tried
    std::shared_ptr<transport::stream> connecting_; // kept by its handler too
    int descriptor_ = -1;                           // its number
    boost::asio::steady_timer timer_;               // of the connect timeout, or of the wait
    runtime::handler_slot retry_slot_;
    random_generator jitter_{random_seed()};
    int delay_ms_ = 0; // the back-off's last step; 0: none yet
    runtime::time_ms connected_at_ = 0;
    bool connected_before_ = false;
    bool stopped_ = false; // no attempt follows
    bool waiting_ = false; // for the time of the next attempt
    bool withdrawn_ = false;
};

} // namespace zlink::connections
