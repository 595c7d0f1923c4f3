/* SPDX-License-Identifier: BSD-2-Clause */
/* x86-64, System V ABI. Sources: Intel SDM volume 2; System V x86-64 psABI, 3.2.3 and 3.4. */
#include "arch/arch.h"

#include "arch/x86_64_internal.h"

#include <elf.h>
#include <errno.h>
#include <linux/audit.h>
#include <libunwind-x86_64.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>

const uint32_t arch_audit = AUDIT_ARCH_X86_64;
const uint8_t arch_trap[] = { 0xcc }; /* int3 */
const size_t arch_trap_size = sizeof arch_trap;
const int arch_trap_code = SI_KERNEL;
_Static_assert(ARCH_INSN_MAX + X86_FAR_JUMP_MAX <= ARCH_SLOT_MAX, "any instruction has a slot");
const uint8_t x86_endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

enum arch_reloc arch_reloc(uint32_t type)
{
	switch (type) {
	case R_X86_64_64:
	case R_X86_64_GLOB_DAT:
	case R_X86_64_JUMP_SLOT:
		return ARCH_RELOC_SYMBOL;
	case R_X86_64_IRELATIVE:
		return ARCH_RELOC_INDIRECT;
	default:
		return ARCH_RELOC_OTHER;
	}
}

const int arch_elf_machine = EM_X86_64;
const char arch_name[] = "x86-64";

enum { FLAG_CF = 0x1, FLAG_PF = 0x4, FLAG_ZF = 0x40, FLAG_SF = 0x80, FLAG_OF = 0x800 };

int arch_get_regs(pid_t tid, struct arch_regs *r)
{
	return ptrace(PTRACE_GETREGS, tid, NULL, &r->user) ? -errno : 0;
}

int arch_set_regs(pid_t tid, const struct arch_regs *r)
{
	return ptrace(PTRACE_SETREGS, tid, NULL, &r->user) ? -errno : 0;
}

int arch_write_pc(pid_t tid, taddr pc)
{
	return ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, regs.rip), pc) ? -errno : 0;
}

/* Writing all registers costs as much as writing three by themselves (bench/NOTES.md). */
enum { FEW_REGS = 2 };

int arch_change_regs(pid_t tid, const struct arch_regs *was, const struct arch_regs *r)
{
	enum { WORDS = sizeof r->user / sizeof(uint64_t) };
	uint64_t old[WORDS], new[WORDS];
	size_t changed[FEW_REGS], n = 0;

	memcpy(old, &was->user, sizeof old);
	memcpy(new, &r->user, sizeof new);
	for (size_t i = 0; i < WORDS; i++) {
		if (old[i] == new[i])
			continue;
		if (n == FEW_REGS)
			return arch_set_regs(tid, r);
		changed[n++] = i;
	}
	for (size_t i = 0; i < n; i++)
		if (ptrace(PTRACE_POKEUSER, tid,
			   offsetof(struct user, regs) + changed[i] * sizeof *new, new[changed[i]]))
			return -errno;
	return 0;
}

taddr arch_pc(const struct arch_regs *r)
{
	return r->user.rip;
}

void arch_set_pc(struct arch_regs *r, taddr pc)
{
	r->user.rip = pc;
}

taddr arch_sp(const struct arch_regs *r)
{
	return r->user.rsp;
}

uint64_t arch_arg(const struct arch_regs *r, unsigned n)
{
	const uint64_t in_order[] = { r->user.rdi, r->user.rsi, r->user.rdx,
				      r->user.rcx, r->user.r8,	r->user.r9 };

	return in_order[n % 6];
}

void arch_set_arg(struct arch_regs *r, unsigned n, uint64_t value)
{
	struct user_regs_struct *u = &r->user;
	unsigned long long *const in_order[] = { &u->rdi, &u->rsi, &u->rdx,
						 &u->rcx, &u->r8,  &u->r9 };

	*in_order[n % 6] = value;
}

