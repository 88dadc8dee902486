// SPDX-License-Identifier: MPL-2.0
#include "core/context_options.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#include <variant>

namespace zlink::core {

namespace {

constexpr int socket_limit = 65535;
constexpr int message_struct_size = 64; // sizeof(zmq_msg_t)
constexpr int thread_name_prefix_id = 9;
constexpr std::size_t longest_prefix = 16;

using count_place = std::uint64_t context_options::*;
using context_place = std::variant<int context_options::*, bool context_options::*, count_place>;
using context_setter = result<void> (*)(context_options &, int);
using context_getter = result<int> (*)(const context_options &);

struct context_row {
    int id;
    int least; // values below it are refused
    std::optional<context_place> at;
    context_setter set; // instead of a place; null with no place: cannot be set
    context_getter get;
};

result<void> add_affinity(context_options &options, int processor) {
    options.thread_affinity_cpus.insert(processor);
    return {};
}

result<void> remove_affinity(context_options &options, int processor) {
    return options.thread_affinity_cpus.erase(processor) != 0 ? result<void>() : error{EINVAL};
}

result<void> set_priority(context_options &options, int priority) {
    options.thread_priority = priority;
    return {};
}

result<void> set_prefix_number(context_options &options, int number) {
    options.thread_name_prefix = std::to_string(number);
    return {};
}

// A prefix that is no number reads as 0.
result<int> get_prefix_number(const context_options &options) {
    const std::string &prefix = options.thread_name_prefix;
    int number = 0;
    std::from_chars(prefix.data(), prefix.data() + prefix.size(), number);
    return number;
}

constexpr int any_number = std::numeric_limits<int>::min();

// 3 is one option for setting (THREAD_PRIORITY) and another for getting (SOCKET_LIMIT).
constexpr std::array<context_row, 14> context_rows{{
    {1, 0, &context_options::io_threads, nullptr, nullptr},
    {2, 1, &context_options::max_sockets, nullptr, nullptr},
    {3, 0, {}, set_priority, [](const context_options &) { return result<int>(socket_limit); }},
    {4, 0, &context_options::thread_sched_policy, nullptr, nullptr},
    {5, 0, &context_options::max_message_size, nullptr, nullptr},
    {6, 0, {}, nullptr, [](const context_options &) { return result<int>(message_struct_size); }},
    {7, 0, {}, add_affinity, nullptr},
    {8, 0, {}, remove_affinity, nullptr},
    {thread_name_prefix_id, any_number, {}, set_prefix_number, get_prefix_number},
    {10, 0, &context_options::zero_copy_receive, nullptr, nullptr},
    {42, 0, &context_options::ipv6, nullptr, nullptr},
    {70, 0, &context_options::blocky, nullptr, nullptr},
    {10063, 0, &context_options::send_byte_mark, nullptr, nullptr},
    {10064, 0, &context_options::receive_byte_mark, nullptr, nullptr},
}};

const context_row *find_context_row(int id) noexcept {
    const auto row = std::ranges::find(context_rows, id, &context_row::id);
    return row != context_rows.end() ? &*row : nullptr;
}

// The place of a count of 64 bits, or null.
const count_place *find_count(int id) noexcept {
    const context_row *row = find_context_row(id);
    return row != nullptr && row->at ? std::get_if<count_place>(&*row->at) : nullptr;
}

void store(context_options &options, const context_place &at, int value) {
    std::visit(
        [&](auto member) {
            using value_type = std::remove_reference_t<decltype(options.*member)>;
            if constexpr (std::is_same_v<value_type, bool>) {
                options.*member = value != 0;
            } else {
                options.*member = static_cast<value_type>(value);
            }
        },
        at);
}

} // namespace

result<void> set_context_option(context_options &options, int id, int value) {
    const context_row *row = find_context_row(id);
    if (row == nullptr || value < row->least) {
        return error{EINVAL};
    }
    if (row->at) {
        store(options, *row->at, value);
        return {};
    }
    return row->set != nullptr ? row->set(options, value) : error{EINVAL};
}

result<int> get_context_option(const context_options &options, int id) {
    const context_row *row = find_context_row(id);
    if (row == nullptr || (!row->at && row->get == nullptr)) {
        return error{EINVAL};
    }
    if (!row->at) {
        return row->get(options);
    }
    return std::visit(
        [&](auto member) {
            if constexpr (std::is_same_v<decltype(member), count_place>) {
                constexpr std::uint64_t most = std::numeric_limits<int>::max();
                return result<int>(static_cast<int>(std::min(options.*member, most)));
            } else {
                return result<int>(static_cast<int>(options.*member));
            }
        },
        *row->at);
}

result<void> set_context_option(context_options &options, int id, std::span<const std::byte> value) {
    if (value.data() == nullptr) {
        return error{EINVAL};
    }
    if (value.size() == sizeof(int)) {
        int number = 0;
        std::memcpy(&number, value.data(), sizeof number);
        return set_context_option(options, id, number);
    }
    if (const count_place *at = find_count(id); at != nullptr && value.size() == sizeof(std::uint64_t)) {
        std::memcpy(&(options.**at), value.data(), sizeof(std::uint64_t));
        return {};
    }
    if (id != thread_name_prefix_id || value.empty() || value.size() > longest_prefix) {
        return error{EINVAL};
    }
    const std::string_view text(reinterpret_cast<const char *>(value.data()), value.size());
    options.thread_name_prefix = text.substr(0, text.find('\0'));
    return {};
}

result<std::size_t> get_context_option(const context_options &options, int id, std::span<std::byte> out) {
    if (out.data() == nullptr) {
        return error{EINVAL};
    }
    if (out.size() == sizeof(int)) {
        const auto number = get_context_option(options, id);
        if (!number) {
            return error{number.code()};
        }
        std::memcpy(out.data(), &*number, sizeof(int));
        return sizeof(int);
    }
    if (const count_place *at = find_count(id); at != nullptr && out.size() == sizeof(std::uint64_t)) {
        std::memcpy(out.data(), &(options.**at), sizeof(std::uint64_t));
        return sizeof(std::uint64_t);
    }
    const std::string &prefix = options.thread_name_prefix;
    if (id != thread_name_prefix_id || out.size() <= prefix.size()) {
        return error{EINVAL};
    }
    std::memcpy(out.data(), prefix.c_str(), prefix.size() + 1);
    return prefix.size() + 1;
}

socket_options new_socket_options(const context_options &context, socket_type type) {
    socket_options options;
    options.type = type;
    options.ipv6 = context.ipv6;
    options.send_byte_mark = context.send_byte_mark;
    options.receive_byte_mark = context.receive_byte_mark;
    if (!context.blocky || traits_of(type).subscribes()) {
        options.linger_ms = 0;
    }
    return options;
}

} // namespace zlink::core
