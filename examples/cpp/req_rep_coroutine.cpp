// SPDX-License-Identifier: MPL-2.0
// REQ/REP by coroutines: a client asks, a server answers, in one thread.
#include <boost/asio.hpp>
#include <iostream>
#include <zlink/asio.hpp>

namespace net = boost::asio;
using async_socket = net::use_awaitable_t<>::as_default_on_t<zlink::asio::socket>;

net::awaitable<void> serve(async_socket server) {
    const zlink::message request = co_await server.async_receive();
    co_await server.async_send(request.to_string() + ", world");
}

net::awaitable<void> ask(async_socket client, std::string endpoint) {
    // The handshake has five seconds. The question has as long as it takes.
    co_await client.async_connect(endpoint,
                                  zlink::asio::cancel_after(std::chrono::seconds(5), net::use_awaitable));
    co_await client.async_send("Hello");
    std::cout << "the answer: " << (co_await client.async_receive()).text() << "\n";
}

int main() {
    zlink::context context;
    net::io_context io(1);
    async_socket server(io, context, zlink::socket_type::rep);
    server.bind("tcp://127.0.0.1:*");
    const std::string endpoint = server.last_endpoint();
    net::co_spawn(io, serve(std::move(server)), net::detached);
    net::co_spawn(io, ask(async_socket(io, context, zlink::socket_type::req), endpoint), net::detached);
    io.run();
}
