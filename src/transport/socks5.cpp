// SPDX-License-Identifier: MPL-2.0
#include "transport/socks5.hpp"

#include <netinet/in.h>
#include <utility>

#include "base/wipe.hpp"
#include "transport/tcp_address.hpp"

namespace zlink::transport {
namespace {

constexpr std::uint8_t version = 5;
constexpr std::uint8_t login_version = 1;
constexpr std::uint8_t no_login = 0;
constexpr std::uint8_t by_password = 2;
constexpr std::uint8_t connect_command = 1;
constexpr std::uint8_t success = 0;
constexpr std::size_t most_length = 255;

enum address_type : std::uint8_t { ipv4 = 1, name = 3, ipv6_address = 4 };

// Answers: version and method; version and status; version, reply, zero, type of address, address, port.
constexpr std::size_t short_answer = 2;
constexpr std::size_t answer_head = 4;
constexpr std::size_t port_size = 2;

void append(std::vector<std::uint8_t> &to, const void *bytes, std::size_t size) {
    const auto *first = static_cast<const std::uint8_t *>(bytes);
    to.insert(to.end(), first, first + size);
}

void append_text(std::vector<std::uint8_t> &to, std::string_view text) {
    to.push_back(static_cast<std::uint8_t>(text.size()));
    append(to, text.data(), text.size());
}

void append_host(std::vector<std::uint8_t> &to, const tcp_host_port &host, bool ipv6) {
    const auto numeric = resolve_tcp_numeric(host, ipv6);
    if (!numeric || !*numeric) {
        to.push_back(address_type::name);
        return append_text(to, host.host);
    }
    const socket_address address = unmapped(**numeric);
    if (address.family() == AF_INET6) {
        to.push_back(address_type::ipv6_address);
        const auto *in = reinterpret_cast<const sockaddr_in6 *>(address.data());
        return append(to, &in->sin6_addr, sizeof in->sin6_addr);
    }
    to.push_back(address_type::ipv4);
    const auto *in = reinterpret_cast<const sockaddr_in *>(address.data());
    append(to, &in->sin_addr, sizeof in->sin_addr);
}

// Bytes of the address behind the first four, one of which is known for a name; 0: no such type.
std::size_t address_size(std::uint8_t type) noexcept {
    switch (type) {
    case address_type::ipv4:
        return sizeof(in_addr);
    case address_type::ipv6_address:
        return sizeof(in6_addr);
    case address_type::name:
        return 1; // its length, and then more
    default:
        return 0;
    }
}

} // namespace

const char *to_string(socks5_state state) noexcept {
    constexpr std::array<const char *, 5> texts{"choosing", "authenticating", "connecting", "done", "failed"};
    return texts[static_cast<std::size_t>(state)];
}

socks5_client::socks5_client(const tcp_host_port &host, bool ipv6, const socks5_login &login) {
    const bool too_long = host.host.size() > most_length || login.username.size() > most_length ||
                          login.password.size() > most_length;
    if (host.host.empty() || too_long) {
        next(socks5_state::failed, 0);
        return;
    }
    request_ = {version, connect_command, 0};
    append_host(request_, host, ipv6);
    request_.push_back(static_cast<std::uint8_t>(host.port >> 8));
    request_.push_back(static_cast<std::uint8_t>(host.port & 0xFF));
    if (!login.username.empty()) {
        login_.reserve(3 + login.username.size() + login.password.size()); // it must not move
        login_.push_back(login_version);
        append_text(login_, login.username);
        append_text(login_, login.password);
    }
    offer_methods();
}

socks5_client::~socks5_client() {
    wipe(login_);
    wipe(output_);
}

std::size_t socks5_client::wanted() const noexcept {
    return needed_ - input_.size();
}

// The message before has left whole, since its owner reads no answer earlier.
void socks5_client::send(std::vector<std::uint8_t> bytes) noexcept {
    wipe(output_);
    output_ = std::move(bytes);
    output_sent_ = 0;
}

void socks5_client::next(socks5_state state, std::size_t bytes) noexcept {
    state_ = state;
    input_.clear();
    needed_ = bytes;
}

// One method only, as libzmq does: who names a user wants to be known.
void socks5_client::offer_methods() {
    send({version, 1, login_.empty() ? no_login : by_password});
    next(socks5_state::choosing, short_answer);
}

void socks5_client::feed(std::span<const std::uint8_t> in) {
    append(input_, in.data(), in.size());
    if (input_.size() < needed_)
        return;
    switch (state_) {
    case socks5_state::choosing:
        return on_method();
    case socks5_state::authenticating:
        return on_login();
    case socks5_state::connecting:
        return on_answer();
    case socks5_state::done:
    case socks5_state::failed:
        return;
    }
}

// A proxy may do without the login that it was offered.
void socks5_client::on_method() {
    if (input_[0] == version && input_[1] == no_login)
        return request();
    if (input_[0] == version && input_[1] == by_password && !login_.empty())
        return log_in();
    next(socks5_state::failed, 0);
}

void socks5_client::log_in() {
    send(std::exchange(login_, {}));
    next(socks5_state::authenticating, short_answer);
}

void socks5_client::on_login() {
    if (input_[0] != login_version || input_[1] != success)
        return next(socks5_state::failed, 0);
    request();
}

void socks5_client::request() {
    send(std::exchange(request_, {}));
    next(socks5_state::connecting, answer_head);
}

// The address that the proxy tells is of no use to us.
void socks5_client::on_answer() {
    if (input_[0] != version || input_[1] != success || input_[2] != 0)
        return next(socks5_state::failed, 0);
    const std::size_t size = address_size(input_[3]);
    if (size == 0)
        return next(socks5_state::failed, 0);
    if (input_.size() == answer_head)
        return want(size + (input_[3] == address_type::name ? 0 : port_size));
    if (input_[3] == address_type::name && input_.size() == answer_head + 1)
        return want(input_[answer_head] + port_size);
    next(socks5_state::done, 0);
}

} // namespace zlink::transport
