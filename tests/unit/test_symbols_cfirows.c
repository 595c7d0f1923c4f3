/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of .eh_frame, made by hand: each instruction, each limit, each kind of row. */
#include "unit/test_symbols_cfirows.h"

#include "lib/random.h"

#include <errno.h>

/* What behind @...: one function at 0x1000, 0x100 bytes, with the usual CIE. */
#define ONE(expected, ...)                              \
	do {                                            \
		struct eh_frame s = { 0 };              \
							\
		add_cie(&s, (struct cie){ 0 });         \
		FDE(&s, 0x1000, 0x100, __VA_ARGS__);    \
		assert_rows(&s, expected);              \
	} while (0)

#define LOC(n) (DW_CFA_advance_loc | (n))
#define BREG(n) (DW_OP_breg0 + (n))

static void a_function_as_gcc_writes_it(void **state)
{
	(void)state;
	/* push %rbp; mov %rsp,%rbp; ...; leave; ret */
	ONE("1000 sp+1, 1001 sp+2 cfa-2, 1004 fp+2 cfa-2, 10fb sp+1 cfa-2",
	    LOC(1), DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2,
	    LOC(3), DW_CFA_def_cfa_register, 6,
	    DW_CFA_advance_loc1, 0xf7, DW_CFA_def_cfa, 7, 8);
	/* without a frame pointer; an early return is told by remembering */
	ONE("1000 sp+1, 1002 sp+2, 1006 sp+32, 1020 sp+2, 1021 sp+1, 1022 sp+32",
	    LOC(2), DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 3, 2,
	    LOC(4), DW_CFA_def_cfa_offset, 0x80, 2,
	    LOC(26), DW_CFA_remember_state, DW_CFA_def_cfa_offset, 16,
	    LOC(1), DW_CFA_def_cfa_offset, 8, LOC(1), DW_CFA_restore_state);
	/* nothing happens: one row */
	ONE("1000 sp+1", DW_CFA_nop);
	ONE("1000 sp+1", LOC(4), DW_CFA_offset | 3, 2, LOC(4), DW_CFA_GNU_args_size, 0x90, 1);
}

static void places(void **state)
{
	(void)state;
	ONE("1000 sp+1, 103f sp+2, 104f sp+3, 106f sp+4, 107f sp+5, 1080 sp+6",
	    LOC(63), DW_CFA_def_cfa_offset, 16,
	    DW_CFA_advance_loc1, 16, DW_CFA_def_cfa_offset, 24,
	    DW_CFA_advance_loc2, 32, 0, DW_CFA_def_cfa_offset, 32,
	    DW_CFA_advance_loc4, 16, 0, 0, 0, DW_CFA_def_cfa_offset, 40,
	    DW_CFA_MIPS_advance_loc8, 1, 0, 0, 0, 0, 0, 0, 0, DW_CFA_def_cfa_offset, 48);

	/* units of more than a byte */
	struct eh_frame s = { 0 };

	add_cie(&s, (struct cie){ .code_align = 4 });
	FDE(&s, 0x1000, 0x100, LOC(3), DW_CFA_def_cfa_offset, 16,
	    DW_CFA_advance_loc2, 4, 0, DW_CFA_def_cfa_offset, 24);
	assert_rows(&s, "1000 sp+1, 100c sp+2, 101c sp+3");
	s = (struct eh_frame){ 0 };
	add_cie(&s, (struct cie){ .code_align = UINT64_C(1) << 63 });
	FDE(&s, 0x1000, 0x100, LOC(2), DW_CFA_def_cfa_offset, 16);
	assert_rows(&s, "1000 unsaid");

	/* an address, told as the function's own is */
	s = (struct eh_frame){ 0 };
	add_cie(&s, (struct cie){ .encoding = DW_EH_PE_udata2 });
	FDE(&s, 0x1000, 0x100, DW_CFA_set_loc, 0x20, 0x10, DW_CFA_def_cfa_offset, 16);
	assert_rows(&s, "1000 sp+1, 1020 sp+2");
	s = (struct eh_frame){ 0 };
	add_cie(&s, (struct cie){ 0 });
	uint8_t code[] = { DW_CFA_set_loc, 0, 0, 0, 0, DW_CFA_def_cfa_offset, 16 };
	/* behind the CIE: length, place of the CIE, range, length of augmentation data, the
	 * opcode */
	int32_t there = 0x1020 - (int32_t)(SECTION_AT + s.n + 4 + 4 + 8 + 1 + 1);

	memcpy(code + 1, &there, sizeof there);
	add_fde(&s, 0x1000, 0x100, 0, code, sizeof code);
	assert_rows(&s, "1000 sp+1, 1020 sp+2");

	/* behind the end; and so far that the sum is less again */
	ONE("1000 sp+1", DW_CFA_advance_loc4, 0, 0, 0, 0xff, DW_CFA_def_cfa_offset, 16);
	ONE("1000 unsaid", DW_CFA_MIPS_advance_loc8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    DW_CFA_def_cfa_offset, 16);
}

