/* SPDX-License-Identifier: BSD-2-Clause */
/* A file with two executable segments in one of its pages, mapped here as a loader maps it. */
#include "unit/unit.h"
#include "proc/modules.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, COPIES = 2, PAGES = 2 };

struct head {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[2];
};

/* @path becomes its name. */
static int make_file(char *path)
{
	char page[PAGE] = { 0 };
	struct head h = {
		.eh = { .e_ident = { [EI_CLASS] = ELFCLASS64 }, .e_phnum = 2,
			.e_phoff = offsetof(struct head, ph), .e_phentsize = sizeof *h.ph },
		.ph = { { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = 0x200 },
			{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = 0x300,
			  .p_vaddr = PAGE + 0x300, .p_filesz = 0x100 } },
	};
	int fd = mkostemp(path, O_CLOEXEC);

	assert_true(fd >= 0);
	memcpy(h.eh.e_ident, ELFMAG, SELFMAG);
	memcpy(page, &h, sizeof h);
	assert_int_equal(write(fd, page, PAGE), PAGE);
	return fd;
}

static void segments_that_share_a_page_of_the_file_have_one_bias(void **state)
{
	char path[] = "/tmp/test_segments.XXXXXX";
	int fd = make_file(path);
	struct module_files files = { 0 };
	struct mappings maps;

	(void)state;
	char *at = mmap(NULL, (size_t)COPIES * PAGES * PAGE, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(at != MAP_FAILED);
	for (int i = 0; i < COPIES * PAGES; i++)
		assert_true(mmap(at + (size_t)i * PAGE, PAGE, PROT_READ | PROT_EXEC,
				 MAP_PRIVATE | MAP_FIXED, fd, 0) != MAP_FAILED);
	assert_int_equal(mappings_read(getpid(), &files, &maps), 0);
	unlink(path);
	for (int i = 0; i < COPIES * PAGES; i++) {
		const struct mapping *m = mappings_find(&maps, (uintptr_t)at + (taddr)i * PAGE);

		assert_non_null(m);
		assert_int_equal(m->bias, (uintptr_t)at + (taddr)(i / PAGES * PAGES) * PAGE);
	}
	mappings_release(&maps);
	module_files_release(&files);
	munmap(at, (size_t)COPIES * PAGES * PAGE);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_that_share_a_page_of_the_file_have_one_bias),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
