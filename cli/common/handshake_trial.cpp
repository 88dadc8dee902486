// SPDX-License-Identifier: MPL-2.0
#include "common/handshake_trial.hpp"

#include <cerrno>
#include <cstring>
#include <zlink/options.h>
#include <zmq.h>

#include "common/clock.hpp"
#include "common/failure.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

// ZMQ_PROTOCOL_ERROR_...
constexpr std::uint32_t unspecified = 0x10000000, invalid_metadata = 0x10000018,
                        mechanisms_differ = 0x11000002, no_websocket = 0x30000000;

constexpr int last_events = ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH |
                            ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL |
                            ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED;

handshake_news read_event(const message &frames) {
    handshake_news news;
    if (frames[0].size() < 6)
        return news;
    std::uint16_t event = 0;
    std::memcpy(&event, frames[0].data(), sizeof event);
    std::memcpy(&news.value, frames[0].data() + sizeof event, sizeof news.value);
    news.event = event;
    return news;
}

struct advice_row {
    std::uint32_t value;
    const char *text;
};

constexpr advice_row handshake_advices[] = {
    {ZLINK_TLS_FAILED_PROTOCOL, "does the peer speak TLS? tcp:// and ws:// do not"},
    {ZLINK_TLS_FAILED_HOSTNAME, "--tls-hostname gives the name in its certificate"},
    {ZLINK_TLS_FAILED_UNTRUSTED, "--tls-ca names its authority, --tls-insecure trusts everybody"},
    {ZLINK_TLS_FAILED_NO_CERT, "give --tls-cert and --tls-key"},
    {EPIPE, "is it of this transport, and does it accept this address?"},
    {ECONNRESET, "is it of this transport, and does it accept this address?"},
    {EACCES, "does the peer want another certificate (--tls-cert, --tls-key)?"},
    {ZLINK_TLS_FAILED_REFUSED, "does the peer want a certificate (--tls-cert, --tls-key)?"},
};

// Values of the library have a text; those of a protocol do not.
std::string reason_of(std::uint32_t value) {
    if (value == no_websocket)
        return "no WebSocket of ZMTP with this path and mechanism: is the path right, and does the peer want "
               "CURVE or PLAIN?";
    if (value == mechanisms_differ)
        return "the mechanisms differ: does the peer want CURVE or PLAIN, or is it without?";
    if (value >= unspecified)
        return concat("the peer breaks the protocol, or refuses (error 0x", std::hex, value, ")");
    std::string text = zmq_strerror(static_cast<int>(value));
    for (const auto &row : handshake_advices)
        if (row.value == value)
            text += concat("; ", row.text);
    return text;
}

} // namespace

bool handshake_news::succeeded() const {
    return event == ZMQ_EVENT_HANDSHAKE_SUCCEEDED;
}

bool handshake_news::is_the_type() const {
    return event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL && value == invalid_metadata;
}

bool handshake_news::may_be_the_type() const {
    if (connected_ns == 0)
        return false;
    if (event == ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL)
        return value == invalid_metadata || value == unspecified;
    if (event == ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL)
        return value == EPIPE || value == ECONNRESET || value == EPROTO;
    return event == ZMQ_EVENT_DISCONNECTED;
}

std::string handshake_news::explanation(double timeout_seconds) const {
    if (event == 0 && connected_ns == 0)
        return concat("no answer to TLS or WebSocket within ", timeout_seconds,
                      " s: is it of this transport? \"zlink ping tcp://...\" tells whether it is tcp");
    if (event == 0)
        return concat("no handshake within ", timeout_seconds, " s: it is no ZMTP, or its process hangs");
    if (event == ZMQ_EVENT_CLOSED || event == ZMQ_EVENT_DISCONNECTED)
        return "the connection was lost before the handshake was over: is it of this transport?";
    if (event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH && value < 1000)
        return "the peer's authenticator does not allow this peer: are its key or its password in the list?";
    return "the handshake failed: " + reason_of(value);
}

handshake_news try_handshake(int type, const std::string &endpoint, double timeout_seconds,
                             const std::function<void(socket &)> &prepare) {
    context owner;
    socket probe(owner, type), monitor(owner, ZMQ_PAIR);
    prepare(probe);
    probe.set(ZMQ_LINGER, 0, "ZMQ_LINGER");
    probe.set(ZMQ_RECONNECT_IVL, -1, "ZMQ_RECONNECT_IVL");
    if (zmq_socket_monitor(probe.handle(), "inproc://monitor", ZMQ_EVENT_CONNECTED | last_events) != 0)
        fail_with_errno("watch the socket");
    monitor.connect("inproc://monitor");
    const auto begin = now_ns();
    probe.connect(endpoint);
    const auto deadline = begin + seconds_to_ns(timeout_seconds);
    handshake_news news;
    message frames;
    while (!stop_signal::came() && now_ns() < deadline) {
        zmq_pollitem_t items[] = {{monitor.handle(), 0, ZMQ_POLLIN, 0},
                                  {nullptr, stop_signal::descriptor(), ZMQ_POLLIN, 0}};
        zmq_poll(items, 2, until_ms(deadline, now_ns()));
        if (!monitor.receive(frames))
            continue;
        const auto now = now_ns();
        const auto connected_ns = news.connected_ns;
        news = read_event(frames);
        news.connected_ns = news.event == ZMQ_EVENT_CONNECTED ? now - begin : connected_ns;
        news.took_ns = now - begin;
        if ((news.event & last_events) != 0)
            return news;
        news.event = 0;
    }
    if (stop_signal::came())
        throw failure("stopped", 128 + stop_signal::number());
    return news;
}

} // namespace cli
