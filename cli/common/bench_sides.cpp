// SPDX-License-Identifier: MPL-2.0
#include "common/bench_sides.hpp"

#include <charconv>
#include <chrono>
#include <cstring>
#include <thread>
#include <zlink/peers.h>

#include "common/clock.hpp"
#include "common/failure.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

// Words of the run. Other messages begin with a stamp, or have the letter z alone.
constexpr std::string_view end_text = "zlink bench end", begin_text = "zlink bench begin";

// Over udp the end may be lost, so it is said more than once.
constexpr int ends_over_udp = 20;
constexpr std::chrono::milliseconds between_ends{50}, between_looks{1};

// Calls wait in the library, as a program's would. They return after look_ms, for a look at signals and at
// the other thread.
constexpr int look_ms = 100;

void set_timeouts(socket &used) {
    used.set(ZMQ_RCVTIMEO, look_ms, "ZMQ_RCVTIMEO");
    used.set(ZMQ_SNDTIMEO, look_ms, "ZMQ_SNDTIMEO");
}

[[noreturn]] void fail_for_silence(const bench_task &task) {
    throw failure(
        concat("the other side is silent for ", task.timeout, " s: is it running, with the same --pattern?"));
}

// Repeats a call that has not succeeded. False once the run is over. Throws after the timeout.
template <class Call> bool persist(const bench_task &task, const char *act, Call call) {
    if (call() >= 0)
        return true;
    const auto deadline = now_ns() + seconds_to_ns(task.timeout);
    for (;;) {
        if (zmq_errno() != EAGAIN && zmq_errno() != EINTR)
            fail_with_errno(act);
        if (is_over(task))
            return false;
        if (now_ns() >= deadline)
            fail_for_silence(task);
        if (call() >= 0)
            return true;
    }
}

bool send_frame(socket &used, const bench_task &task, std::string_view bytes, int flags) {
    return persist(task, "send", [&] { return zmq_send(used.handle(), bytes.data(), bytes.size(), flags); });
}

std::uint64_t unheard(const socket &used) {
    zlink_stats *stats = zlink_stats_of_socket(used.handle());
    std::uint64_t count = 0;
    const bool is_known =
        stats != nullptr && zlink_stats_value(stats, 0, "dropped.no_subscriber", &count) == 0;
    zlink_stats_free(stats);
    if (!is_known)
        fail_with_errno("read the counters of the socket");
    return count;
}

} // namespace

bool is_over(const bench_task &task) {
    return stop_signal::came() || task.abandoned;
}

bool received_frame::receive(socket &used, const bench_task &task) {
    return persist(task, "receive", [&] { return zmq_msg_recv(&frame_, used.handle(), 0); });
}

bool received_frame::give(socket &used, const bench_task &task, int flags) {
    return persist(task, "send", [&] { return zmq_msg_send(&frame_, used.handle(), flags); });
}

bench_stamp received_frame::read_stamp() {
    bench_stamp found{};
    std::memcpy(&found, zmq_msg_data(&frame_), sizeof found);
    return found;
}

// ---- the client

bench_client::bench_client(socket &used, const bench_task &task)
    : used_(used), task_(task), type_(task.pattern->client) {
    set_timeouts(used);
}

bool bench_client::await_server() {
    if (type_ == ZMQ_XPUB)
        return await_subscription();
    if (type_ == ZMQ_RADIO)
        return await_group();
    return type_ != ZMQ_STREAM || await_stream();
}

// The notice of the connection has its id.
bool bench_client::await_stream() {
    if (!frame_.receive(used_, task_))
        return false;
    stream_id_ = frame_.text();
    return frame_.receive(used_, task_);
}

bool bench_client::await_subscription() {
    if (!frame_.receive(used_, task_))
        return false;
    used_.set(ZMQ_XPUB_NODROP, 1, "ZMQ_XPUB_NODROP");
    return true;
}

