/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chains of calls of stacks that anybody may have made, followed through the code of this process;
 * what is remembered of chains before must make no difference.
 */
#include "fuzz.h"

#include "unwind/unwind.h"

#include <sys/types.h>

enum { WORDS = 512, RETURNS = 4096, CODE_SEARCHED = 1 << 16 };

/* This process, as one that is unwound. */
static struct {
	struct unwinder *u;
	struct address_space *space;
	struct module_files files;
	struct mappings maps;
	taddr stack;
	taddr returns[RETURNS]; /* places behind calls */
	size_t n_returns;
} self;

/* A few of each mapping, as the file has its code. */
static void find_returns(const struct mapping *m)
{
	static uint8_t code[CODE_SEARCHED];
	const size_t most = self.n_returns + RETURNS / self.maps.n;
	const ssize_t n = address_space_read(self.space, m->start, code, sizeof code);

	for (ssize_t i = ARCH_CALL_MAX; i < n && self.n_returns < most; i++)
		if (arch_ends_in_call(code + i - ARCH_CALL_MAX))
			self.returns[self.n_returns++] = m->start + (taddr)i;
}

static void begin(void)
{
	self.u = unwinder_new();
	self.space = address_space_new(getpid());
	FUZZ_EXPECT(self.u && self.space);
	FUZZ_EXPECT(!mappings_read(getpid(), &self.files, &self.maps));
	for (size_t i = 0; i < self.maps.n; i++)
		find_returns(&self.maps.maps[i]);
	FUZZ_EXPECT(self.n_returns);
	void *stack = mmap(NULL, WORDS * sizeof(taddr), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	FUZZ_EXPECT(stack != MAP_FAILED);
	self.stack = (taddr)(uintptr_t)stack;
	unwinder_check(self.u, true);
}

/* A word: mostly one that means something. */
static uint64_t take_word(struct fuzz_in *in)
{
	const uint64_t kind = fuzz_take(in, 1) % 8;
	const struct mapping *m;

	switch (kind) {
	case 0:
	case 1:
	case 2:
		return self.returns[fuzz_take(in, 2) % self.n_returns];
	case 3:
		m = &self.maps.maps[fuzz_take(in, 1) % self.maps.n];
		return m->start + fuzz_take(in, 4) % (m->end - m->start);
	case 4:
	case 5:
		return self.stack + fuzz_take(in, 2) % (WORDS + 8) * sizeof(taddr);
	case 6:
		return fuzz_take(in, 1);
	default:
		return fuzz_take(in, 8);
	}
}

struct frame_numbers {
	taddr pc[WORDS];
	size_t n;
	enum chain_end end;
};

static struct frame_numbers chain(const struct arch_regs *r, taddr ret, const uint64_t *stack,
				  size_t n)
{
	struct frame_numbers f = {.n = 0};
	struct unwind_chain c;

	FUZZ_EXPECT(
		!unwinder_snapshot_copy(self.u, self.space, self.stack, stack, n * sizeof *stack));
	FUZZ_EXPECT(!unwinder_chain(self.u, &self.maps, &self.files, r, ret, NULL, &c));
	FUZZ_EXPECT(c.n && c.frames[0].pc == ret);
	f.end = c.truncated;
	f.n = c.n < WORDS ? c.n : WORDS;
	for (size_t i = 0; i < f.n; i++)
		f.pc[i] = c.frames[i].pc;
	return f;
}

static bool is_same(const struct frame_numbers *a, const struct frame_numbers *b)
{
	return a->n == b->n && a->end == b->end && !memcmp(a->pc, b->pc, a->n * sizeof *a->pc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = {data, size};
	struct arch_regs r = {0};
	static uint64_t stack[WORDS], other[WORDS];
	size_t n = 0;

	if (!self.u)
		begin();
	const taddr ret = take_word(&in);

	arch_set_caller(&r, ret, self.stack);
	for (unsigned i = 0; i < ARCH_KEPT_REGS; i++)
		arch_set_kept(&r, i, take_word(&in));
	/* another stack, which differs in a word and in a register */
	struct arch_regs r2 = r;
	const size_t changed = fuzz_take(&in, 2) % WORDS;
	const uint64_t change = take_word(&in);
	const unsigned reg = (unsigned)fuzz_take(&in, 1) % (2 * ARCH_KEPT_REGS);

	if (reg < ARCH_KEPT_REGS)
		arch_set_kept(&r2, reg, take_word(&in));
	while (in.n && n < WORDS)
		stack[n++] = take_word(&in);
	memcpy(other, stack, sizeof other);
	other[changed] = change;
	unwinder_flush(self.u);
	const struct frame_numbers first = chain(&r, ret, stack, n);
	const struct frame_numbers repeated = chain(&r, ret, stack, n);
	const struct frame_numbers second = chain(&r2, ret, other, n);
	const struct frame_numbers again = chain(&r, ret, stack, n);

	FUZZ_EXPECT(is_same(&first, &repeated) && is_same(&first, &again));
	unwinder_flush(self.u);
	const struct frame_numbers alone = chain(&r2, ret, other, n);

	FUZZ_EXPECT(is_same(&second, &alone));
	FUZZ_EXPECT(unwinder_counts(self.u).wrong == 0);
	return 0;
}