static void where_the_cfa_is(void **state)
{
	(void)state;
	ONE("1000 sp+2", DW_CFA_def_cfa_sf, 7, 0x7e);
	ONE("1000 fp+2", DW_CFA_def_cfa_sf, 6, 0x7e);
	ONE("1000 sp+3", DW_CFA_def_cfa_offset_sf, 0x7d);
	ONE("1000 sp+0", DW_CFA_def_cfa_offset, 0);
	ONE("1000 fp-1", DW_CFA_def_cfa_sf, 6, 1);
	/* a register that is in no row, and back */
	ONE("1000 unsaid, 1004 sp+1", DW_CFA_def_cfa_register, 10, LOC(4),
	    DW_CFA_def_cfa_register, 7);
	ONE("1000 unsaid", DW_CFA_def_cfa, 0x87, 2, 8);
	/* what is not a register and an offset cannot have another of these */
	ONE("1000 *(fp-1), 1004 unsaid", DW_CFA_def_cfa_expression, 3, BREG(6), 0x78, DW_OP_deref,
	    LOC(4), DW_CFA_def_cfa_register, 7);
	ONE("1000 *(fp-1), 1004 unsaid", DW_CFA_def_cfa_expression, 3, BREG(6), 0x78, DW_OP_deref,
	    LOC(4), DW_CFA_def_cfa_offset, 16);
	ONE("1000 *(fp-1), 1004 unsaid", DW_CFA_def_cfa_expression, 3, BREG(6), 0x78, DW_OP_deref,
	    LOC(4), DW_CFA_def_cfa_register, 6);
}

static void limits_of_the_cfa(void **state)
{
	(void)state;
	ONE("1000 sp+32767", DW_CFA_def_cfa_offset, 0xf8, 0xff, 0x0f);
	ONE("1000 unsaid", DW_CFA_def_cfa_offset, 0x80, 0x80, 0x10);
	ONE("1000 unsaid", DW_CFA_def_cfa_offset, 12);
	ONE("1000 unsaid", DW_CFA_def_cfa_offset_sf, 1);
	ONE("1000 unsaid", DW_CFA_def_cfa_offset_sf, 0x80, 0xc0, 0);
	ONE("1000 fp+2047", DW_CFA_def_cfa, 6, 0xf8, 0x7f);
	ONE("1000 unsaid", DW_CFA_def_cfa, 6, 0x80, 0x80, 1);
	ONE("1000 fp-2048", DW_CFA_def_cfa_sf, 6, 0x80, 0x10);
	ONE("1000 unsaid", DW_CFA_def_cfa_sf, 6, 0x81, 0x10);
	/* more than 63 bits */
	ONE("1000 unsaid", DW_CFA_def_cfa_offset, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
	    0x80, 1);
	ONE("1000 unsaid", DW_CFA_def_cfa_sf, 6, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
	    0xc0, 0);
	/* and more than 64 */
	ONE("1000 unsaid", DW_CFA_def_cfa_offset, 0x90, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
	    0x80, 2);
	ONE("1000 unsaid", DW_CFA_def_cfa_offset, 0x90, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
	    0x80, 0x80, 0);
}

