// SPDX-License-Identifier: MPL-2.0
// Counts for each topic, for the commands that print them again and again. At most 1000 topics: the rest are
// counted together.
#pragma once

#include <map>
#include <string>

#include "common/text.hpp"

namespace cli {

template <class Counts> class topic_table {
  public:
    Counts &operator[](const std::string &topic) {
        constexpr std::size_t most = 1000;
        const auto found = rows_.find(topic);
        return found != rows_.end() ? found->second : rows_.size() < most ? rows_[topic] : others_;
    }
    // Calls `print(name, counts)` for each topic in order.
    template <class Print> void for_each(Print print) {
        for (auto &[topic, counts] : rows_)
            print(topic.empty() ? std::string("(all)") : printable(topic, 40), counts);
        if (others_.messages > 0)
            print("(other topics)", others_);
    }

  private:
    std::map<std::string, Counts> rows_;
    Counts others_;
};

} // namespace cli
