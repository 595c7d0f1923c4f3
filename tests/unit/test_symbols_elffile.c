/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that claim to be larger than any. */
#include "unit/unit.h"
#include "unit/made_elf.h"
#include "symbols/elffile.h"
#include "symbols/objfile.h"

static GElf_Word type_of(Elf *elf, size_t n)
{
	GElf_Shdr sh;

	assert_non_null(gelf_getshdr(elf_getscn(elf, n), &sh));
	return sh.sh_type;
}

static void what_a_browser_has_is_there(void **state)
{
	struct made m;
	bool cut = true;

	(void)state;
	make(&m);
	add(&m, SHT_SYMTAB, ".symtab", 100 * MIB);
	add(&m, SHT_STRTAB, ".strtab", 200 * MIB);
	add(&m, SHT_STRTAB, ".dynstr", 20 * MIB);
	add(&m, SHT_PROGBITS, ".eh_frame", 50 * MIB);
	add(&m, SHT_PROGBITS, ".debug_info", 4 * GIB);
	Elf *elf = elffile_open_quick(finish(&m), &cut);

	assert_non_null(elf);
	assert_false(cut);
	for (size_t i = FIRST; i < m.h.e_shnum; i++)
		assert_int_equal(type_of(elf, i), m.sh[i].sh_type);
	elf_end(elf);
	fclose(m.f);
}

static void symbols_and_names_are_bounded_together_while_a_program_waits(void **state)
{
	struct made m;
	bool cut = false;

	(void)state;
	make(&m);
	size_t huge = add(&m, SHT_SYMTAB, ".symtab", 4 * GIB);
	size_t half = add(&m, SHT_STRTAB, ".strtab", 300 * MIB);
	size_t other = add(&m, SHT_STRTAB, ".dynstr", 300 * MIB);
	Elf *elf = elffile_open_quick(finish(&m), &cut);

	assert_non_null(elf);
	assert_true(cut);
	assert_int_equal(type_of(elf, huge), SHT_NULL);
	assert_int_equal(type_of(elf, half), SHT_STRTAB);
	assert_int_equal(type_of(elf, other), SHT_NULL);
	elf_end(elf);

	elf = elffile_open(fileno(m.f));
	assert_non_null(elf);
	assert_int_equal(type_of(elf, huge), SHT_SYMTAB);
	elf_end(elf);
	fclose(m.f);
}

static void unwinding_tables_have_a_bound_also_where_they_are_compressed(void **state)
{
	const Elf64_Chdr ch = { .ch_type = ELFCOMPRESS_ZLIB, .ch_size = GIB, .ch_addralign = 1 };
	struct made m;
	bool cut = false;

	(void)state;
	make(&m);
	size_t eh = add(&m, SHT_PROGBITS, ".eh_frame", 129 * MIB);
	size_t debug = add(&m, SHT_PROGBITS, ".debug_frame", MIB);

	m.sh[debug].sh_flags = SHF_COMPRESSED;
	finish(&m);
	assert_int_equal(fseeko(m.f, (off_t)m.sh[debug].sh_offset, SEEK_SET), 0);
	assert_int_equal(fwrite(&ch, sizeof ch, 1, m.f), 1);
	assert_int_equal(fflush(m.f), 0);
	Elf *elf = elffile_open_quick(fileno(m.f), &cut);

	assert_non_null(elf);
	assert_true(cut);
	assert_int_equal(type_of(elf, eh), SHT_NULL);
	assert_int_equal(type_of(elf, debug), SHT_NULL);
	elf_end(elf);
	fclose(m.f);
}

static void look_for_build_id(bool by_sections)
{
	enum { LARGEST = 64 << 10 };
	struct objfile o;
	struct made m;
	char id[BUILD_ID_MAX];
	long before = peak_kib();

	make(&m);
	size_t notes = add(&m, SHT_NOTE, ".note", 2 * GIB);

	m.ph = (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = m.sh[notes].sh_offset,
			     .p_filesz = m.sh[notes].sh_size, .p_align = 4 };
	if (!by_sections)
		m.h.e_shoff = m.h.e_shnum = m.h.e_shstrndx = 0;
	finish(&m);
	assert_int_equal(objfile_open(&o, dup(fileno(m.f))), 0);
	objfile_build_id(&o, id);
	assert_string_equal(id, "");
	objfile_close(&o);
	assert_true(peak_kib() - before < LARGEST);
	fclose(m.f);
}

static void a_build_id_is_not_looked_for_in_notes_of_two_gigabytes(void **state)
{
	(void)state;
	look_for_build_id(true);
	look_for_build_id(false);
}

static void names_without_an_end_are_not_there(void **state)
{
	struct made m;
	bool cut = false;

	(void)state;
	make(&m);
	size_t names = add(&m, SHT_STRTAB, ".strtab", MIB);

	finish(&m);
	assert_int_equal(pwrite(fileno(m.f), "a", 1, (off_t)m.end - 1), 1);
	Elf *elf = elffile_open_quick(fileno(m.f), &cut);

	assert_non_null(elf);
	assert_true(cut);
	assert_int_equal(type_of(elf, names), SHT_NULL);
	elf_end(elf);
	fclose(m.f);
}

/* So many that their number is in the first section's header. */
static void a_file_with_millions_of_sections_is_none(void **state)
{
	enum { MANY = 1 << 22, LARGEST = 64 << 10 };
	struct made m;
	long before = peak_kib();

	(void)state;
	make(&m);
	m.h.e_shnum = 0;
	m.sh[0].sh_size = MANY;
	m.end += MANY * sizeof *m.sh;
	assert_null(elffile_open(finish(&m)));
	assert_true(peak_kib() - before < LARGEST);
	fclose(m.f);
}

static void a_piece_has_a_bound(void **state)
{
	struct made m;

	(void)state;
	make(&m);
	add(&m, SHT_PROGBITS, ".text", GIB);
	Elf *elf = elffile_open(finish(&m));

	assert_non_null(elf);
	assert_non_null(elffile_piece(elf, 0, MIB, ELF_T_BYTE));
	assert_null(elffile_piece(elf, 0, ELFFILE_PIECE + 1, ELF_T_BYTE));
	elf_end(elf);
	fclose(m.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_browser_has_is_there),
		cmocka_unit_test(symbols_and_names_are_bounded_together_while_a_program_waits),
		cmocka_unit_test(unwinding_tables_have_a_bound_also_where_they_are_compressed),
		cmocka_unit_test(a_build_id_is_not_looked_for_in_notes_of_two_gigabytes),
		cmocka_unit_test(names_without_an_end_are_not_there),
		cmocka_unit_test(a_file_with_millions_of_sections_is_none),
		cmocka_unit_test(a_piece_has_a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
