// SPDX-License-Identifier: MPL-2.0
// socks5_opening: asks the SOCKS proxy that a stream is connected to for a host; the stream then leads to the
// host.
//
// Threads, ownership: see opening.hpp. It keeps nothing of the login after it was constructed but the
// message with it, which is wiped.
#pragma once

#include "transport/opening.hpp"
#include "transport/socks5.hpp"

namespace zlink::transport {

class socks5_opening final : public opening {
  public:
    socks5_opening(const tcp_host_port &host, bool ipv6, const socks5_login &login)
        : client_(host, ipv6, login) {}

    [[nodiscard]] opening_status go_on(stream &with) override;

  private:
    [[nodiscard]] bool write(stream &to);
    [[nodiscard]] bool read(stream &from);

    socks5_client client_;
    bool reads_ = false; // it has asked for bytes
};

} // namespace zlink::transport
