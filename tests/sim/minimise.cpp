// SPDX-License-Identifier: MPL-2.0
#include "sim/minimise.hpp"

#include <cinttypes>
#include <cstdio>
#include <string>

#include "sim/result.hpp"
#include "sim/simpler.hpp"

namespace sim {
namespace {

constexpr std::uint64_t variants_of_a_step = 40;
constexpr std::uint64_t variants_at_the_end = 300;

// Two findings are the same if they differ in numbers only.
std::string kind_of_finding() {
    std::string kind;
    for (const char letter : result_of_run->finding) {
        if (letter == '\0')
            break;
        if (letter < '0' || letter > '9')
            kind.push_back(letter);
    }
    return kind;
}

class search {
  public:
    search(std::uint64_t seed, play_function play) : seed_(seed), play_(play) {}

    // Returns false if the seed finds nothing.
    bool begin() {
        play_(seed_);
        kind_ = kind_of_finding();
        first_points_ = points_ = result_of_run->points;
        finding_ = result_of_run->finding.data();
        return !kind_.empty();
    }
    // Keeps the simplification if some variant of it has the finding.
    bool keep(simplification tried) {
        for (std::uint64_t more = 0; more < variants_of_a_step; ++more) {
            if (has_finding(tried)) {
                keep_run(tried);
                return true;
            }
            tried.variant = best_.variant + more + 1;
        }
        return false;
    }
    void take_parts_away() {
        for (std::uint32_t part = 0; part_name(part) != nullptr; ++part) {
            simplification tried = best_;
            tried.parts |= 1U << part;
            keep(tried);
        }
    }
    void take_messages_away() {
        constexpr std::uint64_t many = 256;
        std::uint64_t most = many;
        for (std::uint64_t step = many / 2; step != 0; step /= 2) {
            simplification tried = best_;
            tried.most_messages = most - step;
            if (keep(tried))
                most -= step;
        }
    }
    void look_for_luck() {
        simplification tried = best_;
        for (tried.variant = 1; tried.variant <= variants_at_the_end; ++tried.variant)
            if (has_finding(tried) && result_of_run->points < points_)
                keep_run(tried);
    }
    void print() const {
        std::printf("seed %" PRIu64 ": %" PRIu64 " turns, then %" PRIu64 ": %s\n", seed_, first_points_,
                    points_, finding_.c_str());
        for (std::uint32_t part = 0; part_name(part) != nullptr; ++part)
            if (!best_.takes(part))
                std::printf("  stays: %s\n", part_name(part));
        std::printf("  again: make simulate SEED=%" PRIu64 " SIMPLER=%s\n", seed_, best_.text().c_str());
    }

  private:
    bool has_finding(const simplification &tried) {
        simpler = tried;
        play_(seed_);
        return kind_of_finding() == kind_;
    }
    void keep_run(const simplification &kept) {
        best_ = kept;
        points_ = result_of_run->points;
        finding_ = result_of_run->finding.data();
    }

    std::uint64_t seed_;
    play_function play_;
    std::string kind_;
    std::string finding_;
    simplification best_;
    std::uint64_t first_points_ = 0;
    std::uint64_t points_ = 0;
};

} // namespace

int minimise(std::uint64_t seed, play_function play) {
    search all(seed, play);
    if (!all.begin()) {
        std::printf("seed %" PRIu64 " has no finding\n", seed);
        return 0;
    }
    all.take_parts_away();
    all.take_messages_away();
    all.look_for_luck();
    all.print();
    return 1;
}

} // namespace sim