static void where_the_frame_pointer_is(void **state)
{
	(void)state;
	ONE("1000 sp+1 cfa-3", DW_CFA_offset_extended, 6, 3);
	ONE("1000 sp+1 cfa+3", DW_CFA_offset_extended_sf, 6, 0x7d);
	ONE("1000 sp+1 cfa+3", DW_CFA_GNU_negative_offset_extended, 6, 3);
	ONE("1000 sp+1 lost", DW_CFA_undefined, 6);
	ONE("1000 sp+1 lost, 1001 sp+1", DW_CFA_undefined, 6, LOC(1), DW_CFA_same_value, 6);
	ONE("1000 sp+1 cfa-2, 1001 sp+1", DW_CFA_offset | 6, 2, LOC(1), DW_CFA_restore | 6);
	ONE("1000 sp+1 cfa-2, 1001 sp+1", DW_CFA_offset | 6, 2, LOC(1), DW_CFA_restore_extended, 6);
	ONE("1000 unsaid", DW_CFA_register, 6, 3);
	ONE("1000 unsaid", DW_CFA_val_offset, 6, 2);
	ONE("1000 unsaid", DW_CFA_val_offset_sf, 6, 2);
	ONE("1000 unsaid", DW_CFA_val_expression, 6, 2, BREG(7), 16);
	ONE("1000 unsaid", DW_CFA_expression, 6, 3, BREG(7), 0, DW_OP_deref);
	ONE("1000 sp+1 base+2", DW_CFA_expression, 6, 2, BREG(7), 16);
	/* told from another register than the CFA */
	ONE("1000 unsaid", DW_CFA_expression, 6, 2, BREG(6), 0);
	ONE("1000 sp+1 cfa-8192", DW_CFA_offset | 6, 0x80, 0x40);
	ONE("1000 unsaid", DW_CFA_offset | 6, 0x81, 0x40);
	ONE("1000 sp+1 cfa+8191", DW_CFA_offset_extended_sf, 6, 0x81, 0x40);
	ONE("1000 unsaid", DW_CFA_offset_extended_sf, 6, 0x80, 0x40);
	/* 2 words above the CFA, if one forgets that it is unsigned */
	ONE("1000 unsaid", DW_CFA_offset | 6, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    1);
	/* 1 word, if one forgets what is carried over */
	ONE("1000 unsaid", DW_CFA_offset | 6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);

	struct eh_frame s = { 0 };

	/* what the CIE says comes back; a unit of data that fits no row */
	add_cie(&s, (struct cie){ CODE(DW_CFA_offset | 6, 4) });
	FDE(&s, 0x1000, 0x100, DW_CFA_undefined, 6, LOC(1), DW_CFA_restore | 6);
	add_cie(&s, (struct cie){ .data_align = -4, .bare = true,
				  CODE(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 2) });
	FDE(&s, 0x1100, 0x100, DW_CFA_offset | 6, 4, LOC(1), DW_CFA_offset | 6, 5);
	assert_rows(&s, "1000 sp+1 lost, 1001 sp+1 cfa-4, 1100 sp+1 cfa-2, 1101 unsaid");
}

static void where_the_return_address_is(void **state)
{
	(void)state;
	ONE("1000 end", DW_CFA_undefined, 16);
	ONE("1000 unsaid", DW_CFA_same_value, 16);
	ONE("1000 unsaid", DW_CFA_register, 16, 0);
	ONE("1000 unsaid, 1001 sp+1", DW_CFA_offset | 16, 2, LOC(1), DW_CFA_offset | 16, 1);
	ONE("1000 unsaid", DW_CFA_expression, 16, 2, BREG(7), 0);
	/* the stack pointer is the CFA, or it is none of ours */
	ONE("1000 sp+1", DW_CFA_val_offset, 7, 0);
	ONE("1000 unsaid", DW_CFA_val_offset, 7, 1);
	ONE("1000 unsaid", DW_CFA_offset | 7, 2);
	ONE("1000 unsaid", DW_CFA_same_value, 7);

	struct eh_frame s = { 0 };

	add_cie(&s, (struct cie){ .bare = true, CODE(DW_CFA_def_cfa, 7, 8) });
	FDE(&s, 0x1000, 0x10, DW_CFA_nop);
	add_cie(&s, (struct cie){ .ret = 15 });
	FDE(&s, 0x1010, 0x10, DW_CFA_nop);
	add_cie(&s, (struct cie){ .bare = true, CODE(DW_CFA_offset | 16, 1) });
	FDE(&s, 0x1020, 0x10, LOC(4), DW_CFA_def_cfa, 7, 8);
	assert_rows(&s, "1000 unsaid, 1024 sp+1");
}

