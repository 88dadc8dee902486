// SPDX-License-Identifier: MPL-2.0
// The options of TLS, for endpoints of tls:// and wss://. Other endpoints ignore them.
#pragma once

#include <optional>
#include <string>

#include "base/socket_options.hpp"
#include "common/arguments.hpp"
#include "common/messaging.hpp"

namespace cli {

class tls_options {
  public:
    // `side` stands before each name, as in --frontend-tls-cert.
    void declare(arguments &declared, const std::string &side);
    // Throws a failure that names the file which cannot be used.
    void apply(socket &target) const;
    // The same for a connection without a socket.
    void fill(zlink::tls_options &to) const;
    bool is_given() const;

  private:
    void apply_file(socket &target, int option, const char *name,
                    const std::optional<std::string> &path) const;

    std::string side_;
    std::optional<std::string> certificate_, key_, key_password_, authorities_, host_name_;
    bool wants_client_certificate_{false}, trusts_everybody_{false};
};

} // namespace cli
