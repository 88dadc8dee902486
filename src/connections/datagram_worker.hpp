// SPDX-License-Identifier: MPL-2.0
// datagram_worker: a socket for datagrams and the pipe that it serves. Messages are two frames, an address
// or a group and the body, and become one datagram each.
//
// Threads: the I/O thread. Ownership: see worker.hpp; owns the descriptor. There is no connection: nothing
// is made again, and what the system does not take, or cannot be understood, is dropped. Reaching the
// high-water mark stops reading; the system drops then.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <memory>
#include <vector>

#include "connections/worker.hpp"
#include "pipe/pipe.hpp"
#include "transport/udp_socket.hpp"

namespace zlink::connections {

// Meaning of the first frame of a message.
enum class datagram_form : std::uint8_t { address, group };

class datagram_worker final : public worker, private pipe_owner {
  public:
    // `made`: the pipe to serve, its second end.
    datagram_worker(worker_list &owner, transport::udp_socket socket, datagram_form form,
                    std::shared_ptr<pipe> made);
    ~datagram_worker() override;

    void start() override;
    // Queued datagrams go out as far as the system takes them now.
    void terminate(int linger_ms) override;

  private:
    static constexpr int datagrams_per_turn = 64;
    // waiting: for a datagram. paused: by the high-water mark.
    enum class reading : std::uint8_t { idle, waiting, paused };

    void wait_readable();
    void wait_writable();
    void read();
    [[nodiscard]] bool read_one();
    void write(int most = datagrams_per_turn);
    void take_message();
    [[nodiscard]] bool send_one();
    [[nodiscard]] bool commit(zmtp::byte_view first, zmtp::byte_view body) noexcept;
    void finish();
    void on_pipe_event(pipe_end &end, std::uint32_t events) override;

    worker_list &workers_;
    transport::udp_socket socket_;
    datagram_form form_;
    int family_;
    std::shared_ptr<pipe> made_; // until start()
    pipe_end *end_ = nullptr;
    boost::asio::posix::stream_descriptor readiness_;
    runtime::handler_slot read_slot_;
    runtime::handler_slot write_slot_;
    std::vector<std::uint8_t> received_; // room for the longest datagram
    std::vector<std::uint8_t> sending_;  // the datagram
    std::string target_text_;            // of target_, as the application wrote it
    transport::socket_address target_;   // size 0: none
    bool holds_ = false;                 // a datagram in sending_
    reading reading_ = reading::idle;
    bool writing_ = false; // a wait is under way
    bool finished_ = false;
};

} // namespace zlink::connections
