// SPDX-License-Identifier: MPL-2.0
#include "counters/snapshot.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <thread>
#include <tuple>
#include <unordered_map>

#include "counters/layout.hpp"

namespace zlink::counters {
namespace {

constexpr int most_attempts = 100;
constexpr std::size_t most_record_bytes = 64 * 1024;
constexpr std::array type_names{"PAIR",  "PUB",  "SUB",    "REQ",     "REP",    "DEALER", "ROUTER",
                                "PULL",  "PUSH", "XPUB",   "XSUB",    "STREAM", "SERVER", "CLIENT",
                                "RADIO", "DISH", "GATHER", "SCATTER", "DGRAM",  "PEER",   "CHANNEL"};

// The head's words, which do not change, and those that do.
struct shape {
    std::uint32_t head_size, record_size, fields_begin, field_count;
};

template <class Word> Word load(std::span<const std::byte> region, std::size_t offset) noexcept {
    // The owner stores words of this size there, and all of them are aligned.
    auto &word = *reinterpret_cast<Word *>(const_cast<std::byte *>(region.data()) + offset);
    return std::atomic_ref<Word>(word).load(std::memory_order_acquire);
}

std::string text_of(const char *bytes, std::size_t most) {
    std::string_view all(bytes, most);
    return std::string(all.substr(0, all.find_last_not_of('\0') + 1));
}

std::optional<shape> shape_of(std::span<const std::byte> region) noexcept {
    if (region.size() < fields_begin || load<std::uint64_t>(region, 0) != head::right_magic)
        return std::nullopt;
    const shape found{load<std::uint32_t>(region, offsetof(head, head_size)),
                      load<std::uint32_t>(region, offsetof(head, record_size)),
                      load<std::uint32_t>(region, offsetof(head, fields_begin)),
                      load<std::uint32_t>(region, offsetof(head, field_count))};
    const std::uint64_t end = found.fields_begin + std::uint64_t{found.field_count} * sizeof(field_row);
    const bool right = end <= found.head_size && found.head_size <= region.size() &&
                       found.head_size % 8 == 0 && found.record_size % 8 == 0 &&
                       found.record_size >= sizeof(record_header) && found.record_size <= most_record_bytes;
    return right ? std::optional(found) : std::nullopt;
}

// A record as it was copied, with the values that the table names.
struct raw_record {
    record_kind kind = record_kind::none;
    std::map<std::string, std::uint64_t, std::less<>> numbers;
    std::map<std::string, std::string, std::less<>> texts;

    [[nodiscard]] std::uint64_t get(const std::string &name) const {
        const auto found = numbers.find(name);
        return found == numbers.end() ? 0 : found->second;
    }
};

class region_reader {
  public:
    region_reader(std::span<const std::byte> region, const shape &known) : region_(region), known_(known) {
        for (std::uint32_t index = 0; index < known.field_count; ++index) {
            field_row row{};
            std::memcpy(&row, region.data() + known.fields_begin + index * sizeof row, sizeof row);
            if (std::size_t{row.offset} + row.size <= known.record_size && row.offset % 8 == 0 &&
                row.size % 8 == 0 && row.size != 0)
                rows_.push_back(row);
        }
    }

    // Records and changes of sums are read again while somebody changes them, but not for ever.
    std::vector<raw_record> read() {
        std::vector<raw_record> found;
        for (int attempt = 0; attempt < most_attempts; ++attempt, std::this_thread::yield()) {
            const auto before = load<std::uint64_t>(region_, offsetof(head, changes));
            if (before % 2 != 0)
                continue;
            found = read_once();
            if (load<std::uint64_t>(region_, offsetof(head, changes)) == before)
                return found;
        }
        return found.empty() ? read_once() : found;
    }