/* rol $3, $13, $61, $51, %rdi; xchg %rbx,%rbx */
const uint8_t arch_request[] = { 0x48, 0xc1, 0xc7, 0x03, 0x48, 0xc1, 0xc7, 0x0d, 0x48, 0xc1,
				 0xc7, 0x3d, 0x48, 0xc1, 0xc7, 0x33, 0x48, 0x87, 0xdb };
const size_t arch_request_size = sizeof arch_request, arch_request_trap = 16;

taddr arch_request_block(const struct arch_regs *r)
{
	return r->user.rax;
}

uint64_t arch_result(const struct arch_regs *r)
{
	return r->user.rax;
}

void arch_set_result(struct arch_regs *r, uint64_t value)
{
	r->user.rax = value;
}

taddr arch_return_place(const struct arch_regs *r)
{
	return r->user.rsp;
}

taddr arch_sp_after_return(const struct arch_regs *r)
{
	return r->user.rsp + 8;
}

void arch_set_caller(struct arch_regs *r, taddr pc, taddr sp)
{
	r->user.rip = pc;
	r->user.rsp = sp;
}

/* psABI 3.2.1; the stack pointer is kept too, but that is what a call frame is about. */
const int arch_kept_regs[ARCH_KEPT_REGS] = { UNW_X86_64_RBX, UNW_X86_64_RBP, UNW_X86_64_R12,
					     UNW_X86_64_R13, UNW_X86_64_R14, UNW_X86_64_R15 };

static uint64_t *kept(struct user_regs_struct *u, unsigned index)
{
	unsigned long long *const in_order[] = { &u->rbx, &u->rbp, &u->r12, &u->r13, &u->r14,
						 &u->r15 };

	return (uint64_t *)in_order[index];
}

void arch_set_kept(struct arch_regs *r, unsigned index, uint64_t value)
{
	*kept(&r->user, index) = value;
}

uint64_t arch_kept(const struct arch_regs *r, unsigned index)
{
	struct user_regs_struct u = r->user;

	return *kept(&u, index);
}

int arch_kept_index(int regnum)
{
	if (regnum == UNW_X86_64_RIP || regnum == UNW_X86_64_RSP)
		return -2;
	for (int i = 0; i < ARCH_KEPT_REGS; i++)
		if (arch_kept_regs[i] == regnum)
			return i;
	return -1;
}

const unsigned arch_frame_pointer = 1; /* rbp, psABI 3.2.2 */

bool arch_is_signal_return(const uint8_t code[16])
{
	/* mov $15,%rax; syscall: rt_sigreturn, as glibc and musl write it */
	static const uint8_t restorer[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };

	return !memcmp(code, restorer, sizeof restorer);
}

bool arch_is_plt_stub(const uint8_t code[16])
{
	/* jmp *slot(%rip); push $number; jmp to the first one; or the same for CET: endbr64; push
	 * $number; jmp, or bnd jmp */
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	if (code[0] == 0xff && code[1] == 0x25)
		return code[6] == 0x68 && code[11] == 0xe9;
	return !memcmp(code, endbr64, sizeof endbr64) && code[4] == 0x68 &&
	       (code[9] == 0xe9 || (code[9] == 0xf2 && code[10] == 0xe9));
}

/* Source: struct rt_sigframe of the kernel, arch/x86/include/asm/sigframe.h. */
#define INTERRUPTED(reg) (sizeof(uint64_t) + offsetof(ucontext_t, uc_mcontext.gregs[reg]))

const size_t arch_interrupted_pc = INTERRUPTED(REG_RIP);

bool arch_handler_frame(const struct arch_regs *r, taddr *frame)
{
	*frame = r->user.rsp;
	return r->user.rdx == *frame + sizeof(uint64_t);
}

void arch_set_interrupted(struct arch_regs *r, const uint8_t frame[ARCH_HANDLER_FRAME])
{
	memcpy(&r->user.rip, frame + INTERRUPTED(REG_RIP), sizeof r->user.rip);
	memcpy(&r->user.rsp, frame + INTERRUPTED(REG_RSP), sizeof r->user.rsp);
	memcpy(&r->user.rdx, frame + INTERRUPTED(REG_RDX), sizeof r->user.rdx);
}

