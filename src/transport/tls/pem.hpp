// SPDX-License-Identifier: MPL-2.0
// Certificates and keys from options: each is PEM text, or the path of a file with such text.
//
// Threads: any. Ownership: values; the text of a key is wiped when it was read. Errors: the errno of the
// system for a file that cannot be read. EINVAL: no such thing in the text. EPERM: an encrypted key whose
// password is missing or wrong. ENOMEM. ETERM: the process ends.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "transport/tls/openssl_handle.hpp"

namespace zlink::transport {

// Tells whether a file has changed. All zero for a text, and for a file that is not there.
struct file_stamp {
    std::uint64_t device = 0;
    std::uint64_t node = 0;
    std::int64_t size = 0;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;

    bool operator==(const file_stamp &) const noexcept = default;
};

// Returns the stamp of the file that `given` names.
[[nodiscard]] file_stamp stamp_of(const std::string &given) noexcept;

// Returns all certificates, in their order; at least one.
result<std::vector<certificate_handle>> read_certificates(const std::string &given);
// Returns all lists of revoked certificates, in their order; at least one.
result<std::vector<revocations_handle>> read_revocations(const std::string &given);
// Returns the private key. An empty `password` stands for none.
result<key_handle> read_key(const std::string &given, std::string_view password);

} // namespace zlink::transport
