// SPDX-License-Identifier: MPL-2.0
// The certificate of the measurements over tls and wss: ECDSA with P-256, self-signed, for 127.0.0.1, made
// anew by each program.
//
// Threads: own_certificate() is called before the ends are started; the result never changes.
#pragma once

#include <string>

namespace bench {

struct certificate {
    std::string chain_pem;
    std::string key_pem;
};

const certificate &own_certificate();

} // namespace bench
