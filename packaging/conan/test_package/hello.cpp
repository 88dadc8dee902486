// SPDX-License-Identifier: MPL-2.0
#include <iostream>
#include <zlink/zlink.hpp>

int main() {
    zlink::context context;
    zlink::socket receiver(context, zlink::socket_type::pull), sender(context, zlink::socket_type::push);
    receiver.bind("inproc://hello");
    sender.connect("inproc://hello");
    sender.send("hello");
    std::cout << receiver.receive().text() << "\n";
}
