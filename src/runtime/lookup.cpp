// SPDX-License-Identifier: MPL-2.0
#include "runtime/lookup.hpp"

#include <boost/asio/post.hpp>
#include <mutex>
#include <netdb.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>

#include "runtime/handler_slot.hpp"
#include "runtime/signals_blocked.hpp"

namespace zlink::runtime {

// Shared by the asker and the thread that looks up; whoever is last ends it.
struct lookup::question : std::enable_shared_from_this<question> {
    std::string host;
    std::string service;
    addrinfo hints{};
    addrinfo *found = nullptr;
    int failure = 0;

    std::mutex guard;
    boost::asio::io_context *context = nullptr; // guarded; null: cancelled
    answer on_answer;                           // the I/O thread's
    post_slot telling_;                         // nobody hears of a lack of memory on this thread

    ~question() {
        if (found != nullptr)
            freeaddrinfo(found);
    }

    void look() {
        failure = getaddrinfo(host.c_str(), service.c_str(), &hints, &found);
        std::lock_guard lock(guard);
        if (context != nullptr)
            boost::asio::post(*context, slotted(telling_, [self = shared_from_this()] { self->tell(); }));
    }

    void tell() {
        {
            std::lock_guard lock(guard);
            if (context == nullptr)
                return;
            context = nullptr;
        }
        const answer tell_once = std::move(on_answer);
        tell_once(found, failure);
    }
};

bool lookup::start(boost::asio::io_context &context, const std::string &host, const std::string &service,
                   int family, answer on_answer) {
    cancel();
    auto asked = std::make_shared<question>();
    asked->host = host;
    asked->service = service;
    asked->hints.ai_family = family;
    asked->hints.ai_socktype = SOCK_STREAM;
    asked->context = &context;
    asked->on_answer = std::move(on_answer);
    const signals_blocked guard; // inherited by the new thread
    try {
        std::thread([asked] { asked->look(); }).detach();
    } catch (const std::system_error &) {
        return false;
    }
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
