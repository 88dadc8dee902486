/* SPDX-License-Identifier: MPL-2.0 */
/* PUB/SUB: a subscriber receives the messages that begin with its topic. */
#include "example.h"

int main(void) {
    char endpoint[64], text[256];
    void *context = zmq_ctx_new();
    /* An XPUB is a PUB that also receives the subscriptions. */
    void *publisher = zmq_socket(context, ZMQ_XPUB);
    void *subscriber = zmq_socket(context, ZMQ_SUB);
    bind_somewhere(publisher, endpoint);
    CHECK(zmq_setsockopt(subscriber, ZMQ_SUBSCRIBE, "weather", 7));
    CHECK(zmq_connect(subscriber, endpoint));
    receive_text(publisher, text); /* the subscription is there */

    CHECK(zmq_send(publisher, "sport: 2 to 1", 13, 0));
    CHECK(zmq_send(publisher, "weather: sunny", 14, 0));
    receive_text(subscriber, text);
    printf("%s\n", text);

    zmq_close(subscriber);
    zmq_close(publisher);
    zmq_ctx_term(context);
    return 0;
}
