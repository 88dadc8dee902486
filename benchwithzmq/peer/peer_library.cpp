// SPDX-License-Identifier: MPL-2.0
// The zmq_* calls of the benchmark, sent to the library file that BENCH_PEER_LIBRARY names.
//
// The file is loaded by its path and by nothing else: no search path and no other library of this name can
// take its place. Each call is a jump through a pointer, which is what a call into a linked shared library
// costs too. A function that the peer lacks ends the program when it is called, not before.
#include "common/fail.hpp"
#include "zmq/loaded_library.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <zmq.h>

namespace {

void *open_peer() {
    const char *path = std::getenv("BENCH_PEER_LIBRARY");
    if (path == nullptr || *path == '\0')
        bench::fail("BENCH_PEER_LIBRARY does not name the library file to load");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        bench::fail("cannot load %s: %s", path, dlerror());
    return library;
}

void *peer_symbol(const char *name) {
    static void *const library = open_peer();
    return dlsym(library, name);
}

// A function's name as a template argument.
template <std::size_t Size> struct function_name {
    char text[Size];
    consteval function_name(const char (&name)[Size]) : text() { std::copy_n(name, Size, text); }
};

// Stands in for what the peer lacks: only the measurements that need it fail.
template <function_name Name, class Result, class... Arguments> Result lacking(Arguments... /*unused*/) {
    bench::fail("the peer library lacks %s", Name.text);
}

template <function_name Name, class Result, class... Arguments>
auto peer(Result (* /*declared*/)(Arguments...)) -> Result (*)(Arguments...) {
    void *symbol = peer_symbol(Name.text);
    return symbol != nullptr ? reinterpret_cast<Result (*)(Arguments...)>(symbol)
                             : &lacking<Name, Result, Arguments...>;
}

const auto peer_version = peer<"zmq_version">(&zmq_version);
const auto peer_errno = peer<"zmq_errno">(&zmq_errno);
const auto peer_strerror = peer<"zmq_strerror">(&zmq_strerror);
const auto peer_ctx_new = peer<"zmq_ctx_new">(&zmq_ctx_new);
const auto peer_ctx_set = peer<"zmq_ctx_set">(&zmq_ctx_set);
const auto peer_ctx_term = peer<"zmq_ctx_term">(&zmq_ctx_term);
const auto peer_socket = peer<"zmq_socket">(&zmq_socket);
const auto peer_close = peer<"zmq_close">(&zmq_close);
const auto peer_setsockopt = peer<"zmq_setsockopt">(&zmq_setsockopt);
const auto peer_getsockopt = peer<"zmq_getsockopt">(&zmq_getsockopt);
const auto peer_bind = peer<"zmq_bind">(&zmq_bind);
const auto peer_connect = peer<"zmq_connect">(&zmq_connect);
const auto peer_send = peer<"zmq_send">(&zmq_send);
const auto peer_recv = peer<"zmq_recv">(&zmq_recv);
const auto peer_poll = peer<"zmq_poll">(&zmq_poll);

} // namespace

extern "C" {

void zmq_version(int *major, int *minor, int *patch) {
    peer_version(major, minor, patch);
}
int zmq_errno(void) {
    return peer_errno();
}
const char *zmq_strerror(int code) {
    return peer_strerror(code);
}
void *zmq_ctx_new(void) {
    return peer_ctx_new();
}
int zmq_ctx_set(void *context, int option, int value) {
    return peer_ctx_set(context, option, value);
}
int zmq_ctx_term(void *context) {
    return peer_ctx_term(context);
}
void *zmq_socket(void *context, int type) {
    return peer_socket(context, type);
}
int zmq_close(void *socket) {
    return peer_close(socket);
}
int zmq_setsockopt(void *socket, int option, const void *value, size_t size) {
    return peer_setsockopt(socket, option, value, size);
}
int zmq_getsockopt(void *socket, int option, void *value, size_t *size) {
    return peer_getsockopt(socket, option, value, size);
}
int zmq_bind(void *socket, const char *endpoint) {
    return peer_bind(socket, endpoint);
}
int zmq_connect(void *socket, const char *endpoint) {
    return peer_connect(socket, endpoint);
}
int zmq_send(void *socket, const void *bytes, size_t size, int flags) {
    return peer_send(socket, bytes, size, flags);
}
int zmq_recv(void *socket, void *bytes, size_t size, int flags) {
    return peer_recv(socket, bytes, size, flags);
}
int zmq_poll(zmq_pollitem_t *items, int count, long timeout_ms) {
    return peer_poll(items, count, timeout_ms);
}

} // extern "C"

namespace bench {

const void *library_address() {
    const void *address = peer_symbol("zmq_version");
    if (address == nullptr)
        fail("the peer library lacks zmq_version");
    return address;
}

} // namespace bench
