// SPDX-License-Identifier: MPL-2.0
//
// Version, capabilities, error texts, atomic counters, stopwatch, threads.
#include "support.h"

static void version(void) {
    SECTION("version");
    int major = -1, minor = -1, patch = -1;
    zmq_version(&major, &minor, &patch);
    printf("major %d, at least 4.3.4 %d\n", major, minor > 3 || (minor == 3 && patch >= 4));
}

static void capabilities(void) {
    SECTION("capabilities (those of security and other transports are their own tests')");
    static const char *const names[] = {"ipc", "vmci", "", "nonsense", "IPC", "tcp", "inproc", "ipc "};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        printf("has \"%s\": %d\n", names[i], zmq_has(names[i]));
    }
}

static void errors(void) {
    SECTION("error texts");
    for (int code = 0; code < 134; code++) {
        printf("%d: %s\n", code, zmq_strerror(code));
    }
    for (int code = ZMQ_HAUSNUMERO; code < ZMQ_HAUSNUMERO + 60; code++) {
        printf("HAUSNUMERO + %d: %s\n", code - ZMQ_HAUSNUMERO, zmq_strerror(code));
    }
    printf("EFSM %d, ENOCOMPATPROTO %d, ETERM %d, EMTHREAD %d\n", EFSM, ENOCOMPATPROTO, ETERM, EMTHREAD);
    errno = EBADF;
    printf("zmq_errno is errno: %d\n", zmq_errno() == EBADF);
}

static void counters(void) {
    SECTION("atomic counter");
    void *counter = zmq_atomic_counter_new();
    SHOW(zmq_atomic_counter_value(counter));
    SHOW(zmq_atomic_counter_inc(counter));
    SHOW(zmq_atomic_counter_inc(counter));
    SHOW(zmq_atomic_counter_inc(counter));
    SHOW(zmq_atomic_counter_value(counter));
    SHOW(zmq_atomic_counter_dec(counter));
    SHOW(zmq_atomic_counter_dec(counter));
    SHOW(zmq_atomic_counter_dec(counter));
    SHOW(zmq_atomic_counter_value(counter));
    zmq_atomic_counter_set(counter, 10);
    SHOW(zmq_atomic_counter_value(counter));
    zmq_atomic_counter_destroy(&counter);
    printf("destroyed pointer is null: %d\n", counter == NULL);
}

static void stopwatch(void) {
    SECTION("stopwatch");
    void *watch = zmq_stopwatch_start();
    pause_ms(20);
    unsigned long middle = zmq_stopwatch_intermediate(watch);
    pause_ms(5);
    unsigned long end = zmq_stopwatch_stop(watch);
    printf("counts microseconds %d, runs forward %d\n", middle >= 20000 && middle < 20000000,
           end >= middle + 5000);
    watch = zmq_stopwatch_start();
    zmq_sleep(1);
    end = zmq_stopwatch_stop(watch);
    printf("sleeps a second %d\n", end >= 990000 && end < 30000000);
}

struct work {
    void *counter;
    int seen;
    int blocked;
};

static void do_work(void *argument) {
    struct work *work = argument;
    for (int i = 0; i < 10000; i++) {
        zmq_atomic_counter_inc(work->counter);
    }
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    work->blocked = sigismember(&mask, SIGTERM);
    work->seen = 7;
}

static void threads(void) {
    SECTION("threads");
    void *counter = zmq_atomic_counter_new();
    struct work works[3] = {{counter, 0, -1}, {counter, 0, -1}, {counter, 0, -1}};
    void *handles[3];
    for (int i = 0; i < 3; i++) {
        handles[i] = zmq_threadstart(do_work, &works[i]);
    }
    for (int i = 0; i < 3; i++) {
        zmq_threadclose(handles[i]);
        printf("ran %d, SIGTERM blocked %d\n", works[i].seen, works[i].blocked);
    }
    SHOW(zmq_atomic_counter_value(counter));
    zmq_atomic_counter_destroy(&counter);
}

int main(void) {
    start();
    version();
    capabilities();
    errors();
    counters();
    stopwatch();
    threads();
    return 0;
}