  private:
    std::vector<raw_record> read_once() {
        std::vector<raw_record> found;
        const std::uint64_t there = (region_.size() - known_.head_size) / known_.record_size;
        const std::uint64_t records = std::min(load<std::uint64_t>(region_, offsetof(head, records)), there);
        std::vector<std::uint64_t> copy(known_.record_size / 8);
        for (std::uint64_t index = 0; index < records; ++index)
            if (copy_record(known_.head_size + index * known_.record_size, copy))
                found.push_back(take_apart(copy));
        return found;
    }

    // Returns false if there is no record.
    bool copy_record(std::size_t at, std::vector<std::uint64_t> &copy) const noexcept {
        constexpr std::size_t sequence = offsetof(record_header, sequence);
        for (int attempt = 0; attempt < most_attempts; ++attempt) {
            const auto before = load<std::uint32_t>(region_, at + sequence);
            if (load<std::uint32_t>(region_, at) == 0)
                return false;
            for (std::size_t word = 0; word < copy.size(); ++word)
                copy[word] = load<std::uint64_t>(region_, at + word * 8);
            if (before % 2 == 0 && load<std::uint32_t>(region_, at + sequence) == before)
                return true;
        }
        return false;
    }

    raw_record take_apart(const std::vector<std::uint64_t> &copy) const {
        raw_record made;
        const auto *bytes = reinterpret_cast<const char *>(copy.data());
        std::uint32_t kind = 0;
        std::memcpy(&kind, bytes, sizeof kind);
        made.kind = static_cast<record_kind>(kind);
        for (const field_row &row : rows_) {
            if (row.kind != kind)
                continue;
            const std::string name = text_of(row.name, sizeof row.name);
            if (row.type == static_cast<std::uint16_t>(field_type::text))
                made.texts[name] = text_of(bytes + row.offset, row.size);
            else
                made.numbers[name] = copy[row.offset / 8];
        }
        return made;
    }

