// SPDX-License-Identifier: MPL-2.0
#include "transport/ws/ws_port.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <new>
#include <string_view>

#include "base/fork.hpp"
#include "base/lasting.hpp"

namespace zlink::transport {
namespace {

struct all_claims final : private fork_handler {
    std::mutex mutex;
    std::vector<ws_claim *> list; // guarded

  private:
    void on_fork() noexcept override { // another thread may have been in the middle of it
        ::new (&mutex) std::mutex;
        ::new (&list) std::vector<ws_claim *>;
    }
};
all_claims &claims() {
    return lasting<all_claims>();
}

// Does a connection to `local` belong to what listens at `bound`? That may be any address of the host.
bool is_at(std::string_view bound, std::string_view local) noexcept {
    const std::string_view port = bound.substr(bound.rfind(':'));
    const bool any = bound.starts_with("tcp://0.0.0.0:") || bound.starts_with("tcp://[::]:");
    return bound == local || (any && local.substr(local.rfind(':')) == port);
}

} // namespace

result<std::shared_ptr<ws_claim>> ws_claim::make(std::string tcp_text, std::string path, std::string rules,
                                                 int descriptor) {
    auto fresh =
        std::make_shared<ws_claim>(std::move(tcp_text), std::move(path), std::move(rules), descriptor);
    const std::lock_guard lock(claims().mutex);
    for (const ws_claim *one : claims().list)
        if (one->tcp_text_ == fresh->tcp_text_ &&
            (one->rules_ != fresh->rules_ || one->path_ == fresh->path_))
            return error{EADDRINUSE};
    claims().list.push_back(fresh.get());
    return fresh;
}

result<int> ws_claim::share(const std::string &tcp_text, const std::string &path, const std::string &rules) {
    const std::lock_guard lock(claims().mutex);
    int found = -1;
    for (const ws_claim *one : claims().list) {
        if (one->tcp_text_ != tcp_text)
            continue;
        if (one->rules_ != rules || one->path_ == path)
            return error{EADDRINUSE};
        found = one->descriptor_;
    }
    if (found < 0)
        return error{EADDRINUSE};
    const int copy = ::fcntl(found, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return error{errno};
    withhold_from_children(copy);
    return copy;
}

bool ws_claim::pass_on(const std::string &tcp_text, const std::string &path, const std::string &rules,
                       const std::function<handed_connection()> &take) {
    const std::lock_guard lock(claims().mutex);
    const auto entry = std::ranges::find_if(claims().list, [&](const ws_claim *one) {
        return one->rules_ == rules && one->path_ == path && one->to_ && is_at(one->tcp_text_, tcp_text);
    });
    if (entry == claims().list.end())
        return false;
    (*entry)->to_(take());
    return true;
}

bool ws_claim::shares_port() const noexcept {
    const std::lock_guard lock(claims().mutex);
    return std::ranges::any_of(claims().list, [this](const ws_claim *one) {
        return one != this && (is_at(one->tcp_text_, tcp_text_) || is_at(tcp_text_, one->tcp_text_));
    });
}

void ws_claim::receive_by(receiver to) {
    const std::lock_guard lock(claims().mutex);
    to_ = std::move(to);
}

void ws_claim::end() noexcept {
    const std::lock_guard lock(claims().mutex);
    std::erase(claims().list, this);
    to_ = nullptr;
}

} // namespace zlink::transport
