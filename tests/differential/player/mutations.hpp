// SPDX-License-Identifier: MPL-2.0
//
// Planted differences: each changes one behaviour in the table of functions, to show that the machine would
// find it.
#pragma once

#include "api.hpp"

#include <string_view>
#include <vector>

// Returns false if there is no mutation of this name.
bool mutate(api_table &api, std::string_view name);

std::vector<std::string_view> mutation_names();
