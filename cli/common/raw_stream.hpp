// SPDX-License-Identifier: MPL-2.0
// A connected stream below ZMTP, for endpoints of tcp, ipc, tls, ws and wss. The bytes go through the
// library's own layers. Every wait has a limit and ends with a signal.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/socket_options.hpp"
#include "common/failure.hpp"
#include "transport/opening.hpp"
#include "transport/stream.hpp"

namespace cli {

// TLS or WebSocket could not be opened.
class opening_failed : public failure {
  public:
    opening_failed(const std::string &endpoint, double timeout_seconds,
                   const zlink::transport::opening_failure &why);
    // The peer speaks the protocol, but not as it was asked to.
    bool by_protocol() const { return by_protocol_; }

  private:
    bool by_protocol_;
};

class raw_stream {
  public:
    // Connects, and opens the layers of the transport. Throws a failure that says why it cannot.
    raw_stream(const std::string &endpoint, double timeout_seconds, const zlink::socket_options &options);
    raw_stream(const raw_stream &) = delete;
    raw_stream &operator=(const raw_stream &) = delete;

    void write(std::string_view bytes);
    // What has come, after at least one byte did; empty if the time is over or the peer has closed.
    std::string read_up_to(std::size_t size, double timeout_seconds);
    bool peer_closed() const { return closed_; }
    // What the layers know of the peer, as the version of TLS.
    zlink::transport::stream_facts facts() const { return stream_.facts(); }
    // How long TLS and WebSocket took; 0: the transport has neither.
    std::uint64_t opened_ns() const { return opened_ns_; }

  private:
    void connect(const std::string &address);
    void connect_to_path(const std::string &path);
    void connect_to_host(const std::string &address);
    // An errno, or 0 once connected.
    int try_address(const void *address, unsigned size, int family, double timeout_seconds);
    void open(const std::string &address, zlink::socket_options options);
    void finish(zlink::transport::opening &one, std::uint64_t deadline);
    bool wait_for(short events, double timeout_seconds) const;

    std::string endpoint_;
    double timeout_;
    boost::asio::io_context context_; // it never runs: the command waits by itself
    zlink::transport::stream stream_;
    int descriptor_{-1}; // of the stream
    std::uint64_t opened_ns_{0};
    bool closed_{false};
};

} // namespace cli
