// SPDX-License-Identifier: MPL-2.0
// endpoint_list: bind, connect and disconnect. The kind of the endpoint's transport decides between inproc, a
// stream and datagrams. A call that fails leaves nothing behind.
//
// Threads: the application thread in a call on the socket. Ownership: none. Errors: errno numbers; ETERM and
// EINTR as peer_list::check_alive().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/context.hpp"
#include "core/peer_list.hpp"
#include "transport/transports.hpp"

namespace zlink::core {

// The transport of names with several addresses, which a build may lack.
inline constexpr const char *name_transport = "dns+tcp";
[[nodiscard]] bool can_connect_to_names() noexcept;

class endpoint_list {
  public:
    endpoint_list(context &owner, peer_list &peers, endpoint_table &records) noexcept
        : context_(owner), peers_(peers), records_(records) {}
    endpoint_list(const endpoint_list &) = delete;
    endpoint_list &operator=(const endpoint_list &) = delete;

    result<void> bind(const std::string &text);
    result<void> connect(const std::string &text);
    result<void> disconnect(const std::string &text); // and unbind: the same operation

    // Connects, and gives the number of the new peer (PEER). ENOTSUP, EFAULT: with IMMEDIATE, and with a
    // name, there is none yet.
    result<std::uint32_t> connect_peer(const std::string &text);
    // ENOTSUP, EHOSTUNREACH.
    result<void> disconnect_peer(std::uint32_t number);
    // The peers with this routing id, or the one that the counters know by this number. EHOSTUNREACH.
    result<void> disconnect_named(std::string_view routing_id);
    result<void> disconnect_counted(std::uint64_t number);

  private:
    enum class endpoint_side : std::uint8_t { bound, connected };

    // The endpoint that a call names. Events of the socket are handled first: ETERM, EINTR.
    [[nodiscard]] result<transport::endpoint> endpoint_of(const std::string &text);
    // The newest endpoint: ZMQ_LAST_ENDPOINT and the counters show it. Takes the text.
    void note_last(std::string &text) noexcept;

    result<void> bind_inproc(const transport::endpoint &where, const std::string &text);
    result<void> bind_stream(const transport::endpoint &where);
    result<void> open_datagrams(const transport::endpoint &where, endpoint_side side);
    result<void> connect_inproc(const transport::endpoint &where, const std::string &text);
    result<void> connect_stream(const transport::endpoint &where, const std::string &text);
    result<void> connect_name(const transport::endpoint &where, const std::string &text);
    [[nodiscard]] bool end_records(const std::string &text); // false: there is none
    void end_peer(pipe_end &end);
    template <class Is> result<void> end_peers(Is &&is_wanted);
    void end_record(endpoint_table::map::node_type taken);

    context &context_;
    peer_list &peers_;
    endpoint_table &records_;
};

} // namespace zlink::core
