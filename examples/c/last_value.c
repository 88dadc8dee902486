/* SPDX-License-Identifier: MPL-2.0 */
/* A subscriber that comes late gets the last message of each topic. */
#include <string.h>

#include <zlink/options.h>

#include "example.h"

/* The topic is a frame of its own. */
static void publish(void *publisher, const char *topic, const char *text) {
    CHECK(zmq_send(publisher, topic, strlen(topic), ZMQ_SNDMORE));
    CHECK(zmq_send(publisher, text, strlen(text), 0));
}

int main(void) {
    char endpoint[64], topic[256], text[256];
    const int topics = 10000; /* at most so many are kept */
    void *context = zmq_ctx_new();
    void *publisher = zmq_socket(context, ZMQ_XPUB);
    void *subscriber = zmq_socket(context, ZMQ_SUB);
    CHECK(zmq_setsockopt(publisher, ZLINK_LAST_VALUE, &topics, sizeof topics));
    bind_somewhere(publisher, endpoint);

    publish(publisher, "weather.oslo", "rain");
    publish(publisher, "weather.rome", "sunny");
    publish(publisher, "sport", "2 to 1");
    publish(publisher, "weather.oslo", "snow");

    CHECK(zmq_setsockopt(subscriber, ZMQ_SUBSCRIBE, "weather.", 8));
    CHECK(zmq_connect(subscriber, endpoint));
    receive_text(publisher, text); /* the subscription is read in a call on the publisher */
    for (int i = 0; i < 2; ++i) {
        receive_text(subscriber, topic);
        receive_text(subscriber, text);
        printf("%s: %s\n", topic, text);
    }

    zmq_close(subscriber);
    zmq_close(publisher);
    zmq_ctx_term(context);
    return 0;
}
