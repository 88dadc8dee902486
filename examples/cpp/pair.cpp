// SPDX-License-Identifier: MPL-2.0
// PAIR: two threads talk to each other.
#include <iostream>
#include <thread>

#include <zlink/zlink.hpp>

int main() {
    zlink::context context;
    zlink::socket here(context, zlink::socket_type::pair);
    here.bind("inproc://talk");
    std::thread other([&context] {
        zlink::socket there(context, zlink::socket_type::pair);
        there.connect("inproc://talk");
        there.send("ready");
        std::cout << "there: " << there.receive().text() << "\n";
    });
    std::cout << "here: " << here.receive().text() << "\n";
    here.send("go");
    other.join();
}
