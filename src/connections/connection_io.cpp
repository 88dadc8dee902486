// SPDX-License-Identifier: MPL-2.0
#include "connections/connection_io.hpp"

#include <mutex>
#include <utility>

#include "connections/encrypted_reader.hpp"
#include "connections/encrypted_writer.hpp"
#include "connections/raw_stream.hpp"
#include "runtime/tuning.hpp"
#include "zmtp/command.hpp"
#include "zmtp/legacy_frames.hpp"

namespace zlink::connections {
namespace {

// A write lease lasts 10 ms. The sender gets another one when it is throttled again.
constexpr int most_lease_checks = 25;
// A call reads so often through a layer.
constexpr int most_turns_here = 4;

// Puts the subscription to all topics before `early`, as a frame of ZMTP 1.0.
zmtp::byte_buffer behind_subscription(zmtp::byte_view early) {
    zmtp::byte_buffer bytes{2, 0, 1};
    bytes.insert(bytes.end(), early.begin(), early.end());
    return bytes;
}

std::unique_ptr<frame_reader> make_reader(const zmtp::peer_info &peer, const socket_options &options,
                                          pipe_end &end, ping_responder &pings, zmtp::frame_cipher *cipher) {
    const socket_traits &own = traits_of(options.type);
    const read_rules rules{own.publishes(), options.max_message_size, own.asks()};
    if (cipher != nullptr)
        return std::make_unique<encrypted_reader>(end, rules, pings, *cipher);
    switch (peer.framing()) {
    case zmtp::framing::raw:
        return std::make_unique<raw_reader>(end, options.pattern.stream_notify);
    case zmtp::framing::v1:
        return std::make_unique<legacy_reader>(end, rules, zmtp::parse_v1_header);
    case zmtp::framing::v2:
        return std::make_unique<legacy_reader>(end, rules, zmtp::parse_v2_header);
    case zmtp::framing::v3:
        break;
    }
    if (end.out().link().drops_oldest())
        return std::make_unique<keeping_reader>(end, rules, pings);
    return std::make_unique<plain_reader>(end, end.out(), rules, pings);
}

std::unique_ptr<frame_writer> make_plain_writer(const zmtp::peer_info &peer, const socket_options &options,
                                                pipe_end &end) {
    if (peer.framing() == zmtp::framing::raw)
        return std::make_unique<raw_writer>(end);
    const bool translates = traits_of(options.type).subscribes_to_topics() && !peer.subscribes_by_command();
    if (peer.framing() == zmtp::framing::v3 && !translates && !end.in().drops_oldest())
        return std::make_unique<vectored_writer>(end);
    return std::make_unique<encoding_writer>(end, peer.framing(), peer.subscribes_by_command());
}

std::unique_ptr<frame_writer> make_writer(const zmtp::peer_info &peer, const socket_options &options,
                                          pipe_end &end, zmtp::frame_cipher *cipher, zmtp::byte_view late) {
    if (cipher != nullptr)
        return std::make_unique<encrypted_writer>(end, *cipher, peer.subscribes_by_command(), late);
    auto made = make_plain_writer(peer, options, end);
    made->command(late);
    return made;
}

// Drops all that waits at this time.
void forget_unsent(pipe_end &end) noexcept {
    incoming_frame frame;
    for (std::uint64_t left = end.in().depth(); left != 0 && end.in().read(frame); frame.drop())
        if (!frame.more())
            --left;
    end.after_read();
}

// Returns the status of a turn that has nothing left to write but what the layers of the stream hold.
write_status flushed(transport::stream &stream, write_status status) noexcept {
    switch (stream.flush()) {
    case transport::io_status::ok:
        return status;
    case transport::io_status::again:
        return write_status::wait;
    case transport::io_status::closed:
        return write_status::closed;
    }
    return status;
}

} // namespace

connection_io::connection_io(transport::stream &stream, pipe_end &end, const zmtp::peer_info &peer,
                             const socket_options &options, std::unique_ptr<zmtp::frame_cipher> cipher,
                             zmtp::byte_view early, zmtp::byte_view late)
    : stream_(stream), end_(end), tells_anew_(traits_of(options.type).subscribes()),
      cipher_(std::move(cipher)), writer_(make_writer(peer, options, end, cipher_.get(), late)),
      pings_(*writer_), reader_(make_reader(peer, options, end, pings_, cipher_.get())) {
    if (peer.without_greeting && traits_of(options.type).publishes())
        reader_->begin(behind_subscription(early));
    else
        reader_->begin(early);
    if (const std::string_view hello = hello_of(options); !hello.empty())
        writer_->greet(peer.framing(), hello);
}

void connection_io::open() noexcept {
    const std::lock_guard lock(end_.slot().mutex);
    end_.slot().io = this;
    if (counters::pipe_counts *const counts = end_.counts())
        stream_.count_calls(&counts->record());
}

void connection_io::close() noexcept {
    const std::lock_guard lock(end_.slot().mutex);
    if (std::exchange(closed_, true))
        return;
    end_.slot().io = nullptr;
    stream_.count_calls(nullptr);
    write_lease_.revoke();
    reader_->reset();
    writer_->rewind();
    if (tells_anew_)
        forget_unsent(end_);
    if (read_lease_.is_slept_on())
        end_.notify_peer(pipe_event::lease_moved);
}

void connection_io::lost() noexcept {
    const std::lock_guard lock(end_.slot().mutex);
    reader_->lost();
}

// ----
// the turns

read_status connection_io::read_turn(run_by reader) noexcept {
    try {
        return reader_->turn(stream_, reader);
    } catch (...) {
        return read_status::no_memory;
    }
}

write_status connection_io::write_turn() noexcept {
    try {
        write_status status = writer_->turn(stream_);
        if (stream_.holds_output() && (status == write_status::idle || status == write_status::hung_up))
            status = flushed(stream_, status);
        if (status == write_status::wait)
            end_.tell_room();
        return status;
    } catch (...) {
        return write_status::no_memory;
    }
}

// A peer can send commands without end, which give the application nothing to read. The application's thread
// then gets the mutex between two turns.
read_status connection_io::read_some() noexcept {
    small_mutex &lock = end_.slot().mutex;
    lock.lock();
    const std::uint64_t before = end_.out().written();
    const read_status status = read_turn(run_by::io_thread);
    if (end_.out().written() == before) [[unlikely]]
        lock.unlock_to_waiter();
    else
        lock.unlock();
    return status;
}

write_status connection_io::write_some() noexcept {
    const std::lock_guard lock(end_.slot().mutex);
    return write_lease_.is_held() ? write_status::leased : write_turn();
}

bool connection_io::all_sent() const noexcept {
    const std::lock_guard lock(end_.slot().mutex);
    return !end_.in().has_message() && !writer_->holds_bytes() && !stream_.holds_output();
}

bool connection_io::holds_output() const noexcept {
    if (!stream_.has_layer()) [[likely]]
        return false;
    const std::lock_guard lock(end_.slot().mutex);
    return stream_.holds_output();
}

bool connection_io::fills_batch() const {
    static const std::size_t least = runtime::process_tuning().min_out_batch_bytes;
    if (least == 0)
        return true;
    const std::lock_guard lock(end_.slot().mutex);
    return end_.in().bytes_waiting() >= least;
}

void connection_io::command(zmtp::byte_view frame) {
    const std::lock_guard lock(end_.slot().mutex);
    writer_->command(frame);
}

bool connection_io::take_activity() noexcept {
    const std::lock_guard lock(end_.slot().mutex);
    return reader_->take_activity();
}

std::optional<std::uint16_t> connection_io::take_ping() noexcept {
    const std::lock_guard lock(end_.slot().mutex);
    return pings_.take_ttl();
}

// ----
// who writes

bool connection_io::write_lease_in_use() noexcept {
    const std::lock_guard lock(end_.slot().mutex);
    if (write_lease_.is_held() && write_lease_.check() != direct_io::lease_use::in_use)
        write_lease_.revoke();
    return write_lease_.is_held();
}

void connection_io::revoke_write_lease() noexcept {
    const std::lock_guard lock(end_.slot().mutex);
    write_lease_.revoke();
}

// ----
// who reads

bool connection_io::asked_for() const noexcept {
    const std::lock_guard lock(end_.slot().mutex);
    return read_lease_.is_wanted();
}

bool connection_io::has_buffered() const noexcept {
    const std::lock_guard lock(end_.slot().mutex);
    return stream_.has_buffered();
}

void connection_io::grant_lease() noexcept {
    const std::lock_guard lock(end_.slot().mutex);
    if (read_lease_.is_granted() || !stream_.ignore())
        return read_lease_.refuse();
    read_lease_.grant();
    end_.notify_peer(pipe_event::lease_moved);
}

bool connection_io::revoke_lease() noexcept {
    const std::lock_guard lock(end_.slot().mutex);
    if (!read_lease_.is_granted())
        return true;
    read_lease_.revoke();
    if (read_lease_.is_slept_on())
        end_.notify_peer(pipe_event::lease_moved);
    return stream_.listen();
}

bool connection_io::listen() noexcept {
    const std::lock_guard lock(end_.slot().mutex);
    return stream_.listen();
}

direct_io::lease_use connection_io::check_read_lease() noexcept {
    const std::lock_guard lock(end_.slot().mutex);
    return read_lease_.check();
}

void connection_io::join_poll_group(bool on) noexcept {
    const std::lock_guard lock(end_.slot().mutex);
    in_poll_group_ = on;
    read_lease_.refuse();
}

// ----
// by the application's thread

std::uint32_t connection_io::write_out() noexcept {
    return write_turn() == write_status::idle ? 0 : pipe_event::readable; // the I/O thread goes on
}

direct_write_status connection_io::write_direct(byte_range begun, const outgoing_frame &frame) noexcept {
    write_lease_.use();
    if (stream_.has_layer()) [[unlikely]]
        return write_with_layer(begun, frame);
    return writer_->through(stream_, begun, frame);
}

direct_write_status connection_io::write_with_layer(byte_range begun, const outgoing_frame &frame) noexcept {
    const direct_write_status went = writer_->through(stream_, begun, frame);
    if (went == direct_write_status::done && stream_.flush() != transport::io_status::ok)
        return direct_write_status::held;
    return went;
}

bool connection_io::write_on_lease(bool begins) noexcept {
    if (begins)
        write_lease_.grant(most_lease_checks);
    else if (!write_lease_.is_held())
        return false;
    write_lease_.use();
    if (!writer_->write_on_lease(stream_))
        write_lease_.revoke();
    return write_lease_.is_held();
}

std::uint32_t connection_io::end_write_lease() noexcept {
    if (!write_lease_.is_held())
        return 0;
    write_lease_.revoke();
    return write_out();
}

// Reads what a layer has read ahead, since nothing would tell of it. A peer can send faster than this thread
// reads; then the I/O thread goes on. A lone reader with messages to take comes again by itself. `before`:
// the messages in the queue before this call. Returns calls for the I/O thread.
std::uint32_t connection_io::read_on_through_layer(run_by reader, std::uint64_t before,
                                                   read_status &status) noexcept {
    const auto needs_more = [&] {
        return status == read_status::again && stream_.has_buffered() &&
               (reader != run_by::caller || end_.out().written() == before);
    };
    for (int turns = 0; turns < most_turns_here && needs_more(); ++turns)
        status = read_turn(reader);
    std::uint32_t calls = stream_.holds_output() ? pipe_event::readable : 0; // an answer of a layer
    if (needs_more())
        calls |= release_lease();
    return calls;
}

std::uint32_t connection_io::read_in() noexcept {
    read_lease_.use();
    const run_by reader = in_poll_group_ ? run_by::caller_group : run_by::caller;
    const std::uint64_t before = stream_.has_layer() ? end_.out().written() : 0;
    read_status status = read_turn(reader);
    std::uint32_t calls = 0;
    if (stream_.has_layer()) [[unlikely]]
        calls = read_on_through_layer(reader, before, status);
    if (pings_.has_ttl())
        calls |= pipe_event::pinged;
    switch (status) {
    case read_status::wait:
    case read_status::again: // a set says so itself
        return calls;
    case read_status::paused:
        if (!in_poll_group_)
            return calls;
        break; // the I/O thread pauses it
    case read_status::closed:
    case read_status::malformed:
    case read_status::oversize:
    case read_status::no_memory:
        break; // the I/O thread will see the same, and end the connection
    }
    return calls | release_lease();
}

int connection_io::begin_wait(std::uint32_t &calls) noexcept {
    if (read_lease_.is_held()) {
        if (stream_.has_buffered()) [[unlikely]] { // which makes no descriptor readable
            calls = release_lease();
            return -1;
        }
        read_lease_.begin_sleep();
        return stream_.descriptor();
    }
    if (!in_poll_group_ && read_lease_.ask())
        calls = pipe_event::lease_wanted;
    return -1;
}

std::uint32_t connection_io::end_wait() noexcept {
    return read_lease_.end_sleep() ? pipe_event::lease_resumed : 0;
}

bool connection_io::watch_in(int epoll, bool asks, std::uint32_t &calls) noexcept {
    if (!stream_.has_buffered() && read_lease_.watch_in(epoll, stream_.descriptor()))
        return true;
    if (read_lease_.is_held())
        calls = release_lease();
    else if (asks && !in_poll_group_ && read_lease_.ask())
        calls = pipe_event::lease_wanted;
    return false;
}

std::uint32_t connection_io::release_lease() noexcept {
    read_lease_.release();
    return pipe_event::lease_released;
}

} // namespace zlink::connections