bool arch_unwind_reg(const struct arch_regs *r, int regnum, uint64_t *value)
{
	const struct user_regs_struct *u = &r->user;
	const uint64_t by_number[] = {
		[UNW_X86_64_RAX] = u->rax, [UNW_X86_64_RDX] = u->rdx, [UNW_X86_64_RCX] = u->rcx,
		[UNW_X86_64_RBX] = u->rbx, [UNW_X86_64_RSI] = u->rsi, [UNW_X86_64_RDI] = u->rdi,
		[UNW_X86_64_RBP] = u->rbp, [UNW_X86_64_RSP] = u->rsp, [UNW_X86_64_R8] = u->r8,
		[UNW_X86_64_R9] = u->r9,   [UNW_X86_64_R10] = u->r10, [UNW_X86_64_R11] = u->r11,
		[UNW_X86_64_R12] = u->r12, [UNW_X86_64_R13] = u->r13, [UNW_X86_64_R14] = u->r14,
		[UNW_X86_64_R15] = u->r15, [UNW_X86_64_RIP] = u->rip,
	};

	if (regnum < 0 || (size_t)regnum >= sizeof by_number / sizeof *by_number)
		return false;
	*value = by_number[regnum];
	return true;
}

/* ---- decoding ---- */

bool x86_is_jcc(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_JO:
	case ZYDIS_MNEMONIC_JNO:
	case ZYDIS_MNEMONIC_JB:
	case ZYDIS_MNEMONIC_JNB:
	case ZYDIS_MNEMONIC_JZ:
	case ZYDIS_MNEMONIC_JNZ:
	case ZYDIS_MNEMONIC_JBE:
	case ZYDIS_MNEMONIC_JNBE:
	case ZYDIS_MNEMONIC_JS:
	case ZYDIS_MNEMONIC_JNS:
	case ZYDIS_MNEMONIC_JP:
	case ZYDIS_MNEMONIC_JNP:
	case ZYDIS_MNEMONIC_JL:
	case ZYDIS_MNEMONIC_JNL:
	case ZYDIS_MNEMONIC_JLE:
	case ZYDIS_MNEMONIC_JNLE:
		return true;
	default:
		return false;
	}
}

/*
 * The few forms that arch_emulate() can do: direct jumps and calls, and what compilers put behind a
 * call of an allocator: `mov %rax,%rbx` and `test %rax,%rax`.
 */
static bool can_emulate(const ZydisDecodedInstruction *z, const uint8_t *code)
{
	if (x86_is_jcc(z->mnemonic))
		return code[0] == 0x0f || (code[0] >= 0x70 && code[0] <= 0x7f);
	size_t op = code[0] >= 0x40 && code[0] <= 0x4f; /* behind a REX prefix */

	if (op == 0 && (code[0] == 0xe8 || code[0] == 0xe9 || code[0] == 0xeb))
		return true;
	if (z->mnemonic == ZYDIS_MNEMONIC_ENDBR64)
		return code[0] == 0xf3; /* other prefixes may come first */
	bool registers_only = z->length == op + 2 && (code[op + 1] & 0xc0) == 0xc0;
	if (!registers_only)
		return false;
	if (code[op] == 0x89 || code[op] == 0x8b)
		return true;
	return code[op] == 0x85 && z->operand_width >= 32;
}

/* Does the instruction depend on its address? It reads or writes the pc, or the kernel does for
 * it. */
static bool tied_to_its_address(const ZydisDecodedInstruction *z)
{
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_INTERRUPT:
		return true;
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_COND_BR:
		return z->attributes & ZYDIS_ATTRIB_IS_RELATIVE;
	default:
		return z->mnemonic == ZYDIS_MNEMONIC_XBEGIN;
	}
}

bool x86_decode(const uint8_t *code, size_t len, ZydisDecodedInstruction *z)
{
	static ZydisDecoder d;
	static bool ready;

	if (!ready) {
		ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
		ready = true;
	}
	return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&d, NULL, code, len, z));
}

