// SPDX-License-Identifier: MPL-2.0
// REQ/REP: a client asks, a server answers. Each runs in a thread of its own.
#include <iostream>
#include <thread>

#include <zlink/zlink.hpp>

int main() {
    zlink::context context;
    zlink::socket server(context, zlink::socket_type::rep);
    server.bind("tcp://127.0.0.1:*");

    std::thread client_thread([&context, endpoint = server.last_endpoint()] {
        zlink::socket client(context, zlink::socket_type::req);
        client.connect(endpoint);
        client.send("Hello");
        std::cout << "the answer: " << client.receive().text() << "\n";
    });

    const zlink::message request = server.receive();
    server.send(request.to_string() + ", world");
    client_thread.join();
}
