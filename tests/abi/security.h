// SPDX-License-Identifier: MPL-2.0
//
// Tools that programs about security share: an authenticator that is answered for by hand, sockets with a
// mechanism, the first event of a handshake.
#pragma once

#include "support.h"

enum mechanism { WITH_NULL, WITH_PLAIN, WITH_CURVE, MECHANISMS };
static const char *const mechanism_names[] = {"NULL", "PLAIN", "CURVE"};

static const char server_public[] = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";
static const char server_secret[] = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6";
static const char client_public[] = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID";
static const char client_secret[] = "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs";

static inline void serve_with(void *socket, enum mechanism chosen) {
    if (chosen == WITH_PLAIN) {
        MUST(set_int(socket, ZMQ_PLAIN_SERVER, 1));
    }
    if (chosen == WITH_CURVE) {
        MUST(set_int(socket, ZMQ_CURVE_SERVER, 1));
        MUST(set_text(socket, ZMQ_CURVE_SECRETKEY, server_secret));
    }
}

static inline void call_with(void *socket, enum mechanism chosen) {
    if (chosen == WITH_PLAIN) {
        MUST(set_text(socket, ZMQ_PLAIN_USERNAME, "admin"));
        MUST(set_text(socket, ZMQ_PLAIN_PASSWORD, "secret"));
    }
    if (chosen == WITH_CURVE) {
        MUST(set_text(socket, ZMQ_CURVE_SERVERKEY, server_public));
        MUST(set_text(socket, ZMQ_CURVE_PUBLICKEY, client_public));
        MUST(set_text(socket, ZMQ_CURVE_SECRETKEY, client_secret));
    }
}

static inline void *watch_handshakes(void *context, void *socket) {
    static int serial = 0;
    char endpoint[ENDPOINT_SIZE];
    snprintf(endpoint, sizeof endpoint, "inproc://handshakes-%d", ++serial);
    void *monitor = open_socket(context, ZMQ_PAIR);
    MUST(zmq_socket_monitor(socket, endpoint,
                            ZMQ_EVENT_HANDSHAKE_FAILED_AUTH | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                                ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_SUCCEEDED));
    MUST(zmq_connect(monitor, endpoint));
    return monitor;
}

static inline void expect_handshake(const char *label, void *monitor) {
    unsigned char head[6];
    uint16_t event = 0;
    uint32_t value = 0;
    if (zmq_recv(monitor, head, sizeof head, 0) == -1) {
        printf("%s: no event\n", label);
        return;
    }
    memcpy(&event, head, sizeof event);
    memcpy(&value, head + sizeof event, sizeof value);
    zmq_recv(monitor, NULL, 0, 0);
    const char *name = event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED         ? "succeeded"
                       : event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH     ? "failed, authentication"
                       : event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL ? "failed, protocol"
                                                                      : "failed, no detail";
    printf("%s: %s %s%x\n", label, name, event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL ? "0x" : "", value);
}
