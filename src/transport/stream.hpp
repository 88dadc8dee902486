// SPDX-License-Identifier: MPL-2.0
// stream: a connected byte stream of a row of the table of transports, with non-blocking reads and writes and
// readiness by Asio. It may have layers that change the bytes (stream_layer.hpp). Then readiness of the
// descriptor is not enough. has_buffered() tells of bytes that were read ahead. holds_output() tells of bytes
// that the system has not taken.
//
// Threads: receive() and send() by one thread at a time each, the rest by its I/O thread. Ownership: owns the
// descriptor and the layers; close() cancels what waits, whose handlers then run with an error. Errors: as
// values; a broken connection is io_status::closed, whatever the system called it.
#pragma once

#include <algorithm>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "base/system_calls.hpp"
#include "counters/layout.hpp"
#include "transport/socket_address.hpp"
#include "transport/stream_layer.hpp"

namespace zlink::transport {

struct transport_row;

// Limits for the system calls on a connection.
struct transfer_rules {
    static constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
    std::size_t most_received = any; // bytes of one call
    std::size_t most_sent = any;
    bool confirms = true; // large tcp bodies are confirmed while they are read
    // A small high-water mark bounds the bytes in the system's buffers, as with libzmq. One call then sends
    // `bounded_batch` bytes of small messages or one large body. It does so only while poll(2) reports the
    // connection as writable, which ends long before the buffer is full.
    bool bounds_sends = false;
    static constexpr std::size_t bounded_batch = 8192;

    // Returns how many of `bytes` one receive() moves at most.
    [[nodiscard]] std::size_t receives_of(std::size_t bytes) const noexcept {
        return std::min(bytes, most_received);
    }
    // Returns how many of `bytes` one send() moves at most.
    [[nodiscard]] std::size_t sends_of(std::size_t bytes) const noexcept {
        return std::min(bytes, most_sent);
    }
    // Returns the limit for one send(), or `usual` if there is none.
    [[nodiscard]] std::size_t batch_or(std::size_t usual) const noexcept {
        if (most_sent != any)
            return most_sent;
        return bounds_sends ? bounded_batch : usual;
    }
};

class stream {
  public:
    using socket_type = boost::asio::generic::stream_protocol::socket;

    stream(boost::asio::io_context &context, const transport_row &transport);
    ~stream() { close(); }
    stream(stream &&other) noexcept
        : socket_(std::move(other.socket_)), transport_(other.transport_), layer_(std::move(other.layer_)),
          descriptor_(std::exchange(other.descriptor_, -1)), counts_(other.counts_), family_(other.family_),
          rules_(other.rules_), over_tcp_(other.over_tcp_), sends_one_piece_(other.sends_one_piece_) {}
    // Takes over a connected (or connecting) non-blocking descriptor. Returns false if the system refused;
    // the descriptor is closed then.
    [[nodiscard]] bool assign(int descriptor, int family) noexcept;

    // Puts a layer above those that there are. By the I/O thread; under the mutex of the pipe's stream slot
    // if other threads may use the stream.
    void add_layer(std::unique_ptr<stream_layer> layer) noexcept;

    // Takes the descriptor and the layers out. Returns the descriptor, or -1 if the system refused; nothing
    // has changed then. Nothing may wait for the stream.
    [[nodiscard]] int release(std::unique_ptr<stream_layer> &layers) noexcept;

    // Counts its system calls there; null: nowhere. Under the mutex of the pipe's stream slot if other
    // threads may use the stream.
    void count_calls(counters::pipe_record *counts) noexcept { counts_ = counts; }
    void follow(const transfer_rules &rules) noexcept;
    [[nodiscard]] const transfer_rules &rules() const noexcept { return rules_; }

    // Fills one part after the other; the first and the last may be empty.
    [[nodiscard]] io_result receive(std::span<std::uint8_t> front, std::span<std::uint8_t> body,
                                    std::span<std::uint8_t> log) noexcept;
    [[nodiscard, gnu::always_inline]] io_result receive(std::span<std::uint8_t> all) noexcept {
        if (layer_) [[unlikely]]
            return receive_by_layer(all);
        return received(
            system_calls::receive(descriptor_, all.data(), rules_.receives_of(all.size()), MSG_DONTWAIT));
    }
    // At most 64 pieces are taken.
    [[nodiscard, gnu::always_inline]] io_result send(std::span<const byte_range> pieces) noexcept {
        sent_ = true;
        if (pieces.size() != 1 || !sends_one_piece_) [[unlikely]]
            return send_many(pieces);
        return sent(
            system_calls::send(descriptor_, pieces[0].data, rules_.sends_of(pieces[0].size), send_flags));
    }
    // Returns the facts that the layers know of the peer. Throws std::bad_alloc.
    [[nodiscard]] stream_facts facts() const;
    [[nodiscard]] bool has_layer() const noexcept { return layer_ != nullptr; }
    // Returns true if receive() would find something that a layer has read ahead, although the descriptor may
    // not be readable.
    [[nodiscard]] bool has_buffered() const noexcept { return layer_ && layers_have_buffered(); }
    // Returns true if a layer holds sent bytes that the system has not taken.
    [[nodiscard]] bool holds_output() const noexcept { return layer_ && layers_hold_output(); }
    // Passes on what the layers hold. Returns ok when nothing is left.
    [[nodiscard]] io_status flush() noexcept { return layer_ ? flush_layers() : io_status::ok; }

