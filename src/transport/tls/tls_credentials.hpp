// SPDX-License-Identifier: MPL-2.0
// tls_credentials: the certificate of a socket, with its chain and its key. The socket shares it with its
// endpoints, so that a renewed certificate is used in the next handshake.
//
// Threads: any. Ownership: shared by the options of a socket and by the tls_contexts of its endpoints.
// Invariant: certificate and key belong together. Errors: as pem.hpp; EKEYREJECTED: the key is another one's.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/socket_options.hpp"
#include "transport/tls/pem.hpp"

namespace zlink::transport {

class tls_credentials {
  public:
    struct loaded {
        std::vector<certificate_handle> chain; // the own certificate first; empty: there is none
        key_handle key;
    };

    tls_credentials() = default;
    tls_credentials(const tls_credentials &) = delete;
    tls_credentials &operator=(const tls_credentials &) = delete;
    ~tls_credentials();

    // Takes what the options say. A failure leaves everything as it was.
    result<void> set(const tls_options &options);
    // Returns the latest that could be loaded. Reads files that have changed. A file that cannot be used, as
    // one that is half written, is passed over and tried again the next time.
    [[nodiscard]] std::shared_ptr<const loaded> current();

  private:
    struct source {
        std::string certificate;
        std::string key;
        std::string password;
        file_stamp certificate_stamp;
        file_stamp key_stamp;
    };
    static result<std::shared_ptr<const loaded>> load(source &from);

    std::mutex mutex_;
    source from_; // guarded, as the next one
    std::shared_ptr<const loaded> loaded_ = std::make_shared<const loaded>();
};

} // namespace zlink::transport