bool arch_ends_in_call(const uint8_t before[ARCH_CALL_MAX])
{
	ZydisDecodedInstruction z;

	for (size_t n = 2; n <= ARCH_CALL_MAX; n++)
		if (x86_decode(before + ARCH_CALL_MAX - n, n, &z) &&
		    z.mnemonic == ZYDIS_MNEMONIC_CALL && z.length == n)
			return true;
	return false;
}

int arch_decode(const uint8_t *code, size_t len, struct arch_insn *out)
{
	ZydisDecodedInstruction z;

	if (!x86_decode(code, len, &z))
		return -EILSEQ;
	*out = (struct arch_insn){ .size = z.length, .how = ARCH_COPY };
	memcpy(out->bytes, code, z.length);
	if (can_emulate(&z, code)) {
		out->how = ARCH_EMULATE;
	} else if (tied_to_its_address(&z)) {
		out->how = ARCH_STEP;
	} else if (z.attributes & ZYDIS_ATTRIB_IS_RELATIVE) {
		out->how = z.raw.disp.size == 32 ? ARCH_COPY_RELATIVE : ARCH_STEP;
		out->displacement = z.raw.disp.offset;
	}
	return 0;
}

/* ---- emulation ---- */

static uint64_t *reg_by_code(struct user_regs_struct *u, unsigned code)
{
	unsigned long long *const in_order[] = {
		&u->rax, &u->rcx, &u->rdx, &u->rbx, &u->rsp, &u->rbp, &u->rsi, &u->rdi,
		&u->r8,	 &u->r9,  &u->r10, &u->r11, &u->r12, &u->r13, &u->r14, &u->r15,
	};

	return (uint64_t *)in_order[code & 15];
}

/* SDM volume 1, appendix B: the condition codes. */
static bool condition_holds(unsigned cc, uint64_t flags)
{
	bool cf = flags & FLAG_CF, zf = flags & FLAG_ZF, sf = flags & FLAG_SF;
	bool of = flags & FLAG_OF, pf = flags & FLAG_PF, holds = false;

	switch (cc >> 1 & 7) {
	case 0:
		holds = of;
		break;
	case 1:
		holds = cf;
		break;
	case 2:
		holds = zf;
		break;
	case 3:
		holds = cf || zf;
		break;
	case 4:
		holds = sf;
		break;
	case 5:
		holds = pf;
		break;
	case 6:
		holds = sf != of;
		break;
	case 7:
		holds = zf || sf != of;
		break;
	}
	return holds != (cc & 1);
}

