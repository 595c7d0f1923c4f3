/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ARCH_H
#define MPROF_ARCH_H

#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

/*
 * What a port has to define: the files src/arch/MACHINE*.c. No other code names a register or an
 * instruction.
 */

struct arch_regs {
	struct user_regs_struct user;
};

/* 0 or -errno (-ESRCH: the task is dying, waitpid will report its end). */
int arch_get_regs(pid_t tid, struct arch_regs *r);
int arch_set_regs(pid_t tid, const struct arch_regs *r);
/* The same for a task whose registers are @was: faster if few differ. */
int arch_change_regs(pid_t tid, const struct arch_regs *was, const struct arch_regs *r);
/* The program counter alone, which is faster still. */
int arch_write_pc(pid_t tid, taddr pc);

taddr arch_pc(const struct arch_regs *r);
void arch_set_pc(struct arch_regs *r, taddr pc);
taddr arch_sp(const struct arch_regs *r);

/* The contents of a stopped task's registers, general ones and vectors, as words that may be
 * addresses. @r: the general ones, read already. Returns the number of words. */
#define ARCH_WORDS 512
size_t arch_words(pid_t tid, const struct arch_regs *r, uint64_t words[ARCH_WORDS]);

/* Integer argument @n (0 to 5) when the pc is at a function's first instruction. */
uint64_t arch_arg(const struct arch_regs *r, unsigned n);
void arch_set_arg(struct arch_regs *r, unsigned n, uint64_t value);

/* The integer result when a function has just returned. */
uint64_t arch_result(const struct arch_regs *r);

/* Is the instruction at the pc, of which @code has the first bytes, one that reads the processor's
 * clock, for which a program under strict seccomp gets a SIGSEGV? Then emulate it, with @ticks as
 * the clock. */
bool arch_read_clock(struct arch_regs *r, const uint8_t code[2], uint64_t ticks);
void arch_set_result(struct arch_regs *r, uint64_t value);

/* At a function's first instruction: the address of its return address on the stack, and the stack
 * pointer after it has returned. */
taddr arch_return_place(const struct arch_regs *r);
taddr arch_sp_after_return(const struct arch_regs *r);

/*
 * At the first instruction of a signal handler: *frame is where the kernel has saved the
 * interrupted registers; arch_set_interrupted() takes from there those that a nested frame needs,
 * and arch_interrupted_pc is the offset of the pc. False: it is not at a handler.
 */
#define ARCH_HANDLER_FRAME 256
extern const size_t arch_interrupted_pc;
bool arch_handler_frame(const struct arch_regs *r, taddr *frame);
void arch_set_interrupted(struct arch_regs *r, const uint8_t frame[ARCH_HANDLER_FRAME]);

/* A register by its number in libunwind. False: unknown number. */
bool arch_unwind_reg(const struct arch_regs *r, int regnum, uint64_t *value);
/* The registers of a caller, as far as they are known: pc and stack pointer. */
void arch_set_caller(struct arch_regs *r, taddr pc, taddr sp);

/* The callee-saved general registers, by their numbers in libunwind; and access to one by its index
 * here. */
#define ARCH_KEPT_REGS 6
extern const int arch_kept_regs[ARCH_KEPT_REGS];
void arch_set_kept(struct arch_regs *r, unsigned index, uint64_t value);
uint64_t arch_kept(const struct arch_regs *r, unsigned index);
/* The index of a register by its number in libunwind; -1: not kept; -2: pc or stack pointer. */
int arch_kept_index(int regnum);

/* A frame of a chain in progress: the registers that are known there. */
struct arch_frame {
	taddr pc, sp;
	uint64_t kept[ARCH_KEPT_REGS];
};

/* The index of the frame pointer, in code that keeps one; and the offsets from it of the saved
 * frame pointer of the caller, of the return address, and of the caller's stack pointer before the
 * call. */
extern const unsigned arch_frame_pointer;
#define ARCH_FRAME_SAVED 0
#define ARCH_FRAME_RETURN 8
#define ARCH_FRAME_CALLER 16

/* The DWARF numbers of the stack pointer, the frame pointer and the return address, and the offset
 * from the CFA at which a call pushes that. Source: psABI, 3.6.2. */
#define ARCH_DWARF_SP 7
#define ARCH_DWARF_FP 6
#define ARCH_DWARF_RETURN 16
#define ARCH_DWARF_RETURN_AT (-8)

/* Does a call instruction end at the end of @before? */
#define ARCH_CALL_MAX 9	/* bytes of the longest one */
bool arch_ends_in_call(const uint8_t before[ARCH_CALL_MAX]);

/* Is @code, 16 bytes, the return trampoline of a signal handler? */
bool arch_is_signal_return(const uint8_t code[16]);

/* Are these 16 bytes, aligned to 16, a stub of a procedure linkage table? By the linker's tables
 * its CFA depends on the pc itself (psABI 5.2; ld's .eh_frame of .plt). */