    template <class Handler> void wait_readable(Handler &&handler) {
        socket_.async_wait(socket_type::wait_read, std::forward<Handler>(handler));
    }
    template <class Handler> void wait_writable(Handler &&handler) {
        socket_.async_wait(socket_type::wait_write, std::forward<Handler>(handler));
    }
    template <class Handler> void connect(const socket_address &peer, Handler &&handler) {
        socket_.async_connect({peer.data(), peer.size}, std::forward<Handler>(handler));
    }
    // Out of the event loop: nothing that waits goes on, close() and the transfers work as before. Returns
    // false if the system refused; nothing has changed then.
    [[nodiscard]] bool ignore() noexcept;
    // Into it again. Returns false if the system refused; the stream is closed then.
    [[nodiscard]] bool listen() noexcept;
    // Begins anew with the event loop. Asio goes on listening for writability once that was waited for, and
    // is then woken by every acknowledgement; after connect() this is over. Returns false if the system
    // refused; the stream is closed then.
    [[nodiscard]] bool register_again() noexcept;
    // Bytes that the system took and has not sent yet; `in_flight`: or that the peer's has not confirmed. 0
    // for ipc, where they are with the peer at once.
    [[nodiscard]] std::size_t undelivered(bool in_flight) noexcept;
    void close() noexcept;
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    // Returns the first error of the system that ended a transfer; 0 if the peer ended the stream.
    [[nodiscard]] int lost_code() const noexcept { return lost_code_; }
    [[nodiscard]] const transport_row &transport() const noexcept { return *transport_; }
    [[nodiscard]] bool over_tcp() const noexcept { return over_tcp_; }
    // Returns true if the system copies the bytes from and to the memory of the caller, over tcp.
    [[nodiscard]] bool copied_by_tcp() const noexcept { return over_tcp_ && !layer_; }

  private:
    friend class stream_layer;
    static constexpr int send_flags = MSG_DONTWAIT | MSG_NOSIGNAL;

    [[nodiscard, gnu::always_inline]] io_result received(ssize_t transferred) noexcept {
        if (counts_ != nullptr)
            counts_->receive_calls.add();
        return outcome(transferred);
    }
    [[nodiscard, gnu::always_inline]] io_result sent(ssize_t transferred) noexcept {
        if (counts_ != nullptr)
            counts_->send_calls.add();
        return outcome(transferred);
    }
    [[nodiscard, gnu::always_inline]] io_result outcome(ssize_t transferred) noexcept {
        if (transferred > 0) [[likely]]
            return {io_status::ok, static_cast<std::size_t>(transferred)};
        return nothing_done(transferred);
    }
    [[nodiscard]] io_result nothing_done(ssize_t answer) noexcept;
    [[nodiscard]] io_result send_many(std::span<const byte_range> pieces) noexcept;
    [[nodiscard, gnu::noinline, gnu::cold]] io_result receive_by_layer(std::span<std::uint8_t> all) noexcept;
    [[nodiscard]] io_result receive_by_layer(std::span<const std::span<std::uint8_t>> parts) noexcept;
    [[nodiscard]] bool layers_have_buffered() const noexcept;
    [[nodiscard]] bool layers_hold_output() const noexcept;
    [[nodiscard]] io_status flush_layers() noexcept;

    socket_type socket_;
    const transport_row *transport_;
    std::unique_ptr<stream_layer> layer_; // the uppermost; null: none
    int descriptor_ = -1;
    counters::pipe_record *counts_ = nullptr; // of the pipe that it serves
    int family_ = 0;
    int lost_code_ = 0;
    transfer_rules rules_;
    bool over_tcp_;
    bool sends_one_piece_ = true; // by one plain system call: there is no layer, and no bound
    bool sent_ = false;           // something, since the last large body was received
};

// A connect to a free port of this host may be given that port as its own, and then meets itself.
[[nodiscard]] bool connected_to_itself(int descriptor) noexcept;

} // namespace zlink::transport
