/* SPDX-License-Identifier: BSD-2-Clause */
/* Any rows of unwinding tables, and a walk by them over any stack. */
#include "fuzz.h"

#include "symbols/cfirows.h"

#define CODE  UINT64_C(0x400000)
#define STACK UINT64_C(0x7fff0000)

/* What comes first; then rows, then the stack. */
struct head {
	uint32_t pc, sp, fp; /* from the beginning of code and stack */
	uint32_t code;	     /* its bytes */
	uint8_t rows;
};

struct row {
	uint16_t skip, cfa, fp; /* skip: bytes of code from the row before */
};

struct stack {
	const uint8_t *bytes;
	size_t n;
};

enum { STEPS = 64 };

static bool read_word(void *ctx, uint64_t at, uint64_t *word)
{
	const struct stack *s = ctx;

	if (at < STACK || at - STACK >= s->n || s->n - (at - STACK) < sizeof *word)
		return false;
	memcpy(word, s->bytes + (at - STACK), sizeof *word);
	return true;
}

/* The table of what was put, and what it says of each place that was named. */
static void make_table(struct cfi_rows *t, const uint8_t *rows, size_t n, uint64_t end)
{
	uint64_t at = CODE;
	struct row r;

	FUZZ_EXPECT(!rows_init(t, CODE, end));
	for (size_t i = 0; i < n; i++) {
		memcpy(&r, rows + i * sizeof r, sizeof r);
		at += r.skip;
		FUZZ_EXPECT(!rows_put(t, at, (struct cfi_code){r.cfa, r.fp}));
		FUZZ_EXPECT(at >= end ||
			    (t->v[t->n - 1].cfa == r.cfa && t->v[t->n - 1].fp == r.fp));
	}
	FUZZ_EXPECT(!rows_finish(t));
	for (size_t i = 0; i < t->n; i++)
		FUZZ_EXPECT(cfirows_find(t, CODE + t->v[i].pc) == &t->v[i]);
}

/* One that reads no word that is not there, and changes nothing if there is no caller. */
static void walk(const struct cfi_rows *t, struct unwind_frame f, struct stack *s)
{
	for (unsigned i = 0; i < STEPS; i++) {
		const struct unwind_row *row = cfirows_find(t, f.pc);
		const struct unwind_frame was = f;
		uint64_t fp_at = 1;

		if (!row)
			return;
		const enum unwind_step step =
			unwind_row_step(row->cfa, row->fp, &f, &fp_at, read_word, s);

		if (step != UNWIND_CALLER && step != UNWIND_INTERRUPTED) {
			FUZZ_EXPECT(!memcmp(&was, &f, sizeof f) && fp_at == 1);
			return;
		}
		uint64_t word;

		FUZZ_EXPECT(step == UNWIND_INTERRUPTED ||
			    (read_word(s, f.sp - sizeof word, &word) && word == f.pc));
		FUZZ_EXPECT(!fp_at || (read_word(s, fp_at, &word) && word == f.fp));
		FUZZ_EXPECT(fp_at || f.fp == was.fp || !f.fp);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cfi_rows t;
	struct head h;

	if (size < sizeof h)
		return 0;
	memcpy(&h, data, sizeof h);
	const uint8_t *rows = data + sizeof h;
	const size_t room = (size - sizeof h) / sizeof(struct row),
		     n = h.rows < room ? h.rows : room;
	const size_t left = size - sizeof h - n * sizeof(struct row);
	char *copy = fuzz_text(rows + n * sizeof(struct row), left);
	struct stack stack = {(uint8_t *)copy, left};

	make_table(&t, rows, n, CODE + 1 + h.code % (1u << 20));
	walk(&t, (struct unwind_frame){CODE + h.pc, STACK + h.sp, STACK + h.fp}, &stack);
	cfirows_release(&t);
	free(copy);
	return 0;
}
