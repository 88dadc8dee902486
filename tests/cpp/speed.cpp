// SPDX-License-Identifier: MPL-2.0
// Measures the operations of zlink/asio.hpp: receives of waiting messages, round trips beside blocking ones,
// and many coroutines that wait at one socket. It prints one line for each.
// Usage: cpp_speed
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>

#include "support.hpp"

namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;
using socket = net::use_awaitable_t<>::as_default_on_t<zlink::asio::socket>;
using plain_executor = net::io_context::executor_type;
using plain_socket = zlink::asio::basic_socket<plain_executor>;

std::size_t allocations = 0;

double seconds_since(clock_type::time_point start) {
    return std::chrono::duration<double>(clock_type::now() - start).count();
}

constexpr std::size_t batch = 1000;

template <class Receive> void measure_receives(const char *name, Receive &&receive_batch) {
    zlink::context context;
    net::io_context io(1);
    double best = 0;
    std::size_t allocated = 0;
    for (int run = 0; run != 5; ++run) {
        constexpr std::size_t rounds = 500;
        double total = 0;
        allocated = 0;
        zlink::socket sender(context, zlink::socket_type::pair);
        zlink::socket receiver(context, zlink::socket_type::pair);
        receiver.set(zlink::opt::receive_hwm, 0);
        receiver.bind("inproc://speed");
        sender.connect("inproc://speed");
        receive_batch(
            io, context, std::move(receiver),
            [&](std::size_t round) {
                if (round == rounds)
                    return false;
                const char body[64] = {};
                for (std::size_t i = 0; i != batch; ++i)
                    sender.send(zlink::bytes_view(body, sizeof(body)));
                return true;
            },
            [&](double seconds, std::size_t count) {
                total += seconds;
                allocated += count;
            });
        best = std::max(best, rounds * batch / total);
    }
    std::printf("%-52s %6.2f M/s, %zu allocations in 500,000\n", name, best / 1e6, allocated);
}

template <class Socket, class Fill, class Note, class Token>
net::awaitable<void> receive_all(Socket one, Fill fill, Note note, Token token) {
    zlink::message frame;
    for (std::size_t round = 0; fill(round); ++round) {
        const auto start = clock_type::now();
        const std::size_t before = allocations;
        for (std::size_t i = 0; i != batch; ++i)
            co_await one.async_receive(frame, token);
        note(seconds_since(start), round == 0 ? 0 : allocations - before);
    }
}

template <class Socket, class Fill, class Note>
net::awaitable<void> receive_values(Socket one, Fill fill, Note note) {
    for (std::size_t round = 0; fill(round); ++round) {
        const auto start = clock_type::now();
        const std::size_t before = allocations;
        for (std::size_t i = 0; i != batch; ++i) {
            const zlink::message frame = co_await one.async_receive(net::use_awaitable);
            (void)frame;
        }
        note(seconds_since(start), round == 0 ? 0 : allocations - before);
    }
}

void measure_all_receives() {
    measure_receives("receive, blocking interface, into a message",
                     [](auto &, auto &, auto &&receiver, auto fill, auto note) {
                         zlink::message frame;
                         for (std::size_t round = 0; fill(round); ++round) {
                             const auto start = clock_type::now();
                             const std::size_t before = allocations;
                             for (std::size_t i = 0; i != batch; ++i)
                                 receiver.receive(frame);
                             note(seconds_since(start), round == 0 ? 0 : allocations - before);
                         }
                     });
    const auto run = [](auto &io, auto work) {
        net::co_spawn(io, std::move(work), rethrow);
        io.restart();
        io.run();
    };
    measure_receives("co_await async_receive(message, use_awaitable)",
                     [&](auto &io, auto &context, auto &&receiver, auto fill, auto note) {
                         run(io,
                             receive_all(zlink::asio::socket(io.get_executor(), context, std::move(receiver)),
                                         fill, note, net::use_awaitable));
                     });
    measure_receives("the same, socket with the executor of io_context",
                     [&](auto &io, auto &context, auto &&receiver, auto fill, auto note) {
                         run(io, receive_all(plain_socket(io.get_executor(), context, std::move(receiver)),
                                             fill, note, net::use_awaitable));
                     });
#if !defined(ZLINK_ASIO_STANDALONE) // Asio 1.22 cannot co_await a deferred operation
    measure_receives("the same with deferred",
                     [&](auto &io, auto &context, auto &&receiver, auto fill, auto note) {
                         run(io, receive_all(plain_socket(io.get_executor(), context, std::move(receiver)),
                                             fill, note, deferred));
                     });
#endif
    measure_receives("co_await async_receive(use_awaitable), by value", [&](auto &io, auto &context,
                                                                            auto &&receiver, auto fill,
                                                                            auto note) {
        run(io,
            receive_values(zlink::asio::socket(io.get_executor(), context, std::move(receiver)), fill, note));
    });
}