// A RADIO gives no word of its members, but counts what nobody wanted.
bool bench_client::await_group() {
    used_.set(ZMQ_XPUB_NODROP, 1, "ZMQ_XPUB_NODROP");
    const auto deadline = now_ns() + seconds_to_ns(task_.timeout);
    for (auto before = unheard(used_); send_addressed(std::string(begin_text));) {
        const auto after = unheard(used_);
        if (after == before)
            return true;
        if (is_over(task_))
            return false;
        if (now_ns() >= deadline)
            fail_for_silence(task_);
        before = after;
        std::this_thread::sleep_for(between_looks);
    }
    return false;
}

bool bench_client::send_addressed(const std::string &bytes) {
    zmq_msg_t one;
    if (zmq_msg_init_buffer(&one, bytes.data(), bytes.size()) != 0 ||
        (type_ == ZMQ_RADIO ? zmq_msg_set_group(&one, bench_group)
                            : zmq_msg_set_routing_id(&one, task_.peer)) != 0)
        fail_with_errno("make a message");
    const bool is_sent = persist(task_, "send", [&] { return zmq_msg_send(&one, used_.handle(), 0); });
    zmq_msg_close(&one);
    return is_sent;
}

bool bench_client::send(const std::string &bytes) {
    if (type_ == ZMQ_RADIO || type_ == ZMQ_PEER)
        return send_addressed(bytes);
    if (type_ == ZMQ_STREAM && !send_frame(used_, task_, stream_id_, ZMQ_SNDMORE))
        return false;
    if (type_ == ZMQ_DGRAM && !send_frame(used_, task_, task_.address, ZMQ_SNDMORE))
        return false;
    return send_frame(used_, task_, bytes, 0);
}

bool bench_client::receive_answer(std::size_t size) {
    if (type_ != ZMQ_STREAM)
        return frame_.receive(used_, task_);
    for (std::size_t have = 0; have < size; have += frame_.size()) {
        if (!frame_.receive(used_, task_) || !frame_.receive(used_, task_)) // its id, and what came
            return false;
        if (frame_.size() == 0)
            throw failure("the server has closed the connection: is it running, with the same --pattern?");
    }
    return true;
}

// An empty message closes the connection of a STREAM.
void bench_client::say_end(std::uint64_t measured) {
    const auto text = type_ == ZMQ_STREAM ? std::string() : concat(end_text, " ", measured);
    const int times = task_.is_over_udp ? ends_over_udp : 1;
    for (int said = 0; said < times && !task_.served; ++said) {
        if (said > 0)
            std::this_thread::sleep_for(between_ends);
        if (!send(text))
            return;
    }
}

// ---- the server

bench_server::bench_server(socket &used, const bench_task &task)
    : used_(used), task_(task), type_(task.pattern->server) {
    set_timeouts(used);
}

bool bench_server::receive() {
    const bool has_address = type_ == ZMQ_ROUTER || type_ == ZMQ_STREAM || type_ == ZMQ_DGRAM;
    for (;;) {
        if ((has_address && !address_.receive(used_, task_)) || !body_.receive(used_, task_) || is_end())
            return false;
        if (!is_notice())
            return true;
    }
}

// What is not to be counted.
bool bench_server::is_notice() {
    return type_ == ZMQ_STREAM ? body_.size() == 0 : body_.text() == begin_text;
}

// The client's connection begins and ends with an empty message of a STREAM.
bool bench_server::is_end() {
    if (type_ == ZMQ_STREAM) {
        if (body_.size() != 0)
            return false;
        if (client_id_.empty()) {
            client_id_ = address_.text();
            return false;
        }
        return client_id_ == address_.text();
    }
    const auto text = body_.text();
    if (!text.starts_with(end_text))
        return false;
    std::uint64_t count = 0;
    const char *number = text.data() + std::min(text.size(), end_text.size() + 1);
    if (std::from_chars(number, text.data() + text.size(), count).ec == std::errc())
        announced_ = count;
    return true;
}

bool bench_server::send_back() {
    const bool has_address = type_ == ZMQ_ROUTER || type_ == ZMQ_STREAM;
    return (!has_address || address_.give(used_, task_, ZMQ_SNDMORE)) && body_.give(used_, task_, 0);
}

} // namespace cli
