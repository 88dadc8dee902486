// SPDX-License-Identifier: MPL-2.0
// ROUTER/DEALER by coroutines: a server answers several clients.
#include <boost/asio.hpp>
#include <iostream>
#include <zlink/asio.hpp>

namespace net = boost::asio;
using async_socket = net::use_awaitable_t<>::as_default_on_t<zlink::asio::socket>;

net::awaitable<void> serve(async_socket server) {
    // The first frame of a ROUTER's message is the routing id of the peer.
    for (int request = 0; request != 2; ++request) {
        zlink::multipart frames = co_await server.async_receive_multipart();
        frames.push_back("to " + frames.front().to_string());
        co_await server.async_send(std::move(frames));
    }
}

net::awaitable<void> ask(async_socket client) {
    co_await client.async_send("hello");
    const zlink::multipart answer = co_await client.async_receive_multipart();
    std::cout << answer.back().text() << "\n";
}

int main() {
    zlink::context context;
    net::io_context io(1);
    async_socket server(io, context, zlink::socket_type::router);
    server.bind("tcp://127.0.0.1:*");
    for (const char *name : {"anne", "bert"}) {
        async_socket client(io, context, zlink::socket_type::dealer);
        client.set(zlink::opt::routing_id, name);
        client.connect(server.last_endpoint());
        net::co_spawn(io, ask(std::move(client)), net::detached);
    }
    net::co_spawn(io, serve(std::move(server)), net::detached);
    io.run();
}
