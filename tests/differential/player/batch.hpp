// SPDX-License-Identifier: MPL-2.0
//
// Runs scripts in child processes, several at a time, and keeps what they print.
//
// A child that a signal ends, or that stays in one line for too long, leaves a line that says so as its last
// one.
#pragma once

#include "api.hpp"

#include <iosfwd>
#include <string>
#include <vector>

struct script {
    std::string title;
    std::vector<std::string> lines;
};

struct batch_settings {
    int jobs = 1;
    int repeat = 1;
    int limit_ms = 3000; // for one line
    bool keep_stderr = false;
};

// Reads scripts of a file; each begins with a line "== <title>".
std::vector<script> read_scripts(std::istream &input);

// Runs each script `repeat` times and prints "== <title>" and its results for each run, in the order of the
// file.
void run_batch(const api_table &api, const std::vector<script> &scripts, const batch_settings &settings);
