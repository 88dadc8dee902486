// SPDX-License-Identifier: MPL-2.0
#include "sim/fiber.hpp"

#include <linux/futex.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include "sim/host.hpp"

// Saves the registers that a call keeps, and takes over the other stack. rdi: where the stack pointer is
// kept; rsi: the other stack; rdx: the other fs; ecx: 1 if the processor lets programs set fs.
asm(R"(
.text
.globl zlink_sim_switch
.type zlink_sim_switch, @function
zlink_sim_switch:
    push %rbp
    push %rbx
    push %r12
    push %r13
    push %r14
    push %r15
    mov %rsp, (%rdi)
    mov %rsi, %rsp
    test %ecx, %ecx
    jz 1f
    wrfsbase %rdx
    jmp 2f
1:  mov $158, %eax
    mov $0x1002, %edi
    mov %rdx, %rsi
    syscall
2:  pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbx
    pop %rbp
    ret
.size zlink_sim_switch, .-zlink_sim_switch
.globl zlink_sim_begin
.type zlink_sim_begin, @function
zlink_sim_begin:
    mov %r13, %rdi
    call *%r12
    ud2
.size zlink_sim_begin, .-zlink_sim_begin
)");

extern "C" void zlink_sim_switch(void **kept, void *stack, void *locals, int direct) noexcept;
extern "C" void zlink_sim_begin() noexcept;

namespace sim {
namespace {

constexpr std::uintptr_t below_lender = 64 * 1024; // the lending thread sleeps in there
constexpr unsigned long sets_fs = 2;               // HWCAP2_FSGSBASE

void *thread_locals() noexcept {
    void *found = nullptr;
    asm volatile("mov %%fs:0, %0" : "=r"(found));
    return found;
}

void host_wait(std::uint32_t &word) noexcept {
    while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 0)
        host::call(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0);
}
void host_set(std::uint32_t &word) noexcept {
    __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
    host::call(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
}

} // namespace

fiber::fiber() noexcept : locals_(thread_locals()), thread_(pthread_self()) {}

fiber::fiber(void (*entry)(void *), void *argument) noexcept : entry_(entry), argument_(argument) {
    if (host::create_thread(&thread_, &lend, this) == 0)
        host_wait(lent_);
}

void *fiber::lend(void *of) {
    auto &self = *static_cast<fiber *>(of);
    self.locals_ = thread_locals();
    self.prepare_stack(static_cast<char *>(__builtin_frame_address(0)) - below_lender);
    host_set(self.lent_);
    host_wait(self.over_);
    return nullptr;
}

// As zlink_sim_switch leaves a stack: six registers, then where to go on.
void fiber::prepare_stack(char *top) noexcept {
    auto **place = reinterpret_cast<void **>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15});
    *--place = reinterpret_cast<void *>(&zlink_sim_begin);
    *--place = nullptr;                          // rbp
    *--place = nullptr;                          // rbx
    *--place = reinterpret_cast<void *>(entry_); // r12
    *--place = argument_;                        // r13
    *--place = nullptr;                          // r14
    *--place = nullptr;                          // r15
    stack_ = place;
}

void fiber::switch_to(fiber &to) noexcept {
    static const int direct = (getauxval(AT_HWCAP2) & sets_fs) != 0 ? 1 : 0;
    zlink_sim_switch(&stack_, to.stack_, to.locals_, direct);
}

void fiber::end() noexcept {
    host_set(over_);
    host::join_thread(thread_);
}

} // namespace sim
