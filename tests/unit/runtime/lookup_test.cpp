// SPDX-License-Identifier: MPL-2.0
#include "runtime/lookup.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <list>
#include <mutex>
#include <netdb.h>
#include <thread>

namespace {

// A name server that does not answer until it is released.
struct silent_server {
    std::mutex guard;
    std::condition_variable changed;
    bool released = false;
    std::size_t asking = 0;
    std::size_t most_asking = 0;
    std::size_t asked = 0;

    void ask() {
        std::unique_lock lock(guard);
        ++asked;
        most_asking = std::max(most_asking, ++asking);
        changed.notify_all();
        changed.wait(lock, [&] { return released; });
        --asking;
    }
    bool wait_for_askers(std::size_t count) {
        std::unique_lock lock(guard);
        return changed.wait_for(lock, std::chrono::seconds(30), [&] { return asking >= count; });
    }
    void release() {
        std::lock_guard lock(guard);
        released = true;
        changed.notify_all();
    }
};
silent_server server;

} // namespace

// Takes the place of the C library's function in this program.
extern "C" int getaddrinfo(const char *, const char *, const addrinfo *, addrinfo **found) {
    server.ask();
    *found = nullptr;
    return EAI_NONAME;
}

namespace zlink::runtime {
namespace {

TEST(lookup, has_a_bounded_number_of_threads_and_answers_every_question) {
    constexpr std::size_t questions = 3 * lookup::most_threads;
    boost::asio::io_context context;
    const auto work = boost::asio::make_work_guard(context);
    std::list<lookup> lookups;
    std::size_t answers = 0;
    for (std::size_t count = 0; count < questions; ++count)
        ASSERT_TRUE(lookups.emplace_back().start(context, "name", "1", AF_UNSPEC,
                                                 [&](const addrinfo *found, int failure) {
                                                     EXPECT_EQ(found, nullptr);
                                                     EXPECT_EQ(failure, EAI_NONAME);
                                                     ++answers;
                                                 }));
    ASSERT_TRUE(server.wait_for_askers(lookup::most_threads));
    lookups.pop_back(); // it waits in the queue: nobody is asked
    server.release();
    while (answers < questions - 1)
        ASSERT_EQ(context.run_one_for(std::chrono::seconds(30)), 1U) << answers;
    EXPECT_EQ(server.most_asking, lookup::most_threads);
    EXPECT_EQ(server.asked, questions - 1);
    EXPECT_EQ(answers, questions - 1);
}

} // namespace
} // namespace zlink::runtime
