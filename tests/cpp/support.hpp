// SPDX-License-Identifier: MPL-2.0
// The Asio that a test is compiled for, and what all tests of it need.
#pragma once

#include <exception>

#if defined(ZLINK_ASIO_STANDALONE)
#include <asio.hpp>
#include <asio/experimental/deferred.hpp>
#else
#include <boost/asio.hpp>
#include <boost/asio/experimental/deferred.hpp>
#endif

#include "zlink/asio.hpp"

namespace net = zlink::asio::net;
#if defined(ZLINK_ASIO_STANDALONE)
inline constexpr auto &deferred = net::experimental::deferred;
#else
inline constexpr auto &deferred = net::deferred;
#endif

// Completion of co_spawn: an exception of the coroutine leaves io_context::run().
inline constexpr auto rethrow = [](std::exception_ptr failure) {
    if (failure)
        std::rethrow_exception(failure);
};