    std::span<const std::byte> region_;
    shape known_;
    std::vector<field_row> rows_;
};

// ---- from records to contexts, sockets and peers

std::uint64_t less(std::uint64_t from, std::uint64_t what) noexcept {
    return from > what ? from - what : 0; // the two were not read at the same moment
}

// See queue_counts::queued().
std::uint64_t queued_in(const raw_record &pipe, const std::string &queue) {
    const std::uint64_t taken = pipe.get(queue + "read.messages") - pipe.get(queue + "read.skipped");
    const std::uint64_t waiting =
        less(pipe.get(queue + "written.messages") - pipe.get(queue + "written.replaced"), taken);
    return less(waiting, less(pipe.get(queue + "written.commands"), pipe.get(queue + "read.commands")));
}

// A queue with a mark in bytes counts them. The writer has looked some time ago: since then more was written.
// The reader counts by whole segments.
std::uint64_t queued_bytes_in(const raw_record &pipe, const std::string &queue, std::uint64_t messages) {
    if (messages == 0 || pipe.get(queue + "bytes.mark") == 0)
        return 0;
    const std::uint64_t written =
        pipe.get(queue + "written.position") + pipe.get(queue + "written.outside_bytes");
    const std::uint64_t seen =
        pipe.get(queue + "bytes.waiting") + less(written, pipe.get(queue + "bytes.until"));
    const std::uint64_t read = pipe.get(queue + "read.bytes"); // 0: of a list of messages it is not counted
    return read == 0 ? seen : std::min(seen, less(written, read));
}

// See queue_counts::replaced_by_others().
std::uint64_t replaced_in(const raw_record &pipe, const std::string &queue) {
    return less(pipe.get(queue + "written.replaced"), pipe.get(queue + "conflated"));
}

subject_values peer_of(const raw_record &pipe, bool first, std::uint64_t socket) {
    const std::string out = first ? "forth." : "back.";
    const std::string in = first ? "back." : "forth.";
    const std::uint64_t flags = pipe.get("flags");
    const bool alone = (flags & pipe_flag::inproc) == 0;
    const bool left = (pipe.get("left") & (first ? 1U : 2U)) != 0;
    const bool connected = !left && (flags & pipe_flag::connected) != 0;
    subject_values made{subject_kind::peer, pipe.get("id"), socket, {}, {}};
    const std::uint64_t queued_out = queued_in(pipe, out);
    const std::uint64_t waiting = queued_in(pipe, in);
    made.numbers = {
        {"id", made.id},
        {"since", pipe.get("since")},
        {"age", less(now_ns(), pipe.get("since"))},
        {"sent.messages", less(pipe.get(out + "written.messages") + pipe.get(out + "written.direct_messages"),
                               pipe.get(out + "written.commands"))},
        {"sent.bytes", pipe.get(out + "written.position") + pipe.get(out + "written.outside_bytes") +
                           pipe.get(out + "written.direct_bytes")},
        {"received.messages",
         less(pipe.get(in + "read.messages"), pipe.get(in + "read.commands") + pipe.get(in + "read.skipped") +
                                                  pipe.get(in + "read.filtered"))},
        {"received.bytes", pipe.get(in + "written.position") + pipe.get(in + "written.outside_bytes")},
        {"queued.out", queued_out},
        {"queued.in", waiting},
        {"highest.out", std::max(queued_out, pipe.get(out + "highest"))},
        {"highest.in", std::max(waiting, pipe.get(in + "highest"))},
        {"mark.out", pipe.get(out + "mark")},
        {"mark.in", pipe.get(in + "mark")},
        {"queued.out.bytes", queued_bytes_in(pipe, out, queued_out)},
        {"queued.in.bytes", queued_bytes_in(pipe, in, waiting)},
        {"mark.out.bytes", pipe.get(out + "bytes.mark")},
        {"mark.in.bytes", pipe.get(in + "bytes.mark")},
        {"replayed.messages", pipe.get(out + "written.replayed")},
        {"dropped.mark_reached", pipe.get(out + "written.dropped_mark")},
        {"dropped.byte_mark_reached", pipe.get(out + "written.dropped_byte_mark")},
        {"dropped.replaced", replaced_in(pipe, out) + (alone ? replaced_in(pipe, in) : 0)},
        {"dropped.conflated", pipe.get(out + "conflated") + (alone ? pipe.get(in + "conflated") : 0)},
        {"dropped.filtered", pipe.get(in + "read.filtered") + (alone ? pipe.get(out + "read.filtered") : 0)},
        {"calls.out", first ? pipe.get("send_calls") : 0},
        {"calls.in", first ? pipe.get("receive_calls") : 0},
        {"reconnects", pipe.get("retries")},
        {"connected", connected},
        {"inproc", (flags & pipe_flag::inproc) != 0},
        {"outgoing", ((flags & pipe_flag::outgoing) != 0) == first},
    };
    const auto text = [&](const char *name) {
        const auto found = pipe.texts.find(name);
        return found == pipe.texts.end() ? std::string() : found->second;
    };
    made.texts = {{"address", text("address")},
                  {"identity", text(first ? "second_identity" : "first_identity")},
                  {"mechanism", text("mechanism")},
                  {"state", left        ? "disconnected"
                            : connected ? "connected"
                                        : "not connected"}};
    return made;
}

constexpr std::array sums{"sent.messages",
                          "sent.bytes",
                          "received.messages",
                          "received.bytes",
                          "replayed.messages",
                          "dropped.mark_reached",
                          "dropped.byte_mark_reached",
                          "dropped.no_subscriber",
                          "dropped.unroutable",
                          "dropped.replaced",
                          "dropped.linger_expired",
                          "dropped.connection_lost",
                          "dropped.policy",
                          "dropped.unread",
                          "dropped.filtered",
                          "dropped.conflated",
                          "queued.out",
                          "queued.in",
                          "queued.out.bytes",
                          "queued.in.bytes"};

void add_sums(std::vector<std::pair<std::string, std::uint64_t>> &to, const raw_record &gone,
              std::span<const subject_values> parts) {
    for (const char *name : sums) {
        std::uint64_t sum = gone.get(std::string("gone.") + name);
        for (const subject_values &part : parts)
            sum += part.number(name);
        to.emplace_back(name, sum);
    }
}

// The numbers of a record, without the sums that are added elsewhere.
subject_values plain(const raw_record &record, subject_kind kind) {
    subject_values made{kind, record.get("id"), 0, {}, {}};
    for (const auto &[name, value] : record.numbers)
        if (!name.starts_with("gone."))
            made.numbers.emplace_back(name, value);
    for (const auto &[name, value] : record.texts)
        made.texts.emplace_back(name, value);
    return made;
}

// The peers of each socket, by its id.
std::unordered_map<std::uint64_t, std::vector<subject_values>>
peers_by_socket(std::span<const raw_record> records) {
    std::unordered_map<std::uint64_t, std::vector<subject_values>> found;
    for (const raw_record &record : records) {
        if (record.kind != record_kind::pipe)
            continue;
        for (const bool first : {true, false})
            if (const std::uint64_t socket = record.get(first ? "first_socket" : "second_socket");
                socket != 0)
                found[socket].push_back(peer_of(record, first, socket));
    }
    return found;
}

std::vector<subject_values> arrange(std::vector<raw_record> records) {
    std::stable_sort(records.begin(), records.end(), [](const raw_record &a, const raw_record &b) {
        return std::tuple(a.kind, a.get("id")) < std::tuple(b.kind, b.get("id"));
    });
    std::vector<subject_values> all;
    std::vector<subject_values> sockets;
    auto peers_of = peers_by_socket(records);
    for (const raw_record &record : records) {
        if (record.kind == record_kind::context || record.kind == record_kind::io_thread)
            all.push_back(plain(record, record.kind == record_kind::context ? subject_kind::context
                                                                            : subject_kind::io_thread));
        if (record.kind != record_kind::socket)
            continue;
        subject_values made = plain(record, subject_kind::socket);
        std::vector<subject_values> &peers = peers_of[made.id];
        const std::uint64_t type = record.get("type");
        made.texts.emplace_back("type", type < type_names.size() ? type_names[type] : "");
        made.numbers.emplace_back("peers", peers.size());
        add_sums(made.numbers, record, peers);
        sockets.push_back(std::move(made));
        sockets.insert(sockets.end(), std::make_move_iterator(peers.begin()),
                       std::make_move_iterator(peers.end()));
    }
    if (!all.empty() && all.front().kind == subject_kind::context) {
        std::vector<subject_values> whole;
        std::copy_if(sockets.begin(), sockets.end(), std::back_inserter(whole),
                     [](const subject_values &one) { return one.kind == subject_kind::socket; });
        add_sums(all.front().numbers, records.front(), whole);
    }
    all.insert(all.end(), std::make_move_iterator(sockets.begin()), std::make_move_iterator(sockets.end()));
    return all;
}

} // namespace

std::uint64_t subject_values::number(const char *name) const noexcept {
    for (const auto &[known, value] : numbers)
        if (known == name)
            return value;
    return 0;
}

const std::string &subject_values::text(const char *name) const noexcept {
    static const std::string none;
    for (const auto &[known, value] : texts)
        if (known == name)
            return value;
    return none;
}

result<snapshot> take_snapshot(std::span<const std::byte> region) {
    const auto known = shape_of(region);
    if (!known)
        return error{EPROTO};
    snapshot taken;
    taken.pid = load<std::uint32_t>(region, offsetof(head, pid));
    taken.started_ns = load<std::uint64_t>(region, offsetof(head, started_ns));
    taken.program = text_of(reinterpret_cast<const char *>(region.data()) + offsetof(head, program),
                            sizeof(head::program));
    taken.subjects = arrange(region_reader(region, *known).read());
    return taken;
}

void keep_socket(snapshot &taken, std::uint64_t id) noexcept {
    std::erase_if(taken.subjects, [&](const subject_values &one) {
        return one.kind == subject_kind::peer ? one.parent != id
                                              : one.kind != subject_kind::socket || one.id != id;
    });
}

} // namespace zlink::counters
