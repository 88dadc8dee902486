// SPDX-License-Identifier: MPL-2.0
//
// A job that uses cppzmq as programs do. Its words on stdout are the same on every libzmq. With
// ZMQ_BUILD_DRAFT_API (cppzmq_drafts) only what needs the draft interface; Debian's libzmq is built without
// it.
#include "library.h"

#include <array>
#include <chrono>
#include <cstring>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>
#include <zmq.hpp>
#include <zmq_addon.hpp>

namespace {

using namespace std::chrono_literals;
using zmq::socket_type;

constexpr int patience_ms = 5000;
constexpr int quiet_ms = 200;

zmq::socket_t open(zmq::context_t &context, socket_type type) {
    zmq::socket_t socket(context, type);
    socket.set(zmq::sockopt::rcvtimeo, patience_ms);
    socket.set(zmq::sockopt::sndtimeo, patience_ms);
    return socket;
}

struct sockets {
    zmq::socket_t bound;
    zmq::socket_t connected;

    sockets(zmq::context_t &context, socket_type first, socket_type second)
        : bound(open(context, first)), connected(open(context, second)) {}
    void join() {
        bound.bind("tcp://127.0.0.1:*");
        connected.connect(bound.get(zmq::sockopt::last_endpoint));
    }
};

std::string receive(zmq::socket_ref socket) {
    zmq::message_t message;
    return socket.recv(message) ? message.to_string() : "nothing";
}

#ifndef ZMQ_BUILD_DRAFT_API

void examples(zmq::context_t &context) {
    zmq::socket_t hello = open(context, socket_type::push);
    hello.bind("inproc://test");
    std::cout << "hello: sent "
              << hello.send(zmq::str_buffer("Hello, world"), zmq::send_flags::dontwait).has_value() << '\n';
    zmq::socket_t world = open(context, socket_type::pull);
    world.connect("inproc://test");
    hello.send(zmq::str_buffer("Hello, world"));
    std::cout << "hello: " << receive(world) << '\n';
    sockets parts(context, socket_type::push, socket_type::pull);
    parts.join();
    const std::array<zmq::const_buffer, 2> sent{zmq::str_buffer("foo"), zmq::str_buffer("bar!")};
    zmq::send_multipart(parts.bound, sent);
    std::vector<zmq::message_t> received;
    std::cout << "multipart: " << *zmq::recv_multipart(parts.connected, std::back_inserter(received));
    std::cout << ' ' << received.at(0).str() << ' ' << received.at(1).to_string_view() << '\n';
}

void read_envelopes(zmq::context_t &context, const std::vector<std::string> &topics, const char *name,
                    std::promise<void> ready) {
    zmq::socket_t subscriber = open(context, socket_type::sub);
    subscriber.connect("inproc://publisher");
    for (const auto &topic : topics)
        subscriber.set(zmq::sockopt::subscribe, topic);
    ready.set_value();
    std::string all;
    for (std::size_t i = 0; i < 2 * topics.size(); i++) {
        std::vector<zmq::message_t> parts;
        if (zmq::recv_multipart(subscriber, std::back_inserter(parts)))
            all += " [" + parts.at(0).to_string() + "] " + parts.at(1).to_string();
    }
    static std::mutex writing;
    const std::lock_guard lock(writing);
    std::cout << name << all << '\n';
}

void envelopes(zmq::context_t &context) {
    zmq::socket_t publisher = open(context, socket_type::xpub);
    publisher.bind("inproc://publisher");
    for (const auto &topics : {std::vector<std::string>{"A", "B"}, {"B", "C", "D"}}) {
        std::promise<void> promise;
        auto ready = promise.get_future();
        std::thread reader(read_envelopes, std::ref(context), topics, "subscriber:", std::move(promise));
        ready.get();
        for (const auto &topic : topics) {
            const auto subscription = receive(publisher);
            std::cout << "subscription " << int(subscription.at(0)) << ' ' << topic << '\n';
        }
        for (int round = 0; round < 2; round++) {
            for (const char *topic : {"A", "B", "C", "D"}) {
                publisher.send(zmq::buffer(topic, 1), zmq::send_flags::sndmore);
                publisher.send(zmq::message_t(std::string("round ") + std::to_string(round)),
                               zmq::send_flags::none);
            }
        }
        reader.join();
        for (std::size_t i = 0; i < topics.size(); i++)
            std::cout << "unsubscription " << int(receive(publisher).at(0)) << '\n';
    }
}

void messages(zmq::context_t &context) {
    int freed = 0;
    sockets ends(context, socket_type::pair, socket_type::pair);
    ends.join();
    static std::string large(100000, 'l');
    {
        zmq::message_t lent(
            large.data(), large.size(), [](void *, void *hint) { ++*static_cast<int *>(hint); }, &freed);
        ends.connected.send(lent, zmq::send_flags::none);
        zmq::message_t answer;
        const auto size = ends.bound.recv(answer);
        std::cout << "lent: " << *size << " same " << (answer.to_string_view() == large) << '\n';
        zmq::message_t copy;
        copy.copy(answer);
        answer.rebuild("other", 5);
        zmq::message_t moved = std::move(copy);
        std::cout << "copy: " << moved.size() << ", " << copy.size() << ", " << answer << ", equal "
                  << (moved == answer) << '\n';
        std::cout << "peer: " << zmq::message_t().empty() << ' ' << std::strlen(moved.gets("Socket-Type"))
                  << '\n';
    }
    zmq::multipart_t parts;
    parts.addstr("last");
    parts.pushstr("first");
    parts.addtyp<int>(42);
    parts.add(zmq::message_t());
    const auto kept = parts.clone();
    const auto encoded = parts.encode();
    std::cout << "multipart: " << parts.size() << ", encoded " << encoded.size() << ", back "
              << (zmq::multipart_t::decode(encoded) == kept) << '\n'
              << kept.str() << '\n';
    parts.send(ends.bound);
    zmq::multipart_t received(ends.connected);
    std::cout << received.popstr() << ' ' << received.popstr() << ' ' << received.poptyp<int>() << ' '
              << received.size() << '\n';
    std::array<char, 3> small{};
    ends.bound.send(zmq::str_buffer("truncated"));
    const auto cut = ends.connected.recv(zmq::buffer(small));
    std::cout << "into a buffer: " << cut->size << " of " << cut->untruncated_size << '\n';
}

void errors(zmq::context_t &context) {
    const auto attempt = [](const char *what, auto call) {
        try {
            call();
            std::cout << what << ": allowed\n";
        } catch (const zmq::error_t &problem) {
            std::cout << what << ": " << problem.num() << ' ' << problem.what() << '\n';
        }
    };
    zmq::socket_t request = open(context, socket_type::req);
    attempt("receive before send", [&] { receive(request); });
    attempt("unknown transport", [&] { request.connect("nonsense://x"); });
    attempt("bad option", [&] { request.set(zmq::sockopt::reconnect_ivl_max, -5); });
    attempt("nobody bound", [&] { request.unbind("tcp://127.0.0.1:1"); });
    sockets router(context, socket_type::router, socket_type::dealer);
    router.bound.set(zmq::sockopt::router_mandatory, true);
    attempt("unroutable", [&] { router.bound.send(zmq::str_buffer("nobody"), zmq::send_flags::sndmore); });
    zmq::socket_t none;
    attempt("no socket", [&] { none.send(zmq::str_buffer("x")); });
    std::cout
        << "no message: "
        << router.connected.recv(*std::make_unique<zmq::message_t>(), zmq::recv_flags::dontwait).has_value()
        << '\n';
}

void polling(zmq::context_t &context) {
    sockets ends(context, socket_type::rep, socket_type::req);
    ends.join();
    std::vector<zmq::pollitem_t> items{{ends.bound, 0, ZMQ_POLLIN, 0},
                                       {ends.connected, 0, ZMQ_POLLIN | ZMQ_POLLOUT, 0}};
    const auto show = [&](int ready) {
        std::cout << "poll: " << ready << ' ' << items[0].revents << ' ' << items[1].revents << '\n';
    };
    show(zmq::poll(items, std::chrono::milliseconds(patience_ms)));
    ends.connected.send(zmq::str_buffer("question"));
    show(zmq::poll(items, std::chrono::milliseconds(patience_ms)));
    std::cout << receive(ends.bound) << '\n';
    show(zmq::poll(items, 20ms));
    ends.bound.send(zmq::str_buffer("answer"));
    show(zmq::poll(items, std::chrono::milliseconds(patience_ms)));
    std::cout << receive(ends.connected) << '\n';
}

class teller final : public zmq::monitor_t {
  public:
    int events = 0;

