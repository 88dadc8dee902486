// SPDX-License-Identifier: MPL-2.0
//
// zmq_timers: when handlers run, what they may do, errors. (With interval 0 libzmq's execute does not return:
// that is not asked for.)
#include "support.h"

static void *timers;
static int victim;

static void report(int id, void *argument) {
    printf("  timer %d runs: %s\n", id, (const char *)argument);
}
static void cancel_itself(int id, void *argument) {
    report(id, argument);
    SHOW(zmq_timers_cancel(timers, id));
}
static void cancel_victim(int id, void *argument) {
    report(id, argument);
    SHOW(zmq_timers_cancel(timers, victim));
}
static void add_another(int id, void *argument) {
    report(id, argument);
    SHOW(zmq_timers_add(timers, 60000, report, argument));
}

/* Runs what is due at the moment when the next timer is. */
static void execute_next(void) {
    long left = zmq_timers_timeout(timers);
    pause_ms(left < 0 ? 0 : left + 2);
    SHOW(zmq_timers_execute(timers));
}

static void wrong_sets(void) {
    SECTION("no set of timers");
    int memory[64] = {0};
    void *null = NULL;
    void *zeroed = memory;
    SHOW(zmq_timers_destroy(&null));
    SHOW(zmq_timers_destroy(&zeroed));
    SHOW(zmq_timers_add(NULL, 1, report, NULL));
    SHOW(zmq_timers_add(zeroed, 1, report, NULL));
    SHOW(zmq_timers_cancel(NULL, 1));
    SHOW(zmq_timers_set_interval(NULL, 1, 1));
    SHOW(zmq_timers_reset(NULL, 1));
    SHOW(zmq_timers_timeout(NULL));
    SHOW(zmq_timers_execute(NULL));
}

static void empty_set(void) {
    SECTION("without timers");
    timers = zmq_timers_new();
    errno = EBADF;
    printf("timeout %ld, errno %s\n", zmq_timers_timeout(timers), errno_name(zmq_errno()));
    SHOW(zmq_timers_execute(timers));
    SHOW(zmq_timers_add(timers, 1, NULL, NULL));
    SHOW(zmq_timers_cancel(timers, 1));
    SHOW(zmq_timers_set_interval(timers, 1, 1));
    SHOW(zmq_timers_reset(timers, 1));
    SHOW(zmq_timers_destroy(&timers));
    printf("null afterwards %d\n", timers == NULL);
}

static void run_and_change(void) {
    SECTION("one repeats, one is far");
    timers = zmq_timers_new();
    int near, far;
    SHOW(near = zmq_timers_add(timers, 5, report, "near"));
    SHOW(far = zmq_timers_add(timers, 60000, report, "far"));
    SHOW(zmq_timers_execute(timers));
    execute_next();
    execute_next();
    SECTION("changed");
    SHOW(zmq_timers_set_interval(timers, near, 30000));
    printf("timeout %d\n", zmq_timers_timeout(timers) > 20000 && zmq_timers_timeout(timers) <= 30000);
    SHOW(zmq_timers_cancel(timers, near));
    SHOW(zmq_timers_cancel(timers, near));
    printf("timeout %d\n", zmq_timers_timeout(timers) > 50000);
    SHOW(zmq_timers_set_interval(timers, far, 5));
    execute_next();
    SHOW(zmq_timers_reset(timers, far));
    SHOW(zmq_timers_execute(timers));
    SHOW(zmq_timers_cancel(timers, far));
    SHOW(zmq_timers_timeout(timers));
    SHOW(zmq_timers_destroy(&timers));
}

static void missed(void) {
    SECTION("times that were missed are not made up for");
    timers = zmq_timers_new();
    SHOW(zmq_timers_add(timers, 50, report, "late"));
    pause_ms(170);
    SHOW(zmq_timers_timeout(timers));
    SHOW(zmq_timers_execute(timers));
    printf("timeout %d\n", zmq_timers_timeout(timers) > 20);
    SHOW(zmq_timers_destroy(&timers));
}

static void from_handlers(void) {
    SECTION("handlers change the set");
    timers = zmq_timers_new();
    SHOW(zmq_timers_add(timers, 20, cancel_itself, "cancels itself"));
    SHOW(zmq_timers_add(timers, 20, cancel_victim, "cancels the victim"));
    SHOW(victim = zmq_timers_add(timers, 21, report, "the victim"));
    pause_ms(30);
    SHOW(zmq_timers_execute(timers));
    SHOW(zmq_timers_cancel(timers, 2));
    SHOW(zmq_timers_timeout(timers));
    int adder;
    SHOW(adder = zmq_timers_add(timers, 20, add_another, "adds another"));
    execute_next();
    SHOW(zmq_timers_cancel(timers, adder));
    printf("timeout %d\n", zmq_timers_timeout(timers) > 50000);
    SHOW(zmq_timers_destroy(&timers));
}

int main(void) {
    start();
    wrong_sets();
    empty_set();
    run_and_change();
    missed();
    from_handlers();
    return 0;
}
