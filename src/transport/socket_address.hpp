// SPDX-License-Identifier: MPL-2.0
// A socket address of the system, of any family, as a value.
//
// Threads: a value. Invariant: size is what the system wants told with the address.
#pragma once

#include <cstdint>

#include <sys/socket.h>

namespace zlink::transport {

struct socket_address {
    sockaddr_storage storage{};
    socklen_t size = 0;

    [[nodiscard]] const sockaddr *data() const noexcept {
        return reinterpret_cast<const sockaddr *>(&storage);
    }
    [[nodiscard]] sockaddr *data() noexcept { return reinterpret_cast<sockaddr *>(&storage); }
    [[nodiscard]] int family() const noexcept { return storage.ss_family; }
};

} // namespace zlink::transport
