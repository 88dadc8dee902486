// SPDX-License-Identifier: MPL-2.0
// PAIR by coroutines: two coroutines talk to each other.
#include <boost/asio.hpp>
#include <iostream>
#include <zlink/asio.hpp>

namespace net = boost::asio;
using async_socket = net::use_awaitable_t<>::as_default_on_t<zlink::asio::socket>;

net::awaitable<void> first(async_socket here) {
    std::cout << "here: " << (co_await here.async_receive()).text() << "\n";
    co_await here.async_send("go");
}

net::awaitable<void> second(async_socket there) {
    co_await there.async_send("ready");
    std::cout << "there: " << (co_await there.async_receive()).text() << "\n";
}

int main() {
    zlink::context context;
    net::io_context io(1);
    async_socket here(io, context, zlink::socket_type::pair);
    async_socket there(io, context, zlink::socket_type::pair);
    here.bind("inproc://talk");
    there.connect("inproc://talk");
    net::co_spawn(io, first(std::move(here)), net::detached);
    net::co_spawn(io, second(std::move(there)), net::detached);
    io.run();
}
