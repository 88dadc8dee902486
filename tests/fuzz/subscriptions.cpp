// SPDX-License-Identifier: MPL-2.0
// Subscriptions that peers send: a list of (what and who, size, topic) against a naive model.
#include "require.hpp"

#include "patterns/subscriptions.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

using namespace zlink::patterns;
using zlink::fuzz::require;

namespace {

struct subscriber {
    std::size_t marks = 0;
};

using model_type = std::map<std::string, std::set<subscriber *>, std::less<>>;

void add(subscription_index<subscriber> &index, model_type &model, const std::string &topic,
         subscriber *who) {
    std::set<subscriber *> &there = model[topic];
    const add_result expected = there.empty()         ? add_result::first
                                : there.contains(who) ? add_result::repeated
                                                      : add_result::further;
    there.insert(who);
    require(index.add(topic, who) == expected);
}

void remove(subscription_index<subscriber> &index, model_type &model, const std::string &topic,
            subscriber *who) {
    const auto found = model.find(topic);
    remove_result expected = remove_result::unknown;
    if (found != model.end() && found->second.erase(who) != 0) {
        expected = found->second.empty() ? remove_result::last : remove_result::others;
    }
    if (expected == remove_result::last) {
        model.erase(found);
    }
    require(index.remove(topic, who) == expected);
}

void remove_all(subscription_index<subscriber> &index, model_type &model, subscriber *who) {
    index.remove_all(who, [&](std::string_view topic, remove_result result) {
        const auto found = model.find(topic);
        require(found != model.end() && found->second.erase(who) != 0);
        require(found->second.empty() == (result == remove_result::last));
        if (found->second.empty())
            model.erase(found);
    });
    for (const auto &[topic, there] : model)
        require(!there.contains(who)); // or it would have been told
}

void match(subscription_index<subscriber> &index, const model_type &model, const std::string &data) {
    std::size_t found = 0, expected = 0;
    index.match(data.data(), data.size(), [&](subscriber *one) {
        ++found;
        ++one->marks;
    });
    for (const auto &[topic, there] : model) {
        expected += data.starts_with(topic) ? there.size() : 0;
    }
    require(found == expected);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    std::array<subscriber, 8> subscribers;
    subscription_index<subscriber> index;
    model_type model;
    for (std::size_t at = 0; at + 2 <= size;) {
        subscriber *who = &subscribers[data[at] & 7];
        const unsigned what = data[at] >> 4;
        const std::size_t length = std::min<std::size_t>(data[at + 1], size - at - 2);
        const std::string topic(reinterpret_cast<const char *>(data) + at + 2, length);
        at += 2 + length;
        if (what < 7) {
            add(index, model, topic, who);
        } else if (what < 12) {
            remove(index, model, topic, who);
        } else if (what < 15) {
            match(index, model, topic);
        } else {
            remove_all(index, model, who);
        }
        require(index.size() == model.size());
    }
    for (subscriber &one : subscribers) {
        remove_all(index, model, &one);
    }
    require(index.memory() == 0);
    return 0;
}
