// SPDX-License-Identifier: MPL-2.0
// What a connection under CURVE receives. The first byte chooses whether subscriptions are taken, how the
// pieces are made, and what the rest is: bytes as they come; or frames, each of a byte of flags, one of
// length and a body, which are sealed before they are sent. However it is split, the same frames come out and
// it ends the same; only whole messages come out, and of what is not sealed nothing does.
#include "session/sealed_inflow.hpp"

#include "security/curve_cipher.hpp"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

using namespace zlink;
using namespace zlink::session;

namespace {

void require(bool truth) {
    if (!truth)
        std::abort();
}

struct unheard final : pipe_owner {
    void on_pipe_event(pipe_end &, std::uint32_t) override {}
};
struct unwoken final : mailbox {
    void wake() noexcept override {}
};
struct counted_pings final : command_handler {
    void on_ping(const zmtp::ping &received) override {
        require(received.context.size() <= 16);
        ++count;
    }
    int count = 0;
};

struct outcome {
    inflow_status status = inflow_status::wait;
    int pings = 0;
    std::string frames;
    bool operator==(const outcome &) const = default;
};

using security::curve_cipher;

curve_cipher make_cipher(curve_cipher::side own) {
    require(security::curve::ready());
    return {own, security::curve::key{1, 2, 3}, 2, 1};
}

zmtp::byte_buffer seal(zmtp::byte_view in) {
    curve_cipher cipher = make_cipher(curve_cipher::side::client);
    zmtp::byte_buffer wire;
    while (in.size() >= 2) {
        const std::size_t size = std::min<std::size_t>(in[1], in.size() - 2);
        const auto flags = static_cast<std::uint8_t>(in[0] & 5);
        const std::size_t scale = (in[0] & 8) != 0 ? 64 : 1; // large bodies
        zmtp::byte_buffer body;
        for (std::size_t turn = 0; turn < scale; ++turn)
            body.insert(body.end(), in.begin() + 2, in.begin() + 2 + static_cast<std::ptrdiff_t>(size));
        in = in.subspan(2 + size);
        const std::size_t before = wire.size();
        wire.resize(before + cipher.sealed_size(body.size()));
        cipher.seal(flags, body, wire.data() + before);
    }
    return wire;
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

void read_all(pipe_end &reader, outcome &told) {
    incoming_frame frame;
    bool more = false;
    while (reader.read(frame)) {
        require((frame.flags & zmtp::frame_flags::reserved) == 0);
        require(!(frame.command() && (frame.more() || more)));
        told.frames += static_cast<char>('0' + (frame.more() ? 1 : 0) + (frame.command() ? 2 : 0)) +
                       std::to_string(frame.size) + ':';
        told.frames.append(reinterpret_cast<const char *>(frame.data), frame.size);
        more = frame.more();
        frame.drop();
    }
    require(!more);
}

outcome receive(bool takes_subscriptions, zmtp::byte_view in, std::size_t early, std::size_t piece) {
    unheard nobody;
    const auto box = std::make_shared<unwoken>();
    const auto made = pipe::create({0, false}, {0, false});
    made->first().attach(nobody, box);
    made->second().attach(nobody, box);
    outcome told;
    counted_pings pings;
    connected_pair streams;
    curve_cipher cipher = make_cipher(curve_cipher::side::server);
    {
        sealed_inflow receiving(made->second(), {takes_subscriptions, 100'000}, pings, cipher);
        receiving.begin(in.first(early));
        const auto turn = [&] {
            do
                told.status = receiving.turn(streams.stream(), reader_place::elsewhere);
            while (told.status == inflow_status::again);
            read_all(made->first(), told);
        };
        turn();
        for (std::size_t at = early; at < in.size() && told.status == inflow_status::wait;) {
            at += streams.write(in.subspan(at, std::min(piece, in.size() - at)));
            turn();
        }
        receiving.reset();
    }
    read_all(made->first(), told);
    told.pings = pings.count;
    made->first().close();
    made->second().close();
    while (box->attached != 0)
        box->ready.drain();
    return told;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size == 0)
        return 0;
    const bool subscriptions = (data[0] & 1) != 0;
    const bool seals = (data[0] & 2) != 0;
    const std::size_t few = 1U + data[0] / 4U;
    const zmtp::byte_view rest(data + 1, size - 1);
    const zmtp::byte_buffer in = seals ? seal(rest) : zmtp::byte_buffer(rest.begin(), rest.end());
    // Much of it goes in larger pieces: a call for each costs the time.
    const std::size_t piece = few * (in.size() > 500 ? 97 : 1);
    const outcome whole = receive(subscriptions, in, 0, in.size() + 1);
    require(receive(subscriptions, in, 0, piece) == whole);
    require(receive(subscriptions, in, std::min(in.size(), piece), in.size() + 1) == whole);
    if (!seals)
        require(whole.frames.empty() && whole.pings == 0);
    return 0;
}
