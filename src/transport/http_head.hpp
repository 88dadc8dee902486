// SPDX-License-Identifier: MPL-2.0
// http_head: the first line and the fields of a request or a response of HTTP/1.1 (RFC 9112). The opening
// handshake of WebSocket and the request to a proxy need them.
//
// Threads: one owner at a time. Ownership: it keeps what it was fed. Errors: bad() and too_long().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace zlink::transport {

class http_head {
  public:
    static constexpr std::size_t largest = 8192; // bytes, with the line that ends it

    // Returns how many bytes belong to the head: all of them unless it ends among them. Throws
    // std::bad_alloc.
    std::size_t feed(std::span<const std::uint8_t> in);
    [[nodiscard]] bool complete() const noexcept { return complete_; }
    // Returns how many bytes have to come at least.
    [[nodiscard]] std::size_t missing() const noexcept;
    [[nodiscard]] bool too_long() const noexcept { return !complete_ && text_.size() >= largest; }

    // These are for a complete head.

    [[nodiscard]] std::string_view text() const noexcept { return text_; }
    // Returns true if a line breaks the rules: a bare CR or LF, a control character, a folded line, a field
    // without a name.
    [[nodiscard]] bool bad() const noexcept;
    [[nodiscard]] std::string_view first_line() const noexcept;
    // Returns the value without blanks around it; empty: there is none. A field that comes several times has
    // the values with commas between them.
    [[nodiscard]] std::string value_of(std::string_view name) const;
    [[nodiscard]] std::size_t count_of(std::string_view name) const noexcept;

  private:
    std::string text_;
    bool complete_ = false;
};

[[nodiscard]] bool same_without_case(std::string_view a, std::string_view b) noexcept;
// Takes the first member of a list with commas off the list. Empty members are passed over. Empty: there is
// none.
[[nodiscard]] std::string_view take_member(std::string_view &list) noexcept;
[[nodiscard]] bool has_member(std::string_view list, std::string_view wanted) noexcept; // in any case

} // namespace zlink::transport
