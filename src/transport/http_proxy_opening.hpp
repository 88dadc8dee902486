// SPDX-License-Identifier: MPL-2.0
// http_proxy_opening: asks the HTTP proxy that a stream is connected to for a host; the stream then leads to
// the host.
//
// Threads, ownership: see opening.hpp. It keeps nothing of the login after it was constructed but the request
// with it, which is wiped.
#pragma once

#include "transport/http_proxy.hpp"
#include "transport/opening.hpp"

namespace zlink::transport {

class http_proxy_opening final : public opening {
  public:
    http_proxy_opening(const tcp_host_port &host, std::string_view login) : client_(host, login) {}

    [[nodiscard]] opening_status go_on(stream &with) override;
    [[nodiscard]] opening_failure failure() const noexcept override;

  private:
    http_proxy_client client_;
};

} // namespace zlink::transport