int32_t x86_read32(const uint8_t *p)
{
	int32_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

static void emulate_test(struct user_regs_struct *u, uint64_t v, bool wide)
{
	uint64_t flags = u->eflags & ~(uint64_t)(FLAG_CF | FLAG_OF | FLAG_ZF | FLAG_SF | FLAG_PF);

	if (!wide)
		v &= UINT32_MAX;
	if (!v)
		flags |= FLAG_ZF;
	if (v >> (wide ? 63 : 31))
		flags |= FLAG_SF;
	if (!__builtin_parity((unsigned)(v & 0xff)))
		flags |= FLAG_PF;
	u->eflags = flags;
}

/* mov and test between registers: [REX] opcode ModRM with mod = 3. */
static void emulate_registers(const struct arch_insn *i, struct user_regs_struct *u)
{
	size_t op = i->bytes[0] >= 0x40 && i->bytes[0] <= 0x4f;
	unsigned rex = op ? i->bytes[0] : 0, modrm = i->bytes[op + 1];
	bool wide = rex & 8;
	unsigned reg = (modrm >> 3 & 7) | (rex & 4) << 1, rm = (modrm & 7) | (rex & 1) << 3;

	if (i->bytes[op] == 0x85) {
		emulate_test(u, *reg_by_code(u, reg) & *reg_by_code(u, rm), wide);
		return;
	}
	bool load = i->bytes[op] == 0x8b;
	uint64_t v = *reg_by_code(u, load ? rm : reg);
	*reg_by_code(u, load ? reg : rm) = wide ? v : v & UINT32_MAX;
}

void arch_emulate(const struct arch_insn *i, taddr at, struct arch_regs *r, bool *push,
		  uint64_t *value)
{
	struct user_regs_struct *u = &r->user;
	const uint8_t *b = i->bytes;
	taddr next = at + i->size;

	*push = false;
	u->rip = next;
	if (b[0] == 0xe8) {
		*push = true;
		*value = next;
		u->rsp -= 8;
		u->rip = next + (uint64_t)(int64_t)x86_read32(b + 1);
	} else if (b[0] == 0xe9) {
		u->rip = next + (uint64_t)(int64_t)x86_read32(b + 1);
	} else if (b[0] == 0xeb) {
		u->rip = next + (uint64_t)(int64_t)(int8_t)b[1];
	} else if (b[0] >= 0x70 && b[0] <= 0x7f) {
		if (condition_holds(b[0], u->eflags))
			u->rip = next + (uint64_t)(int64_t)(int8_t)b[1];
	} else if (b[0] == 0x0f) {
		if (condition_holds(b[1], u->eflags))
			u->rip = next + (uint64_t)(int64_t)x86_read32(b + 2);
	} else if (b[0] != 0xf3) { /* f3 0f 1e fa, endbr64, does nothing */
		emulate_registers(i, u);
	}
}

/* ---- moving ---- */

bool x86_put_distance(uint8_t out[4], taddr end, taddr to)
{
	int64_t d = (int64_t)(to - end);
	int32_t d32 = (int32_t)d;

	memcpy(out, &d32, sizeof d32);
	return d == d32;
}

/* jmp *padding(%rip), and the address behind the padding, aligned: a program with alignment checks
 * on (SDM volume 3, 7.15) would die of reading an unaligned one. */
static size_t put_far_jump(uint8_t *out, taddr from, taddr to)
{
	enum { SIZE = 6 };
	const uint8_t padding = -(from + SIZE) % sizeof to;
	const uint8_t far[SIZE] = { 0xff, 0x25, padding };

	memcpy(out, far, sizeof far);
	memset(out + SIZE, arch_trap[0], padding);
	memcpy(out + SIZE + padding, &to, sizeof to);
	return SIZE + padding + sizeof to;
}

size_t x86_put_jump(uint8_t *out, taddr from, taddr to)
{
	out[0] = 0xe9; /* jmp rel32 */
	if (x86_put_distance(out + 1, from + X86_JUMP_SIZE, to))
		return X86_JUMP_SIZE;
	return put_far_jump(out, from, to);
}

bool x86_move(const uint8_t *insn, size_t size, size_t displacement, taddr at, taddr to,
	      uint8_t *out)
{
	memcpy(out, insn, size);
	if (!displacement)
		return true;
	taddr named = at + size + (uint64_t)(int64_t)x86_read32(insn + displacement);

	return x86_put_distance(out + displacement, to + size, named);
}

int arch_relocate(const struct arch_insn *i, taddr at, taddr slot, uint8_t *out)
{
	size_t displacement = i->how == ARCH_COPY_RELATIVE ? i->displacement : 0;

	if (!x86_move(i->bytes, i->size, displacement, at, slot, out))
		return -ERANGE;
	return (int)(i->size + x86_put_jump(out + i->size, slot + i->size, at + i->size));
}

/* [endbr64] [bnd] jmp *displacement(%rip); psABI 5.2 and the CET and MPX variants of it. */
taddr arch_stub_got_entry(const uint8_t code[ARCH_STUB_SIZE], taddr at)
{
	size_t i = memcmp(code, x86_endbr64, X86_ENDBR64_SIZE) ? 0 : X86_ENDBR64_SIZE;
	int32_t displacement;

	i += code[i] == 0xf2;
	if (code[i] != 0xff || code[i + 1] != 0x25)
		return 0;
	memcpy(&displacement, code + i + 2, sizeof displacement);
	return at + i + 2 + sizeof displacement + (taddr)(int64_t)displacement;
}

taddr arch_direct_call_target(const uint8_t before[5], taddr ret)
{
	if (before[0] != 0xe8)
		return 0;
	return ret + (uint64_t)(int64_t)x86_read32(before + 1);
}
