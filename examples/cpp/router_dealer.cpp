// SPDX-License-Identifier: MPL-2.0
// ROUTER/DEALER: a server answers several clients in the order that it likes.
#include <iostream>
#include <vector>

#include <zlink/zlink.hpp>

int main() {
    zlink::context context;
    zlink::socket server(context, zlink::socket_type::router);
    server.bind("tcp://127.0.0.1:*");

    std::vector<zlink::socket> clients;
    for (const char *name : {"anne", "bert"}) {
        zlink::socket &client = clients.emplace_back(context, zlink::socket_type::dealer);
        client.set(zlink::opt::routing_id, name);
        client.connect(server.last_endpoint());
        client.send("hello");
    }

    // The first frame of a ROUTER's message is the routing id of the peer.
    std::vector<zlink::multipart> requests;
    for (int request = 0; request != 2; ++request)
        requests.push_back(server.receive_multipart());
    while (!requests.empty()) {
        zlink::multipart answer = std::move(requests.back());
        requests.pop_back();
        answer.push_back("to " + answer.front().to_string());
        server.send(std::move(answer));
    }
    for (zlink::socket &client : clients)
        std::cout << client.receive_multipart().back().text() << "\n";
}
