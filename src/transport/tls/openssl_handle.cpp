// SPDX-License-Identifier: MPL-2.0
#include "transport/tls/openssl_handle.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <openssl/crypto.h>
#include <thread>

namespace zlink::transport {
namespace {

// A handshake step takes some milliseconds. The end does not wait for a thread that is stopped.
constexpr int longest_wait_ms = 1000;

std::atomic<OSSL_LIB_CTX *> library{nullptr};
std::atomic<int> users{0};
std::atomic<bool> over{false};

void end_of_process() noexcept {
    over.store(true);
    for (int waited_ms = 0; users.load() != 0 && waited_ms < longest_wait_ms; ++waited_ms)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Functions for the end run in the order that is opposite to that of their registration. So OpenSSL registers
// its own first, which it does when anything is asked for; the texts of its errors cost least.
void register_end() noexcept {
    static std::atomic_flag done;
    if (!done.test_and_set() && OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, nullptr) == 1)
        std::atexit(end_of_process);
}

bool begin_use() noexcept {
    register_end();
    users.fetch_add(1);
    if (!over.load())
        return true;
    users.fetch_sub(1);
    return false;
}

} // namespace

// Without a lock, which a fork would leave locked in the child. If two threads come at once, one throws its
// context away.
OSSL_LIB_CTX *openssl_library() noexcept {
    if (OSSL_LIB_CTX *const there = library.load(std::memory_order_acquire))
        return there;
    OSSL_LIB_CTX *const made = OSSL_LIB_CTX_new();
    OSSL_LIB_CTX *there = nullptr;
    if (made == nullptr || library.compare_exchange_strong(there, made, std::memory_order_acq_rel))
        return made;
    OSSL_LIB_CTX_free(made);
    return there;
}

openssl_use::openssl_use() noexcept : allowed_(begin_use()) {}

openssl_use::~openssl_use() {
    if (allowed_)
        users.fetch_sub(1);
}

} // namespace zlink::transport