bool arch_is_plt_stub(const uint8_t code[16]);

/* The thread pointer, which identifies a thread. */
uint64_t arch_thread_pointer_of(const struct arch_regs *r);

/* The AUDIT_ARCH_* value that PTRACE_GET_SYSCALL_INFO reports for this machine's system calls. */
extern const uint32_t arch_audit;

/* ---- a system call that a stopped task is made to make ---- */

/* The offset of a system call instruction in @code; -ENOENT: there is none. */
ssize_t arch_find_syscall(const uint8_t *code, size_t len);

/* Does a task with these registers run code in which that instruction is one? On x86-64 not if it
 * is in 32-bit code, to which any process may jump. */
bool arch_can_call(const struct arch_regs *r);

/* Set @r so that the task makes a system call when it is resumed, by such an instruction at @insn,
 * instead of restarting the one that it was stopped in. arch_result() gives its result then. */
void arch_set_syscall(struct arch_regs *r, taddr insn, long nr, const uint64_t arg[6]);
/* The system call that the task is in, by registers of a stop in it: its arguments. Returns its
 * number; -1: it is in none. */
long arch_syscall(const struct arch_regs *r, uint64_t arg[6]);
/* The address of the instruction by which a task, which is about to return from a system call, has
 * made it. */
taddr arch_syscall_made_at(const struct arch_regs *r);
/* Is the task at that instruction, in its system call, or right behind it? */
bool arch_is_at_syscall(const struct arch_regs *r, taddr insn);

/* The trap instruction; after it the pc is behind it. */
extern const uint8_t arch_trap[];
extern const size_t arch_trap_size;
/* The si_code that the kernel gives SIGTRAP for it. */
extern const int arch_trap_code;

/* What a relocation (r_type of ELF) makes of its word. */
enum arch_reloc {
	ARCH_RELOC_OTHER,
	ARCH_RELOC_SYMBOL,	/* the address of its symbol */
	ARCH_RELOC_INDIRECT,	/* the result of the resolver at its addend: an ifunc of the file
				   itself */
};
enum arch_reloc arch_reloc(uint32_t type);

/* ELF e_machine of this machine's programs, and its name for a person. */
extern const int arch_elf_machine;
extern const char arch_name[];

/* ---- Valgrind's client requests (valgrind.h) ---- */

/* The instructions of one, and the offset of the instruction to be trapped: there the arguments are
 * set. */
extern const uint8_t arch_request[];
extern const size_t arch_request_size, arch_request_trap;

/* The address of the request's words, for a task at that instruction. */
taddr arch_request_block(const struct arch_regs *r);

/* ---- an instruction displaced by a breakpoint ---- */

#define ARCH_INSN_MAX 15	/* bytes of the longest instruction */
#define ARCH_SLOT_MAX 36	/* bytes that one out-of-line slot may take */

enum arch_insn_how {
	ARCH_EMULATE,	/* arch_emulate() can do it */
	ARCH_COPY,	/* position independent: copy it to a slot and jump back behind the
			   original */
	ARCH_COPY_RELATIVE, /* the same, if the slot is near enough to adjust its displacement */
	ARCH_STEP,	/* runs only at its own address */
};

struct arch_insn {
	uint8_t bytes[ARCH_INSN_MAX];
	uint8_t size;
	uint8_t how;		/* enum arch_insn_how */
	uint8_t displacement;	/* ARCH_COPY_RELATIVE: offset of the 32-bit displacement in
				   bytes[] */
};

/**
 * Decode the instruction that begins at @code, of which @len bytes can be read.
 * Returns 0, or -EILSEQ: not an instruction (data, or the mapping ends in it).
 */
int arch_decode(const uint8_t *code, size_t len, struct arch_insn *out);

/**
 * Emulate an ARCH_EMULATE instruction at @at: registers, flags and pc in @r.
 * @push  for a call: set to true, and the caller has to write *@value at arch_sp() (already
 *        lowered)
 */
void arch_emulate(const struct arch_insn *i, taddr at, struct arch_regs *r, bool *push,
		  uint64_t *value);

/**
 * The code for @slot that does what @i does at @at and then jumps behind it.
 * @out  room for ARCH_SLOT_MAX bytes
 * Returns the number of bytes, or -ERANGE: @slot is too far from @at.
 */
int arch_relocate(const struct arch_insn *i, taddr at, taddr slot, uint8_t *out);

/**
 * The target of the direct call that returns to @ret, or 0: it is not a direct call.
 * @before  the 5 bytes before @ret
 */
taddr arch_direct_call_target(const uint8_t before[5], taddr ret);

#define ARCH_STUB_SIZE 16
/**
 * The address of the word with the target of the code at @at, ARCH_STUB_SIZE bytes, if that is only
 * an indirect jump, as a PLT stub is; or 0.
 */
taddr arch_stub_got_entry(const uint8_t code[ARCH_STUB_SIZE], taddr at);

#endif
