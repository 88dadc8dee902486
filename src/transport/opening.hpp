// SPDX-License-Identifier: MPL-2.0
// opening: an exchange with the other end of a connected stream before ZMTP begins. Examples are the request
// to a proxy and the handshake of a layer. A row of the table of transports makes the openings of a
// connection.
//
// Threads: the I/O thread. Ownership: it keeps no reference to the stream. An opening that is done may have
// put a layer on the stream (stream::add_layer); the next opening then speaks through that layer. Bytes that
// it has received and that belong to what follows go into its layer; without a layer it leaves them in the
// stream.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace zlink::transport {

class stream;

// The opening waits until the stream can be read or written, or it has ended.
enum class opening_status : std::uint8_t { reads, writes, done, failed };

// How a failed opening is told to a monitor; none: not at all.
enum class opening_fault : std::uint8_t {
    none,
    connection,     // lost, or no memory; the value is an errno
    protocol,       // of the peer
    authentication, // the peer is not who it should be, or has refused us
};
struct opening_failure {
    opening_fault fault = opening_fault::none;
    std::uint32_t value = 0;
};

class opening {
  public:
    opening() = default;
    opening(const opening &) = delete;
    opening &operator=(const opening &) = delete;
    virtual ~opening() = default;

    // Sends and receives what it can. It is called first when the stream is writable, and then when the
    // stream is as it asked. `reads` says that it has taken all that the stream had. Throws std::bad_alloc.
    [[nodiscard]] virtual opening_status go_on(stream &with) = 0;
    // Why it has failed, or what to say if its time is over.
    [[nodiscard]] virtual opening_failure failure() const noexcept { return {}; }
};

using opening_list = std::vector<std::unique_ptr<opening>>;

} // namespace zlink::transport
