// SPDX-License-Identifier: MPL-2.0
#include "core/option_setters.hpp"

#include "base/z85.hpp"
#include "transport/tcp_address.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

namespace zlink::core {

namespace {

constexpr std::size_t longest_text = 255;
constexpr int ms_per_decisecond = 100;
constexpr int batch_size_of_libzmq = 8192; // bytes

// An int of 0 or 1.
result<bool> read_flag(value_bytes value) noexcept {
    const auto number = read_int(value);
    return number && (*number == 0 || *number == 1) ? result<bool>(*number == 1) : error{EINVAL};
}

// An int that is not negative; all but 0 are true.
result<bool> read_switch(value_bytes value) noexcept {
    const auto number = read_int(value);
    return number && *number >= 0 ? result<bool>(*number != 0) : error{EINVAL};
}

bool is_clearing(value_bytes value) noexcept {
    return value.data() == nullptr && value.empty();
}

result<void> set_plain_text(socket_options &options, std::string security_options::*place,
                            value_bytes value) {
    if (is_clearing(value)) {
        options.security.mechanism = mechanism_type::null; // the text stays, unused
        return {};
    }
    if (value.empty() || value.size() > longest_text) {
        return error{EINVAL};
    }
    wipe(options.security.*place); // the text may get other memory
    options.security.*place = as_text(value);
    options.security.as_server = false;
    options.security.mechanism = mechanism_type::plain;
    return {};
}

// 32 bytes, or Z85 with or without its final NUL.
bool read_key(value_bytes value, curve_key &key) {
    constexpr std::size_t text_size = z85_encoded_size(sizeof(curve_key));
    if (value.size() == key.size()) {
        std::memcpy(key.data(), value.data(), key.size());
        return true;
    }
    const std::string_view text = as_text(value);
    const bool terminated = text.size() == text_size + 1 && text.back() == '\0';
    return (text.size() == text_size || terminated) && z85_decode(text.substr(0, text_size), key);
}

result<void> set_key(socket_options &options, curve_key security_options::*place, value_bytes value) {
    curve_key key;
    if (!read_key(value, key)) {
        return error{EINVAL};
    }
    options.security.*place = key;
    wipe(key);
    options.security.mechanism = mechanism_type::curve;
    return {};
}

template <class Id> result<void> add_id(std::vector<Id> &ids, value_bytes value) {
    if (is_clearing(value)) {
        ids.clear();
        return {};
    }
    const auto id = read_int(value);
    if (!id) {
        return error{EINVAL};
    }
    if (std::ranges::find(ids, static_cast<Id>(*id)) == ids.end()) {
        ids.push_back(static_cast<Id>(*id));
    }
    return {};
}

} // namespace

result<void> check_subscription(socket_options &options, value_bytes) {
    const bool allowed = traits_of(options.type).subscribes() || options.pattern.xpub_manual;
    return allowed ? result<void>() : error{EINVAL};
}

result<void> set_ipv4_only(socket_options &options, value_bytes value) {
    const auto only = read_flag(value);
    if (!only) {
        return error{EINVAL};
    }
    options.ipv6 = !*only;
    return {};
}

// The wire carries tenths of a second in 16 bits.
result<void> set_heartbeat_ttl(socket_options &options, value_bytes value) {
    const auto ttl_ms = read_int(value);
    if (!ttl_ms) {
        return error{EINVAL};
    }
    const int deciseconds = *ttl_ms / ms_per_decisecond;
    if (deciseconds < 0 || deciseconds > std::numeric_limits<std::uint16_t>::max()) {
        return error{EINVAL};
    }
    options.heartbeat_ttl_deciseconds = static_cast<std::uint16_t>(deciseconds);
    return {};
}

result<void> set_xpub_verbose(socket_options &options, value_bytes value) {
    const auto on = read_switch(value);
    if (!on) {
        return error{EINVAL};
    }
    options.pattern.xpub_verbose = *on;
    options.pattern.xpub_verboser = false;
    return {};
}

result<void> set_xpub_verboser(socket_options &options, value_bytes value) {
    const auto on = read_switch(value);
    if (!on) {
        return error{EINVAL};
    }
    options.pattern.xpub_verbose = *on;
    options.pattern.xpub_verboser = *on;
    return {};
}

namespace {

result<void> set_policy(hwm_policy &place, const socket_traits &traits, direction way, value_bytes value) {
    const auto number = read_int(value);
    if (!number || *number < 0 || *number > static_cast<int>(hwm_policy::disconnect)) {
        return error{EINVAL};
    }
    const auto wanted = static_cast<hwm_policy>(*number);
    const bool publishes = way == direction::send && traits.publishes_topics();
    const bool drops_oldest = wanted == hwm_policy::drop_oldest || wanted == hwm_policy::latest_of_topic;
    const bool hears_topics = way == direction::receive && traits.subscribes_to_topics();
    if (wanted != hwm_policy::as_libzmq && !publishes &&
        !(drops_oldest && (hears_topics || traits.conflates.contains(way)))) {
        return error{EINVAL};
    }
    place = wanted;
    return {};
}

} // namespace

result<void> set_send_policy(socket_options &options, value_bytes value) {
    return set_policy(options.send_policy, traits_of(options.type), direction::send, value);
}

result<void> set_xpub_no_drop(socket_options &options, value_bytes value) {
    const auto on = read_switch(value);
    if (!on) {
        return error{EINVAL};
    }
    if (*on) {
        options.send_policy = hwm_policy::block;
    } else if (options.send_policy == hwm_policy::block) {
        options.send_policy = hwm_policy::as_libzmq;
    }
    return {};
}

result<void> set_receive_policy(socket_options &options, value_bytes value) {
    return set_policy(options.receive_policy, traits_of(options.type), direction::receive, value);
}

result<void> set_xpub_manual_last_value(socket_options &options, value_bytes value) {
    const auto on = read_switch(value);
    if (!on) {
        return error{EINVAL};
    }
    options.pattern.xpub_manual = *on;
    options.pattern.xpub_manual_last_value = *on;
    return {};
}

result<void> set_xsub_verbose_unsubscribe(socket_options &options, value_bytes value) {
    options.pattern.xsub_verbose_unsubscribe = !value.empty() && value.front() != std::byte{0};
    return {};
}

result<void> set_plain_server(socket_options &options, value_bytes value) {
    const auto server = read_flag(value);
    if (!server) {
        return error{EINVAL};
    }
    options.security.as_server = *server;
    options.security.mechanism = *server ? mechanism_type::plain : mechanism_type::null;
    return {};
}

result<void> set_plain_username(socket_options &options, value_bytes value) {
    return set_plain_text(options, &security_options::plain_username, value);
}

result<void> set_plain_password(socket_options &options, value_bytes value) {
    return set_plain_text(options, &security_options::plain_password, value);
}

namespace {

result<void> set_proxy_secret(std::string &place, value_bytes value) {
    if (value.size() > longest_text) {
        return error{EINVAL};
    }
    wipe(place); // the text may get other memory
    place = as_text(value);
    return {};
}

} // namespace

result<void> set_socks_password(socket_options &options, value_bytes value) {
    return set_proxy_secret(options.security.socks_password, value);
}

result<void> set_http_proxy_login(socket_options &options, value_bytes value) {
    return set_proxy_secret(options.security.http_proxy_login, value);
}

result<void> set_curve_server(socket_options &options, value_bytes value) {
    const auto server = read_flag(value);
    if (!server) {
        return error{EINVAL};
    }
    options.security.as_server = *server;
    options.security.mechanism = *server ? mechanism_type::curve : mechanism_type::null;
    return {};
}

result<void> set_curve_public_key(socket_options &options, value_bytes value) {
    return set_key(options, &security_options::curve_public_key, value);
}

result<void> set_curve_secret_key(socket_options &options, value_bytes value) {
    return set_key(options, &security_options::curve_secret_key, value);
}

result<void> set_curve_server_key(socket_options &options, value_bytes value) {
    const auto done = set_key(options, &security_options::curve_server_key, value);
    if (done) {
        options.security.as_server = false;
    }
    return done;
}

result<void> add_tcp_filter(socket_options &options, value_bytes value) {
    if (is_clearing(value)) {
        options.tcp_accept_filters.clear();
        return {};
    }
    if (value.empty() || value.size() > longest_text) {
        return error{EINVAL};
    }
    const std::string filter(as_text(value).substr(0, as_text(value).find('\0')));
    const auto parsed = transport::parse_tcp_filter(filter, options.ipv6);
    if (!parsed) {
        return error{parsed.code()};
    }
    options.tcp_accept_filters.push_back(filter);
    return {};
}

result<void> add_ipc_filter_pid(socket_options &options, value_bytes value) {
    return add_id(options.ipc_filter_pids, value);
}

result<void> add_ipc_filter_uid(socket_options &options, value_bytes value) {
    return add_id(options.ipc_filter_uids, value);
}

result<void> add_ipc_filter_gid(socket_options &options, value_bytes value) {
    return add_id(options.ipc_filter_gids, value);
}

result<void> add_metadata(socket_options &options, value_bytes value) {
    const std::string_view property = as_text(value);
    const std::size_t colon = property.find(':');
    // A value of an int's size is taken for an int given by mistake.
    if (property.size() == sizeof(int) || colon == std::string_view::npos || colon + 1 == property.size() ||
        colon > longest_text || !property.starts_with("X-")) {
        return error{EINVAL};
    }
    const std::string_view name = property.substr(0, colon);
    const auto same = [name](const auto &known) { return known.first == name; };
    if (std::ranges::none_of(options.metadata, same)) {
        options.metadata.emplace_back(name, property.substr(colon + 1));
    }
    return {};
}

// Threads may rely on the lock: it is not taken away.
result<void> set_thread_safe(socket_options &options, value_bytes value) {
    const auto wanted = read_flag(value);
    if (!wanted || (!*wanted && get_thread_safe(options) != 0))
        return error{EINVAL};
    options.thread_safe = *wanted;
    return {};
}

int get_type(const socket_options &options) noexcept {
    return static_cast<int>(options.type);
}

int get_ipv4_only(const socket_options &options) noexcept {
    return options.ipv6 ? 0 : 1;
}

int get_mechanism(const socket_options &options) noexcept {
    return static_cast<int>(options.security.mechanism);
}

int get_plain_server(const socket_options &options) noexcept {
    const bool plain = options.security.mechanism == mechanism_type::plain;
    return plain && options.security.as_server ? 1 : 0;
}

int get_curve_server(const socket_options &options) noexcept {
    const bool curve = options.security.mechanism == mechanism_type::curve;
    return curve && options.security.as_server ? 1 : 0;
}

int get_heartbeat_ttl(const socket_options &options) noexcept {
    return options.heartbeat_ttl_deciseconds * ms_per_decisecond;
}

int get_in_batch_size(const socket_options &options) noexcept {
    return options.in_batch_size != 0 ? options.in_batch_size : batch_size_of_libzmq;
}

int get_out_batch_size(const socket_options &options) noexcept {
    return options.out_batch_size != 0 ? options.out_batch_size : batch_size_of_libzmq;
}

int get_send_policy(const socket_options &options) noexcept {
    return static_cast<int>(options.send_policy);
}

int get_receive_policy(const socket_options &options) noexcept {
    return static_cast<int>(options.receive_policy);
}

int get_thread_safe(const socket_options &options) noexcept {
    return options.thread_safe || traits_of(options.type).thread_safe ? 1 : 0;
}

} // namespace zlink::core
