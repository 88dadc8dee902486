// SPDX-License-Identifier: MPL-2.0
// The counters of sockets in the text format of Prometheus, version 0.0.4.
//
// Threads: any.
#pragma once

#include <span>
#include <string>

#include "counters/snapshot.hpp"

namespace zlink::metrics {

inline constexpr const char *text_type = "text/plain; version=0.0.4; charset=utf-8";

// Throws std::bad_alloc.
[[nodiscard]] std::string text_of(std::span<const counters::snapshot> contexts);

} // namespace zlink::metrics
