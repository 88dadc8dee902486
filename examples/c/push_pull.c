/* SPDX-License-Identifier: MPL-2.0 */
/* PUSH/PULL: tasks are dealt to the workers in turn. A poller waits for both workers. */
#include "example.h"

int main(void) {
    char endpoint[64], text[256];
    int done = 0;
    void *context = zmq_ctx_new();
    void *tasks = zmq_socket(context, ZMQ_PUSH);
    zmq_pollitem_t workers[2] = {{zmq_socket(context, ZMQ_PULL), 0, ZMQ_POLLIN, 0},
                                 {zmq_socket(context, ZMQ_PULL), 0, ZMQ_POLLIN, 0}};
    bind_somewhere(tasks, endpoint);
    CHECK(zmq_connect(workers[0].socket, endpoint));
    CHECK(zmq_connect(workers[1].socket, endpoint));

    for (int task = 1; task <= 4; ++task) {
        int size = snprintf(text, sizeof text, "task %d", task);
        CHECK(zmq_send(tasks, text, (size_t)size, 0));
    }
    while (done < 4) {
        CHECK(zmq_poll(workers, 2, -1));
        for (int worker = 0; worker < 2; ++worker) {
            if (workers[worker].revents & ZMQ_POLLIN) {
                receive_text(workers[worker].socket, text);
                printf("a worker got %s\n", text);
                ++done;
            }
        }
    }

    zmq_close(workers[0].socket);
    zmq_close(workers[1].socket);
    zmq_close(tasks);
    zmq_ctx_term(context);
    return 0;
}
