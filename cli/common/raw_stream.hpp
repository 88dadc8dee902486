// SPDX-License-Identifier: MPL-2.0
// A connected stream socket of the system, for tcp:// and ipc:// endpoints. Every wait has a limit and ends
// with a signal.
#pragma once

#include <string>
#include <string_view>

namespace cli {

class raw_stream {
  public:
    // Connects. Throws a failure that says why it cannot.
    raw_stream(const std::string &endpoint, double timeout_seconds);
    ~raw_stream();
    raw_stream(const raw_stream &) = delete;
    raw_stream &operator=(const raw_stream &) = delete;

    void write(std::string_view bytes);
    // What has come, after at least one byte did; empty if the time is over or the peer has closed.
    std::string read_up_to(std::size_t size, double timeout_seconds);
    bool peer_closed() const { return closed_; }

  private:
    void connect_to_path(const std::string &path);
    void connect_to_host(const std::string &address, double timeout_seconds);
    // An errno, or 0 once connected.
    int try_address(const void *address, unsigned size, int family, double timeout_seconds);
    bool wait_for(short events, double timeout_seconds) const;

    std::string endpoint_;
    int descriptor_{-1};
    bool closed_{false};
};

} // namespace cli
