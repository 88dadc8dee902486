// SPDX-License-Identifier: MPL-2.0
// Counts of durations in buckets that are less than 1 % wide. Adding takes no memory.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace cli {

class latency_histogram {
  public:
    latency_histogram() : buckets_((64 - sub_bits) << sub_bits) {}

    void add(std::uint64_t nanoseconds) {
        ++buckets_[index_of(nanoseconds)];
        ++count_;
        most_ = nanoseconds > most_ ? nanoseconds : most_;
    }
    std::uint64_t count() const { return count_; }
    std::uint64_t most() const { return most_; }
    // How many are not above this duration, as far as the buckets tell.
    std::uint64_t count_up_to(std::uint64_t nanoseconds) const {
        std::uint64_t seen = 0;
        for (std::size_t index = 0; index < buckets_.size() && highest_of(index) <= nanoseconds; ++index)
            seen += buckets_[index];
        return nanoseconds >= most_ ? count_ : seen;
    }
    // The duration that this part (0 to 1) of all does not exceed; 0 if there is none.
    std::uint64_t at(double part) const {
        const auto wanted = static_cast<std::uint64_t>(part * static_cast<double>(count_) + 0.999999);
        std::uint64_t seen = 0;
        for (std::size_t index = 0; index < buckets_.size(); ++index) {
            seen += buckets_[index];
            if (seen >= wanted && seen > 0)
                return highest_of(index) < most_ ? highest_of(index) : most_;
        }
        return most_;
    }

  private:
    static constexpr unsigned sub_bits = 7;

    // Below 2^8 each value has a bucket; above that each power of two has 2^7.
    static std::size_t index_of(std::uint64_t value) {
        const auto width = static_cast<unsigned>(std::bit_width(value));
        const unsigned shift = width > sub_bits + 1 ? width - sub_bits - 1 : 0;
        return (static_cast<std::size_t>(shift) << sub_bits) + (value >> shift);
    }
    static std::uint64_t highest_of(std::size_t index) {
        if (index < 2U << sub_bits)
            return index;
        const auto shift = static_cast<unsigned>(index >> sub_bits) - 1;
        const auto mantissa = index - (static_cast<std::size_t>(shift) << sub_bits);
        return ((mantissa + 1) << shift) - 1;
    }

    std::vector<std::uint64_t> buckets_;
    std::uint64_t count_{0}, most_{0};
};

} // namespace cli
