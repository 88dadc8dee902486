// SPDX-License-Identifier: MPL-2.0
// The address records of a name and their times to live, asked of the name servers by c-ares.
//
// Threads: any. find_dns_records() blocks its thread, for some seconds if no server answers: it is for the
// threads of runtime::lookup. Each call reads the system's configuration anew. Units: in the names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <netinet/in.h>
#include <string>
#include <vector>

namespace zlink::runtime {

// found: there are addresses. none: the servers know that there are none. failed: nobody knows.
enum class dns_outcome : std::uint8_t { found, none, failed };

struct dns_address {
    int family = AF_UNSPEC;
    in6_addr bytes{}; // IPv4: the first four

    [[nodiscard]] bool operator==(const dns_address &other) const noexcept;
};

// The answer about one family of addresses.
struct dns_family {
    dns_outcome outcome = dns_outcome::failed;
    std::vector<dns_address> addresses;
    std::uint32_t ttl_s = 0; // the shortest of the records; 0 if there are none
};

struct dns_answer {
    dns_family v4;
    dns_family v6; // none, if it was not asked for
};

struct dns_settings {
    std::string servers; // "address:port,..."; empty: the system's
    int timeout_ms = 2000;
    int tries = 3; // each waits twice as long as the one before
};

// Returns false if the library was built without c-ares. All questions fail then.
[[nodiscard]] bool dns_available() noexcept;

// Returns the settings of the environment (ZLINK_DNS_SERVERS), which is read once. A wrong value is reported
// on stderr and ignored.
[[nodiscard]] const dns_settings &process_dns_settings();

// Asks until there is an answer, or until `cancelled` says so; it is asked ten times a second.
[[nodiscard]] dns_answer find_dns_records(const std::string &host, bool ipv6, const dns_settings &settings,
                                          const std::function<bool()> &cancelled);

} // namespace zlink::runtime
