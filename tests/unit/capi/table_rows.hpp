// SPDX-License-Identifier: MPL-2.0
// The tables of tests/exports, whose columns are words; lines that begin with '#' are comments. One thread.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace zlink {

// `read` takes a row out of the words of a line.
template <class Row, class Read> std::vector<Row> table_rows(const char *file, Read &&read) {
    std::ifstream lines(file);
    std::vector<Row> rows;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line[0] == '#')
            continue;
        std::istringstream words(line);
        rows.emplace_back();
        read(words, rows.back());
        EXPECT_FALSE(words.fail()) << line;
    }
    return rows;
}

} // namespace zlink
