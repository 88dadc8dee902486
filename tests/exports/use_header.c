/* SPDX-License-Identifier: MPL-2.0 */
/* A user of the header in every dialect; only compiled, never run. */
#include <zlink/peers.h>
#include <zmq_utils.h>

typedef char message_is_64_bytes[sizeof(zmq_msg_t) == 64 ? 1 : -1];
typedef char version_is_at_least_4_3_5[ZMQ_VERSION >= ZMQ_MAKE_VERSION(4, 3, 5) ? 1 : -1];

int use_header(void *socket);

int use_header(void *socket) {
    zmq_msg_t message;
    zmq_pollitem_t item = {0, 0, ZMQ_POLLIN, 0};
    message_is_64_bytes *unused_size = 0;
    version_is_at_least_4_3_5 *unused_version = 0;
    (void)unused_size;
    (void)unused_version;
    item.socket = socket;
    if (zmq_poll(&item, 1, -1) < 0)
        return zmq_errno() == ETERM ? 0 : EFSM;
    return zmq_msg_init(&message) + zmq_msg_recv(&message, socket, ZMQ_DONTWAIT) + zmq_msg_close(&message);
}
