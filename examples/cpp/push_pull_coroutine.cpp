// SPDX-License-Identifier: MPL-2.0
// PUSH/PULL by coroutines: tasks are dealt out to two workers, and their results are collected.
#include <boost/asio.hpp>
#include <iostream>
#include <zlink/asio.hpp>

namespace net = boost::asio;
using async_socket = net::use_awaitable_t<>::as_default_on_t<zlink::asio::socket>;

net::awaitable<void> work(async_socket in, async_socket out) {
    for (;;) {
        const std::string task = (co_await in.async_receive()).to_string();
        if (task.empty())
            co_return;
        co_await out.async_send("done: " + task);
    }
}

net::awaitable<void> deal_out(async_socket tasks, async_socket results) {
    for (int number = 0; number != 4; ++number)
        co_await tasks.async_send("task " + std::to_string(number));
    for (int number = 0; number != 4; ++number)
        std::cout << (co_await results.async_receive()).text() << "\n";
    // An empty task ends a worker. They are dealt out in turn: each worker gets one.
    co_await tasks.async_send("");
    co_await tasks.async_send("");
}

int main() {
    zlink::context context;
    net::io_context io(1);
    async_socket tasks(io, context, zlink::socket_type::push);
    async_socket results(io, context, zlink::socket_type::pull);
    tasks.bind("inproc://tasks");
    results.bind("inproc://results");
    for (int worker = 0; worker != 2; ++worker) {
        async_socket in(io, context, zlink::socket_type::pull);
        async_socket out(io, context, zlink::socket_type::push);
        in.connect("inproc://tasks");
        out.connect("inproc://results");
        net::co_spawn(io, work(std::move(in), std::move(out)), net::detached);
    }
    net::co_spawn(io, deal_out(std::move(tasks), std::move(results)), net::detached);
    io.run();
}
