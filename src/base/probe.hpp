// SPDX-License-Identifier: MPL-2.0
// ZLINK_PROBE(name, ...): a place where tracers look into a running process (USDT, as sys/sdt.h lays it out).
// It costs one instruction that does nothing, until a tracer is there. The arguments are integers or
// pointers, at most twelve. docs/api/probes.md has the names. Without sys/sdt.h there is nothing.
#pragma once

#ifdef ZLINK_HAS_PROBES
#define SDT_USE_VARIADIC 1 // for STAP_PROBEV
#include <sys/sdt.h>
#define ZLINK_PROBE(name, ...) STAP_PROBEV(zlink, name, __VA_ARGS__)
#else
namespace zlink::detail {
template <class... Argument> [[gnu::always_inline]] inline void no_probe(const Argument &...) noexcept {}
} // namespace zlink::detail
#define ZLINK_PROBE(name, ...) ::zlink::detail::no_probe(__VA_ARGS__)
#endif
