// SPDX-License-Identifier: MPL-2.0
// zlink proxy: zmq_proxy_steerable between two endpoints.
#include <array>
#include <cstring>
#include <exception>
#include <memory>
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

struct side {
    std::vector<std::string> bound, connected;

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
};

const proxy_kind &find_kind(const std::string &name) {
    for (const auto &row : kinds)
        if (name == row.name)
            return row;
    throw failure(
        "which kind? queue (requests), forwarder (publish and subscribe) or streamer (push and pull)",
        status_usage);
}

class proxy {
  public:
    proxy(const proxy_options &options, const proxy_kind &kind)
        : options_(options), frontend_(context_, kind.frontend), backend_(context_, kind.backend),
          capture_(context_, ZMQ_PUB), control_(context_, ZMQ_REP), steering_(context_, ZMQ_REQ) {}

    int run() {
        authenticator_ = options_.socket.security().start_authenticator(context_);
        for (auto *one : {&frontend_, &backend_, &capture_, &control_})
            one->set(ZMQ_LINGER, 500, "ZMQ_LINGER");
        for (auto *one : {&frontend_, &backend_})
            options_.socket.apply(*one);
        options_.frontend.on(endpoint_options()).attach(frontend_);
        options_.backend.on(endpoint_options()).attach(backend_);
        options_.capture.on(endpoint_options()).attach(capture_);
        control_.bind(own_control);
        options_.control.on(endpoint_options()).attach(control_);
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
        while (poll(items, 2, -1) < 0 && errno == EINTR) {
        }
        if (items[0].revents == 0) {
            steering_.connect(own_control);
            tell_statistics();
            ask("TERMINATE");
        } else {
            note("ended by TERMINATE");
        }
        thread.join();
        close(ended);
    }

    // Without an answer the proxy has ended meanwhile.
    message ask(const char *command) {
        message answer;
        steering_.set(ZMQ_LINGER, 0, "ZMQ_LINGER");
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
    context context_;
    std::unique_ptr<zap_server> authenticator_;
    socket frontend_, backend_, capture_, control_, steering_;
};

int run_proxy(const proxy_options &options) {
    const auto &kind = find_kind(options.kind);
    if (options.frontend.empty())
        throw failure("where do messages come in? give --frontend ENDPOINT or --frontend-connect ENDPOINT",
                      status_usage);
    if (options.backend.empty())
        throw failure("where do messages go out? give --backend ENDPOINT or --backend-connect ENDPOINT",
                      status_usage);
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
    options->socket.declare_limits(declared);
    return [options] {
        stop_signal::install();
        return run_proxy(*options);
    };
}

} // namespace cli
