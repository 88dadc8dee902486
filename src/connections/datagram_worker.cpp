// SPDX-License-Identifier: MPL-2.0
#include "connections/datagram_worker.hpp"

#include <cerrno>
#include <limits>
#include <new>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "base/fork.hpp"
#include "transport/socket_setup.hpp"
#include "zmtp/group_datagram.hpp"

namespace zlink::connections {
namespace {

constexpr std::size_t longest_datagram = 65536; // one more than there can be

zmtp::byte_view bytes_of(const std::string &text) noexcept {
    return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

} // namespace

datagram_worker::datagram_worker(worker_list &owner, transport::udp_socket socket, datagram_form form,
                                 std::shared_ptr<pipe> made)
    : workers_(owner), socket_(std::move(socket)), form_(form),
      family_(transport::family_of(socket_.descriptor)), made_(std::move(made)),
      readiness_(owner.thread().context()), received_(longest_datagram), target_(socket_.target) {}

datagram_worker::~datagram_worker() {
    if (readiness_.is_open())
        readiness_.release();
    release_to_children(socket_.descriptor);
    ::close(socket_.descriptor);
    if (made_)
        made_->second().close();
}

void datagram_worker::start() {
    end_ = &std::exchange(made_, nullptr)->second();
    const std::uint32_t events = end_->attach(*this, workers_.thread().box());
    boost::system::error_code error;
    try {
        readiness_.assign(socket_.descriptor, error);
    } catch (const std::bad_alloc &) {
        error = boost::asio::error::no_memory;
    }
    if (error || (events & pipe_event::peer_closed) != 0)
        return terminate(0);
    write();
    if (!finished_)
        read();
}

void datagram_worker::terminate(int) {
    if (finished_)
        return;
    if (readiness_.is_open())
        write(std::numeric_limits<int>::max());
    finish();
}

void datagram_worker::finish() {
    finished_ = true;
    if (readiness_.is_open())
        readiness_.release(); // whoever waits is told, and does nothing
    if (holds_)
        end_->in().note_filtered();
    std::exchange(end_, nullptr)->close();
    workers_.finished(*this);
}

void datagram_worker::on_pipe_event(pipe_end &, std::uint32_t events) {
    const auto self = shared_from_this();
    if ((events & pipe_event::readable) != 0 && !writing_)
        write();
    if ((events & pipe_event::writable) != 0 && reading_ == reading::paused) {
        reading_ = reading::idle;
        read();
    }
    if ((events & pipe_event::peer_closed) != 0)
        terminate(0);
}

// ---- in

void datagram_worker::wait_readable() {
    if (reading_ != reading::idle)
        return;
    reading_ = reading::waiting;
    readiness_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                          runtime::slotted(read_slot_, [this, self = shared_from_this()](const auto &error) {
                              reading_ = reading::idle;
                              if (!finished_ && !error)
                                  read();
                          }));
}

// Also of a socket that only sends: errors of the network are reported there, and would stay.
void datagram_worker::read() {
    for (int turn = 0; turn < datagrams_per_turn; ++turn) {
        while (end_->out().full())
            if (end_->out().prepare_wait_room()) {
                reading_ = reading::paused;
                return;
            }
        if (!read_one())
            break;
    }
    wait_readable();
}

// Returns false if there is none, or if there was no memory to commit it.
bool datagram_worker::read_one() {
    transport::socket_address from;
    from.size = sizeof from.storage;
    const ssize_t size = ::recvfrom(socket_.descriptor, received_.data(), received_.size(),
                                    MSG_DONTWAIT | MSG_TRUNC, from.data(), &from.size);
    if (size < 0)
        return errno != EAGAIN && errno != EWOULDBLOCK;
    if (socket_.target.size != 0 || static_cast<std::size_t>(size) > received_.size())
        return true; // nobody listens; or it was cut off
    const zmtp::byte_view datagram(received_.data(), static_cast<std::size_t>(size));
    if (form_ == datagram_form::address)
        return commit(bytes_of(transport::datagram_address_text(from)), datagram);
    const auto parsed = zmtp::parse_group_datagram(datagram);
    return !parsed || commit(parsed->group, parsed->body);
}

// Returns false if there is no memory; the datagram is lost then, as it may be.
bool datagram_worker::commit(zmtp::byte_view first, zmtp::byte_view body) noexcept {
    const bool written = end_->out().write({first.data(), first.size(), frame_flag::more, nullptr}) &&
                         end_->out().write({body.data(), body.size(), 0, nullptr});
    if (written)
        end_->writer().commit_from_io();
    else
        end_->out().rollback();
    return written;
}

// ---- out

void datagram_worker::wait_writable() {
    if (std::exchange(writing_, true))
        return;
    readiness_.async_wait(boost::asio::posix::stream_descriptor::wait_write,
                          runtime::slotted(write_slot_, [this, self = shared_from_this()](const auto &error) {
                              writing_ = false;
                              if (!finished_ && !error)
                                  write();
                          }));
}

// The system takes datagrams for its own host at once, and the application may go on sending. So the others
// of the I/O thread have their turn after some.
void datagram_worker::write(int most) {
    do {
        while (holds_ || end_->in().has_message()) {
            if (most-- == 0)
                return wait_writable();
            if (!holds_)
                take_message();
            if (holds_ && !send_one())
                return wait_writable();
        }
    } while (!end_->prepare_wait_data());
}

// Two frames become a datagram in sending_. A message of another form (a JOIN of a DISH), or one that does
// not fit, is dropped.
void datagram_worker::take_message() {
    incoming_frame first;
    incoming_frame body;
    bool whole = end_->read(first) && first.more() && end_->read(body) && !body.more();
    try {
        if (whole && form_ == datagram_form::address) {
            const std::string_view text(reinterpret_cast<const char *>(first.data), first.size);
            if (text != target_text_) {
                const auto address = transport::parse_datagram_address(text, family_);
                target_ = address.value_or(transport::socket_address{});
                target_text_ = text;
            }
            sending_.clear();
            whole = target_.size != 0;
        } else if (whole) {
            sending_.assign(1, static_cast<std::uint8_t>(first.size));
            sending_.insert(sending_.end(), first.data, first.data + first.size);
            whole = first.size <= zmtp::longest_group_name;
        }
        if (whole)
            sending_.insert(sending_.end(), body.data, body.data + body.size);
        holds_ = whole;
    } catch (const std::bad_alloc &) {
        holds_ = false;
    }
    if (!holds_ && !first.command())
        end_->in().note_filtered();
    first.drop();
    body.drop();
}

// Returns false if the system takes none now. One that it does not take at all is lost, as it may be.
bool datagram_worker::send_one() {
    const ssize_t sent = ::sendto(socket_.descriptor, sending_.data(), sending_.size(),
                                  MSG_DONTWAIT | MSG_NOSIGNAL, target_.data(), target_.size);
    holds_ = sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (sent < 0 && !holds_)
        end_->in().note_filtered();
    return !holds_;
}

} // namespace zlink::connections
