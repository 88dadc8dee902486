/* SPDX-License-Identifier: MPL-2.0 */
/* Publishes a number twenty times a second over WebSocket, for browsers:  publisher
 * ws://127.0.0.1:5556/values */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <zmq.h>

static int publish(void *socket, const char *topic, const char *text) {
    if (zmq_send(socket, topic, strlen(topic), ZMQ_SNDMORE) == -1) {
        return -1;
    }
    return zmq_send(socket, text, strlen(text), 0);
}

int main(int argc, char **argv) {
    const char *endpoint = argc > 1 ? argv[1] : "ws://127.0.0.1:5556/values";
    void *context = zmq_ctx_new();
    void *socket = zmq_socket(context, ZMQ_PUB);
    if (zmq_bind(socket, endpoint) == -1) {
        fprintf(stderr, "%s: %s\n", endpoint, zmq_strerror(zmq_errno()));
        return 1;
    }
    printf("publishing at %s\n", endpoint);
    fflush(stdout);
    for (unsigned number = 0;; number++) {
        char text[64];
        snprintf(text, sizeof text, "%u %.3f", number, 20 + 5 * sin(number / 20.0));
        if (publish(socket, "room.temperature", text) == -1 ||
            publish(socket, "cellar.temperature", "7") == -1) {
            return 1;
        }
        nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
    }
}
