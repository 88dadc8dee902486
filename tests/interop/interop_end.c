// SPDX-License-Identifier: MPL-2.0
//
// One end of an exchange between two processes:
//
//     interop_end TYPE bind|connect ENDPOINT SCRIPT [NUMBER=VALUE|NUMBER:TEXT|zap=STATUS...]
//
// NUMBER=VALUE sets an int option, NUMBER:TEXT one that is text; zap=STATUS starts an authenticator that
// answers so to every request; set=5;10,0,3;... is another message set. The script "handshake" prints the
// result of the first one: "handshake KIND VALUE". The scripts ask, ask_delimited and ask_routed send each
// message of the set and take its echo; answer echoes the set; serve echoes until "stop". The other scripts
// are send, receive, publish, subscribe, and in groups call, hear. The program prints "bound ENDPOINT",
// "synced" (a subscriber that hears its publisher), "done" or an error on stdout. It takes "go" (a publisher
// may start), "stop" and "quit" on stdin. Exit code 0 when all was right. The draft types need a library that
// has them, and a set of messages of one frame.
#include "authenticator.h"
#include "drafts.h"

#include <poll.h>

/* The set: numbers of bytes of the frames of each message, -1 ends a message. */
static int set[][8] = {
    {5, -1},
    {0, -1},
    {1, -1},
    {10, 0, 3, -1},
    {0, 0, 0, -1},
    {255, 256, 257, -1},
    {33, 34, 63, 64, 65, -1},
    {8191, 8192, 8193, -1},
    {65536, 1, 65537, 0, -1},
    {1048576, -1},
    {7, 1048576, 7, -1},
    {3, -1},
};
enum { SET_SIZE = sizeof set / sizeof *set, MAX_FRAMES = 16 };
static int messages = SET_SIZE;

static unsigned char byte_at(int message, int frame, size_t position) {
    return (unsigned char)((size_t)message * 7 + (size_t)frame * 13 + position * 31 + position / 251);
}

static void fail(const char *what, int message) {
    printf("failed: %s, message %d: %s\n", what, message, errno_name(zmq_errno()));
    exit(1);
}

static void send_frame(void *socket, int message, int frame, int size, bool more) {
    zmq_msg_t content;
    if (zmq_msg_init_size(&content, (size_t)size) == -1) {
        fail("init", message);
    }
    unsigned char *data = zmq_msg_data(&content);
    for (size_t i = 0; i < (size_t)size; i++) {
        data[i] = byte_at(message, frame, i);
    }
    write_address(&content);
    if (zmq_msg_send(&content, socket, more ? ZMQ_SNDMORE : 0) != size) {
        fail("send", message);
    }
}

static void send_message(void *socket, int message) {
    for (int frame = 0; set[message][frame] >= 0; frame++) {
        send_frame(socket, message, frame, set[message][frame], set[message][frame + 1] >= 0);
    }
}

/* Is that the frame, or are there other bytes in it? */
static void check_frame(zmq_msg_t *content, int message, int frame, int size, bool more) {
    const unsigned char *data = zmq_msg_data(content);
    bool right = zmq_msg_size(content) == (size_t)size && (zmq_msg_more(content) != 0) == more;
    for (size_t i = 0; right && i < (size_t)size; i++) {
        right = data[i] == byte_at(message, frame, i);
    }
    if (!right || !read_address(content)) {
        printf("failed: message %d, frame %d: size %zu instead of %d, more %d, or other bytes, or from "
               "elsewhere\n",
               message, frame, zmq_msg_size(content), size, zmq_msg_more(content));
        exit(1);
    }
}

static void receive_frame(void *socket, int message, int frame, int size, bool more) {
    zmq_msg_t content;
    zmq_msg_init(&content);
    if (zmq_msg_recv(&content, socket, 0) == -1) {
        fail("receive", message);
    }
    check_frame(&content, message, frame, size, more);
    zmq_msg_close(&content);
}

static void receive_message(void *socket, int message) {
    for (int frame = 0; set[message][frame] >= 0; frame++) {
        receive_frame(socket, message, frame, set[message][frame], set[message][frame + 1] >= 0);
    }
}

/* Takes one frame that is no part of the set: a delimiter or a routing id. */
static void skip_frame(void *socket, int message, size_t size) {
    char bytes[32];
    if (zmq_recv(socket, bytes, sizeof bytes, 0) != (int)size || !get_int(socket, ZMQ_RCVMORE)) {
        fail("frame before the body", message);
    }
}

static void ask(void *socket, const char *prefix) {
    for (int message = 0; message < messages; message++) {
        if (prefix) {
            bool sent = false;
            WAIT_UNTIL((sent = zmq_send(socket, prefix, strlen(prefix), ZMQ_SNDMORE) != -1));
            if (!sent) {
                fail("prefix", message);
            }
        }
        send_message(socket, message);
        if (prefix) {
            skip_frame(socket, message, strlen(prefix));
        }
        receive_message(socket, message);
    }
}

