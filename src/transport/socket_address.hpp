// SPDX-License-Identifier: MPL-2.0
// A socket address of the system, of any family, as a value.
//
// Threads: a value. Invariant: size is what the system wants told with the address.
#pragma once

#include <cstdint>

#include <netinet/in.h>
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

// For who knows the family.
inline const sockaddr_in &as_v4(const socket_address &address) noexcept {
    return reinterpret_cast<const sockaddr_in &>(address.storage);
}

inline const sockaddr_in6 &as_v6(const socket_address &address) noexcept {
    return reinterpret_cast<const sockaddr_in6 &>(address.storage);
}

inline sockaddr_in &as_v4(socket_address &address) noexcept {
    return reinterpret_cast<sockaddr_in &>(address.storage);
}

inline sockaddr_in6 &as_v6(socket_address &address) noexcept {
    return reinterpret_cast<sockaddr_in6 &>(address.storage);
}

} // namespace zlink::transport
