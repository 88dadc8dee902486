// SPDX-License-Identifier: MPL-2.0
// Sockets with asynchronous operations for Boost.Asio, or for Asio without Boost (ZLINK_ASIO_STANDALONE).
//
//     net::awaitable<void> serve(zlink::context &context) {
//         zlink::asio::socket socket(co_await net::this_coro::executor, context, zlink::socket_type::rep);
//         socket.bind("tcp://*:5555");
//         for (;;) {
//             zlink::message request = co_await socket.async_receive(net::use_awaitable);
//             co_await socket.async_send(std::move(request), net::use_awaitable);
//         }
//     }
//
// examples/cpp has a program for each pattern.
#pragma once

#include "zlink/asio/cancel_after.hpp"
#include "zlink/asio/socket.hpp"
