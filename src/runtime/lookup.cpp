// SPDX-License-Identifier: MPL-2.0
#include "runtime/lookup.hpp"

#include <boost/asio/post.hpp>
#include <deque>
#include <exception>
#include <mutex>
#include <netdb.h>
#include <new>
#include <sys/socket.h>
#include <thread>

#include "base/fork.hpp"
#include "base/lasting.hpp"
#include "runtime/handler_slot.hpp"
#include "runtime/signals_blocked.hpp"

namespace zlink::runtime {

// Shared by the asker and the thread that looks up; whoever is last ends it.
struct lookup::question : std::enable_shared_from_this<question> {
    virtual ~question() = default;
    virtual void ask() noexcept = 0; // blocks the thread that looks up
    virtual void answer_once() = 0;  // on the I/O thread

    void look() {
        if (cancelled())
            return;
        ask();
        std::lock_guard lock(guard);
        if (context != nullptr)
            boost::asio::post(*context, slotted(telling_, [self = shared_from_this()] { self->tell(); }));
    }

    bool cancelled() {
        std::lock_guard lock(guard);
        return context == nullptr;
    }

    void tell() {
        {
            std::lock_guard lock(guard);
            if (context == nullptr)
                return;
            context = nullptr;
        }
        answer_once();
    }

    std::string host;
    std::mutex guard;
    boost::asio::io_context *context = nullptr; // guarded; null: cancelled
    post_slot telling_;                         // nobody hears of a lack of memory on this thread
};

// For the system, by its own rules.
struct lookup::address_question final : question {
    ~address_question() override {
        if (found != nullptr)
            freeaddrinfo(found);
    }
    void ask() noexcept override { failure = getaddrinfo(host.c_str(), service.c_str(), &hints, &found); }
    void answer_once() override {
        const answer tell_once = std::move(on_answer);
        tell_once(found, failure);
    }

    std::string service;
    addrinfo hints{};
    addrinfo *found = nullptr;
    int failure = 0;
    answer on_answer; // the I/O thread's
};

// For the name servers.
struct lookup::records_question final : question {
    void ask() noexcept override {
        try {
            found = find_dns_records(host, ipv6, process_dns_settings(), [this] { return cancelled(); });
        } catch (const std::bad_alloc &) {
            found = {};
        }
    }
    void answer_once() override {
        const records_answer tell_once = std::move(on_answer);
        tell_once(found);
    }

    bool ipv6 = false;
    dns_answer found;
    records_answer on_answer; // the I/O thread's
};

// The threads that look names up, at most most_threads at a time. Further questions queue. A thread ends when
// the queue is empty.
struct lookup::crew final : private fork_handler {
    // Returns false if there is no thread to answer the question.
    bool take(const std::shared_ptr<question> &asked) {
        std::lock_guard lock(guard);
        waiting.push_back(asked);
        if (threads == most_threads)
            return true;
        try {
            const signals_blocked inherited;
            std::thread([this] { work(); }).detach();
            ++threads;
        } catch (const std::exception &) {
            if (threads == 0)
                waiting.pop_back();
        }
        return threads != 0;
    }

    void work() {
        std::unique_lock lock(guard);
        while (!waiting.empty()) {
            std::shared_ptr<question> next = std::move(waiting.front());
            waiting.pop_front();
            lock.unlock();
            next->look();
            next.reset();
            lock.lock();
        }
        --threads;
    }

    // The child has none of the threads. Their state is unknown.
    void on_fork() noexcept override {
        ::new (&guard) std::mutex;
        ::new (&waiting) std::deque<std::shared_ptr<question>>;
        threads = 0;
    }

    std::mutex guard;
    std::deque<std::shared_ptr<question>> waiting; // guarded
    std::size_t threads = 0;                       // guarded

    static crew &of_process() { return lasting<crew>(); }
};

bool lookup::start(boost::asio::io_context &context, const std::string &host, const std::string &service,
                   int family, answer on_answer) {
    auto asked = std::make_shared<address_question>();
    asked->host = host;
    asked->service = service;
    asked->hints.ai_family = family;
    asked->hints.ai_socktype = SOCK_STREAM;
    asked->on_answer = std::move(on_answer);
    return take(context, std::move(asked));
}

bool lookup::start_records(boost::asio::io_context &context, const std::string &host, bool ipv6,
                           records_answer on_answer) {
    auto asked = std::make_shared<records_question>();
    asked->host = host;
    asked->ipv6 = ipv6;
    asked->on_answer = std::move(on_answer);
    return take(context, std::move(asked));
}

bool lookup::take(boost::asio::io_context &context, std::shared_ptr<question> asked) {
    cancel();
    asked->context = &context;
    if (!crew::of_process().take(asked))
        return false;
    pending_ = std::move(asked);
    return true;
}

void lookup::cancel() noexcept {
    const auto asked = std::move(pending_);
    if (!asked)
        return;
    std::lock_guard lock(asked->guard);
    asked->context = nullptr;
}

} // namespace zlink::runtime