static void expressions(void **state)
{
	(void)state;
	/* gcc's DRAP, whose saved registers are told from the frame pointer */
	ONE("1000 *(fp-1) base+0", DW_CFA_def_cfa_expression, 3, BREG(6), 0x78, DW_OP_deref,
	    DW_CFA_expression, 6, 2, BREG(6), 0);
	ONE("1000 sp+5", DW_CFA_def_cfa_expression, 2, BREG(7), 40);
	ONE("1000 *(sp+5)+1 cfa-2", DW_CFA_def_cfa_expression, 5, BREG(7), 40, DW_OP_deref,
	    DW_OP_plus_uconst, 8, DW_CFA_offset | 6, 2);
	ONE("1000 unsaid", DW_CFA_def_cfa_expression, 3, BREG(7), 40, DW_OP_deref);
	ONE("1000 unsaid", DW_CFA_def_cfa_expression, 5, BREG(6), 40, DW_OP_deref,
	    DW_OP_plus_uconst, 8);
	ONE("1000 unsaid", DW_CFA_def_cfa_expression, 6, BREG(7), 40, DW_OP_deref,
	    DW_OP_plus_uconst, 0x88, 2);
	ONE("1000 unsaid", DW_CFA_def_cfa_expression, 3, BREG(10), 0x78, DW_OP_deref);
	ONE("1000 unsaid", DW_CFA_def_cfa_expression, 4, BREG(7), 40, DW_OP_deref, DW_OP_deref);
	ONE("1000 unsaid", DW_CFA_def_cfa_expression, 0);
	/* the stubs of a PLT */
	ONE("1000 sp+2, 1006 sp+3, 1010 stub+11",
	    DW_CFA_def_cfa_offset, 16, LOC(6), DW_CFA_def_cfa_offset, 24, LOC(10),
	    DW_CFA_def_cfa_expression, 11, BREG(7), 8, BREG(16), 0, DW_OP_lit15, DW_OP_and,
	    DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus);
	ONE("1000 unsaid",
	    DW_CFA_def_cfa_expression, 11, BREG(7), 8, BREG(16), 0, DW_OP_lit15, DW_OP_and,
	    DW_OP_lit16, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus);
	ONE("1000 unsaid",
	    DW_CFA_def_cfa_expression, 11, BREG(7), 8, BREG(16), 0, DW_OP_lit15, DW_OP_and,
	    DW_OP_lit11, DW_OP_gt, DW_OP_lit3, DW_OP_shl, DW_OP_plus);
}

static void frames_of_signals(void **state)
{
	static const uint8_t handler[] = {
		DW_CFA_def_cfa_expression, 4, BREG(7), 0xa0, 1, DW_OP_deref,
		DW_CFA_expression, 6, 3, BREG(7), 0xf8, 0,
		DW_CFA_expression, 7, 3, BREG(7), 0xa0, 1,
		DW_CFA_expression, 16, 3, BREG(7), 0xa8, 1,
	};
	uint8_t other[sizeof handler];
	struct eh_frame s = { 0 };

	(void)state;
	add_cie(&s, (struct cie){ .augmentation = "zRS" });
	add_fde(&s, 0x1000, 0x10, 0, handler, sizeof handler);
	/* the pc is elsewhere; so is the stack pointer */
	memcpy(other, handler, sizeof other);
	other[sizeof other - 2] = 0xb0;
	add_fde(&s, 0x1010, 0x10, 0, other, sizeof other);
	other[sizeof other - 2] = 0xa8;
	other[sizeof other - 8] = 0xb0;
	add_fde(&s, 0x1020, 0x10, 0, other, sizeof other);
	/* as a function would have it */
	FDE(&s, 0x1030, 0x10, DW_CFA_nop);
	/* and not said to be one */
	add_cie(&s, (struct cie){ 0 });
	add_fde(&s, 0x1040, 0x10, 0, handler, sizeof handler);
	assert_rows(&s, "1000 signal+20 base+15, 1010 unsaid");
}

