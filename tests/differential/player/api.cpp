// SPDX-License-Identifier: MPL-2.0
#include "api.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

template <typename Function> void find(void *library, const char *name, Function &function) {
    void *address = dlsym(library, name);
    std::memcpy(&function, &address, sizeof function);
}

[[noreturn]] void give_up(const std::string &text) {
    std::fprintf(stderr, "differential_player: %s\n", text.c_str());
    std::exit(2);
}

template <typename Function> void require(void *library, const char *name, Function &function) {
    find(library, name, function);
    if (!function) {
        give_up(std::string("the library has no function ") + name);
    }
}

} // namespace

api_table load_api(const std::string &file, bool with_drafts) {
    void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        give_up(dlerror());
    }
    api_table api;
#define PLAYER_REQUIRE(name) require(library, #name, api.name);
    PLAYER_STABLE_FUNCTIONS(PLAYER_REQUIRE)
#undef PLAYER_REQUIRE
#define PLAYER_FIND(name) find(library, #name, api.name);
    PLAYER_OWN_FUNCTIONS(PLAYER_FIND)
    if (with_drafts) {
        PLAYER_DRAFT_FUNCTIONS(PLAYER_FIND)
    }
#undef PLAYER_FIND
    return api;
}

bool has_drafts(const api_table &api) {
    // zmq_disconnect_peer is younger than 4.3.5 and does not count.
    return api.zmq_poller_new && api.zmq_join && api.zmq_ctx_set_ext && api.zmq_socket_monitor_versioned &&
           api.zmq_connect_peer && api.zmq_msg_set_group;
}
