/* SPDX-License-Identifier: BSD-2-Clause */
/* The mappings of a child that was forked for this and is stopped. */
#include "unit/unit.h"
#include "proc/modules.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct target {
	char dir[64];
	pid_t pid;
	struct module_files files;
	struct mappings maps;
};

static int target_setup(void **state)
{
	struct target *t = calloc(1, sizeof *t);

	*state = t;
	if (!t)
		return -1;
	strcpy(t->dir, "/tmp/test_modules.XXXXXX");
	return mkdtemp(t->dir) ? 0 : -1;
}

static void end_target(struct target *t)
{
	if (t->pid <= 0)
		return;
	kill(t->pid, SIGKILL);
	waitpid(t->pid, NULL, 0);
	t->pid = 0;
}

static int target_teardown(void **state)
{
	struct target *t = *state;
	char path[128];

	end_target(t);
	mappings_release(&t->maps);
	module_files_release(&t->files);
	snprintf(path, sizeof path, "%s/mapped", t->dir);
	unlink(path);
	rmdir(t->dir);
	free(t);
	return 0;
}

/* A child with all that is mapped here now. */
static void fork_target(struct target *t)
{
	pid_t parent = getpid();

	t->pid = fork();
	if (t->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (getppid() == parent)
			pause();
		_exit(0);
	}
	assert_true(t->pid > 0);
}

static void read_target(struct target *t)
{
	mappings_release(&t->maps);
	assert_int_equal(mappings_read(t->pid, &t->files, &t->maps), 0);
}

/* A file in the folder, gone from it but open and mapped. */
struct mapped {
	int fd;
	uint8_t *at;
	size_t len;
	struct stat st;
};

static struct mapped map_file(struct target *t, const void *bytes, size_t len, off_t from,
			      bool deleted)
{
	struct mapped m = { .len = len - (size_t)from };
	char path[128];

	snprintf(path, sizeof path, "%s/mapped", t->dir);
	m.fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	assert_true(m.fd >= 0);
	assert_int_equal(write(m.fd, bytes, len), len);
	m.at = mmap(NULL, m.len, PROT_READ | PROT_EXEC, MAP_PRIVATE, m.fd, from);
	assert_true(m.at != MAP_FAILED);
	assert_int_equal(fstat(m.fd, &m.st), 0);
	if (deleted)
		unlink(path);
	fork_target(t);
	read_target(t);
	return m;
}

static void unmap(struct mapped *m)
{
	munmap(m->at, m->len);
	close(m->fd);
}

static const struct mapping *mapping_at(const struct target *t, const void *at)
{
	const struct mapping *m = mappings_find(&t->maps, (taddr)(uintptr_t)at);

	assert_non_null(m);
	return m;
}

/* ---- against what the dynamic linker knows ---- */

/* It has the code, and nothing that the program can write to. */
static void assert_image(const struct dl_phdr_info *info, const struct mapping *m)
{
	if (m->image_start == m->image_end)
		return;
	assert_true(m->image_start <= m->start && m->image_end >= m->end);
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		taddr start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD && ph->p_flags & PF_W)
			assert_true(start >= m->image_end || start + ph->p_memsz <= m->image_start);
	}
}

static int compare_module(struct dl_phdr_info *info, size_t size, void *target)
{
	const struct target *t = target;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		taddr start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
			continue;
		const struct mapping *m = mappings_find(&t->maps, start);
		if (!m)
			fail_msg("%s is not found", info->dlpi_name);
		assert_int_equal(m->bias, info->dlpi_addr);
		assert_int_equal(m->start, start & ~4095ull);
		assert_int_equal(m->file_offset, ph->p_offset & ~4095ull);
		assert_ptr_equal(mappings_find(&t->maps, start + ph->p_memsz - 1), m);
		assert_image(info, m);
		struct stat st;
		if (stat(*info->dlpi_name ? info->dlpi_name : "/proc/self/exe", &st) == 0)
			assert_int_equal(t->files.files[m->file].ino, st.st_ino);
	}
	return 0;
}

static void every_module_has_the_bias_that_the_dynamic_linker_gave_it(void **state)
{
	struct target *t = *state;

	fork_target(t);
	read_target(t);
	dl_iterate_phdr(compare_module, t);
	for (size_t i = 1; i < t->maps.n; i++)
		assert_true(t->maps.maps[i - 1].end <= t->maps.maps[i].start);
	for (size_t i = 0; i < t->files.n; i++)
		assert_int_equal(t->files.files[i].fd < 0, t->files.files[i].ino == 0);
}