static void what_is_remembered(void **state)
{
	(void)state;
	ONE("1000 sp+1, 1001 sp+2 cfa-2, 1002 sp+3, 1003 sp+2 cfa-2, 1004 sp+1",
	    DW_CFA_remember_state, LOC(1), DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2,
	    DW_CFA_remember_state, LOC(1), DW_CFA_def_cfa_offset, 24, DW_CFA_same_value, 6,
	    LOC(1), DW_CFA_restore_state, LOC(1), DW_CFA_restore_state);
	ONE("1000 sp+1, 1001 unsaid", LOC(1), DW_CFA_restore_state);

	/* so many, and one more */
	uint8_t deep[34] = { 0 };

	memset(deep, DW_CFA_remember_state, sizeof deep);
	for (size_t n = 32; n <= 33; n++) {
		struct eh_frame s = { 0 };

		add_cie(&s, (struct cie){ 0 });
		add_fde(&s, 0x1000, 0x100, 0, deep, n);
		assert_rows(&s, n == 32 ? "1000 sp+1" : "1000 unsaid");
	}
}

static void addresses_in_all_encodings(void **state)
{
	static const int known[] = {
		DW_EH_PE_udata2, DW_EH_PE_udata4, DW_EH_PE_udata8, DW_EH_PE_sdata2, DW_EH_PE_sdata4,
		DW_EH_PE_sdata8, DW_EH_PE_pcrel | DW_EH_PE_sdata4, DW_EH_PE_pcrel | DW_EH_PE_sdata8,
		DW_EH_PE_pcrel | DW_EH_PE_absptr, DW_EH_PE_pcrel | DW_EH_PE_udata8,
	};
	static const int unknown[] = {
		DW_EH_PE_indirect | DW_EH_PE_pcrel | DW_EH_PE_sdata4,
		DW_EH_PE_datarel | DW_EH_PE_udata4,
		DW_EH_PE_uleb128, DW_EH_PE_sleb128, DW_EH_PE_omit, DW_EH_PE_aligned,
	};

	(void)state;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct eh_frame s = { 0 };

		add_cie(&s, (struct cie){ .encoding = known[i] });
		FDE(&s, 0x1000, 0x100, LOC(4), DW_CFA_def_cfa_offset, 16);
		assert_rows(&s, "1000 sp+1, 1004 sp+2");
	}
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
		struct eh_frame s = { 0 };
		struct cfi_rows t;

		add_cie(&s, (struct cie){ .augmentation_data = { (uint8_t)unknown[i] },
					  .augmentation_size = 1 });
		FDE(&s, 0x1000, 0x100, LOC(4), DW_CFA_def_cfa_offset, 16);
		assert_int_equal(make_rows(&s, &t), 0);
		assert_int_equal(t.skipped, 1);
		assert_int_equal(t.n, 1);
		cfirows_release(&t);
	}
}

static void what_else_a_cie_says(void **state)
{
	struct eh_frame s = { 0 };

	(void)state;
	/* a personality, its handler's data, which come before the instructions */
	add_cie(&s, (struct cie){ .augmentation = "zPLR", .augmentation_size = 7,
				  .augmentation_data = { DW_EH_PE_udata4, 1, 2, 3, 4,
							 DW_EH_PE_udata4,
							 DW_EH_PE_pcrel | DW_EH_PE_sdata4 } });
	add_fde(&s, 0x1000, 0x10, 4, (uint8_t[]){ DW_CFA_undefined, 6 }, 2);
	for (int version = 1; version <= 4; version++) {
		if (version == 2)
			continue;
		add_cie(&s, (struct cie){ .version = version });
		FDE(&s, 0x1000 + 0x10u * (unsigned)version, 0x10, DW_CFA_def_cfa_offset,
		    (uint8_t)(8 * version + 8));
	}
	/* no augmentation: addresses are addresses */
	add_cie(&s, (struct cie){ .augmentation = "", .encoding = DW_EH_PE_udata8 });
	FDE(&s, 0x1050, 0x10, DW_CFA_nop);
	add_cie(&s, (struct cie){ .augmentation = "zRB", .augmentation_size = 1,
				  .augmentation_data = { DW_EH_PE_pcrel | DW_EH_PE_sdata4 } });
	FDE(&s, 0x1060, 0x10, DW_CFA_undefined, 6);
	assert_rows(&s, "1000 sp+1 lost, 1010 sp+2, 1020 none, 1030 sp+4, 1040 sp+5, "
			"1050 sp+1, 1060 sp+1 lost");
}