  private:
    void on_monitor_started() override { std::cout << "monitor: started\n"; }
    void on_event_listening(const zmq_event_t &, const char *address) override { tell("listening", address); }
    void on_event_accepted(const zmq_event_t &, const char *address) override { tell("accepted", address); }
    void on_event_handshake_succeeded(const zmq_event_t &, const char *address) override {
        tell("shaken hands", address);
    }
    void on_event_disconnected(const zmq_event_t &, const char *address) override {
        tell("disconnected", address);
    }
    void on_event_closed(const zmq_event_t &, const char *address) override { tell("closed", address); }
    void on_event_unknown(const zmq_event_t &event, const char *address) override {
        tell(std::to_string(event.event).c_str(), address);
    }
    void tell(const char *what, const char *address) {
        std::cout << "monitor: " << what << ' ' << std::string(address).substr(0, 15) << '\n';
        ++events;
    }
};

void monitoring(zmq::context_t &context) {
    sockets ends(context, socket_type::router, socket_type::dealer);
    teller watcher;
    watcher.init(ends.bound, "inproc://events");
    ends.join();
    ends.connected.send(zmq::str_buffer("x"));
    std::cout << "routing id of " << receive(ends.bound).size() << '\n';
    for (int turn = 0; turn < 100 && watcher.events < 3; turn++)
        watcher.check_event(50);
    ends.connected.close();
    for (int turn = 0; turn < 100 && watcher.events < 4; turn++)
        watcher.check_event(50);
    std::cout << "monitor: " << watcher.events << " events, more " << watcher.check_event(quiet_ms) << '\n';
}

void proxies(zmq::context_t &context) {
    zmq::socket_t front = open(context, socket_type::router), back = open(context, socket_type::dealer);
    zmq::socket_t control = open(context, socket_type::pair), steering = open(context, socket_type::pair);
    zmq::socket_t capture = open(context, socket_type::push), captured = open(context, socket_type::pull);
    front.bind("inproc://front");
    back.bind("inproc://back");
    control.bind("inproc://control");
    steering.connect("inproc://control");
    capture.bind("inproc://capture");
    captured.connect("inproc://capture");
    for (zmq::socket_t *socket : {&front, &back, &control})
        socket->set(zmq::sockopt::rcvtimeo, -1);
    std::thread broker([&] { zmq::proxy_steerable(zmq::socket_ref(front), back, capture, control); });
    std::thread worker([&] {
        zmq::socket_t reply = open(context, socket_type::rep);
        reply.connect("inproc://back");
        for (int i = 0; i < 2; i++)
            reply.send(zmq::message_t(receive(reply) + "!"), zmq::send_flags::none);
    });
    zmq::socket_t request = open(context, socket_type::req);
    request.connect("inproc://front");
    for (const char *text : {"one", "two"}) {
        request.send(zmq::message_t(std::string(text)), zmq::send_flags::none);
        std::cout << "proxy: " << receive(request) << '\n';
    }
    worker.join();
    steering.send(zmq::str_buffer("STATISTICS"));
    zmq::multipart_t statistics(steering);
    std::cout << "statistics:";
    while (!statistics.empty())
        std::cout << ' ' << statistics.poptyp<std::uint64_t>();
    std::cout << '\n';
    steering.send(zmq::str_buffer("TERMINATE"));
    broker.join();
    zmq::multipart_t copy(captured);
    std::cout << "captured: " << copy.size() << " frames, " << copy.back().to_string() << '\n';
}

void plain_and_curve(zmq::context_t &context) {
    std::array<char, 41> server_public{}, server_secret{}, client_public{}, client_secret{};
    zmq_curve_keypair(server_public.data(), server_secret.data());
    zmq_curve_keypair(client_public.data(), client_secret.data());
    for (const bool right : {true, false}) {
        sockets ends(context, socket_type::rep, socket_type::req);
        ends.bound.set(zmq::sockopt::curve_server, true);
        ends.bound.set(zmq::sockopt::curve_secretkey, server_secret.data());
        ends.connected.set(zmq::sockopt::curve_serverkey,
                           right ? server_public.data() : client_public.data());
        ends.connected.set(zmq::sockopt::curve_publickey, client_public.data());
        ends.connected.set(zmq::sockopt::curve_secretkey, client_secret.data());
        ends.connected.set(zmq::sockopt::linger, 0);
        ends.join();
        ends.bound.set(zmq::sockopt::rcvtimeo, right ? patience_ms : quiet_ms);
        ends.connected.send(zmq::str_buffer("sealed"),
                            zmq::send_flags::dontwait); // the refused has nowhere to send
        std::cout << "curve: " << receive(ends.bound) << ", mechanism "
                  << ends.connected.get(zmq::sockopt::mechanism) << '\n';
    }
    sockets ends(context, socket_type::pull, socket_type::push);
    ends.bound.set(zmq::sockopt::plain_server, true);
    ends.connected.set(zmq::sockopt::plain_username, "user");
    ends.connected.set(zmq::sockopt::plain_password, "password");
    ends.connected.set(zmq::sockopt::linger, 0);
    ends.join();
    ends.bound.set(zmq::sockopt::rcvtimeo, quiet_ms);
    ends.connected.send(zmq::str_buffer("x"), zmq::send_flags::dontwait);
    std::cout << "plain without anybody who knows passwords: " << receive(ends.bound) << '\n';
}

void shutting_down() {
    zmq::context_t context;
    auto waiter = std::async(std::launch::async, [&] {
        try {
            zmq::socket_t socket(context, socket_type::pull);
            receive(socket);
        } catch (const zmq::error_t &problem) {
            return problem.num() == ETERM;
        }
        return false;
    });
    context.shutdown();
    std::cout << "shut down: ETERM " << waiter.get() << '\n';
}

void all(zmq::context_t &context) {
    examples(context);
    envelopes(context);
    messages(context);
    errors(context);
    polling(context);
    monitoring(context);
    proxies(context);
    plain_and_curve(context);
    shutting_down();
}

#else

void pollers(zmq::context_t &context) {
    sockets first(context, socket_type::pull, socket_type::push),
        second(context, socket_type::pull, socket_type::push);
    first.join();
    second.join();
    std::string first_name = "first", second_name = "second";
    zmq::poller_t<std::string> poller;
    poller.add(first.bound, zmq::event_flags::pollin, &first_name);
    poller.add(second.bound, zmq::event_flags::pollin, &second_name);
    std::vector<zmq::poller_event<std::string>> events(2);
    std::cout << "poller: quiet " << poller.wait_all(events, 20ms) << '\n';
    second.connected.send(zmq::str_buffer("x"));
    const auto count = poller.wait_all(events, std::chrono::milliseconds(patience_ms));
    std::cout << "poller: " << count << ' ' << *events[0].user_data << '\n';
    poller.modify(second.bound, zmq::event_flags::none);
    std::cout << "poller: not asked " << poller.wait_all(events, 20ms) << '\n';
    poller.remove(second.bound);
    zmq::active_poller_t active;
    std::string heard;
    active.add(first.bound, zmq::event_flags::pollin,
               [&](zmq::event_flags) { heard += " first:" + receive(first.bound); });
    active.add(second.bound, zmq::event_flags::pollin,
               [&](zmq::event_flags) { heard += " second:" + receive(second.bound); });
    std::cout << "active poller: " << active.size() << " sockets, "
              << active.wait(std::chrono::milliseconds(patience_ms)) << heard << '\n';
    active.remove(second.bound);
    first.connected.send(zmq::str_buffer("y"));
    std::cout << "active poller: " << active.wait(std::chrono::milliseconds(patience_ms)) << heard << '\n';
}

void draft_types(zmq::context_t &context) {
    sockets ends(context, socket_type::server, socket_type::client);
    ends.join();
    ends.connected.send(zmq::str_buffer("question"));
    zmq::message_t question;
    (void)ends.bound.recv(question);
    zmq::message_t answer(question.to_string() + " answered");
    answer.set_routing_id(question.routing_id());
    ends.bound.send(answer, zmq::send_flags::none);
    std::cout << "server: " << receive(ends.connected) << '\n';
    sockets radio(context, socket_type::dish, socket_type::radio);
    radio.bound.join("group");
    radio.join();
    zmq::poller_t<> poller;
    poller.add(radio.bound, zmq::event_flags::pollin);
    std::vector<zmq::poller_event<>> events(1);
    do {
        zmq::message_t call(std::string("called"));
        call.set_group("group");
        radio.connected.send(call, zmq::send_flags::none);
    } while (poller.wait_all(events, 20ms) == 0);
    zmq::message_t heard;
    (void)radio.bound.recv(heard);
    std::cout << "radio: " << heard.group() << ' ' << heard.to_string() << '\n';
}

void all(zmq::context_t &context) {
    pollers(context);
    draft_types(context);
}

#endif

} // namespace

int main() {
    std::cout << std::unitbuf;
    tell_library();
    zmq::context_t context;
    all(context);
}
