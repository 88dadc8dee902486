// SPDX-License-Identifier: MPL-2.0
// environment: runs a scenario in a process of its own, because the library reads the environment once.
//
// Threads: the test's. A scenario returns whether it found what it should, and says on stderr what it found.
#pragma once

#include <cstdlib>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace zlink::tuning_test {

using variables = std::vector<std::pair<const char *, const char *>>;

template <class Scenario> [[noreturn]] void run_with(const variables &environment, Scenario scenario) {
    for (const auto &[name, value] : environment)
        ::setenv(name, value, 1);
    std::_Exit(scenario() ? 0 : 1);
}

template <class Scenario> void expect_with(const variables &environment, Scenario scenario) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(run_with(environment, scenario), ::testing::ExitedWithCode(0), "");
}

} // namespace zlink::tuning_test
