/* SPDX-License-Identifier: BSD-2-Clause */
/* The code of pads. Sources: Intel SDM volume 2; System V x86-64 psABI, 3.2. */
#include "arch/pads.h"

#include "arch/x86_64_internal.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum reg { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11 };

static const uint8_t argument_regs[] = { RDI, RSI, RDX, RCX, R8, R9 };

/* The caller-saved registers, in the order in which they are pushed. All of them: callers of an
 * allocator within its own library may have been compiled knowing which ones it does not change. */
static const uint8_t saved_regs[] = { RAX, RCX, RDX, RSI, RDI, R8, R9, R10, R11 };
enum { SAVED = sizeof saved_regs };

/* Writes a pad from its beginning to its end. */
struct writer {
	struct arch_pad_code *code;
	taddr at;
	uint8_t words;	/* between the stack pointer and the caller's return address */
	bool unreached; /* something was too far away */
};

static void put(struct writer *w, const uint8_t *bytes, size_t n)
{
	memcpy(w->code->bytes + w->code->size, bytes, n);
	w->code->size = (uint16_t)(w->code->size + n);
}

#define PUT(w, ...)                                                                                \
	put(w, (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* The instruction just written has moved the stack pointer. */
static void moved(struct writer *w, int words)
{
	struct arch_pad_code *c = w->code;

	w->words = (uint8_t)(w->words + words);
	c->rows[c->n_rows++] = (struct arch_pad_row){ (uint8_t)c->size, w->words };
}

static void push(struct writer *w, enum reg r)
{
	if (r >= R8)
		PUT(w, 0x41);
	PUT(w, (uint8_t)(0x50 | (r & 7)));
	moved(w, 1);
}

static void pop(struct writer *w, enum reg r)
{
	if (r >= R8)
		PUT(w, 0x41);
	PUT(w, (uint8_t)(0x58 | (r & 7)));
	moved(w, -1);
}

/* mov %from,%to */
static void move(struct writer *w, enum reg to, enum reg from)
{
	PUT(w, (uint8_t)(0x48 | (from >= R8) << 2 | (to >= R8)), 0x89,
	    (uint8_t)(0xc0 | (from & 7) << 3 | (to & 7)));
}

/* mov or lea words(%rsp),%to */
static void from_stack(struct writer *w, uint8_t opcode, enum reg to, unsigned words)
{
	PUT(w, (uint8_t)(0x48 | (to >= R8) << 2), opcode, (uint8_t)(0x44 | (to & 7) << 3), 0x24,
	    (uint8_t)(8 * words));
}

enum { LOAD = 0x8b, ADDRESS = 0x8d };

/* The displacement of an instruction to @to, behind which @more bytes of it follow. */
static void put_distance(struct writer *w, taddr to, unsigned more)
{
	uint8_t distance[4];

	if (!x86_put_distance(distance, w->at + w->code->size + sizeof distance + more, to))
		w->unreached = true;
	put(w, distance, sizeof distance);
}

/* cmpb $0,active(%rip); je slot */
static void pass_if_inactive(struct writer *w, const struct arch_pad *pad)
{
	PUT(w, 0x80, 0x3d);
	put_distance(w, pad->active, 1);
	PUT(w, 0, 0x0f, 0x84);
	put_distance(w, pad->slot, 0);
}

static void save(struct writer *w)
{
	for (size_t i = 0; i < SAVED; i++)
		push(w, saved_regs[i]);
}

static void restore(struct writer *w)
{
	for (size_t i = SAVED; i-- > 0;)
		pop(w, saved_regs[i]);
}

/* Without pushf and popf, which are slow, and include the trap flag of a single-stepped task. seto
 * %al; lahf; push %rax */
static void save_flags(struct writer *w)
{
	PUT(w, 0x0f, 0x90, 0xc0, 0x9f);
	push(w, RAX);
}

/* pop %rax; add $127,%al, which overflows if al is 1; sahf */
static void restore_flags(struct writer *w)
{
	pop(w, RAX);
	PUT(w, 0x04, 0x7f, 0x9e);
}

/* movabs entry,%rax; call *%rax */
static void call_entry(struct writer *w, taddr entry)
{
	PUT(w, 0x48, 0xb8 | RAX);
	put(w, (const uint8_t *)&entry, sizeof entry);
	PUT(w, 0xff, 0xd0);
}

/* Call an entry other than agent_enter: sp in rsi, fp in rdx, the probe in ecx. */
static void call_agent(struct writer *w, const struct arch_pad *pad, taddr entry)
{
	from_stack(w, ADDRESS, RSI, w->words);
	move(w, RDX, RBP);
	PUT(w, 0xb8 | RCX);
	put(w, (const uint8_t *)&pad->probe, sizeof pad->probe);
	call_entry(w, entry);
}

/* Nine words and the return address: the stack is aligned. */
static void write_tail(struct writer *w, const struct arch_pad *pad)
{
	save(w);
	move(w, RDI, argument_regs[pad->args[0]]);
	call_agent(w, pad, pad->begin);
	restore(w);
	PUT(w, 0xe9);
	put_distance(w, pad->slot, 0);
}

/* push of an argument, or of 0 */
static void push_argument(struct writer *w, uint8_t arg)
{
	if (arg != ARCH_PAD_NO_ARG) {
		push(w, argument_regs[arg]);
		return;
	}
	PUT(w, 0x6a, 0);
	moved(w, 1);
}

/* jne, to a place that is not known yet. Returns the offset behind its displacement. */
static size_t jump_if_true(struct writer *w)
{
	PUT(w, 0x75, 0);
	return w->code->size;
}

static void lands_here(struct writer *w, size_t distance_end)
{
	w->code->bytes[distance_end - 1] = (uint8_t)(w->code->size - distance_end);
}

/* Call agent_enter, behind the words that a call pad has pushed. Its result is tested before the
 * two registers are popped, which does not change the flags. */
static size_t ask_to_enter(struct writer *w, const struct arch_pad *pad)
{
	push(w, RAX);
	push(w, RDI);
	from_stack(w, ADDRESS, RDI, w->words);
	call_entry(w, pad->enter);
	PUT(w, 0x84, 0xc0); /* test %al,%al */
	pop(w, RDI);
	pop(w, RAX);
	return jump_if_true(w);
}

static void tell_begin(struct writer *w, const struct arch_pad *pad)
{
	size_t entered = pad->enter ? ask_to_enter(w, pad) : 0;

	save(w);
	save_flags(w);
	from_stack(w, ADDRESS, RDI, SAVED + 1);
	call_agent(w, pad, pad->begin);
	restore_flags(w);
	restore(w);
	if (entered)
		lands_here(w, entered);
}

/* One or three words and the return address: the stack is aligned, also with ten saved words more,
 * or two. */
static void write_call(struct writer *w, const struct arch_pad *pad)
{
	bool one = pad->args[1] == ARCH_PAD_NO_ARG && pad->args[2] == ARCH_PAD_NO_ARG;
	unsigned words = one ? 1 : ARCH_PAD_WORDS;

	for (unsigned i = words; i-- > 0;)
		push_argument(w, pad->args[i]);
	tell_begin(w, pad);

	PUT(w, 0xe8);
	put_distance(w, pad->slot, 0);
	w->code->return_site = w->code->size;

	save(w);
	save_flags(w);
	from_stack(w, LOAD, RDI, SAVED);
	from_stack(w, ADDRESS, R8, SAVED + 1);
	call_agent(w, pad, pad->end);
	restore_flags(w);
	restore(w);
	from_stack(w, ADDRESS, RSP, words); /* an addition would change the flags */
	moved(w, -(int)words);
	PUT(w, 0xc3);
}

static bool knows_arguments(const struct arch_pad *pad)
{
	for (size_t i = 0; i < ARCH_PAD_WORDS; i++)
		if (pad->args[i] != ARCH_PAD_NO_ARG && pad->args[i] >= sizeof argument_regs)
			return false;
	return pad->form == ARCH_PAD_CALL || pad->args[0] != ARCH_PAD_NO_ARG;
}

int arch_pad_write(const struct arch_pad *pad, taddr at, struct arch_pad_code *out)
{
	struct writer w = { .code = out, .at = at };

	*out = (struct arch_pad_code){ 0 };
	if (!knows_arguments(pad))
		return -EINVAL;
	moved(&w, 0);
	pass_if_inactive(&w, pad);
	if (pad->form == ARCH_PAD_TAIL)
		write_tail(&w, pad);
	else
		write_call(&w, pad);
	return w.unreached ? -ERANGE : 0;
}

int arch_pad_depth(const struct arch_pad_code *code, size_t offset)
{
	int words = -1;

	if (offset >= code->size)
		return -1;
	for (size_t i = 0; i < code->n_rows && code->rows[i].offset <= offset; i++)
		words = code->rows[i].words;
	return words;
}