/* Entries whose code cannot be found. */
static void entries_that_are_skipped(void **state)
{
	const struct cie cies[] = {
		{ .augmentation = "zX" }, { .augmentation = "R" }, { .augmentation = "eh" },
		{ .version = 9 }, { .augmentation = "S", .encoding = DW_EH_PE_udata8 },
		/* what comes next would be an encoding */
		{ .augmentation = "zLR", .augmentation_size = 1, .bare = true,
		  CODE(DW_EH_PE_pcrel | DW_EH_PE_sdata4) },
		{ .augmentation = "zPR", .augmentation_size = 3,
		  .augmentation_data = { DW_EH_PE_uleb128, 1, DW_EH_PE_udata4 } },
		{ .augmentation = "zPLR", .augmentation_size = 1, .augmentation_data = { 0 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cies / sizeof *cies; i++) {
		struct eh_frame s = { 0 };
		struct cfi_rows t;

		add_cie(&s, cies[i]);
		FDE(&s, 0x1000, 0x100, DW_CFA_nop);
		assert_int_equal(make_rows(&s, &t), 0);
		assert_int_equal(t.functions, 0);
		assert_int_equal(t.skipped, 1);
		cfirows_release(&t);
	}
}

static void functions_and_gaps(void **state)
{
	struct eh_frame s = { 0 };
	struct cfi_rows t;

	(void)state;
	add_cie(&s, (struct cie){ 0 });
	FDE(&s, 0x0f00, 0x200, DW_CFA_nop);	/* begins before the code */
	FDE(&s, 0x1000, 0x20, LOC(8), DW_CFA_def_cfa_offset, 16);
	FDE(&s, 0x1020, 0x10, DW_CFA_def_cfa_offset, 16);	/* goes on as the last one ended */
	FDE(&s, 0x1030, 0, DW_CFA_nop);		/* no code */
	FDE(&s, 0x1040, 0x100, DW_CFA_nop);
	FDE(&s, 0x1050, 0x10, DW_CFA_def_cfa_offset, 24);	/* in the midst of the one before */
	FDE(&s, 0x1070, 0x10, DW_CFA_def_cfa_offset, 32);	/* twice, the second is shorter */
	FDE(&s, 0x1070, 0x08, DW_CFA_def_cfa_offset, 40);
	FDE(&s, 0x8ff0, 0x100, LOC(4), DW_CFA_def_cfa_offset, 48);	/* ends behind the code */
	FDE(&s, 0x9000, 0x100, DW_CFA_nop);
	assert_rows(&s, "1000 sp+1, 1008 sp+2, 1030 none, 1040 sp+1, 1050 sp+3, 1060 none, "
			"1070 sp+5, 1078 none, 8ff0 sp+1, 8ff4 sp+6");
	assert_int_equal(make_rows(&s, &t), 0);
	assert_int_equal(t.functions, 7);
	assert_int_equal(t.skipped, 3);
	assert_null(cfirows_find(&t, CODE_START - 1));
	assert_null(cfirows_find(&t, CODE_END));
	assert_int_equal(cfirows_find(&t, CODE_END - 1)->cfa, 6);
	cfirows_release(&t);
}

static void order_that_is_none(void **state)
{
	struct eh_frame s = { 0 };
	struct cfi_rows t;

	(void)state;
	add_cie(&s, (struct cie){ 0 });
	FDE(&s, 0x1100, 0x10, DW_CFA_nop);
	FDE(&s, 0x1000, 0x10, DW_CFA_nop);
	assert_int_equal(make_rows(&s, &t), -EINVAL);
	cfirows_release(&t);
}

/* Invalid instructions end the entry; the rows before them stay. */
static void broken_instructions(void **state)
{
#define BROKEN(...) \
	ONE("1000 sp+1, 1004 unsaid", LOC(4), DW_CFA_def_cfa_offset, 16, __VA_ARGS__)
	(void)state;
	BROKEN(0x17);
	BROKEN(0x3f);
	BROKEN(DW_CFA_GNU_window_save);
	BROKEN(DW_CFA_def_cfa_offset, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	       1);
	BROKEN(DW_CFA_expression, 3, 0x7f, BREG(7), 8);
	BROKEN(DW_CFA_expression, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1);
	/* operands that are behind the end of the entry */
	BROKEN(DW_CFA_nop, DW_CFA_nop, DW_CFA_nop, DW_CFA_offset | 6);
	BROKEN(DW_CFA_nop, DW_CFA_advance_loc4, 1, 0);
	BROKEN(DW_CFA_nop, DW_CFA_set_loc, 0, 0);

	struct eh_frame s = { 0 };

	/* back to where it began */
	add_cie(&s, (struct cie){ .encoding = DW_EH_PE_udata2 });
	FDE(&s, 0x1000, 0x100, LOC(4), DW_CFA_def_cfa_offset, 16, DW_CFA_set_loc, 0, 0x10);
	assert_rows(&s, "1000 sp+1, 1004 unsaid");
	s = (struct eh_frame){ 0 };
	/* of the CIE: none of its functions is known; it has no place that could be moved on
	 * from, and nothing to restore */
	add_cie(&s, (struct cie){ CODE(LOC(1)) });
	FDE(&s, 0x1000, 0x10, DW_CFA_nop);
	add_cie(&s, (struct cie){ CODE(DW_CFA_restore | 6) });
	FDE(&s, 0x1010, 0x10, DW_CFA_nop);
	add_cie(&s, (struct cie){ CODE(DW_CFA_restore_state) });
	FDE(&s, 0x1020, 0x10, DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1);
	add_cie(&s, (struct cie){ CODE(DW_CFA_remember_state) });
	FDE(&s, 0x1030, 0x10, DW_CFA_nop);
	/* what one of them remembered is forgotten */
	FDE(&s, 0x1040, 0x10, LOC(4), DW_CFA_restore_state);
	assert_rows(&s, "1000 unsaid, 1030 sp+1, 1044 unsaid");

	/* augmentation data that is longer than the entry */
	s = (struct eh_frame){ 0 };
	add_cie(&s, (struct cie){ 0 });
	FDE(&s, 0x1000, 0x10, DW_CFA_nop);
	s.v[s.fde[0] + 16] = 0x70;
	assert_rows(&s, "1000 unsaid");
}

/* How often the entry at @offset is read until that is too much. */
static size_t turns_until_refused(const struct eh_frame *s, size_t offset)
{
	struct eh_frame again = *s;
	struct cfi_rows t;
	int err = 0;

	for (again.n_fdes = 0; !err && again.n_fdes < 64;) {
		again.fde[again.n_fdes++] = offset;
		err = make_rows(&again, &t);
		cfirows_release(&t);
	}
	assert_int_equal(err, -EINVAL);
	return again.n_fdes;
}

/* An index may refer to the same bytes again and again: an honest one has each once. */
static void bytes_that_are_read_again(void **state)
{
	static const uint8_t nops[1024];
	struct eh_frame s = { 0 };

	(void)state;
	add_cie(&s, (struct cie){ .code = (const char *)nops, .n = sizeof nops });
	for (size_t i = 0; i < 8; i++)
		add_fde(&s, 0x1000, 0x10, 0, nops, sizeof nops);
	/* as many as there are, twice; nor may it be what is no function */
	assert_in_range(turns_until_refused(&s, s.fde[0]), 16, 18);
	assert_in_range(turns_until_refused(&s, s.cie), 16, 18);
}

static void one_table_fills_another(void **state)
{
	struct eh_frame s = { 0 }, more = { 0 }, both = { 0 };
	struct cfi_rows t, other, expected;

	(void)state;
	add_cie(&s, (struct cie){ 0 });
	FDE(&s, 0x1100, 0x10, LOC(4), DW_CFA_def_cfa_offset, 16);
	FDE(&s, 0x1120, 0x10, DW_CFA_def_cfa, 10, 0);
	add_cie(&more, (struct cie){ 0 });
	FDE(&more, 0x1000, 0x10, DW_CFA_def_cfa_offset, 24);
	FDE(&more, 0x1108, 0x20, DW_CFA_def_cfa_offset, 32, LOC(12), DW_CFA_def_cfa_offset, 40);
	FDE(&more, 0x8f00, 0x100, DW_CFA_def_cfa_offset, 48);
	/* what cannot be said is said nowhere else */
	add_cie(&both, (struct cie){ 0 });
	FDE(&both, 0x1000, 0x10, DW_CFA_def_cfa_offset, 24);
	FDE(&both, 0x1100, 0x30, LOC(4), DW_CFA_def_cfa_offset, 16,
	    LOC(12), DW_CFA_def_cfa_offset, 32, LOC(4), DW_CFA_def_cfa_offset, 40,
	    LOC(12), DW_CFA_def_cfa, 10, 0);
	FDE(&both, 0x8f00, 0x100, DW_CFA_def_cfa_offset, 48);
	assert_int_equal(make_rows(&both, &expected), 0);
	assert_int_equal(make_rows(&s, &t), 0);
	assert_int_equal(make_rows(&more, &other), 0);
	assert_int_equal(rows_fill(&t, &other), 0);
	assert_int_equal(t.n, expected.n);
	assert_int_equal(t.functions, 5);
	for (size_t i = 0; i < t.n; i++) {
		assert_int_equal(t.v[i].pc, expected.v[i].pc);
		assert_int_equal(t.v[i].cfa, expected.v[i].cfa);
		assert_int_equal(t.v[i].fp, expected.v[i].fp);
	}
	cfirows_release(&t);
	cfirows_release(&other);
	cfirows_release(&expected);
}

/* Rows at random addresses: each address has the last row that begins at or before it. */
static void the_index_leads_to_the_row(void **state)
{
	(void)state;
	for (int round = 0; round < 50; round++) {
		struct cfi_rows t;
		uint64_t size = 1 + random_below(100000), n = random_below(300), at = 0;

		assert_int_equal(rows_init(&t, CODE_START, CODE_START + size), 0);
		for (uint64_t i = 0; i < n; i++) {
			at += random_below(2 * size / (n + 1) + 1);
			struct cfi_code code = { (uint16_t)random_below(0x8000), 0 };

			assert_int_equal(rows_put(&t, CODE_START + at, code), 0);
		}
		assert_int_equal(rows_finish(&t), 0);
		assert_int_equal(t.v[0].pc, 0);
		for (uint64_t i = 0, row = 0; i < size; i++) {
			row += row + 1 < t.n && t.v[row + 1].pc == i;
			assert_ptr_equal(cfirows_find(&t, CODE_START + i), &t.v[row]);
		}
		cfirows_release(&t);
	}
}

/* The file claims a size of its code, but memory depends on what it really has. */
static void an_index_of_code_with_few_rows(void **state)
{
	struct cfi_rows t;

	(void)state;
	assert_int_equal(rows_init(&t, 0x1000, UINT64_C(1) << 40), 0);
	assert_int_equal(t.end - t.start, UINT32_MAX);
	assert_int_equal(rows_put(&t, 0xffff0000, (struct cfi_code){ 5, 0 }), 0);
	assert_int_equal(rows_finish(&t), 0);
	assert_true(t.n_blocks < 100);
	assert_int_equal(cfirows_find(&t, 0x1000)->cfa, UNWIND_CFA_NONE);
	assert_int_equal(cfirows_find(&t, 0xfffeffff)->cfa, UNWIND_CFA_NONE);
	assert_int_equal(cfirows_find(&t, 0xffff0000)->cfa, 5);
	assert_int_equal(cfirows_find(&t, t.end - 1)->cfa, 5);
	cfirows_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_as_gcc_writes_it),
		cmocka_unit_test(places),
		cmocka_unit_test(where_the_cfa_is),
		cmocka_unit_test(limits_of_the_cfa),
		cmocka_unit_test(where_the_frame_pointer_is),
		cmocka_unit_test(where_the_return_address_is),
		cmocka_unit_test(expressions),
		cmocka_unit_test(frames_of_signals),
		cmocka_unit_test(what_is_remembered),
		cmocka_unit_test(addresses_in_all_encodings),
		cmocka_unit_test(what_else_a_cie_says),
		cmocka_unit_test(entries_that_are_skipped),
		cmocka_unit_test(functions_and_gaps),
		cmocka_unit_test(order_that_is_none),
		cmocka_unit_test(broken_instructions),
		cmocka_unit_test(bytes_that_are_read_again),
		cmocka_unit_test(one_table_fills_another),
		cmocka_unit_test(the_index_leads_to_the_row),
		cmocka_unit_test(an_index_of_code_with_few_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
