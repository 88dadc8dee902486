// SPDX-License-Identifier: MPL-2.0
// Name lookups off the I/O threads: by getaddrinfo(3), or at the name servers for records with a time to
// live.
//
// Threads: start() and cancel() on the I/O thread; the answer comes there too, unless it was cancelled
// before. A lookup that is cancelled goes on by itself on its own thread until the system answers. One at the
// name servers ends within a tenth of a second. At most
// most_threads lookups go on at a time; others wait for them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "runtime/dns_records.hpp"

struct addrinfo;

namespace zlink::runtime {

class lookup {
  public:
    // `found` is the list of addresses, alive during the call; null with an error code of getaddrinfo.
    using answer = std::function<void(const addrinfo *found, int failure)>;

    using records_answer = std::function<void(const dns_answer &found)>;

    static constexpr std::size_t most_threads = 32;

    lookup() = default;
    ~lookup() { cancel(); }
    lookup(const lookup &) = delete;
    lookup &operator=(const lookup &) = delete;

    // Returns false if the system has no thread to give. One at a time.
    [[nodiscard]] bool start(boost::asio::io_context &context, const std::string &host,
                             const std::string &service, int family, answer on_answer);
    [[nodiscard]] bool start_records(boost::asio::io_context &context, const std::string &host, bool ipv6,
                                     records_answer on_answer);
    void cancel() noexcept;

  private:
    struct question;
    struct address_question;
    struct records_question;
    struct crew;
    [[nodiscard]] bool take(boost::asio::io_context &context, std::shared_ptr<question> asked);
    std::shared_ptr<question> pending_;
};

} // namespace zlink::runtime
