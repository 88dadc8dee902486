// SPDX-License-Identifier: MPL-2.0
//
// The draft types for interop_end. The libzmq that it is linked with may have none of them: their
// functions are looked up in the library that the process runs on.
#pragma once

#include "../abi/support.h"

static const struct draft_type {
    const char *name;
    int type;
} draft_types[] = {
    {"SERVER", 12}, {"CLIENT", 13},  {"RADIO", 14}, {"DISH", 15},
    {"GATHER", 16}, {"SCATTER", 17}, {"PEER", 19},  {"CHANNEL", 20},
};

static const struct draft_type *draft_type_by_name(const char *name) {
    for (size_t i = 0; i < sizeof draft_types / sizeof *draft_types; i++) {
        if (strcmp(draft_types[i].name, name) == 0) {
            return &draft_types[i];
        }
    }
    return NULL;
}

static inline void look_up(void *function, const char *name) {
    void *found = dlsym(RTLD_DEFAULT, name);
    if (!found) {
        printf("failed: the library has no %s\n", name);
        exit(1);
    }
    memcpy(function, &found, sizeof found);
}

/* Where messages go and come from: to whom (SERVER, PEER), in which group (RADIO, DISH). */
static struct {
    bool routed;
    uint32_t partner;
    const char *group;
} address;

/* Tells from the type which of them a socket has. */
static inline void choose_address(const char *type) {
    address.routed = strcmp(type, "SERVER") == 0 || strcmp(type, "PEER") == 0;
    address.group = strcmp(type, "RADIO") == 0 || strcmp(type, "DISH") == 0 ? "T" : NULL;
}

static inline void write_address(zmq_msg_t *message) {
    if (address.routed) {
        int (*set_routing_id)(zmq_msg_t *, uint32_t);
        look_up(&set_routing_id, "zmq_msg_set_routing_id");
        set_routing_id(message, address.partner);
    }
    if (address.group) {
        int (*set_group)(zmq_msg_t *, const char *);
        look_up(&set_group, "zmq_msg_set_group");
        set_group(message, address.group);
    }
}

/* Whether the message came in the group; who sent it becomes the partner. */
static inline bool read_address(zmq_msg_t *message) {
    if (address.routed) {
        uint32_t (*routing_id)(zmq_msg_t *);
        look_up(&routing_id, "zmq_msg_routing_id");
        address.partner = routing_id(message);
        return address.partner != 0;
    }
    if (address.group) {
        const char *(*group)(zmq_msg_t *);
        look_up(&group, "zmq_msg_group");
        return strcmp(group(message), address.group) == 0;
    }
    return true;
}

/* Like zmq_connect; a PEER learns the number of whom it connects to. */
static inline int connect_to(void *socket, const char *type, const char *endpoint) {
    if (strcmp(type, "PEER") != 0) {
        return zmq_connect(socket, endpoint);
    }
    uint32_t (*connect_peer)(void *, const char *);
    look_up(&connect_peer, "zmq_connect_peer");
    address.partner = connect_peer(socket, endpoint);
    return address.partner == 0 ? -1 : 0;
}

/* "zmq_join", "zmq_leave" */
static inline int change_group(void *socket, const char *function) {
    int (*change)(void *, const char *);
    look_up(&change, function);
    return change(socket, address.group);
}
