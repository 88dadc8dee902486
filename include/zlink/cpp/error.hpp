// SPDX-License-Identifier: MPL-2.0
// Errors of the C++ interface: an error category named "zmq", its codes, and the exception.
//
// - Codes. The value of a code is the errno of the C interface, ETERM and EFSM included. A code with a number
// of
//   POSIX is equal to the std::errc of that number: `code == std::errc::host_unreachable`.
// - Forms. A function without a std::error_code throws zlink::error. The form with a std::error_code as its
// last
//   argument is noexcept: it clears the code, or stores the error there.
// - Threads. Everything here may be used from any thread.
// - Source. zmq_errno(3), zmq_strerror(3).
#pragma once

#include <cerrno>
#include <string>
#include <system_error>

#include <zmq.h>

// Set where <zmq.h> is zlink's own. Options and functions that only zlink has are declared then.
#if defined(ZLINK_C_CONSTANTS_H)
#define ZLINK_HAS_ZLINK 1
#endif
// Set where the program asks for libzmq's draft interface: routing ids and groups of messages.
#if defined(ZMQ_BUILD_DRAFT_API)
#define ZLINK_HAS_DRAFTS 1
#endif

namespace zlink {
// The inline namespace keeps these names apart from those inside of the library's archive.
inline namespace v1 {

// The errors that ZeroMQ adds to those of POSIX.
enum class errc {
    wrong_state = EFSM,                     // the socket's state does not allow the operation now
    incompatible_protocol = ENOCOMPATPROTO, // the transport and the socket type do not go together
    terminated = ETERM,                     // the context is ending: close the socket
    no_io_thread = EMTHREAD,                // the context has no I/O thread for the operation
};

namespace detail {

class category final : public std::error_category {
  public:
    [[nodiscard]] const char *name() const noexcept override { return "zmq"; }
    [[nodiscard]] std::string message(int value) const override { return zmq_strerror(value); }
    [[nodiscard]] std::error_condition default_error_condition(int value) const noexcept override {
        if (value < ZMQ_HAUSNUMERO)
            return std::generic_category().default_error_condition(value);
        return {value, *this};
    }
};

} // namespace detail

// The category of every std::error_code that this interface stores.
[[nodiscard]] inline const std::error_category &error_category() noexcept {
    static const detail::category instance;
    return instance;
}

[[nodiscard]] inline std::error_code make_error_code(errc value) noexcept {
    return {static_cast<int>(value), error_category()};
}

// The exception of this interface. what() has the name of the C function that failed.
class error : public std::system_error {
  public:
    error(int number, const char *function)
        : std::system_error(std::error_code(number, error_category()), function) {}
    error(std::error_code code, const char *function) : std::system_error(code, function) {}
};

namespace detail {

// The error of the C call that has just failed.
[[nodiscard]] inline std::error_code last_error() noexcept {
    return {zmq_errno(), error_category()};
}

// Turns the result of a C call, -1 on error, into a code. Returns whether the call succeeded.
inline bool store(int result, std::error_code &code) noexcept {
    if (result == -1)
        code = last_error();
    else
        code.clear();
    return result != -1;
}

inline void raise(const std::error_code &code, const char *function) {
    if (code)
        throw error(code, function);
}

} // namespace detail

} // namespace v1
} // namespace zlink

template <> struct std::is_error_code_enum<zlink::errc> : std::true_type {};
