// SPDX-License-Identifier: MPL-2.0
#include "core/endpoint_table.hpp"

#include <algorithm>

namespace zlink::core {

void endpoint_table::forget_given_up(const std::string &text) {
    const auto [first, last] = records_.equal_range(text);
    for (auto entry = first; entry != last;) {
        auto &record = entry->second;
        if (!record.worker || !record.worker->gave_up()) {
            ++entry;
            continue;
        }
        record.workers->terminate(std::move(record.worker), 0); // its last reference goes on its own thread
        entry = records_.erase(entry);
    }
}

void endpoint_table::end_workers(int linger_ms) noexcept {
    for (auto &[text, record] : records_)
        if (record.worker)
            record.workers->terminate(std::move(record.worker), linger_ms);
}

endpoint_table::map::iterator endpoint_table::find(const pipe_end &end) noexcept {
    return std::find_if(records_.begin(), records_.end(),
                        [&](const auto &entry) { return entry.second.end == &end; });
}

void endpoint_table::forget_end(const pipe_end &end) noexcept {
    const auto entry = find(end);
    if (entry == records_.end())
        return;
    entry->second.end = nullptr;
    if (entry->second.workers == nullptr)
        records_.erase(entry);
}

bool endpoint_table::note_connection(const std::string &text, pipe_end &end) {
    const auto [first, last] = records_.equal_range(text);
    if (std::none_of(first, last, [](const auto &entry) { return entry.second.workers != nullptr; }))
        return false;
    endpoint_record connection;
    connection.end = &end;
    records_.emplace(text, std::move(connection));
    return true;
}

endpoint_table::map::node_type endpoint_table::take(const pipe_end &end) noexcept {
    const auto entry = find(end);
    return entry != records_.end() ? records_.extract(entry) : map::node_type();
}

endpoint_table::map::node_type endpoint_table::take(const std::shared_ptr<connections::worker> &by) noexcept {
    const auto entry = std::find_if(records_.begin(), records_.end(),
                                    [&](const auto &each) { return each.second.worker == by; });
    return entry != records_.end() ? records_.extract(entry) : map::node_type();
}

endpoint_table::map::node_type endpoint_table::take_first(const std::string &text) noexcept {
    const auto [first, last] = records_.equal_range(text);
    if (first == last)
        return {};
    const auto binding =
        std::find_if(first, last, [](const auto &entry) { return entry.second.bound_inproc(); });
    return records_.extract(binding != last ? binding : first);
}

} // namespace zlink::core
