// SPDX-License-Identifier: MPL-2.0
// PUSH/PULL: tasks are dealt out to two workers, and their results are collected.
#include <iostream>
#include <thread>
#include <vector>

#include <zlink/zlink.hpp>

int main() {
    zlink::context context;
    zlink::socket tasks(context, zlink::socket_type::push);
    zlink::socket results(context, zlink::socket_type::pull);
    tasks.bind("inproc://tasks");
    results.bind("inproc://results");

    std::vector<std::thread> workers;
    for (int worker = 0; worker != 2; ++worker)
        workers.emplace_back([&context] {
            zlink::socket in(context, zlink::socket_type::pull);
            zlink::socket out(context, zlink::socket_type::push);
            in.connect("inproc://tasks");
            out.connect("inproc://results");
            out.send("ready");
            for (;;) {
                const std::string task = in.receive().to_string();
                if (task.empty())
                    return;
                out.send("done: " + task);
            }
        });

    // Tasks go to the workers that are there, so both have to be.
    (void)results.receive();
    (void)results.receive();
    for (int number = 0; number != 4; ++number)
        tasks.send("task " + std::to_string(number));
    for (int number = 0; number != 4; ++number)
        std::cout << results.receive().text() << "\n";
    // An empty task ends a worker. They are dealt out in turn: each worker gets one.
    tasks.send("");
    tasks.send("");
    for (std::thread &worker : workers)
        worker.join();
}
