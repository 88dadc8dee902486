// SPDX-License-Identifier: MPL-2.0
// Programs of the message queue: a writer and a reader, with real segments and marks.
#include <array>
#include <cstring>

#include "base/asymmetric_fence.hpp"
#include "model/programs.hpp"
#include "queue/message_queue.hpp"
#include "queue/write_cursor.hpp"

namespace zlink {

// The library's is in `pipe`. No program here has a pipe.
void queue_reader::ring_writer() noexcept {}

namespace model {
namespace {

constexpr std::size_t writing = 1; // threads
constexpr std::size_t reading = 2;

// Each byte of message number n is n.
class numbered_messages {
  public:
    static constexpr std::size_t threads = 2;

    explicit numbered_messages(int mark = 0, keep_rule rule = keep_rule::all) : queue_(mark, rule) {}

  protected:
    [[nodiscard]] queue_writer &writer() noexcept { return queue_.writer(); }
    [[nodiscard]] queue_reader &reader() noexcept { return queue_.reader(); }

    void write(std::uint8_t number, std::size_t size, std::uint8_t flags = 0) noexcept {
        std::array<std::uint8_t, large_body> bytes;
        std::memset(bytes.data(), number, size);
        require(writer().write({bytes.data(), size, flags, nullptr}), "no memory");
    }
    // A body that travels by reference.
    void write_lent(std::uint8_t number, std::size_t size, std::uint8_t flags = 0) noexcept {
        buffer *const body = buffer::allocate(size);
        std::memset(body->data(), number, size);
        require(
            writer().write({body->data(), size, static_cast<std::uint8_t>(flags | frame_flag::lent), body}),
            "no memory");
        body->release();
    }
    void commit() noexcept {
        if (writer().commit())
            wake(reading);
    }
    void send(std::uint8_t number, std::size_t size = 4) noexcept {
        write(number, size);
        commit();
    }
    void send_with_room(std::uint8_t number) noexcept {
        while (writer().full())
            if (writer().prepare_wait_room())
                sleep();
        send(number);
    }

    static void check(const incoming_frame &frame, std::uint8_t number) noexcept {
        require(frame.size != 0, "a message is empty");
        for (std::size_t at = 0; at < frame.size; at += 1 + at / 16)
            require(frame.data[at] == number, "a message has another one's bytes");
    }
    void await_message() noexcept {
        while (!reader().has_message())
            if (reader().prepare_wait_data())
                sleep();
    }
    void receive(std::uint8_t number) noexcept {
        await_message();
        incoming_frame frame;
        require(reader().read(frame), "there is no message where one was announced");
        check(frame, number);
        frame.drop();
        if (reader().take_writer_wakeup())
            wake(writing);
    }

  private:
    message_queue queue_;
};

// The reader sleeps whenever it finds nothing.
struct waking : numbered_messages {
    void run(std::size_t thread) {
        for (std::uint8_t number = 1; number <= 2; ++number)
            thread == writing ? send(number) : receive(number);
    }
    void finish() { require(!reader().has_message(), "there is a message too much"); }
};

// A reader that has read many messages says that it is busy, and spares the writer the fence.
struct busy_reader : numbered_messages {
    static constexpr int before = 512;

