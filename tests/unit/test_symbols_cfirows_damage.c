/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Damaged entries of .eh_frame, the same in every run: most useful with
 * SAN=address,undefined. FUZZ=100 makes it a hundred times as long.
 */
#include "unit/test_symbols_cfirows.h"

#include "lib/random.h"

#include <errno.h>
#include <unistd.h>

#define BREG(n) (DW_OP_breg0 + (n))
#define LOC(n) (DW_CFA_advance_loc | (n))

/* Something of everything. */
static void add_all(struct eh_frame *s)
{
	add_cie(s, (struct cie){ 0 });
	FDE(s, 0x1000, 0x80, LOC(1), DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2, LOC(3),
	    DW_CFA_def_cfa_register, 6, LOC(40), DW_CFA_remember_state, DW_CFA_def_cfa, 7, 8,
	    LOC(1), DW_CFA_restore_state, LOC(5), DW_CFA_restore | 6, DW_CFA_GNU_args_size, 16);
	FDE(s, 0x1080, 0x80, DW_CFA_def_cfa_expression, 3, BREG(6), 0x78, DW_OP_deref,
	    DW_CFA_expression, 6, 2, BREG(6), 0, DW_CFA_advance_loc2, 9, 0, DW_CFA_undefined, 16);
	FDE(s, 0x1100, 0x100, DW_CFA_def_cfa_offset, 16, LOC(6), DW_CFA_def_cfa_offset, 24,
	    LOC(10), DW_CFA_def_cfa_expression, 11, BREG(7), 8, BREG(16), 0, DW_OP_lit15,
	    DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus);
	add_cie(s, (struct cie){ .augmentation = "zPLR", .augmentation_size = 7,
				 .augmentation_data = { DW_EH_PE_udata4, 1, 2, 3, 4,
							DW_EH_PE_udata4,
							DW_EH_PE_pcrel | DW_EH_PE_sdata4 } });
	add_fde(s, 0x1200, 0x100, 4,
		(uint8_t[]){ DW_CFA_advance_loc1, 7, DW_CFA_offset_extended_sf, 6, 0x7d,
			     DW_CFA_val_offset, 7, 0, DW_CFA_advance_loc4, 8, 0, 0, 0,
			     DW_CFA_GNU_negative_offset_extended, 6, 2, DW_CFA_same_value, 6,
			     DW_CFA_def_cfa_sf, 7, 0x70, DW_CFA_def_cfa_offset_sf, 0x70 }, 23);
	add_cie(s, (struct cie){ .augmentation = "zRS", .version = 3 });
	FDE(s, 0x1300, 0x10, DW_CFA_def_cfa_expression, 4, BREG(7), 0xa0, 1, DW_OP_deref,
	    DW_CFA_expression, 6, 3, BREG(7), 0xf8, 0, DW_CFA_expression, 7, 3, BREG(7), 0xa0, 1,
	    DW_CFA_expression, 16, 3, BREG(7), 0xa8, 1);
	add_cie(s, (struct cie){ .encoding = DW_EH_PE_udata2, .version = 4, .code_align = 2 });
	FDE(s, 0x1400, 0x100, DW_CFA_set_loc, 0x20, 0x14, DW_CFA_def_cfa_offset, 16,
	    DW_CFA_MIPS_advance_loc8, 3, 0, 0, 0, 0, 0, 0, 0, DW_CFA_register, 6, 3,
	    DW_CFA_restore_extended, 6, DW_CFA_val_offset_sf, 3, 1, DW_CFA_offset_extended, 6, 2);
}

/* Whatever the bytes are, rows are in order, within the code, and not more than bytes can tell. */
static void check_table(const struct cfi_rows *t, size_t bytes)
{
	assert_true(t->n >= 1 && t->n <= 2 * bytes + 1);
	assert_true(t->n_blocks <= 4 * t->n + 64);
	assert_int_equal(t->v[0].pc, 0);
	for (size_t i = 1; i < t->n; i++) {
		assert_true(t->v[i].pc > t->v[i - 1].pc);
		assert_true(t->v[i].cfa != t->v[i - 1].cfa || t->v[i].fp != t->v[i - 1].fp);
	}
	assert_true(t->v[t->n - 1].pc < t->end - t->start);
	assert_ptr_equal(cfirows_find(t, t->end - 1), &t->v[t->n - 1]);
}

