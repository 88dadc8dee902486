// SPDX-License-Identifier: MPL-2.0
#include "session/shared_stream.hpp"

#include <mutex>
#include <utility>

#include "runtime/tuning.hpp"
#include "session/raw_flow.hpp"
#include "session/sealed_inflow.hpp"
#include "session/sealed_outflow.hpp"
#include "zmtp/command.hpp"
#include "zmtp/legacy_frames.hpp"

namespace zlink::session {
namespace {

// A peer that sends PINGs and does not read gets no more PONGs than these bytes.
constexpr std::size_t most_commands_waiting = 4096;
// A sender writes in place of the I/O thread for 10 ms, and then again when it is far ahead again.
constexpr int most_relief_looks = 25;

bool publishes(socket_type type) noexcept {
    return type == socket_type::pub || type == socket_type::xpub || type == socket_type::radio;
}
bool subscribes(socket_type type) noexcept {
    return type == socket_type::sub || type == socket_type::xsub;
}

std::unique_ptr<inflow> make_inflow(const zmtp::peer_info &peer, const socket_options &options, pipe_end &end,
                                    command_handler &handler, zmtp::frame_cipher *cipher) {
    const inflow_rules rules{publishes(options.type), options.max_message_size,
                             options.type == socket_type::req};
    if (cipher != nullptr)
        return std::make_unique<sealed_inflow>(end, rules, handler, *cipher);
    switch (peer.framing()) {
    case zmtp::framing::raw:
        return std::make_unique<raw_inflow>(end, options.pattern.stream_notify);
    case zmtp::framing::v1:
        return std::make_unique<legacy_inflow>(end, rules, zmtp::parse_v1_header);
    case zmtp::framing::v2:
        return std::make_unique<legacy_inflow>(end, rules, zmtp::parse_v2_header);
    case zmtp::framing::v3:
        break;
    }
    if (end.out().conflates())
        return std::make_unique<conflating_inflow>(end, rules, handler);
    return std::make_unique<frame_inflow>(end, end.out(), rules, handler);
}

std::unique_ptr<outflow> make_open_outflow(const zmtp::peer_info &peer, const socket_options &options,
                                           pipe_end &end) {
    if (peer.framing() == zmtp::framing::raw)
        return std::make_unique<raw_outflow>(end);
    const bool translates = subscribes(options.type) && !peer.subscribes_by_command();
    if (peer.framing() == zmtp::framing::v3 && !translates && !end.in().conflates())
        return std::make_unique<gather_outflow>(end);
    return std::make_unique<encode_outflow>(end, peer.framing(), peer.subscribes_by_command());
}

std::unique_ptr<outflow> make_outflow(const zmtp::peer_info &peer, const socket_options &options,
                                      pipe_end &end, zmtp::frame_cipher *cipher, zmtp::byte_view late) {
    if (cipher != nullptr)
        return std::make_unique<sealed_outflow>(end, *cipher, peer.subscribes_by_command(), late);
    auto made = make_open_outflow(peer, options, end);
    made->command(late);
    return made;
}

} // namespace

shared_stream::shared_stream(transport::stream &stream, pipe_end &end, const zmtp::peer_info &peer,
                             const socket_options &options, std::unique_ptr<zmtp::frame_cipher> cipher,
                             zmtp::byte_view early, zmtp::byte_view late)
    : stream_(stream), end_(end), tells_anew_(subscribes(options.type) || options.type == socket_type::dish),
      cipher_(std::move(cipher)), inflow_(make_inflow(peer, options, end, *this, cipher_.get())),
      outflow_(make_outflow(peer, options, end, cipher_.get(), late)) {
    inflow_->begin(early);
    if (const std::string_view hello = hello_of(options); !hello.empty())
        outflow_->greet(peer.framing(), hello);
}

void shared_stream::open() noexcept {
    const std::lock_guard token(end_.seat().token);
    end_.seat().driver = this;
}

void shared_stream::close() noexcept {
    const std::lock_guard token(end_.seat().token);
    if (std::exchange(closed_, true))
        return;
    end_.seat().driver = nullptr;
    relieved_ = false;
    inflow_->reset();
    outflow_->rewind();
    if (tells_anew_)
        forget_unsent();
    if (custody_.slept_on())
        end_.notify_peer(pipe_event::stream_moved);
}

// All that waits at this time.
void shared_stream::forget_unsent() noexcept {
    incoming_frame frame;
    for (std::uint64_t left = end_.in().depth(); left != 0 && end_.in().read(frame); frame.drop())
        if (!frame.more())
            --left;
    end_.after_read();
}

void shared_stream::lost() noexcept {
    const std::lock_guard token(end_.seat().token);
    inflow_->lost();
}

// ----
// the turns

inflow_status shared_stream::turn_in(reader_place reader) noexcept {
    try {
        return inflow_->turn(stream_, reader);
    } catch (...) {
        return inflow_status::no_memory;
    }
}

outflow_status shared_stream::turn_out() noexcept {
    try {
        return outflow_->turn(stream_);
    } catch (...) {
        return outflow_status::no_memory;
    }
}

// A peer can send commands without end, which give the application nothing to read. The application's thread
// then gets the token between two turns.
inflow_status shared_stream::take_in() noexcept {
    token &lock = end_.seat().token;
    lock.lock();
    const std::uint64_t before = end_.out().written();
    const inflow_status status = turn_in(reader_place::elsewhere);
    if (end_.out().written() == before) [[unlikely]]
        lock.unlock_to_waiter();
    else
        lock.unlock();
    return status;
}

outflow_status shared_stream::give_out() noexcept {
    const std::lock_guard token(end_.seat().token);
    return relieved_ ? outflow_status::relieved : turn_out();
}

bool shared_stream::all_sent() const noexcept {
    const std::lock_guard token(end_.seat().token);
    return !end_.in().has_message() && !outflow_->holds_bytes();
}

bool shared_stream::fills_batch() const {
    static const std::size_t least = runtime::process_tuning().min_out_batch_bytes;
    if (least == 0)
        return true;
    const std::lock_guard token(end_.seat().token);
    return end_.in().bytes_waiting() >= least;
}

void shared_stream::command(zmtp::byte_view frame) {
    const std::lock_guard token(end_.seat().token);
    outflow_->command(frame);
}

bool shared_stream::take_activity() noexcept {
    const std::lock_guard token(end_.seat().token);
    return inflow_->take_activity();
}

void shared_stream::on_ping(const zmtp::ping &received) {
    ping_ttl_ = received.ttl_deciseconds;
    if (outflow_->commands_waiting() >= most_commands_waiting)
        return;
    zmtp::byte_buffer pong;
    zmtp::append_pong(pong, received.context);
    outflow_->command(pong);
}

std::optional<std::uint16_t> shared_stream::take_ping() noexcept {
    const std::lock_guard token(end_.seat().token);
    return std::exchange(ping_ttl_, std::nullopt);
}

// ----
// who writes

bool shared_stream::still_relieved() noexcept {
    const std::lock_guard token(end_.seat().token);
    const bool came = std::exchange(reliefs_seen_, reliefs_) != reliefs_;
    relieved_ = relieved_ && came && --relief_looks_left_ > 0;
    return relieved_;
}

void shared_stream::take_back_writing() noexcept {
    const std::lock_guard token(end_.seat().token);
    relieved_ = false;
}

// ----
// who reads

bool shared_stream::asked_for() const noexcept {
    const std::lock_guard token(end_.seat().token);
    return custody_.asked_for();
}

void shared_stream::hand_over() noexcept {
    const std::lock_guard token(end_.seat().token);
    if (custody_.handed_over() || !stream_.ignore())
        return custody_.refuse();
    custody_.hand_over();
    end_.notify_peer(pipe_event::stream_moved);
}

bool shared_stream::take_back() noexcept {
    const std::lock_guard token(end_.seat().token);
    if (!custody_.handed_over())
        return true;
    custody_.take_back();
    if (custody_.slept_on())
        end_.notify_peer(pipe_event::stream_moved);
    return stream_.listen();
}

bool shared_stream::listen() noexcept {
    const std::lock_guard token(end_.seat().token);
    return stream_.listen();
}

custody_look shared_stream::look_after() noexcept {
    const std::lock_guard token(end_.seat().token);
    return custody_.look_after();
}

void shared_stream::join_set(bool on) noexcept {
    const std::lock_guard token(end_.seat().token);
    in_set_ = on;
    custody_.refuse();
}

// ----
// by the application's thread

std::uint32_t shared_stream::write_out() noexcept {
    return turn_out() == outflow_status::idle ? 0 : pipe_event::readable; // the I/O thread goes on
}

through_status shared_stream::write_through(byte_range begun, const outgoing_frame &frame) noexcept {
    reliefs_ += relieved_ ? 1U : 0U;
    return outflow_->through(stream_, begun, frame);
}

bool shared_stream::relieve(bool begins) noexcept {
    if (begins)
        relief_looks_left_ = most_relief_looks;
    else if (!relieved_)
        return false;
    ++reliefs_;
    return relieved_ = outflow_->relieve(stream_);
}

std::uint32_t shared_stream::end_relief() noexcept {
    return std::exchange(relieved_, false) ? write_out() : 0;
}

std::uint32_t shared_stream::read_in() noexcept {
    custody_.reads();
    const inflow_status status = turn_in(in_set_ ? reader_place::beside : reader_place::here);
    const std::uint32_t calls = ping_ttl_ ? pipe_event::pinged : 0;
    switch (status) {
    case inflow_status::wait:
    case inflow_status::again: // a set says so itself
        return calls;
    case inflow_status::paused:
        if (!in_set_)
            return calls;
        break; // the I/O thread mutes it
    case inflow_status::closed:
    case inflow_status::malformed:
    case inflow_status::oversize:
    case inflow_status::no_memory:
        break; // the I/O thread will see the same, and end the connection
    }
    return calls | give_back();
}

int shared_stream::begin_wait(std::uint32_t &calls) noexcept {
    if (custody_.kept()) {
        custody_.begin_wait();
        return stream_.descriptor();
    }
    if (!in_set_)
        calls = custody_.ask();
    return -1;
}

std::uint32_t shared_stream::end_wait() noexcept {
    return custody_.end_wait();
}

std::uint32_t shared_stream::give_back() noexcept {
    return custody_.give_back();
}

} // namespace zlink::session