/* Echoes one message; one that was dropped on receive is none. */
static void answer_one(void *socket, int message) {
    zmq_msg_t frames[MAX_FRAMES];
    int count = 0;
    bool more = true;
    while (more) {
        zmq_msg_init(&frames[count]);
        if (count == MAX_FRAMES - 1 || zmq_msg_recv(&frames[count], socket, 0) == -1) {
            fail("request", message);
        }
        more = zmq_msg_more(&frames[count++]) != 0;
    }
    for (int i = 0; i < count; i++) {
        if (zmq_msg_send(&frames[i], socket, i + 1 < count ? ZMQ_SNDMORE : 0) == -1) {
            fail("reply", message);
        }
    }
}

static void answer(void *socket) {
    for (int message = 0; message < messages; message++) {
        answer_one(socket, message);
    }
}

/* The next line of stdin is the word, or the runner has gone. Lines come one at a time. */
static bool told(const char *word, int timeout_ms) {
    struct pollfd entry = {STDIN_FILENO, POLLIN, 0};
    if (poll(&entry, 1, timeout_ms) <= 0) {
        return false;
    }
    char line[16] = "";
    ssize_t size = read(STDIN_FILENO, line, sizeof line - 1);
    if (size <= 0) {
        exit(1);
    }
    return strncmp(line, word, strlen(word)) == 0;
}

/* Echoes until told to stop. */
static void serve(void *socket) {
    zmq_pollitem_t items[] = {{socket, 0, ZMQ_POLLIN, 0}, {NULL, STDIN_FILENO, ZMQ_POLLIN, 0}};
    for (;;) {
        if (zmq_poll(items, 2, -1) == -1) {
            fail("poll", 0);
        }
        if (items[1].revents) {
            told("stop", 0);
            return;
        }
        answer_one(socket, 0);
    }
}

static void send_set(void *socket) {
    for (int message = 0; message < messages; message++) {
        send_message(socket, message);
    }
}

static void receive_set(void *socket) {
    for (int message = 0; message < messages; message++) {
        receive_message(socket, message);
    }
}

static const char topic[] = "T";

static void expect_subscription(void *socket, char kind) {
    char bytes[8];
    int size = zmq_recv(socket, bytes, sizeof bytes, 0);
    if (size != 2 || bytes[0] != kind || bytes[1] != topic[0]) {
        fail("subscription", kind);
    }
}

/* A PUB cannot hear that its subscriber is there: it calls until the runner has heard of an answer. */
static void publish(void *socket, int type) {
    if (type == ZMQ_XPUB) {
        expect_subscription(socket, 1);
    } else {
        while (!told("go", 10)) {
            zmq_send(socket, "T-call", 6, 0);
        }
    }
    for (int message = 0; message < messages; message++) {
        zmq_send(socket, "other topic", 11, 0);
        zmq_send(socket, "T-body", 6, ZMQ_SNDMORE);
        send_message(socket, message);
    }
    if (type == ZMQ_XPUB) {
        expect_subscription(socket, 0);
    }
}

static void subscribe(void *socket, int type, int bytes) {
    char command[2] = {(char)bytes, topic[0]};
    int result = type == ZMQ_XSUB ? zmq_send(socket, command, 2, 0)
                                  : zmq_setsockopt(socket, bytes ? ZMQ_SUBSCRIBE : ZMQ_UNSUBSCRIBE, topic, 1);
    if (result == -1) {
        fail("subscribe", bytes);
    }
}

static void hear(void *socket, int type) {
    subscribe(socket, type, 1);
    char first[8];
    bool synced = false;
    for (int message = 0; message < messages;) {
        int size = zmq_recv(socket, first, sizeof first, 0);
        if (size == 6 && memcmp(first, "T-call", 6) == 0) {
            if (!synced) {
                printf("synced\n");
            }
            synced = true;
            continue;
        }
        if (size != 6 || memcmp(first, "T-body", 6) != 0) {
            fail("topic", message);
        }
        receive_message(socket, message++);
    }
    subscribe(socket, type, 0);
}

/* RADIO and DISH; like publish and subscribe. Each message is in another group before it is in the one. */
static void call_group(void *socket) {
    const char *group = address.group;
    while (!told("go", 10)) {
        zmq_msg_t call;
        zmq_msg_init_size(&call, 4);
        memcpy(zmq_msg_data(&call), "call", 4);
        write_address(&call);
        zmq_msg_send(&call, socket, 0);
    }
    for (int message = 0; message < messages; message++) {
        address.group = "other";
        send_message(socket, message);
        address.group = group;
        send_message(socket, message);
    }
}

