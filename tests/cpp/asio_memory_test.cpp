// SPDX-License-Identifier: MPL-2.0
// Memory of operations: none from operator new for a message, and the associated allocator where there is
// one.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "support.hpp"

namespace {

using zlink::socket_type;
using zlink::asio::error_code;

std::atomic<std::size_t> allocations{0};

struct cpp_asio_memory : testing::Test {
    zlink::context context;
    net::io_context io{1};
    zlink::asio::socket push{io, context, socket_type::push};
    zlink::asio::socket pull{io, context, socket_type::pull};
    void SetUp() override {
        pull.bind("inproc://memory");
        push.connect("inproc://memory");
    }
};

TEST_F(cpp_asio_memory, a_message_that_is_there_allocates_nothing) {
    std::size_t counted = 0;
    net::co_spawn(
        io,
        [&]() -> net::awaitable<void> {
            const char body[64] = {};
            zlink::message frame;
            for (int i = 0; i != 1000; ++i) {
                if (i == 100)
                    counted = allocations;
                co_await push.async_send(zlink::bytes_view(body, sizeof(body)), net::use_awaitable);
                co_await pull.async_receive(frame, net::use_awaitable);
            }
            counted = allocations - counted;
        },
        rethrow);
    io.run();
    EXPECT_EQ(counted, 0u);
}

TEST_F(cpp_asio_memory, a_message_that_is_waited_for_allocates_nothing) {
    std::size_t counted = 0;
    net::co_spawn(
        io,
        [&]() -> net::awaitable<void> {
            zlink::message frame;
            for (int i = 0; i != 1000; ++i) {
                if (i == 100)
                    counted = allocations;
                net::post(io, [this] { push.next_layer().send("x"); });
                co_await pull.async_receive(frame, net::use_awaitable);
            }
            counted = allocations - counted;
        },
        rethrow);
    io.run();
    EXPECT_EQ(counted, 0u);
}

template <class T> struct counting_allocator {
    using value_type = T;
    int *blocks;
    explicit counting_allocator(int &count) noexcept : blocks(&count) {}
    template <class Other> counting_allocator(const counting_allocator<Other> &other) noexcept
        : blocks(other.blocks) {}
    T *allocate(std::size_t count) {
        ++*blocks;
        return std::allocator<T>().allocate(count);
    }
    void deallocate(T *memory, std::size_t count) noexcept {
        --*blocks;
        std::allocator<T>().deallocate(memory, count);
    }
    bool operator==(const counting_allocator &) const = default;
};

TEST_F(cpp_asio_memory, the_associated_allocator_is_used_and_has_all_back_before_the_handler) {
    int blocks = 0;
    bool called = false;
    pull.async_receive(net::bind_allocator(counting_allocator<int>(blocks), [&](error_code, zlink::message) {
        EXPECT_EQ(blocks, 0);
        called = true;
    }));
    EXPECT_GT(blocks, 0);
    push.next_layer().send("x");
    io.run();
    EXPECT_TRUE(called);
    EXPECT_EQ(blocks, 0);
}

} // namespace

// Not inlined: GCC 12 would report that free() does not match.
[[gnu::noinline]] void *operator new(std::size_t size_bytes) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    if (void *memory = std::malloc(size_bytes))
        return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void *operator new(std::size_t size_bytes, const std::nothrow_t & /*tag*/) noexcept {
    allocations.fetch_add(1, std::memory_order_relaxed);
    return std::malloc(size_bytes);
}
[[gnu::noinline]] void operator delete(void *memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void *memory, std::size_t) noexcept {
    std::free(memory);
}
