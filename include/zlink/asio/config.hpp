// SPDX-License-Identifier: MPL-2.0
// Which Asio the operations are for, and the errors in its form.
//
// - Choice. ZLINK_ASIO_STANDALONE, defined before the first include, takes Asio without Boost (<asio.hpp>).
//   Otherwise it is Boost.Asio. Either has to be of version 1.22 or newer: Boost 1.79 (Debian 12: package
//   libboost1.81-dev), or libasio-dev.
// - Names. The two choices have inline namespaces of their own. One program may use both, in two sources.
// - Errors. An error of ZeroMQ is an error_code of that Asio, with the category "zmq" and the value of errno.
#pragma once

#include "zlink/zlink.hpp"

// The version comes first: an older Boost lacks some of the headers below.
#if defined(ZLINK_ASIO_STANDALONE)
#include <asio/version.hpp>
#if ASIO_VERSION < 102200
#error "zlink/asio.hpp needs Asio 1.22 or newer"
#endif
#else
#include <boost/asio/version.hpp>
#if BOOST_ASIO_VERSION < 102200
#error "zlink/asio.hpp needs Boost 1.79 or newer; or define ZLINK_ASIO_STANDALONE for Asio without Boost"
#endif
#endif

#if defined(ZLINK_ASIO_STANDALONE)
#include <asio/any_io_executor.hpp>
#include <asio/associated_allocator.hpp>
#include <asio/associated_cancellation_slot.hpp>
#include <asio/associated_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/dispatch.hpp>
#include <asio/error.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/posix/basic_stream_descriptor.hpp>
#include <asio/post.hpp>
#include <asio/recycling_allocator.hpp>
#include <asio/steady_timer.hpp>
#include <asio/system_executor.hpp>
#else
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/recycling_allocator.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/system_executor.hpp>
#endif

#if defined(ZLINK_ASIO_STANDALONE)
#define ZLINK_ASIO_FLAVOUR standalone
#define ZLINK_ASIO_NAMESPACE asio
#else
#define ZLINK_ASIO_FLAVOUR with_boost
#define ZLINK_ASIO_NAMESPACE boost::asio
#endif

// Asio declares it in its own header of coroutines only.
namespace ZLINK_ASIO_NAMESPACE::detail {
template <typename, typename...> class awaitable_handler;
}

namespace zlink::asio {
inline namespace ZLINK_ASIO_FLAVOUR {

namespace net = ::ZLINK_ASIO_NAMESPACE;

#if defined(ZLINK_ASIO_STANDALONE)
using error_code = ::asio::error_code;
#else
using error_code = ::boost::system::error_code;

namespace detail {

class category final : public ::boost::system::error_category {
  public:
    [[nodiscard]] const char *name() const noexcept override { return "zmq"; }
    [[nodiscard]] std::string message(int value) const override { return zmq_strerror(value); }
    [[nodiscard]] ::boost::system::error_condition
    default_error_condition(int value) const noexcept override {
        if (value < ZMQ_HAUSNUMERO)
            return ::boost::system::generic_category().default_error_condition(value);
        return {value, *this};
    }
};

} // namespace detail

// The category of the errors of ZeroMQ.
[[nodiscard]] inline const ::boost::system::error_category &error_category() noexcept {
    static const detail::category instance;
    return instance;
}
#endif

namespace detail {

// Stands for net::error::operation_aborted where an errno is kept.
inline constexpr int aborted = -1;

[[nodiscard]] inline error_code make_code(int number) noexcept {
    if (number == 0)
        return {};
    if (number == aborted)
        return net::error::operation_aborted;
    return {number, error_category()};
}

} // namespace detail

} // namespace ZLINK_ASIO_FLAVOUR
} // namespace zlink::asio
