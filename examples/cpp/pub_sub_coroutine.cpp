// SPDX-License-Identifier: MPL-2.0
// PUB/SUB by coroutines: a subscriber receives the messages that begin with its topic.
#include <boost/asio.hpp>
#include <iostream>
#include <zlink/asio.hpp>

namespace net = boost::asio;
using async_socket = net::use_awaitable_t<>::as_default_on_t<zlink::asio::socket>;

net::awaitable<void> publish(async_socket publisher) {
    (void)co_await publisher.async_receive(); // the subscription is there
    co_await publisher.async_send("sport: 2 to 1");
    co_await publisher.async_send("weather: sunny");
}

net::awaitable<void> read(async_socket subscriber) {
    std::cout << (co_await subscriber.async_receive()).text() << "\n";
}

int main() {
    zlink::context context;
    net::io_context io(1);
    // An XPUB is a PUB that also receives the subscriptions.
    async_socket publisher(io, context, zlink::socket_type::xpub);
    publisher.bind("tcp://127.0.0.1:*");
    async_socket subscriber(io, context, zlink::socket_type::sub);
    subscriber.set(zlink::opt::subscribe, "weather");
    subscriber.connect(publisher.last_endpoint());
    net::co_spawn(io, publish(std::move(publisher)), net::detached);
    net::co_spawn(io, read(std::move(subscriber)), net::detached);
    io.run();
}
