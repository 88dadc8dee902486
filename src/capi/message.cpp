// SPDX-License-Identifier: MPL-2.0
#include <cstring>

#include "capi/handles.hpp"

using namespace zlink;
using namespace zlink::capi;

extern "C" {

int zmq_msg_init(zmq_msg_t *msg) {
    as_message(msg).init();
    return 0;
}

int zmq_msg_init_size(zmq_msg_t *msg, size_t size) {
    return as_message(msg).init_size(size) ? 0 : fail(ENOMEM);
}

int zmq_msg_init_data(zmq_msg_t *msg, void *data, size_t size, zmq_free_fn *ffn, void *hint) {
    return as_message(msg).init_data(data, size, ffn, hint) ? 0 : fail(ENOMEM);
}

int zmq_msg_init_buffer(zmq_msg_t *msg, const void *buf, size_t size) {
    if (!as_message(msg).init_size(size))
        return fail(ENOMEM);
    copy_bytes(as_message(msg).data(), static_cast<const std::uint8_t *>(buf), size);
    return 0;
}

int zmq_msg_close(zmq_msg_t *msg) {
    if (!as_message(msg).valid())
        return fail(EFAULT);
    as_message(msg).close();
    return 0;
}

int zmq_msg_move(zmq_msg_t *dest, zmq_msg_t *src) {
    if (!as_message(dest).valid() || !as_message(src).valid())
        return fail(EFAULT);
    as_message(dest).move_from(as_message(src));
    return 0;
}

int zmq_msg_copy(zmq_msg_t *dest, zmq_msg_t *src) {
    if (!as_message(dest).valid() || !as_message(src).valid())
        return fail(EFAULT);
    as_message(dest).copy_from(as_message(src));
    return 0;
}

// A closed message still has the bytes of what it was: a program that asks must not follow them.
void *zmq_msg_data(zmq_msg_t *msg) {
    return as_message(msg).valid() ? as_message(msg).data() : nullptr;
}
size_t zmq_msg_size(const zmq_msg_t *msg) {
    return as_message(msg).valid() ? as_message(msg).size() : 0;
}
int zmq_msg_more(const zmq_msg_t *msg) {
    return as_message(msg).more() ? 1 : 0;
}

int zmq_msg_get(const zmq_msg_t *msg, int property) {
    const message &asked = as_message(msg);
    switch (property) {
    case ZMQ_MORE:
        return asked.more() ? 1 : 0;
    case ZMQ_SRCFD: {
        const char *descriptor = asked.metadata() != nullptr ? asked.metadata()->find("__fd") : nullptr;
        return descriptor != nullptr ? std::atoi(descriptor) : fail(EINVAL);
    }
    case ZMQ_SHARED:
        return asked.shared() || asked.constant() ? 1 : 0;
    default:
        return fail(EINVAL);
    }
}

int zmq_msg_set(zmq_msg_t *, int, int) {
    return fail(EINVAL);
}

const char *zmq_msg_gets(const zmq_msg_t *msg, const char *property) {
    const peer_metadata *known = as_message(msg).metadata();
    const char *value = known != nullptr ? known->find(property) : nullptr;
    if (value == nullptr)
        errno = EINVAL;
    return value;
}

int zmq_msg_set_routing_id(zmq_msg_t *msg, uint32_t routing_id) {
    if (routing_id == 0)
        return fail(EINVAL);
    as_message(msg).set_routing_id(routing_id);
    return 0;
}
uint32_t zmq_msg_routing_id(zmq_msg_t *msg) {
    return as_message(msg).routing_id();
}

int zmq_msg_set_group(zmq_msg_t *msg, const char *group) {
    const std::string_view name(group);
    if (name.size() > ZMQ_GROUP_MAX_LENGTH)
        return fail(EINVAL);
    return as_message(msg).set_group(name) ? 0 : fail(ENOMEM);
}
const char *zmq_msg_group(zmq_msg_t *msg) {
    return as_message(msg).group().data();
}

} // extern "C"
