// SPDX-License-Identifier: MPL-2.0
//
// setsockopt and getsockopt with null values. (A null size pointer is undefined in libzmq and not tried.)
#include "support.h"

int main(void) {
    start();
    static const int options[] = {ZMQ_LINGER,     ZMQ_SNDHWM,       ZMQ_AFFINITY,  ZMQ_MAXMSGSIZE,
                                  ZMQ_ROUTING_ID, ZMQ_EVENTS,       ZMQ_SUBSCRIBE, ZMQ_IMMEDIATE,
                                  ZMQ_CONFLATE,   ZMQ_BINDTODEVICE, ZMQ_RCVTIMEO,  12345,
                                  ZMQ_IPV6,       ZMQ_HEARTBEAT_TTL};
    void *context = zmq_ctx_new();
    for (int type = ZMQ_PAIR; type <= ZMQ_STREAM; type++) {
        void *socket = open_socket(context, type);
        for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
            if (options[i] == ZMQ_SUBSCRIBE) {
                continue;
            }
            errno = 0;
            int result = zmq_setsockopt(socket, options[i], NULL, 0);
            printf("%s set %d null of 0 -> %s\n", type_names[type], options[i],
                   result == -1 ? errno_name(zmq_errno()) : "ok");
        }
        zmq_close(socket);
    }
    int value = 0;
    size_t size = sizeof value;
    SHOW(zmq_setsockopt(NULL, ZMQ_LINGER, &value, sizeof value));
    SHOW(zmq_getsockopt(NULL, ZMQ_LINGER, &value, &size));
    SHOW(zmq_setsockopt(context, ZMQ_LINGER, &value, sizeof value));
    SHOW(zmq_getsockopt(context, ZMQ_LINGER, &value, &size));
    SHOW(zmq_ctx_term(context));
    return 0;
}
