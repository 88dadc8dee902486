// SPDX-License-Identifier: MPL-2.0
// web_bare: a client of WebSocket without a library (work.hpp). It is the other end for libraries that serve
// only. It sends frames that were made before, in batches of 64 KiB, so that it costs next to nothing.
#include "web/program/work.hpp"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace {

using bench::body;
using bench::fail;
using bench::web::order;

constexpr std::size_t batch_bytes = 65536;
constexpr std::byte final_binary{0x82};

// The header of a frame. A client's frame has a mask; this one is all zero, which changes nothing.
std::size_t put_header(std::byte *to, std::size_t size, bool masked) {
    const std::size_t sizes = size < 126 ? 0 : size < 65536 ? 2 : 8;
    to[0] = final_binary;
    const std::size_t code = sizes == 0 ? size : sizes == 2 ? 126 : 127;
    to[1] = static_cast<std::byte>(code | (masked ? 0x80U : 0U));
    for (std::size_t at = 0; at < sizes; ++at)
        to[2 + at] = static_cast<std::byte>(size >> 8 * (sizes - 1 - at));
    std::memset(to + 2 + sizes, 0, masked ? 4 : 0);
    return 2 + sizes + (masked ? 4 : 0);
}

class bare_end {
  public:
    explicit bare_end(const order &given) : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        if (given.serves || given.transport != "ws")
            fail("this is a client of ws");
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(std::strtoul(given.port.c_str(), nullptr, 10)));
        if (connect(descriptor_, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
            fail("connect: %s", std::strerror(errno));
        constexpr int on = 1;
        setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        upgrade(given);
        streams_ = given.work == "up";
        out_.reserve(batch_bytes + given.size + 14);
        in_.resize(batch_bytes + given.size + 14);
    }

    void send(const body &message) {
        const std::size_t begin = out_.size();
        out_.resize(begin + 14 + message.size());
        const std::size_t header = put_header(out_.data() + begin, message.size(), true);
        std::memcpy(out_.data() + begin + header, message.data(), message.size());
        out_.resize(begin + header + message.size());
        if (!streams_ || out_.size() >= batch_bytes)
            flush();
    }

    void receive(body &message) {
        std::array<std::byte, 14> due;
        const std::size_t header = put_header(due.data(), message.size(), false);
        while (end_ - begin_ < header + message.size())
            fill();
        if (std::memcmp(in_.data() + begin_, due.data(), header) != 0)
            fail("another frame came than was due");
        std::memcpy(message.data(), in_.data() + begin_ + header, message.size());
        begin_ += header + message.size();
    }

  private:
    void upgrade(const order &given) {
        const std::string request = "GET /" + given.work +
                                    " HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: "
                                    "Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                                    "Sec-WebSocket-Version: 13\r\n\r\n";
        if (write(descriptor_, request.data(), request.size()) != static_cast<ssize_t>(request.size()))
            fail("write of the request: %s", std::strerror(errno));
        std::string answer;
        for (char byte = 0; !answer.ends_with("\r\n\r\n"); answer.push_back(byte))
            if (read(descriptor_, &byte, 1) != 1)
                fail("the server answered '%s'", answer.c_str());
        if (!answer.starts_with("HTTP/1.1 101"))
            fail("the server answered '%s'", answer.c_str());
    }

    void flush() {
        for (std::size_t done = 0; done < out_.size();) {
            const ssize_t put = write(descriptor_, out_.data() + done, out_.size() - done);
            if (put <= 0)
                fail("write: %s", std::strerror(errno));
            done += static_cast<std::size_t>(put);
        }
        out_.clear();
    }

    void fill() {
        std::memmove(in_.data(), in_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
        const ssize_t got = read(descriptor_, in_.data() + end_, in_.size() - end_);
        if (got <= 0)
            fail("read: %s", got == 0 ? "the server has closed" : std::strerror(errno));
        end_ += static_cast<std::size_t>(got);
    }

    int descriptor_;
    bool streams_ = false;
    std::vector<std::byte> out_;
    std::vector<std::byte> in_;
    std::size_t begin_ = 0; // of bytes that were not used
    std::size_t end_ = 0;
};

} // namespace

int main(int count, char **arguments) {
    const order given = bench::web::read_order({arguments, static_cast<std::size_t>(count)});
    bare_end end(given);
    bench::web::run(end, given);
}
