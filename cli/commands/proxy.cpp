// SPDX-License-Identifier: MPL-2.0
// zlink proxy: zmq_proxy_steerable between two endpoints.
#include <array>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <poll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <zmq.h>

#include "common/command.hpp"
#include "common/endpoints.hpp"
#include "common/failure.hpp"
#include "common/output.hpp"
#include "common/stop_signal.hpp"
#include "common/text.hpp"

namespace cli {

namespace {

struct proxy_kind {
    const char *name;
    int frontend, backend;
};

constexpr proxy_kind kinds[] = {
    {"queue", ZMQ_ROUTER, ZMQ_DEALER}, {"forwarder", ZMQ_XSUB, ZMQ_XPUB}, {"streamer", ZMQ_PULL, ZMQ_PUSH}};

constexpr const char *own_control = "inproc://zlink-proxy-control";
constexpr int linger_ms = 500;

struct side {
    std::vector<std::string> bound, connected;
    security_options security; // in place of that of all sides

    bool empty() const { return bound.empty() && connected.empty(); }
    endpoint_options on(endpoint_options base) const {
        for (const auto &endpoint : bound)
            base.bind_to(endpoint);
        for (const auto &endpoint : connected)
            base.connect_to(endpoint);
        return base;
    }
};

struct proxy_options {
    std::string kind;
    side frontend, backend, capture, control;
    endpoint_options socket;
    std::optional<double> statistics_s;
};

const proxy_kind &find_kind(const std::string &name) {
    for (const auto &row : kinds)
        if (name == row.name)
            return row;
    throw failure(
        "which kind? queue (requests), forwarder (publish and subscribe) or streamer (push and pull)",
        status_usage);
}

// A side has its own context, so that each has its own authenticator.
class proxy_side {
  public:
    explicit proxy_side(int type) : socket_(context_, type) {}

    void open(const side &place, const endpoint_options &limits) {
        const auto &security = place.security.is_given() ? place.security : limits.security();
        authenticator_ = security.start_authenticator(context_);
        limits.apply(socket_, security);
        socket_.set(ZMQ_LINGER, linger_ms, "ZMQ_LINGER");
        place.on(endpoint_options()).attach(socket_);
    }
    void *handle() const { return socket_.handle(); }
    // What has passed leaves, if a peer takes it soon.
    void close() {
        socket_.close();
        context_.end();
    }

  private:
    context context_;
    std::unique_ptr<zap_server> authenticator_;
    socket socket_;
};

class proxy {
  public:
    proxy(const proxy_options &options, const proxy_kind &kind)
        : options_(options), frontend_(kind.frontend), backend_(kind.backend), capture_(context_, ZMQ_PUB),
          control_(context_, ZMQ_REP), steering_(context_, ZMQ_REQ) {}

    int run() {
        frontend_.open(options_.frontend, options_.socket);
        backend_.open(options_.backend, options_.socket);
        for (auto *one : {&capture_, &control_}) {
            one->set(ZMQ_LINGER, linger_ms, "ZMQ_LINGER");
            options_.socket.security().tls().apply(*one);
        }
        options_.capture.on(endpoint_options()).attach(capture_);
        control_.bind(own_control);
        options_.control.on(endpoint_options()).attach(control_);
        steering_.set(ZMQ_LINGER, 0, "ZMQ_LINGER");
        steering_.connect(own_control);
        note("started");
        forward();
        return status_done;
    }

  private:
    // The proxy has its thread; this one waits for a signal, and steers by the same commands as others.
    void forward() {
        const int ended = eventfd(0, EFD_CLOEXEC);
        std::thread thread([&] {
            zmq_proxy_steerable(frontend_.handle(), backend_.handle(),
                                options_.capture.empty() ? nullptr : capture_.handle(), control_.handle());
            eventfd_write(ended, 1);
        });
        pollfd items[] = {{ended, POLLIN, 0}, {stop_signal::descriptor(), POLLIN, 0}};
        const int pause_ms = options_.statistics_s ? static_cast<int>(*options_.statistics_s * 1000) : -1;
        for (int found = 0; found <= 0 && !stop_signal::came();)
            if (found = poll(items, 2, pause_ms); found == 0)
                tell_statistics();
        if (items[0].revents == 0) {
            tell_statistics();
            ask("TERMINATE");
        } else {
            note("ended by TERMINATE");
        }
        thread.join();
        ::close(ended);
        frontend_.close();
        backend_.close();
    }

    // Without an answer the proxy has ended meanwhile.
    message ask(const char *command) {
        message answer;
        if (!steering_.send({command}))
            return answer;
        zmq_pollitem_t item{steering_.handle(), 0, ZMQ_POLLIN, 0};
        for (int turn = 0; turn < 10 && answer.empty(); ++turn)
            if (zmq_poll(&item, 1, 100) > 0)
                steering_.receive(answer);
        return answer;
    }

    // The eight numbers: messages and bytes into the frontend, out of it, into the backend, out of it.
    void tell_statistics() {
        const auto answer = ask("STATISTICS");
        std::array<std::uint64_t, 8> numbers{};
        if (answer.size() != numbers.size())
            return;
        for (std::size_t index = 0; index < numbers.size(); ++index)
            if (answer[index].size() == sizeof numbers[index])
                std::memcpy(&numbers[index], answer[index].data(), sizeof numbers[index]);
        note(concat("frontend received ", counted(numbers[0], "message"), " (", numbers[1],
                    " B), backend received ", counted(numbers[4], "message"), " (", numbers[5], " B)"));
    }

    const proxy_options &options_;
    proxy_side frontend_, backend_;
    context context_;
    socket capture_, control_, steering_;
};

int run_proxy(const proxy_options &options) {
    const auto &kind = find_kind(options.kind);
    if (options.frontend.empty())
        throw failure("where do messages come in? give --frontend ENDPOINT or --frontend-connect ENDPOINT",
                      status_usage);
    if (options.backend.empty())
        throw failure("where do messages go out? give --backend ENDPOINT or --backend-connect ENDPOINT",
                      status_usage);
    if (options.statistics_s && *options.statistics_s < 0.001)
        throw failure("--statistics is at least 0.001", status_usage);
    return proxy(options, kind).run();
}

void declare_side(arguments &declared, side &target, const std::string &name, const std::string &text) {
    declared.option("--" + name, target.bound, "ENDPOINT", text + ", bound");
    declared.option("--" + name + "-connect", target.connected, "ENDPOINT", text + ", connected");
}

} // namespace

action declare_proxy(arguments &declared) {
    auto options = std::make_shared<proxy_options>();
    declared.option("KIND", options->kind, "queue|forwarder|streamer",
                    "queue: ROUTER and DEALER; forwarder: XSUB and XPUB; streamer: PULL and PUSH");
    declare_side(declared, options->frontend, "frontend", "The side of clients, publishers or PUSH");
    declare_side(declared, options->backend, "backend", "The side of servers, subscribers or PULL");
    declare_side(declared, options->capture, "capture", "A PUB that sends a copy of each message");
    declare_side(declared, options->control, "control",
                 "A REP that takes PAUSE, RESUME, STATISTICS and TERMINATE");
    declared.option("--statistics", options->statistics_s, "SECONDS",
                    "Print so often what has passed; without it at the end only");
    options->socket.declare_limits(declared);
    declared.group("Security of the frontend, in place of that above");
    options->frontend.security.declare(declared, "frontend-");
    declared.group("Security of the backend, in place of that above");
    options->backend.security.declare(declared, "backend-");
    return [options] {
        stop_signal::install();
        return run_proxy(*options);
    };
}

} // namespace cli
