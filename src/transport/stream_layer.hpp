// SPDX-License-Identifier: MPL-2.0
// stream_layer: changes the bytes between ZMTP and the descriptor of a stream, such as encryption or frames.
// The layers of a stream lie on each other; the lowest one uses the descriptor. A stream of tcp or ipc has
// none.
//
// Threads: those of the stream: one thread receives and one sends at a time. In traffic both hold the mutex
// of the pipe's stream slot, so a layer may share state between the directions. Ownership: the stream owns
// its layers. Errors: as those of stream. No function throws but facts().
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"

namespace zlink::transport {

class stream;
enum class io_status : std::uint8_t { ok, again, closed };

struct io_result {
    io_status status;
    std::size_t bytes; // with ok
};

// Names and values of a message's metadata, as a layer knows them of the peer.
using stream_facts = std::vector<std::pair<std::string, std::string>>;

class stream_layer {
  public:
    stream_layer() = default;
    stream_layer(const stream_layer &) = delete;
    stream_layer &operator=(const stream_layer &) = delete;
    virtual ~stream_layer() = default;

    // Returns fewer bytes than there is room for only if the layer has none left and those below had no more.
    [[nodiscard]] virtual io_result receive(stream &on, std::span<std::uint8_t> room) noexcept = 0;
    // Takes as much as it can. Taken bytes may be held by the layer until flush().
    [[nodiscard]] virtual io_result send(stream &on, std::span<const byte_range> pieces) noexcept = 0;
    // Returns true if receive() would find bytes, or an end of the stream, that the layer has read ahead.
    [[nodiscard]] virtual bool has_buffered() const noexcept = 0;
    // Returns true if the layer holds bytes that those below have not taken.
    [[nodiscard]] virtual bool holds_output() const noexcept = 0;
    // Passes on what it holds. Returns ok when nothing is left.
    [[nodiscard]] virtual io_status flush(stream &on) noexcept = 0;
    // Tells the peer of the end if it can do so at once. The stream is closed after it.
    virtual void end(stream &) noexcept {}
    // Returns the facts that are known of the peer. Throws std::bad_alloc.
    [[nodiscard]] virtual stream_facts facts() const { return {}; }

  protected:
    [[nodiscard]] io_result receive_below(stream &on, std::span<std::uint8_t> room) noexcept;
    [[nodiscard]] io_result send_below(stream &on, byte_range bytes) noexcept;
    // Returns true if there is no layer below.
    [[nodiscard]] bool uses_descriptor() const noexcept { return below_ == nullptr; }
    // Fills `room`, and then `behind`, by one system call. Only if it uses the descriptor.
    [[nodiscard]] static io_result receive_both(stream &on, std::span<std::uint8_t> room,
                                                std::span<std::uint8_t> behind) noexcept;
    // Sends one range behind the other, if the descriptor is below by one system call.
    [[nodiscard]] io_result send_both_below(stream &on, byte_range first, byte_range second) noexcept;
    // Sets the code of the error that ended the stream, if there is none yet.
    static void lost_below(stream &on, int code) noexcept;

  private:
    friend class stream;
    std::unique_ptr<stream_layer> below_; // null: the descriptor
};

} // namespace zlink::transport