static void hear_group(void *socket) {
    if (change_group(socket, "zmq_join") == -1) {
        fail("join", 0);
    }
    zmq_msg_t content;
    zmq_msg_init(&content);
    bool synced = false;
    for (int message = 0; message < messages;) {
        if (zmq_msg_recv(&content, socket, 0) == -1) {
            fail("receive", message);
        }
        if (zmq_msg_size(&content) != 4 || memcmp(zmq_msg_data(&content), "call", 4) != 0) {
            check_frame(&content, message, 0, set[message][0], false);
            message++;
        } else if (!synced) {
            printf("synced\n");
            synced = true;
        }
    }
    zmq_msg_close(&content);
    if (change_group(socket, "zmq_leave") == -1) {
        fail("leave", 0);
    }
}

static void play(void *socket, int type, const char *script) {
    if (strcmp(script, "ask") == 0) {
        ask(socket, NULL);
    } else if (strcmp(script, "ask_delimited") == 0) {
        ask(socket, "");
    } else if (strcmp(script, "ask_routed") == 0) {
        ask(socket, "peer");
    } else if (strcmp(script, "answer") == 0) {
        answer(socket);
    } else if (strcmp(script, "serve") == 0) {
        serve(socket);
    } else if (strcmp(script, "send") == 0) {
        send_set(socket);
    } else if (strcmp(script, "receive") == 0) {
        receive_set(socket);
    } else if (strcmp(script, "publish") == 0) {
        publish(socket, type);
    } else if (strcmp(script, "subscribe") == 0) {
        hear(socket, type);
    } else if (strcmp(script, "call") == 0) {
        call_group(socket);
    } else if (strcmp(script, "hear") == 0) {
        hear_group(socket);
    } else {
        printf("failed: no script %s\n", script);
        exit(1);
    }
}

static int type_of(const char *name) {
    for (int type = ZMQ_PAIR; type <= ZMQ_XSUB; type++) {
        if (strcmp(type_names[type], name) == 0) {
            return type;
        }
    }
    const struct draft_type *draft = draft_type_by_name(name);
    if (!draft) {
        printf("failed: no type %s\n", name);
        exit(1);
    }
    choose_address(name);
    return draft->type;
}

/* "5;10,0,3": another set, which is no larger. */
static void take_set(const char *text) {
    messages = 0;
    for (int frame = 0; *text && messages < SET_SIZE; text += *text != 0) {
        char *end;
        set[messages][frame++] = (int)strtol(text, &end, 10);
        text = end;
        if (*text != ',' || frame == 7) {
            set[messages++][frame] = -1;
            frame = 0;
        }
    }
}

static void apply(void *context, void *socket, const char *argument, struct authenticator *handler) {
    int option = 0, value = 0, length = 0;
    if (strncmp(argument, "zap=", 4) == 0) {
        start_authenticator(handler, context, argument + 4);
    } else if (strncmp(argument, "set=", 4) == 0) {
        take_set(argument + 4);
    } else if (sscanf(argument, "%d=%d", &option, &value) == 2) {
        if (set_int(socket, option, value) == -1) {
            fail(argument, 0);
        }
    } else if (sscanf(argument, "%d:%n", &option, &length) != 1 || length == 0 ||
               set_text(socket, option, argument + length) == -1) {
        fail(argument, 0);
    }
}

int main(int argc, char **argv) {
    start();
    if (argc < 5) {
        fprintf(stderr, "usage: interop_end TYPE bind|connect ENDPOINT SCRIPT [NUMBER=VALUE...]\n");
        return 2;
    }
    int type = type_of(argv[1]);
    void *context = zmq_ctx_new();
    void *socket = open_socket(context, type);
    set_int(socket, ZMQ_RCVTIMEO, 30000);
    set_int(socket, ZMQ_SNDTIMEO, 30000);
    set_int(socket, ZMQ_LINGER, 10000);
    set_int(socket, ZMQ_SNDHWM, 0);
    set_int(socket, ZMQ_RCVHWM, 0);
    if (type == ZMQ_ROUTER) {
        set_int(socket, ZMQ_ROUTER_MANDATORY, 1);
        set_text(socket, ZMQ_ROUTING_ID, "peer");
    }
    struct authenticator handler = {0};
    for (int i = 5; i < argc; i++) {
        apply(context, socket, argv[i], &handler);
    }
    void *monitor = strcmp(argv[4], "handshake") == 0 ? watch_handshakes(context, socket) : NULL;
    bool bind = strcmp(argv[2], "bind") == 0;
    if ((bind ? zmq_bind(socket, argv[3]) : connect_to(socket, argv[1], argv[3])) == -1) {
        fail(argv[2], 0);
    }
    if (bind) {
        char endpoint[ENDPOINT_SIZE];
        size_t size = sizeof endpoint;
        zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, endpoint, &size);
        printf("bound %s\n", endpoint);
    }
    if (monitor) {
        tell_handshake(monitor);
    } else {
        play(socket, type, argv[4]);
    }
    printf("done\n");
    while (!told("quit", PATIENCE_MS)) {
    }
    zmq_close(socket);
    if (monitor) {
        zmq_close(monitor);
    }
    zmq_ctx_term(context);
    if (handler.thread) {
        zmq_threadclose(handler.thread);
    }
    return 0;
}
