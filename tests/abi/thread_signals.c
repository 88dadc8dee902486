// SPDX-License-Identifier: MPL-2.0
//
// Threads of zmq_threadstart take no signals that are for the process: those go to the application's own
// threads. (Signals of a fault are left out: a thread that blocks them only loses its handler.)
#include "support.h"

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};

static bool is_fault(int number) {
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        if (faults[i] == number) {
            return true;
        }
    }
    return false;
}

static void show_blocked(const char *label) {
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    printf("%s:", label);
    for (int number = 1; number <= SIGRTMAX; number++) {
        if (!is_fault(number) && sigismember(&blocked, number) == 1) {
            printf(" %d", number);
        }
    }
    printf("\n");
}

static void show_thread(void *label) {
    show_blocked(label);
    char name[16] = "";
    pthread_getname_np(pthread_self(), name, sizeof name);
    printf("%s: named %s\n", (const char *)label, name);
}

static volatile sig_atomic_t handled = 0;
static pthread_t handler_thread;

static void on_signal(int number) {
    (void)number;
    handler_thread = pthread_self();
    handled = 1;
}

/* While it runs, the other thread waits to be interrupted. */
static void interrupt_process(void *argument) {
    (void)argument;
    kill(getpid(), SIGUSR1);
    while (!handled) {
        pause_ms(1);
    }
}

int main(void) {
    start();
    void *thread = zmq_threadstart(show_thread, "thread");
    zmq_threadclose(thread);
    show_blocked("main thread");
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    thread = zmq_threadstart(show_thread, "thread of one that blocks");
    zmq_threadclose(thread);
    show_blocked("main thread");

    signal(SIGUSR1, on_signal);
    thread = zmq_threadstart(interrupt_process, NULL);
    zmq_threadclose(thread);
    printf("handled by the main thread: %d\n", pthread_equal(handler_thread, pthread_self()) != 0);
    return 0;
}
