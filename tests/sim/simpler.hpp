// SPDX-License-Identifier: MPL-2.0
// simpler: takes parts of a run away that a finding may not need.
//
// A part that is gone changes all that follows. The finding may need other luck then, so a variant throws the
// dice anew behind the plan.
#pragma once

#include <cstdint>
#include <string>

#include "sim/scenario.hpp"

namespace sim {

struct simplification {
    std::uint32_t parts = 0;         // bits, in the order of part_name()
    std::uint64_t most_messages = 0; // 0: as drawn
    std::uint64_t variant = 0;       // 0: the luck of the seed

    [[nodiscard]] bool takes(std::uint32_t part) const noexcept { return (parts >> part & 1U) != 0; }
    // As --simpler takes it.
    [[nodiscard]] std::string text() const;
};

// That of this process's runs.
extern simplification simpler;

// Null behind the last one.
[[nodiscard]] const char *part_name(std::uint32_t part) noexcept;
// Returns false if it is no text of a simplification.
bool parse(const char *text, simplification &made) noexcept;
// Changes the run of this process before it is played.
void simplify(plan &drawn, bool &faults);

} // namespace sim