/* Read it in a block of its own size, so that a byte too many is seen. */
static void read_damaged(const struct eh_frame *s, size_t size)
{
	struct row_maker m;
	struct cfi_rows t;
	Elf_Data d;
	struct cfi_section section = section_of(s, &d);
	int err = 0;

	d.d_buf = malloc(size ? size : 1);
	d.d_size = size;
	assert_non_null(d.d_buf);
	memcpy(d.d_buf, s->v, size);
	assert_int_equal(rows_init(&t, CODE_START, CODE_END), 0);
	row_maker_init(&m, &t, &section);
	for (size_t i = 0; i < s->n_fdes && !err; i++)
		err = row_maker_add(&m, s->fde[i]);
	assert_true(!err || err == -EINVAL);
	/* an index may lead anywhere */
	m.last = 0;
	row_maker_add(&m, random_below(size + 8));
	row_maker_release(&m);
	assert_int_equal(rows_finish(&t), 0);
	check_table(&t, size);
	cfirows_release(&t);
	free(d.d_buf);
}

static void each_byte_is_damaged(void **state)
{
	struct eh_frame s = { 0 };

	(void)state;
	add_all(&s);
	for (size_t i = 0; i < s.n; i++) {
		uint8_t was = s.v[i];

		for (unsigned v = 0; v < 256; v++) {
			s.v[i] = (uint8_t)v;
			read_damaged(&s, s.n);
		}
		s.v[i] = was;
	}
}

static void bytes_are_missing(void **state)
{
	struct eh_frame s = { 0 };

	(void)state;
	add_all(&s);
	for (size_t n = 0; n <= s.n; n++)
		read_damaged(&s, n);
}

static void many_bytes_are_damaged(void **state)
{
	static const uint8_t special[] = { 0, 1, 0x7f, 0x80, 0xfe, 0xff };
	const char *times = getenv("FUZZ");
	struct eh_frame whole = { 0 }, s;

	(void)state;
	add_all(&whole);
	for (long round = 100000L * (times ? atol(times) : 1); round > 0; round--) {
		s = whole;
		for (uint64_t k = 1 + random_below(6); k > 0; k--) {
			uint8_t *b = &s.v[random_below(s.n)];

			*b = random_below(2) ? (uint8_t)random_word() :
					       special[random_below(sizeof special)];
		}
		read_damaged(&s, s.n);
	}
}

/* Each function has a CIE of its own, and each CIE extends to the end: interpreting them all would
 * be work quadratic in the bytes. */
static void entries_that_overlap(void **state)
{
	enum { N = 100, CIE = 16, FDE = 24 };
	static const uint8_t head[CIE - 4] = { 0, 0, 0, 0, 1, 0, 1, 0x78, 16 };
	struct eh_frame s = { 0 };
	struct row_maker m;
	struct cfi_rows t;
	Elf_Data d;
	int err = 0;

	(void)state;
	for (unsigned i = 0; i < N; i++) {
		add_number(&s, N * (CIE + FDE) - i * CIE - 4, 4);
		add(&s, head, sizeof head);
	}
	for (unsigned i = 0; i < N; i++) {
		add_number(&s, FDE - 4, 4);
		add_number(&s, s.n - i * CIE, 4);
		add_number(&s, CODE_START + i, 8);
		add_number(&s, 1, 8);
	}
	struct cfi_section section = section_of(&s, &d);

	assert_int_equal(rows_init(&t, CODE_START, CODE_END), 0);
	row_maker_init(&m, &t, &section);
	for (unsigned i = 0; i < N && !err; i++)
		err = row_maker_add(&m, N * CIE + i * FDE);
	assert_int_equal(err, -EINVAL);
	assert_in_range(m.n_starts, 1, 4);
	assert_int_equal(t.skipped, 0);
	row_maker_release(&m);
	cfirows_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_byte_is_damaged),
		cmocka_unit_test(bytes_are_missing),
		cmocka_unit_test(many_bytes_are_damaged),
		cmocka_unit_test(entries_that_overlap),
	};
	const char *times = getenv("FUZZ");

	/* A hang is a failure, too. */
	alarm(300 * (times ? (unsigned)atoi(times) : 1));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
