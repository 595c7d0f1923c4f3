/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols are searched for classes while one file ends the process that reads it. */
#include "unit/test_symbols_fixture.h"

#include "naming/vtables.h"

#include <elfutils/libdwelf.h>

/* As much as an attack on the parser is worth: a file for a machine that there is not ends it where
 * the build ID is read, which is when a file is opened. */
ssize_t dwelf_elf_gnu_build_id(Elf *elf, const void **id)
{
	GElf_Ehdr ehdr;

	*id = NULL;
	if (gelf_getehdr(elf, &ehdr) && ehdr.e_machine == EM_NONE)
		__builtin_trap();
	return 0;
}

static char said[4096];

static void listen(const char *sentence)
{
	strncat(said, sentence, sizeof said - strlen(said) - 1);
	strncat(said, "\n", sizeof said - strlen(said) - 1);
}

/* A library with the vtable of Circle, under three names; of "bad" the head is changed. */
static void write_libraries(struct fixture *x)
{
	write_file(x, "t.s",
		   "	.data\n"
		   "	.globl _ZTV6Circle\n"
		   "	.type _ZTV6Circle, @object\n"
		   "	.size _ZTV6Circle, 32\n"
		   "_ZTV6Circle: .zero 32\n");
	sh(x, "as t.s -o t.o && ld -shared t.o -o fine && cp fine bad && cp fine unasked && "
	      "printf '\\0\\0' | dd of=bad bs=1 seek=18 conv=notrunc 2>dd.err");
}

static struct resolve_module opened(struct fixture *x, const char *name)
{
	int fd = open(in_dir(x, name), O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return (struct resolve_module){ name, fd };
}

static void the_file_that_ends_the_reader_is_left_out_and_no_other(void **state)
{
	struct fixture *x = *state;

	write_libraries(x);
	const struct resolve_module files[] = { opened(x, "unasked"), opened(x, "bad"),
						opened(x, "fine") };
	const uint64_t at = nm(x, "fine", "_ZTV6Circle") + 16;
	struct vtable_asked v[] = { { .file = 1, .at = at }, { .file = 2, .at = at } };

	assert_int_equal(vtables_ask(files, 3, v, 2, listen), 0);
	assert_null(v[0].name);
	assert_non_null(v[1].name);
	assert_string_equal(v[1].name, "Circle");
	assert_non_null(strstr(said, "the names of bad are left out: reading it ended with "));
	assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
	free(v[1].name);
	for (size_t i = 0; i < 3; i++)
		close(files[i].fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_file_that_ends_the_reader_is_left_out_and_no_other, fixture_setup,
			fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
