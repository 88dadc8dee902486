// SPDX-License-Identifier: MPL-2.0
// The C++ interface: contexts, sockets, messages, options, pollers and monitors over <zmq.h>, in C++20.
//
//     zlink::context context;
//     zlink::socket client(context, zlink::socket_type::req);
//     client.connect("tcp://127.0.0.1:5555");
//     client.send("Hello");
//     std::cout << client.receive().text() << "\n";
//
// It consists of headers only and works with the zmq.h and the library of libzmq 4.3.4 too. <zlink/asio.hpp>
// adds the operations for Asio. examples/cpp has a program for each pattern.
#pragma once

#include "zlink/cpp/context.hpp"
#include "zlink/cpp/error.hpp"
#include "zlink/cpp/message.hpp"
#include "zlink/cpp/monitor.hpp"
#include "zlink/cpp/multipart.hpp"
#include "zlink/cpp/options.hpp"
#include "zlink/cpp/poller.hpp"
#include "zlink/cpp/socket.hpp"
