// SPDX-License-Identifier: MPL-2.0
// What a connection receives once its handshake is done. The first byte chooses the framing, whether
// subscriptions are taken and how the pieces are made; then what comes, in pieces, through a socketpair into
// a pipe whose other end a socket would read. However it is split, the same frames come out and it ends the
// same; only whole messages come out; of an invalid frame nothing does.
#include "session/inflow.hpp"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

using namespace zlink;
using namespace zlink::session;

namespace {

constexpr std::int64_t largest_message = 1 << 20;
// So that nothing waits for a reader: back-pressure has its own tests.
constexpr int no_mark = 0;

void require(bool truth) {
    if (!truth)
        std::abort();
}

struct counted_pings final : command_handler {
    void on_ping(const zmtp::ping &received) override {
        require(received.context.size() <= 16);
        ++count;
    }
    int count = 0;
};

struct unheard final : pipe_owner {
    void on_pipe_event(pipe_end &, std::uint32_t) override {}
};

struct unwoken final : mailbox {
    void wake() noexcept override {}
};

struct choice {
    explicit choice(std::uint8_t byte)
        : framing(byte % 3), takes_subscriptions((byte & 4) != 0), piece(1U + byte / 8U) {}
    unsigned framing; // 0: ZMTP 3; 1, 2: that version
    bool takes_subscriptions;
    std::size_t piece;
};

// What came of the bytes.
struct outcome {
    inflow_status status = inflow_status::wait;
    int pings = 0;
    std::string frames;
    bool operator==(const outcome &) const = default;
};

std::unique_ptr<inflow> make_inflow(const choice &chosen, pipe_end &end, command_handler &handler) {
    const inflow_rules rules{chosen.takes_subscriptions, largest_message};
    if (chosen.framing == 0)
        return std::make_unique<frame_inflow>(end, end.out(), rules, handler);
    return std::make_unique<legacy_inflow>(
        end, rules, chosen.framing == 1 ? zmtp::parse_v1_header : zmtp::parse_v2_header);
}

class connected_pair {
  public:
    connected_pair() : stream_(loop()) {
        int ends[2];
        require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
        peer_ = ends[1];
        require(stream_.assign(ends[0], AF_UNIX));
    }
    ~connected_pair() { ::close(peer_); }
    connected_pair(const connected_pair &) = delete;

    [[nodiscard]] transport::stream &stream() { return stream_; }
    void write(zmtp::byte_view bytes) const {
        require(::write(peer_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    }

  private:
    static boost::asio::io_context &loop() { // nothing waits for it
        static boost::asio::io_context one;
        return one;
    }
    transport::stream stream_;
    int peer_ = -1;
};

inflow_status turn_until_quiet(inflow &receiving, transport::stream &from) {
    inflow_status status = receiving.turn(from, reader_place::elsewhere);
    while (status == inflow_status::again)
        status = receiving.turn(from, reader_place::elsewhere);
    return status;
}

// All that a socket would read: flags, size and bytes of each frame. Messages are whole.
void read_all(pipe_end &reader, outcome &told) {
    incoming_frame frame;
    bool more = false;
    while (reader.read(frame)) {
        require((frame.flags & zmtp::frame_flags::reserved) == 0);
        require(!(frame.command() && (frame.more() || more)));
        require(static_cast<std::int64_t>(frame.size) <= largest_message);
        told.frames += static_cast<char>('0' + (frame.more() ? 1 : 0) + (frame.command() ? 2 : 0)) +
                       std::to_string(frame.size) + ':';
        told.frames.append(reinterpret_cast<const char *>(frame.data), frame.size);
        more = frame.more();
        frame.drop();
    }
    require(!more);
}

// The first `early` bytes come with the end of the handshake, the others in pieces.
outcome receive(const choice &chosen, zmtp::byte_view in, std::size_t early, std::size_t piece) {
    unheard nobody;
    const auto box = std::make_shared<unwoken>();
    const auto made = pipe::create({no_mark, false}, {no_mark, false});
    made->first().attach(nobody, box);
    made->second().attach(nobody, box);
    outcome told;
    counted_pings pings;
    connected_pair streams;
    const auto receiving = make_inflow(chosen, made->second(), pings);
    receiving->begin(in.first(early));
    told.status = turn_until_quiet(*receiving, streams.stream());
    for (std::size_t at = early; at < in.size() && told.status == inflow_status::wait; at += piece) {
        streams.write(in.subspan(at, std::min(piece, in.size() - at)));
        told.status = turn_until_quiet(*receiving, streams.stream());
        read_all(made->first(), told);
    }
    require(told.status == inflow_status::wait || told.status == inflow_status::malformed ||
            told.status == inflow_status::oversize);
    receiving->reset();
    read_all(made->first(), told);
    told.pings = pings.count;
    made->first().close();
    made->second().close();
    while (box->attached != 0)
        box->ready.drain();
    return told;
}

// The first frame of ZMTP 3 that sets a reserved bit ends it, and whatever is before it is as without it.
void require_reserved_bits_fail(const choice &chosen, zmtp::byte_view in, const outcome &whole) {
    if (chosen.framing != 0 || in.size() < zmtp::max_header_size)
        return;
    if ((in[0] & zmtp::frame_flags::reserved) != 0) {
        require(whole.status == inflow_status::malformed);
        require(whole.frames.empty() && whole.pings == 0);
    }
    if (whole.status == inflow_status::wait) {
        zmtp::byte_buffer spoilt(in.begin(), in.end());
        spoilt[0] |= 0x08;
        require(receive(chosen, spoilt, 0, spoilt.size()).status == inflow_status::malformed);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size == 0)
        return 0;
    const choice chosen(data[0]);
    const zmtp::byte_view in(data + 1, size - 1);
    const outcome whole = receive(chosen, in, 0, in.size());
    require(receive(chosen, in, 0, chosen.piece) == whole);
    require(receive(chosen, in, std::min(in.size(), chosen.piece), in.size()) == whole);
    require_reserved_bits_fail(chosen, in, whole);
    return 0;
}
