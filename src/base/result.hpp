// SPDX-License-Identifier: MPL-2.0
// result<T>: a value or an errno code. One meaning, never both.
//
// Threads: a value type. Codes are positive errno numbers (POSIX, or the native ZMQ ones of base/error.hpp).
// errno itself is set in capi/ only.
#pragma once

#include <cassert>
#include <utility>
#include <variant>

namespace zlink {

// A non-zero error code.
struct [[nodiscard]] error {
    int code;
};

template <class T> class [[nodiscard]] result {
  public:
    result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    result(error failure) : state_(std::in_place_index<1>, failure) { assert(failure.code != 0); }

    [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return ok(); }
    [[nodiscard]] int code() const noexcept { return ok() ? 0 : std::get_if<1>(&state_)->code; }
    T &operator*() &noexcept { return *std::get_if<0>(&state_); }
    const T &operator*() const &noexcept { return *std::get_if<0>(&state_); }
    T &&operator*() &&noexcept { return std::move(*std::get_if<0>(&state_)); }
    T *operator->() noexcept { return std::get_if<0>(&state_); }
    const T *operator->() const noexcept { return std::get_if<0>(&state_); }

  private:
    std::variant<T, error> state_;
};

template <> class [[nodiscard]] result<void> {
  public:
    constexpr result() noexcept = default;
    constexpr result(error failure) noexcept : code_(failure.code) {}
    [[nodiscard]] constexpr bool ok() const noexcept { return code_ == 0; }
    constexpr explicit operator bool() const noexcept { return ok(); }
    [[nodiscard]] constexpr int code() const noexcept { return code_; }

  private:
    int code_ = 0;
};

} // namespace zlink
