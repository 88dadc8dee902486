// SPDX-License-Identifier: MPL-2.0
#include "core/endpoint_table.hpp"

#include <gtest/gtest.h>

namespace zlink::core {
namespace {

// A worker that never serves its endpoint again.
class idle_worker final : public connections::worker {
  public:
    idle_worker() { gave_up_ = true; }
    void start() override {}
    void terminate(int) override {}
};

struct ends {
    ends() : both(pipe::create({0}, {0})), one(both->first()), other(both->second()) {}
    ~ends() {
        one.close();
        other.close();
    }
    std::shared_ptr<pipe> both;
    pipe_end &one;
    pipe_end &other;
};

class endpoint_table_test : public testing::Test {
  protected:
    ~endpoint_table_test() override { io.stop(); }
    endpoint_record of_stream(pipe_end *end) { return {nullptr, &workers, end}; }

    runtime::io_thread io;
    runtime::wait_group sessions;
    connections::worker_list workers{io, sessions};
    ends pipes;
    endpoint_table table;
};

TEST_F(endpoint_table_test, a_closed_end_of_inproc_ends_its_record_and_one_of_a_stream_does_not) {
    (void)table.add("inproc://a", {nullptr, nullptr, &pipes.one});
    (void)table.add("tcp://a:1", of_stream(&pipes.other));
    table.forget_end(pipes.one);
    table.forget_end(pipes.other);
    EXPECT_FALSE(table.contains("inproc://a"));
    ASSERT_TRUE(table.contains("tcp://a:1"));
    EXPECT_EQ(table.all().begin()->second.end, nullptr);
}

TEST_F(endpoint_table_test, gives_the_binding_of_an_inproc_name_first) {
    (void)table.add("inproc://a", {nullptr, nullptr, &pipes.one});
    (void)table.add("inproc://a", {});
    EXPECT_TRUE(table.take_first("inproc://a").mapped().bound_inproc());
    EXPECT_EQ(table.take_first("inproc://a").mapped().end, &pipes.one);
    EXPECT_TRUE(table.take_first("inproc://a").empty());
}

TEST_F(endpoint_table_test, has_a_record_for_each_connection_of_a_name_while_it_is_connected) {
    constexpr const char *name = "dns+tcp://a:1";
    EXPECT_FALSE(table.note_connection(name, pipes.one)) << "nobody is connected to the name";
    const auto record = table.add(name, of_stream(nullptr));
    EXPECT_TRUE(table.note_connection(name, pipes.one));
    EXPECT_TRUE(table.note_connection(name, pipes.other));
    EXPECT_EQ(table.all().count(name), 3U);
    table.forget_end(pipes.other);
    EXPECT_EQ(table.all().count(name), 2U) << "a closed connection has no record";
    table.erase(record);
    EXPECT_FALSE(table.note_connection(name, pipes.other)) << "only a connection is left";
    EXPECT_EQ(table.take(pipes.one).mapped().end, &pipes.one);
}

TEST_F(endpoint_table_test, gives_the_record_of_an_end) {
    (void)table.add("tcp://a:1", of_stream(&pipes.one));
    (void)table.add("tcp://a:1", of_stream(&pipes.other));
    EXPECT_EQ(&table.newest("tcp://a:1"), &pipes.other);
    EXPECT_EQ(table.take(pipes.one).mapped().end, &pipes.one);
    EXPECT_TRUE(table.take(pipes.one).empty());
    EXPECT_EQ(table.all().size(), 1U);
}

TEST_F(endpoint_table_test, forgets_a_connect_that_gave_up_and_keeps_others) {
    endpoint_record idle = of_stream(nullptr);
    idle.worker = std::make_shared<idle_worker>();
    (void)table.add("tcp://a:1", std::move(idle));
    (void)table.add("tcp://a:1", of_stream(&pipes.one));
    table.forget_given_up("tcp://a:1");
    ASSERT_EQ(table.all().size(), 1U);
    EXPECT_EQ(table.newest("tcp://a:1").gone(), false);
    EXPECT_EQ(table.all().begin()->second.end, &pipes.one);
}

TEST_F(endpoint_table_test, tells_once_of_a_refused_name) {
    table.add_refused("inproc://a");
    EXPECT_FALSE(table.take_refused("inproc://b"));
    EXPECT_TRUE(table.take_refused("inproc://a"));
    EXPECT_FALSE(table.take_refused("inproc://a"));
}

} // namespace
} // namespace zlink::core