static void the_vdso_is_a_module_without_a_file(void **state)
{
	struct target *t = *state;
	unsigned found = 0;

	fork_target(t);
	read_target(t);
	for (size_t i = 0; i < t->maps.n; i++) {
		const struct module_file *f = &t->files.files[t->maps.maps[i].file];

		if (strcmp(f->path, "[vdso]"))
			continue;
		assert_int_equal(f->fd, -1);
		assert_int_equal(t->maps.maps[i].bias, t->maps.maps[i].start);
		found++;
	}
	assert_int_equal(found, 1);
}

static void code_without_a_file_is_no_module(void **state)
{
	struct target *t = *state;
	void *jit = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(jit != MAP_FAILED);
	fork_target(t);
	read_target(t);
	assert_null(mappings_find(&t->maps, (taddr)(uintptr_t)jit));
	assert_null(mappings_find(&t->maps, (taddr)(uintptr_t)t)); /* nor is data */
	munmap(jit, 4096);
}

/* ---- bias ---- */

/* The head of a file with one executable segment. */
struct tiny_elf {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[2];
};

static struct tiny_elf *tiny_elf(size_t size)
{
	struct tiny_elf *e = calloc(1, size);

	assert_non_null(e);
	memcpy(e->eh.e_ident, ELFMAG, SELFMAG);
	e->eh.e_ident[EI_CLASS] = ELFCLASS64;
	e->eh.e_phoff = offsetof(struct tiny_elf, ph);
	e->eh.e_phentsize = sizeof e->ph[0];
	e->eh.e_phnum = 2;
	e->ph[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = 0x1000,
				 .p_memsz = 0x1000 };
	e->ph[1] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = 0x2040,
				 .p_vaddr = 0x7040, .p_filesz = 0x1000, .p_memsz = 0x1000 };
	return e;
}

/* Its executable segment is neither the first, nor mapped at the offset that its addresses have. */
static void the_bias_is_that_of_the_executable_segment(void **state)
{
	struct tiny_elf *e = tiny_elf(0x4000);
	struct mapped f = map_file(*state, e, 0x4000, 0x2000, false);
	const struct mapping *m = mapping_at(*state, f.at);

	assert_int_equal(m->start, (uintptr_t)f.at);
	assert_int_equal(m->file_offset, 0x2000);
	assert_int_equal(m->bias + 0x7040, (uintptr_t)f.at + 0x40);
	unmap(&f);
	free(e);
}

/* Its beginning has another protection, so that the mapping begins further on. */
static void a_piece_of_a_segment_has_the_bias_of_all_of_it(void **state)
{
	struct tiny_elf *e = tiny_elf(0x4000);
	struct mapped f = map_file(*state, e, 0x4000, 0x3000, false);
	const struct mapping *m = mapping_at(*state, f.at);

	assert_int_equal(m->bias + 0x7040 + 0xfc0, (uintptr_t)f.at);
	unmap(&f);
	free(e);
}

static void assert_bias_from_file_start(struct target *t, const void *bytes, size_t len)
{
	struct mapped f = map_file(t, bytes, len, 0x1000, false);

	assert_int_equal(mapping_at(t, f.at)->bias, (uintptr_t)f.at - 0x1000);
	unmap(&f);
}

static void addresses_in_what_is_no_elf_file_count_from_its_start(void **state)
{
	char *text = calloc(1, 0x2000);

	assert_non_null(text);
	assert_bias_from_file_start(*state, text, 0x2000);
	free(text);
}

static void addresses_in_an_elf_file_of_another_class_count_from_its_start(void **state)
{
	struct tiny_elf *e = tiny_elf(0x4000);

	e->eh.e_ident[EI_CLASS] = ELFCLASS32;
	assert_bias_from_file_start(*state, e, 0x4000);
	free(e);
}

static void a_header_that_promises_too_much_is_not_believed(void **state)
{
	struct tiny_elf *e = tiny_elf(0x4000);

	e->eh.e_phoff = UINT64_MAX - 8;
	e->eh.e_phnum = UINT16_MAX;
	e->ph[1].p_offset = UINT64_MAX - 0xfff;
	e->ph[1].p_filesz = UINT64_MAX;
	assert_bias_from_file_start(*state, e, 0x4000);
	free(e);
}

/* ---- files ---- */

