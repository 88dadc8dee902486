// SPDX-License-Identifier: MPL-2.0
// inproc_names: who is bound to which inproc name in a context, and who waits for one.
//
// Threads: any; a mutex, never on the data path. Ownership: holds inboxes, and the pipes of connects that
// came before their bind.
#pragma once

#include <algorithm>
#include <climits>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.hpp"
#include "base/socket_options.hpp"
#include "core/socket_inbox.hpp"

namespace zlink::core {

// Data of one side of an inproc connection that the other side needs.
struct inproc_party {
    std::shared_ptr<socket_inbox> inbox;
    socket_type type = socket_type::pair;
    int send_hwm = 0;
    int receive_hwm = 0;
    std::uint64_t send_byte_mark = 0;
    std::uint64_t receive_byte_mark = 0;
    keep_rule sending = keep_rule::all; // of the queues that it writes
    keep_rule receiving = keep_rule::all;
    std::string routing_id;
    std::string
        given_routing_id; // what it wants to call the other (CONNECT_ROUTING_ID); empty: the other's own

    std::string hello_message;      // what it says to the other; empty: nothing
    std::string disconnect_message; // what it wants to hear when the other goes; empty: nothing

    static inproc_party of(const socket_options &options, std::shared_ptr<socket_inbox> inbox);
};

// A property of a peer of this process: what is to be said to it at the end.
inline constexpr const char *disconnect_property = "__disconnect_message";

class inproc_names {
  public:
    inproc_names() = default;
    ~inproc_names(); // closes what nobody has bound for
    inproc_names(const inproc_names &) = delete;
    inproc_names &operator=(const inproc_names &) = delete;

    // EADDRINUSE: somebody is bound to the name. Those who wait for it are connected. Throws std::bad_alloc:
    // the name is not bound, and some may be connected nevertheless.
    result<void> bind(const std::string &name, const inproc_party &binder);
    // Returns false if `binder` has not bound the name.
    bool unbind(const std::string &name, const socket_inbox &binder);
    void unbind_all(const socket_inbox &binder);
    // The connecting side's pipe: connected at once, or when somebody binds the name.
    [[nodiscard]] new_pipe connect(const std::string &name, inproc_party connecting);

    // The connecting side is about to close this pipe. It is forgotten if nobody is bound to its name and
    // nothing was sent: who binds the name later receives what was sent.
    void forget_unused(const new_pipe &connected) noexcept;

    [[nodiscard]] bool is_bound(const std::string &name);

    // Makes a pipe of the library's own to the socket that is bound to the name, if its type is one of these.
    // The first end of the pipe belongs to no socket. Null: there is none such.
    [[nodiscard]] std::shared_ptr<pipe> reach(const std::string &name, socket_types types);

  private:
    struct waiting {
        inproc_party connecting;
        std::shared_ptr<pipe> made;
    };

    void connect_waiting(const std::string &name, const inproc_party &binder); // guarded

    std::mutex guard_;
    std::map<std::string, inproc_party> bound_;   // guarded
    std::multimap<std::string, waiting> waiting_; // guarded
};

// High-water marks of the two sides add up, as far as an int goes; without one on either side there is none.
[[nodiscard]] constexpr int joined_hwm(int send_hwm, int receive_hwm) noexcept {
    const std::int64_t sum = std::int64_t{send_hwm} + receive_hwm;
    return send_hwm == 0 || receive_hwm == 0 ? 0 : static_cast<int>(std::min<std::int64_t>(sum, INT_MAX));
}

// Marks in bytes add up too. Since most sockets have none, that of one side holds without the other's.
[[nodiscard]] constexpr std::uint64_t joined_byte_mark(std::uint64_t sending,
                                                       std::uint64_t receiving) noexcept {
    const std::uint64_t sum = sending + receiving;
    return sum < sending ? std::numeric_limits<std::uint64_t>::max() : sum;
}

} // namespace zlink::core
