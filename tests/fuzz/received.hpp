// SPDX-License-Identifier: MPL-2.0
// Tools for the targets of connections that receive. They are a pipe whose other end a socket would read, the
// stream that brings the bytes, and the result.
#pragma once

#include "require.hpp"

#include "connections/frame_reader.hpp"
#include "transport/transports.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace zlink::fuzz {

struct unheard final : pipe_owner {
    void on_pipe_event(pipe_end &, std::uint32_t) override {}
};

struct unwoken final : mailbox {
    void wake() noexcept override {}
};

class connected_pair {
  public:
    connected_pair() : stream_(loop(), *transport::find_transport("ipc")) {
        int ends[2];
        require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
        peer_ = ends[1];
        require(stream_.assign(ends[0], AF_UNIX));
    }
    ~connected_pair() { ::close(peer_); }
    connected_pair(const connected_pair &) = delete;
    [[nodiscard]] transport::stream &stream() { return stream_; }
    // How much fitted.
    [[nodiscard]] std::size_t write(zmtp::byte_view bytes) const {
        const ssize_t written = ::write(peer_, bytes.data(), bytes.size());
        return written < 0 ? 0 : static_cast<std::size_t>(written);
    }

  private:
    static boost::asio::io_context &loop() { // nothing waits for it
        static boost::asio::io_context one;
        return one;
    }
    transport::stream stream_;
    int peer_ = -1;
};

struct outcome {
    connections::read_status status = connections::read_status::wait;
    std::size_t pongs = 0; // bytes of them
    std::string frames;    // flags, size and bytes of each
    bool operator==(const outcome &) const = default;
};

class receiver {
  public:
    // Frames are no larger than that. `make_reader`: (pipe_end &, ping_responder &) to a pointer to a
    // frame reader.
    template <class Maker> receiver(std::size_t largest, Maker &&make_reader) : largest_(largest) {
        pipe_->first().attach(nobody_, box_);
        pipe_->second().attach(nobody_, box_);
        reader_ = make_reader(pipe_->second(), pings_);
    }
    ~receiver() {
        reader_.reset();
        pipe_->first().close();
        pipe_->second().close();
        while (box_->attached != 0)
            box_->ready.drain();
    }
    receiver(const receiver &) = delete;

    // Returns what came of the bytes: the first `early` with the end of the handshake, the others in pieces.
    outcome take(zmtp::byte_view in, std::size_t early, std::size_t piece) {
        reader_->begin(in.first(early));
        turn();
        for (std::size_t at = early; at < in.size() && told_.status == connections::read_status::wait;) {
            at += streams_.write(in.subspan(at, std::min(piece, in.size() - at)));
            turn();
        }
        reader_->reset();
        read_all();
        told_.pongs = writer_.commands_waiting();
        return told_;
    }

  private:
    void turn() {
        do
            told_.status = reader_->turn(streams_.stream(), connections::run_by::io_thread);
        while (told_.status == connections::read_status::again);
        read_all();
    }
    // All that a socket would read. Messages are whole.
    void read_all() {
        incoming_frame frame;
        bool more = false;
        while (pipe_->first().read(frame)) {
            require((frame.flags & frame_flag::reserved) == 0);
            require(frame.size <= largest_);
            require(!(frame.command() && (frame.more() || more)));
            told_.frames += static_cast<char>('0' + (frame.more() ? 1 : 0) + (frame.command() ? 2 : 0)) +
                            std::to_string(frame.size) + ':';
            told_.frames.append(reinterpret_cast<const char *>(frame.data), frame.size);
            more = frame.more();
            frame.drop();
        }
        require(!more);
    }

    std::size_t largest_;
    // No mark, so that nothing waits for a reader: back-pressure has its own tests.
    std::shared_ptr<pipe> pipe_ = pipe::create({0}, {0});
    std::shared_ptr<unwoken> box_ = std::make_shared<unwoken>();
    unheard nobody_;
    connections::encoding_writer writer_{pipe_->second(), zmtp::framing::v3, true};
    connections::ping_responder pings_{writer_};
    connected_pair streams_;
    std::unique_ptr<connections::frame_reader> reader_;
    outcome told_;
};

} // namespace zlink::fuzz