static void assert_file_is(const struct target *t, const struct mapped *f)
{
	const struct module_file *file = &t->files.files[mapping_at(t, f->at)->file];
	struct stat st;

	assert_true(file->fd >= 0);
	assert_int_equal(fstat(file->fd, &st), 0);
	assert_int_equal(st.st_ino, f->st.st_ino);
	assert_int_equal(st.st_dev, f->st.st_dev);
	assert_int_equal(file->ino, f->st.st_ino);
	assert_true(fcntl(file->fd, F_GETFD) & FD_CLOEXEC);
}

static void a_file_is_opened_even_if_its_name_is_gone(void **state)
{
	struct target *t = *state;
	struct tiny_elf *e = tiny_elf(0x4000);
	struct mapped f = map_file(t, e, 0x4000, 0x2000, true);
	char link[64];

	snprintf(link, sizeof link, "/proc/%d/map_files", (int)t->pid);
	if (geteuid() != 0 || access(link, R_OK | X_OK)) {
		unmap(&f);
		free(e);
		skip(); /* only map_files leads to it */
	}
	assert_file_is(t, &f);
	assert_int_equal(mapping_at(t, f.at)->bias, (uintptr_t)f.at + 0x40 - 0x7040);
	unmap(&f);
	free(e);
}

static void who_may_read_it_no_more_is_told_of_a_file_that_is_gone(void **state)
{
	static const struct {
		const char *path;
		int fd;
		ino_t ino;
		bool gone;
	} files[] = {
		{ "/usr/lib/libc.so.6 (deleted)", -1, 7, true },
		{ "/usr/lib/libc.so.6 (deleted)", 3, 7, false },
		{ "/usr/lib/libc.so.6", -1, 7, false },
		{ " (deleted)", -1, 7, false },
		{ "[vdso]", -1, 0, false },
		{ "/memfd:doublemapper (deleted)", -1, 7, false },
		{ "/SYSV00000000 (deleted)", -1, 7, false },
		{ "/dev/zero (deleted)", -1, 7, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		const struct module_file f = { .path = (char *)files[i].path, .fd = files[i].fd,
					       .ino = files[i].ino };

		assert_int_equal(module_file_is_gone(&f), files[i].gone);
	}
}

static void a_file_has_one_number_however_often_it_is_mapped_and_looked_at(void **state)
{
	struct target *t = *state;
	struct tiny_elf *e = tiny_elf(0x4000);
	struct mapped f = map_file(t, e, 0x4000, 0x2000, false);
	uint32_t number = mapping_at(t, f.at)->file;
	size_t n = t->files.n;

	end_target(t);
	void *again = mmap(NULL, 0x1000, PROT_READ | PROT_EXEC, MAP_PRIVATE, f.fd, 0x2000);
	assert_true(again != MAP_FAILED);
	fork_target(t);
	read_target(t);
	assert_int_equal(mapping_at(t, again)->file, number);
	assert_int_equal(mapping_at(t, f.at)->file, number);
	assert_true(mapping_at(t, again) != mapping_at(t, f.at));
	assert_int_equal(t->files.n, n);
	munmap(again, 0x1000);
	unmap(&f);
	free(e);
}

static void what_is_unmapped_is_no_longer_found(void **state)
{
	struct target *t = *state;
	struct tiny_elf *e = tiny_elf(0x4000);
	struct mapped f = map_file(t, e, 0x4000, 0x2000, false);
	size_t n = t->files.n;

	mapping_at(t, f.at);
	end_target(t);
	unmap(&f);
	fork_target(t);
	read_target(t);
	assert_null(mappings_find(&t->maps, (uintptr_t)f.at));
	assert_int_equal(t->files.n, n); /* chains may still refer to it */
	free(e);
}

static void a_process_that_is_gone_is_told(void **state)
{
	struct target *t = *state;

	pid_t pid;

	fork_target(t);
	pid = t->pid;
	end_target(t);
	t->maps.n = 77; /* whatever it held: it is set anew */
	assert_true(mappings_read(pid, &t->files, &t->maps) < 0);
	assert_int_equal(t->maps.n, 0);
	assert_int_equal(t->files.n, 0);
}

/* Its maps file still exists, but is empty: that must not be taken as no modules. */
static void one_that_has_ended_and_is_not_waited_for_is_gone_too(void **state)
{
	struct target *t = *state;
	pid_t pid = fork();
	siginfo_t info;

	assert_true(pid >= 0);
	if (!pid)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(mappings_read(pid, &t->files, &t->maps), -ESRCH);
	assert_int_equal(t->maps.n, 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* ---- looking up ---- */

static void addresses_are_found_from_the_first_byte_to_the_last(void **state)
{
	struct mapping v[] = { { .start = 0x1000, .end = 0x2000 },
			       { .start = 0x2000, .end = 0x3000 },
			       { .start = 0x5000, .end = 0x9000 } };
	struct mappings m = { v, 3, 3 }, none = { 0 };

	(void)state;
	assert_null(mappings_find(&m, 0));
	assert_null(mappings_find(&m, 0xfff));
	assert_ptr_equal(mappings_find(&m, 0x1000), &v[0]);
	assert_ptr_equal(mappings_find(&m, 0x1fff), &v[0]);
	assert_ptr_equal(mappings_find(&m, 0x2000), &v[1]);
	assert_ptr_equal(mappings_find(&m, 0x2fff), &v[1]);
	assert_null(mappings_find(&m, 0x3000));
	assert_null(mappings_find(&m, 0x4fff));
	assert_ptr_equal(mappings_find(&m, 0x5000), &v[2]);
	assert_ptr_equal(mappings_find(&m, 0x8fff), &v[2]);
	assert_null(mappings_find(&m, 0x9000));
	assert_null(mappings_find(&m, UINT64_MAX));
	assert_null(mappings_find(&none, 0x1000));
}

static void a_copy_is_one_of_its_own(void **state)
{
	struct mapping v[] = { { .start = 0x1000, .end = 0x2000, .bias = 4, .file = 5 } };
	struct mappings m = { v, 1, 1 }, none = { 0 }, copy;

	(void)state;
	assert_int_equal(mappings_copy(&copy, &m), 0);
	assert_int_equal(copy.n, 1);
	assert_memory_equal(copy.maps, v, sizeof v);
	assert_ptr_not_equal(copy.maps, v);
	mappings_release(&copy);
	assert_int_equal(mappings_copy(&copy, &none), 0);
	assert_null(mappings_find(&copy, 0x1000));
	mappings_release(&copy);
	mappings_release(&copy);
}

#define TARGET_TEST(f) cmocka_unit_test_setup_teardown(f, target_setup, target_teardown)

static void data_belongs_to_the_file_whose_code_is_in_front_of_it(void **state)
{
	struct module_file files[] = {{.path = "/a"}, {.path = "/b"}};
	const struct module_files f = {.files = files, .n = 2};
	struct mapping maps[] = {{.start = 0x1000, .end = 0x2000, .file = 0},
				 {.start = 0x5000, .end = 0x6000, .file = 1}};
	const struct mappings m = {.maps = maps, .n = 2};

	(void)state;
	assert_ptr_equal(mappings_of_data(&m, &f, 0x3000, "/a"), &maps[0]);
	assert_ptr_equal(mappings_of_data(&m, &f, 0x1000, "/a"), &maps[0]);
	assert_null(mappings_of_data(&m, &f, 0x3000, "/b"));
	assert_null(mappings_of_data(&m, &f, 0x5000, "/a"));
	assert_ptr_equal(mappings_of_data(&m, &f, UINT64_MAX, "/b"), &maps[1]);
	assert_null(mappings_of_data(&m, &f, 0xfff, "/a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_belongs_to_the_file_whose_code_is_in_front_of_it),
		TARGET_TEST(every_module_has_the_bias_that_the_dynamic_linker_gave_it),
		TARGET_TEST(the_vdso_is_a_module_without_a_file),
		TARGET_TEST(code_without_a_file_is_no_module),
		TARGET_TEST(the_bias_is_that_of_the_executable_segment),
		TARGET_TEST(a_piece_of_a_segment_has_the_bias_of_all_of_it),
		TARGET_TEST(addresses_in_what_is_no_elf_file_count_from_its_start),
		TARGET_TEST(addresses_in_an_elf_file_of_another_class_count_from_its_start),
		TARGET_TEST(a_header_that_promises_too_much_is_not_believed),
		TARGET_TEST(a_file_is_opened_even_if_its_name_is_gone),
		TARGET_TEST(a_file_has_one_number_however_often_it_is_mapped_and_looked_at),
		TARGET_TEST(what_is_unmapped_is_no_longer_found),
		cmocka_unit_test(who_may_read_it_no_more_is_told_of_a_file_that_is_gone),
		TARGET_TEST(a_process_that_is_gone_is_told),
		TARGET_TEST(one_that_has_ended_and_is_not_waited_for_is_gone_too),
		cmocka_unit_test(addresses_are_found_from_the_first_byte_to_the_last),
		cmocka_unit_test(a_copy_is_one_of_its_own),
	};

	return cmocka_run_group_tests_name("modules", tests, NULL, NULL);
}