constexpr std::size_t trips = 20000;

net::awaitable<void> answer(zlink::asio::socket one) {
    zlink::message frame;
    for (;;) {
        co_await one.async_receive(frame, net::use_awaitable);
        const bool last = frame.empty();
        co_await one.async_send(std::move(frame), net::use_awaitable);
        if (last)
            co_return;
    }
}

net::awaitable<void> ask(zlink::asio::socket one, std::vector<double> &times) {
    zlink::message frame;
    const char body[64] = {};
    for (std::size_t i = 0; i != trips; ++i) {
        const auto start = clock_type::now();
        co_await one.async_send(zlink::bytes_view(body, sizeof(body)), net::use_awaitable);
        co_await one.async_receive(frame, net::use_awaitable);
        times.push_back(seconds_since(start));
    }
    co_await one.async_send("", net::use_awaitable);
    co_await one.async_receive(frame, net::use_awaitable);
}

double median_us(std::vector<double> &times) {
    std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size() / 2), times.end());
    return times[times.size() / 2] * 1e6;
}

double blocking_trip_us(zlink::socket client, zlink::socket server) {
    std::thread other([&] {
        for (bool last = false; !last;) {
            zlink::message frame = server.receive();
            last = frame.empty();
            server.send(std::move(frame));
        }
    });
    std::vector<double> times;
    const char body[64] = {};
    zlink::message frame;
    for (std::size_t i = 0; i != trips; ++i) {
        const auto start = clock_type::now();
        client.send(zlink::bytes_view(body, sizeof(body)));
        client.receive(frame);
        times.push_back(seconds_since(start));
    }
    client.send("");
    client.receive(frame);
    other.join();
    return median_us(times);
}

double async_trip_us(zlink::context &context, zlink::socket client, zlink::socket server,
                     std::chrono::microseconds spin) {
    net::io_context here(1), there(1);
    std::vector<double> times;
    zlink::asio::socket asks(here.get_executor(), context, std::move(client));
    zlink::asio::socket answers(there.get_executor(), context, std::move(server));
    asks.set_spin(spin);
    answers.set_spin(spin);
    net::co_spawn(there, answer(std::move(answers)), rethrow);
    net::co_spawn(here, ask(std::move(asks), times), rethrow);
    std::thread other([&] { there.run(); });
    here.run();
    other.join();
    return median_us(times);
}

void measure_round_trips() {
    for (const std::string endpoint : {"inproc://trips", "tcp://127.0.0.1:*", "ipc://*"}) {
        double us[3] = {};
        for (const int way : {0, 1, 2}) {
            zlink::context context;
            zlink::socket server(context, zlink::socket_type::rep), client(context, zlink::socket_type::req);
            server.bind(endpoint);
            client.connect(server.last_endpoint());
            us[way] = way == 0 ? blocking_trip_us(std::move(client), std::move(server))
                               : async_trip_us(context, std::move(client), std::move(server),
                                               way == 1 ? 0us : 50us);
        }
        std::printf("round trip, %-20s blocking %6.2f us, coroutines %6.2f us (%.2f times), with a spin of "
                    "50 us %6.2f us (%.2f times)\n",
                    endpoint.c_str(), us[0], us[1], us[1] / us[0], us[2], us[2] / us[0]);
    }
}

void measure_many_coroutines() {
    zlink::context context;
    net::io_context io(1);
    zlink::asio::socket receiver(io, context, zlink::socket_type::pull);
    zlink::socket sender(context, zlink::socket_type::push);
    receiver.bind("inproc://many");
    sender.connect("inproc://many");
    std::size_t woken = 0;
    constexpr std::size_t coroutines = 1000, rounds = 100;
    for (std::size_t i = 0; i != coroutines; ++i)
        net::co_spawn(
            io,
            [&]() -> net::awaitable<void> {
                zlink::message frame;
                for (std::size_t round = 0; round != rounds; ++round) {
                    co_await receiver.async_receive(frame, net::use_awaitable);
                    ++woken;
                }
            },
            rethrow);
    io.poll();
    const auto start = clock_type::now();
    for (std::size_t round = 0; round != rounds; ++round) {
        for (std::size_t i = 0; i != coroutines; ++i)
            sender.send("message");
        io.restart();
        io.poll();
    }
    std::printf("1,000 coroutines at one socket: %.2f M messages/s, %zu wake-ups for %zu messages\n",
                static_cast<double>(woken) / seconds_since(start) / 1e6, woken, coroutines * rounds);
}

} // namespace

// Not inlined: GCC 12 would report that free() does not match.
[[gnu::noinline]] void *operator new(std::size_t size_bytes) {
    ++allocations;
    if (void *memory = std::malloc(size_bytes))
        return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void *memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void *memory, std::size_t) noexcept {
    std::free(memory);
}

int main() {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    measure_all_receives();
    measure_round_trips();
    measure_many_coroutines();
}
