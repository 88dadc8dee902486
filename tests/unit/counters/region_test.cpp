// SPDX-License-Identifier: MPL-2.0
#include "counters/region.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "counters/owners.hpp"
#include "counters/snapshot.hpp"

namespace zlink::counters {
namespace {

using record = handle<pipe_record>;

TEST(region, a_record_that_ends_leaves_its_place_to_another) {
    const auto memory = std::make_shared<region>(placement{});
    pipe_record *place = nullptr;
    std::uint32_t sequence = 0;
    {
        record first(memory);
        place = &*first;
        place->retries.set(7);
        sequence = place->sequence;
        EXPECT_EQ(sequence % 2, 0U);
        EXPECT_EQ(place->kind, static_cast<std::uint32_t>(record_kind::pipe));
    }
    EXPECT_EQ(place->kind, 0U);
    EXPECT_EQ(place->sequence % 2, 1U);
    record second(memory);
    EXPECT_EQ(&*second, place);
    EXPECT_NE(place->sequence, sequence);
    EXPECT_EQ(place->retries.get(), 0U);
}

TEST(region, it_grows_as_records_come) {
    for (const bool shared : {true, false}) {
        const auto memory = std::make_shared<region>(placement{shared});
        std::vector<std::unique_ptr<record>> many;
        for (std::uint64_t i = 0; i < 3000; ++i) {
            many.push_back(std::make_unique<record>(memory));
            (*many.back())->retries.set(i);
        }
        for (std::uint64_t i = 0; i < 3000; ++i)
            ASSERT_EQ((*many[i])->retries.get(), i);
        EXPECT_EQ(memory->bytes().size() > 3000 * record_bytes, shared);
    }
}

TEST(region, a_refusal_of_the_system_gives_ordinary_memory) {
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit none{0, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0); // a larger file would bring SIGXFSZ
    {
        const auto memory = std::make_shared<region>(placement{});
        const auto no_directory = std::make_shared<region>(placement{true, "/no/such/directory"});
        record one(memory);
        one->retries.add(3);
        EXPECT_EQ(one->retries.get(), 3U);
        EXPECT_TRUE(take_snapshot(memory->bytes()));
        EXPECT_TRUE(take_snapshot(no_directory->bytes()));
    }
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
}

TEST(region, other_processes_cannot_write_a_memory_file) {
    const region memory{placement{}};
    bool found = false;
    for (const auto &entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        if (std::filesystem::read_symlink(entry, gone).string().find(region::file_name) == std::string::npos)
            continue;
        found = true;
        const int opened = ::open(entry.path().c_str(), O_RDWR | O_CLOEXEC);
        ASSERT_GE(opened, 0);
        EXPECT_EQ(::pwrite(opened, "x", 1, 0), -1);
        EXPECT_EQ(errno, EPERM);
        EXPECT_EQ(::ftruncate(opened, 0), -1);
        ::close(opened);
    }
    EXPECT_TRUE(found);
}

TEST(region, a_child_of_fork_changes_only_a_copy) {
    const auto memory = std::make_shared<region>(placement{});
    record one(memory);
    one->retries.set(1);
    const pid_t child = ::fork();
    if (child == 0) {
        one->retries.set(2);
        const record another(memory);
        const bool hidden = !snapshots_of(::getpid());
        ::_exit(one->retries.get() == 2 && hidden ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(one->retries.get(), 1U);
}

TEST(region, a_file_stays_until_its_region_ends) {
    const auto folder = std::filesystem::temp_directory_path() / ("zl" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    std::filesystem::path file;
    {
        const auto counts = std::make_shared<context_counts>(placement{true, folder.string()});
        socket_counts socket(counts, 1);
        socket.name_endpoint("tcp://127.0.0.1:5555");
        socket.drop(drop_reason::no_subscriber);
        file = std::filesystem::directory_iterator(folder)->path();
        const auto found = snapshot_of_file(file.string());
        ASSERT_TRUE(found);
        EXPECT_EQ(found->pid, static_cast<std::uint32_t>(::getpid()));
        ASSERT_EQ(found->subjects.size(), 2U);
        EXPECT_EQ(found->subjects[1].text("type"), "PUB");
        EXPECT_EQ(found->subjects[1].text("endpoint"), "tcp://127.0.0.1:5555");
        EXPECT_EQ(found->subjects[1].number("dropped.no_subscriber"), 1U);
        EXPECT_EQ(found->subjects[0].number("dropped.no_subscriber"), 1U);
        const auto all = snapshots_of(::getpid());
        EXPECT_TRUE(all);
    }
    EXPECT_FALSE(std::filesystem::exists(file));
    std::filesystem::remove_all(folder);
}

} // namespace
} // namespace zlink::counters
