// SPDX-License-Identifier: MPL-2.0
// PUB/SUB: a subscriber receives the messages that begin with its topic.
#include <iostream>

#include <zlink/zlink.hpp>

int main() {
    zlink::context context;
    // An XPUB is a PUB that also receives the subscriptions.
    zlink::socket publisher(context, zlink::socket_type::xpub);
    publisher.bind("tcp://127.0.0.1:*");
    zlink::socket subscriber(context, zlink::socket_type::sub);
    subscriber.set(zlink::opt::subscribe, "weather");
    subscriber.connect(publisher.last_endpoint());
    (void)publisher.receive(); // the subscription is there

    publisher.send("sport: 2 to 1");
    publisher.send("weather: sunny");
    std::cout << subscriber.receive().text() << "\n";
}
