/* SPDX-License-Identifier: BSD-2-Clause */
/* Files made to keep the tracer busy while their program waits. */
#include "unit/unit.h"
#include "unit/made_elf.h"
#include "probes/scan.h"

#include <stdlib.h>

struct fixture {
	struct module_files files;
	struct module_file file;
	struct probes probes;
	struct scans scans;
	struct made m;
};

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof *x);

	*state = x;
	if (!x || probes_add_builtin(&x->probes, true, NULL))
		return -1;
	x->scans.probes = &x->probes;
	make(&x->m);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *x = *state;

	scans_release(&x->scans);
	probes_release(&x->probes);
	fclose(x->m.f);
	free(x);
	return 0;
}

static const struct scan *scan(struct fixture *x)
{
	static char path[] = "/made.so";

	x->file = (struct module_file){ .path = path, .fd = fileno(x->m.f) };
	x->files = (struct module_files){ .files = &x->file, .n = 1, .cap = 1 };
	const struct scan *s = scan_file(&x->scans, &x->files, 0);
	assert_non_null(s);
	return s;
}

/* @n functions of one name, at one place or each at its own, after finish(). */
static void write_functions(struct made *m, size_t table, size_t n, bool apart)
{
	assert_int_equal(fseeko(m->f, (off_t)m->sh[table].sh_offset, SEEK_SET), 0);
	for (size_t i = 0; i < n; i++) {
		const Elf64_Sym sym = { .st_name = 1, .st_shndx = 1, .st_size = 1,
					.st_value = 0x1000 + (apart ? 16 * i : 0),
					.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC) };

		assert_int_equal(fwrite(&sym, sizeof sym, 1, m->f), 1);
	}
	assert_int_equal(fflush(m->f), 0);
}

static void a_table_of_four_gigabytes_costs_nothing_and_is_said_once(void **state)
{
	enum { LARGEST = 64 << 10 };
	struct fixture *x = *state;
	struct error e;
	long before = peak_kib();

	add(&x->m, SHT_SYMTAB, ".symtab", 4 * GIB);
	finish(&x->m);
	assert_int_equal(scan(x)->n_probes, 0);
	assert_true(peak_kib() - before < LARGEST);
	assert_true(scan_cut_is_news(&x->scans, &x->files, 0, &e));
	assert_string_equal(e.text,
			    "has mapped /made.so, with tables that no program has: larger than 512 "
			    "MiB (symbols and their names) or 128 MiB (others), or without an end; "
			    "they are not read");
	assert_false(scan_cut_is_news(&x->scans, &x->files, 0, &e));
}

/* Comparing that many whole names would take hours. */
static void names_that_are_too_long_to_be_sought_are_not_read(void **state)
{
	enum { MANY = 200000, LONG = 16 << 20 };
	struct fixture *x = *state;
	struct made *m = &x->m;
	size_t symbols = add(m, SHT_DYNSYM, ".dynsym", MANY * sizeof(Elf64_Sym));
	size_t names = add(m, SHT_STRTAB, ".dynstr", LONG);
	char *a = malloc(LONG);

	m->sh[symbols].sh_link = (uint32_t)names;
	m->sh[symbols].sh_entsize = sizeof(Elf64_Sym);
	finish(m);
	write_functions(m, symbols, MANY, false);
	assert_non_null(a);
	memset(a, 'a', LONG);
	a[LONG - 1] = '\0';
	assert_int_equal(pwrite(fileno(m->f), a, LONG, (off_t)m->sh[names].sh_offset), LONG);
	free(a);
	assert_int_equal(scan(x)->n_probes, 0);
	assert_false(scan(x)->cut);
}

static void of_thousands_of_allocators_the_first_are_taken(void **state)
{
	enum { MANY = 5000, MOST = 4096 };
	static const char name[] = "\0malloc";
	struct fixture *x = *state;
	struct made *m = &x->m;
	size_t symbols = add(m, SHT_DYNSYM, ".dynsym", MANY * sizeof(Elf64_Sym));
	size_t names = add(m, SHT_STRTAB, ".dynstr", sizeof name);

	m->sh[symbols].sh_link = (uint32_t)names;
	m->sh[symbols].sh_entsize = sizeof(Elf64_Sym);
	finish(m);
	write_functions(m, symbols, MANY, true);
	assert_int_equal(pwrite(fileno(m->f), name, sizeof name, (off_t)m->sh[names].sh_offset),
			 sizeof name);
	assert_int_equal(scan(x)->n_probes, MOST);
	assert_true(scan(x)->cut);
}

/* Found by the fuzz target scan. */
static void code_at_the_end_of_all_addresses_is_none(void **state)
{
	struct fixture *x = *state;
	const uint64_t last = UINT64_MAX - 2559;

	x->m.ph = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = last,
				.p_filesz = 1716, .p_memsz = 1716 };
	finish(&x->m);
	assert_int_equal(scan(x)->slack_start, 0);
	assert_int_equal(scan(x)->slack_end, 0);
	assert_int_equal(scan(x)->code_end, 0);
	assert_false(scan_has_room(scan(x)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_table_of_four_gigabytes_costs_nothing_and_is_said_once, setup, teardown),
		cmocka_unit_test_setup_teardown(
			names_that_are_too_long_to_be_sought_are_not_read, setup, teardown),
		cmocka_unit_test_setup_teardown(
			of_thousands_of_allocators_the_first_are_taken, setup, teardown),
		cmocka_unit_test_setup_teardown(
			code_at_the_end_of_all_addresses_is_none, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