    busy_reader() {
        enable_asymmetric_fence();
        reader().expect_busy();
        for (int count = 0; count < before; ++count) {
            send(1);
            receive(1);
        }
    }
    void run(std::size_t thread) {
        for (std::uint8_t number = 1; number <= 2; ++number)
            thread == writing ? send(number) : receive(number);
    }
    void finish() {}
};

// Each message fills a segment. The writer uses one again that was read. The reader does not sleep at the
// end, when it would drop such a segment.
struct segments : numbered_messages {
    void run(std::size_t thread) {
        if (thread == writing)
            for (std::uint8_t number = 1; number <= 3; ++number)
                send(number, 4070);
        else
            for (std::uint8_t number = 1; number <= 2; ++number)
                receive(number);
    }
    void finish() { receive(3); }
};

// A body that travels by reference, and one that does not.
struct references : numbered_messages {
    void run(std::size_t thread) {
        for (std::uint8_t number = 1; number <= 2; ++number)
            if (thread == reading) {
                receive(number);
            } else {
                number % 2 == 1 ? write_lent(number, 20) : write(number, 4);
                commit();
            }
    }
    void finish() {}
};

// A mark of one message: the writer sleeps until there is room.
struct room : numbered_messages {
    room() : numbered_messages(1) {}
    void run(std::size_t thread) {
        for (std::uint8_t number = 1; number <= 2; ++number)
            thread == writing ? send_with_room(number) : receive(number);
    }
    void finish() {}
};

// The writer sleeps until all is read.
struct draining : numbered_messages {
    void run(std::size_t thread) {
        if (thread == reading) {
            receive(1);
            reader().tell_room();
            if (reader().take_writer_wakeup())
                wake(writing);
            return;
        }
        send(1);
        while (writer().prepare_wait_drain())
            sleep();
    }
    void finish() {}
};

// A message of several frames is taken back while the reader is at work.
struct rollback : numbered_messages {
    void run(std::size_t thread) {
        if (thread == reading) {
            receive(1);
            receive(3);
            return;
        }
        send(1);
        write_lent(2, 20, frame_flag::more);
        write(2, 400, frame_flag::more);
        writer().rollback();
        write_lent(3, 20);
        commit();
    }
    void finish() {}
};

// The reader is one that looks ahead, as a stream's is.
struct ahead : numbered_messages {
    void run(std::size_t thread) {
        if (thread == writing) {
            write_lent(1, 20);
            commit();
            send(2, 500);
            return;
        }
        write_cursor cursor(reader());
        std::size_t bytes = 0;
        while (reader().read_messages() != 2) {
            std::array<byte_range, 8> pieces;
            const std::size_t count = cursor.ranges(pieces, 100000);
            std::size_t total = 0;
            for (std::size_t index = 0; index < count; ++index)
                total += read_all(pieces[index]);
            bytes += total;
            if (total != 0)
                cursor.advance(total);
            else if (reader().read_messages() != 2 && reader().prepare_wait_data())
                sleep();
        }
        require(bytes == 500 + 20 + 2 * large_header_size, "bytes are missing");
    }
    void finish() {}

  private:
    static std::size_t read_all(const byte_range &piece) noexcept {
        unsigned sum = 0;
        for (std::size_t at = 0; at < piece.size; ++at)
            sum += piece.data[at];
        require(sum != 0, "bytes are missing");
        return piece.size;
    }
};

// Only the newest message stays. `rule` says how many frames it may have.
template <keep_rule rule> struct newest : numbered_messages {
    newest() : numbered_messages(1, rule) {}
    void run(std::size_t thread) {
        if (thread == writing) {
            send(1);
            send(2);
            return;
        }
        std::uint8_t last = 0;
        while (last != 2) {
            await_message();
            incoming_frame frame;
            if (!reader().read(frame))
                continue;
            require(frame.data[0] > last, "an older message came after a newer one");
            last = frame.data[0];
            check(frame, last);
            frame.drop();
        }
    }
    void finish() {}
};

// Two threads set the two marks while the writer asks for room.
struct marks : numbered_messages {
    void run(std::size_t thread) {
        if (thread == writing)
            writer().link().set_byte_mark(100);
        else
            writer().link().set_high_water_mark(5);
    }
    void finish() {
        require(writer().link().limit() == 0, "a mark in bytes is not seen");
        writer().link().set_byte_mark(0);
        require(writer().link().limit() == 5, "a mark in messages is lost");
    }
};

// One of them takes the mark in bytes away.
struct mark_taken_away : numbered_messages {
    mark_taken_away() { writer().link().set_byte_mark(100); }
    void run(std::size_t thread) {
        if (thread == writing)
            writer().link().set_byte_mark(0);
        else
            writer().link().set_high_water_mark(5);
    }
    void finish() { require(writer().link().limit() == 5, "a mark in messages is not seen"); }
};

} // namespace

std::vector<program> queue_programs() {
    return {make_program<waking>("queue.waking", 4, 3),
            make_program<busy_reader>("queue.busy_reader", 4, 2),
            make_program<segments>("queue.segments", 1, 0),
            make_program<references>("queue.references", 3, 2),
            make_program<room>("queue.room", 2, 1),
            make_program<draining>("queue.draining", 4, 3),
            make_program<rollback>("queue.rollback", 3, 1),
            make_program<ahead>("queue.ahead", 2, 1),
            make_program<newest<keep_rule::latest_frame>>("queue.latest_frame", 4, 2),
            make_program<newest<keep_rule::newest>>("queue.newest", 3, 1),
            make_program<marks>("queue.marks", 6, 4),
            make_program<mark_taken_away>("queue.mark_taken_away", 6, 4)};
}

} // namespace model
} // namespace zlink
