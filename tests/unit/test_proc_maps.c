/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "unit/no_memory.h"

#include "proc/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* From a copy that ends where its memory ends, so that the sanitizer sees overruns. */
static bool parse(const char *text, struct proc_map *m, char **line)
{
	*line = strdup(text);
	assert_non_null(*line);
	return proc_map_parse(*line, m);
}

static void a_line_is_taken_apart(void **state)
{
	struct proc_map m;
	char *line;

	(void)state;
	assert_true(parse("7f0a1b2c3000-7f0a1b2c5000 r-xp 0001e000 fd:03 1835055    "
			  "/usr/lib/a b.so (deleted)\n", &m, &line));
	assert_int_equal(m.start, 0x7f0a1b2c3000);
	assert_int_equal(m.end, 0x7f0a1b2c5000);
	assert_int_equal(m.offset, 0x1e000);
	assert_true(m.executable);
	assert_int_equal(m.dev, makedev(0xfd, 3));
	assert_int_equal(m.ino, 1835055);
	assert_string_equal(m.path, "/usr/lib/a b.so (deleted)");
	free(line);
	assert_true(parse("00400000-00401000 rw-s 00000000 00:00 0 ", &m, &line));
	assert_false(m.executable);
	assert_int_equal(m.ino, 0);
	assert_string_equal(m.path, "");
	free(line);
	assert_true(parse("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0          "
			  "[vsyscall]", &m, &line));
	assert_int_equal(m.start, 0xffffffffff600000);
	assert_string_equal(m.path, "[vsyscall]");
	free(line);
}

/* The kernel writes a line break in a name as \012. */
static void a_name_is_all_that_is_behind_the_numbers(void **state)
{
	struct proc_map m;
	char *line;

	(void)state;
	assert_true(parse("1000-2000 r--p 0 8:1 5 /tmp/a\\0121000-2000 r-xp 0 8:1 6 /b\n", &m,
			  &line));
	assert_false(m.executable);
	assert_int_equal(m.ino, 5);
	assert_string_equal(m.path, "/tmp/a\\0121000-2000 r-xp 0 8:1 6 /b");
	free(line);
	assert_true(parse("1000-2000 r--p 0 8:1 5\t [heap] /x [heap]", &m, &line));
	assert_string_equal(m.path, "[heap] /x [heap]");
	free(line);
}

static void what_is_no_such_line_is_none(void **state)
{
	static const char *const lines[] = {
		"", "\n", " ", "1000", "1000-", "1000-2000", "1000-2000 ", "1000-2000 r-x",
		"1000-2000 r-xp", "1000-2000 r-xp 0", "1000-2000 r-xp 0 8", "1000-2000 r-xp 0 8:1",
		"1000-2000 r-xp 0 8:1 ", "1000-2000 r-xp 0 8:1 5x", "1000-2000 r-xp 0 8:1 f",
		"1000-2000 rwxq 0 8:1 5", "1000 2000 r-xp 0 8:1 5",
		"-1000-2000 r-xp 0 8:1 5", " 1000-2000 r-xp 0 8:1 5", "1000--2000 r-xp 0 8:1 5",
		"+1000-2000 r-xp 0 8:1 5", "g-2000 r-xp 0 8:1 5",
		"10000000000000000-2 r-xp 0 8:1 5", "1000-2000 r-xp 10000000000000000 8:1 5",
		"1000-2000 r-xp 0 8:1 18446744073709551616",
		"1000-2000r-xp 0 8:1 5", "1000-2000 r-xp0 8:1 5",
	};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct proc_map m;
		char *line;

		if (parse(lines[i], &m, &line))
			fail_msg("taken for a mapping: %s", lines[i]);
		free(line);
	}
}

/* ---- several ---- */

struct seen {
	unsigned n, stop_at;
	taddr start;
};

static int see(const struct proc_map *m, void *ctx)
{
	struct seen *s = ctx;

	s->start = m->start;
	return ++s->n == s->stop_at ? 77 : 0;
}

static void a_text_is_read_line_by_line_until_it_is_enough(void **state)
{
	static const char text[] = "1000-2000 r-xp 0 8:1 5 /a\nnonsense\n\n3000-4000 rw-p 0 0:0 0\n"
				   "5000-6000 rw-p 0 0:0 0 [heap]";
	struct seen all = { 0 }, two = { .stop_at = 2 }, none = { 0 };

	(void)state;
	assert_int_equal(proc_maps_each_in(text, see, &all), 0);
	assert_int_equal(all.n, 3);
	assert_int_equal(all.start, 0x5000);
	assert_int_equal(proc_maps_each_in(text, see, &two), 77);
	assert_int_equal(two.n, 2);
	assert_int_equal(two.start, 0x3000);
	assert_int_equal(proc_maps_each_in("", see, &none), 0);
	assert_int_equal(none.n, 0);
}

struct expected {
	taddr start, end;
	struct stat st;
	const char *path;
	unsigned found;
};

static int expect(const struct proc_map *m, void *ctx)
{
	struct expected *e = ctx;

	if (m->start != e->start)
		return 0;
	assert_int_equal(m->end, e->end);
	assert_int_equal(m->offset, 4096);
	assert_true(m->executable);
	assert_int_equal(m->ino, e->st.st_ino);
	assert_string_equal(m->path, e->path);
	e->found++;
	return 0;
}

static void a_file_with_a_hostile_name_is_found_in_our_own(void **state)
{
	static const char *const names[] = { "/a b", "/a\n1000-2000 r-xp 0 8:1 5 ", "/(x) [heap]" };
	static const char *const told[] = { "/a b", "/a\\0121000-2000 r-xp 0 8:1 5 ",
					    "/(x) [heap]" };
	char dir[] = "/tmp/test_proc_maps.XXXXXX", path[128], want[128];

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s%s", dir, names[i]);
		snprintf(want, sizeof want, "%s%s", dir, told[i]);
		FILE *f = fopen(path, "w+e");
		assert_non_null(f);
		struct expected e = { .path = want };
		assert_int_equal(ftruncate(fileno(f), 8192), 0);
		assert_int_equal(fstat(fileno(f), &e.st), 0);
		void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 4096);
		assert_true(at != MAP_FAILED);
		e.start = (taddr)(uintptr_t)at;
		e.end = e.start + 4096;
		int err = proc_maps_each(getpid(), expect, &e);
		munmap(at, 4096);
		fclose(f);
		unlink(path);
		assert_int_equal(err, 0);
		assert_int_equal(e.found, 1);
	}
	rmdir(dir);
}

static void a_process_that_is_not_there_has_none(void **state)
{
	struct seen s = { 0 };

	(void)state;
	/* above PID_MAX_LIMIT, so nobody's */
	assert_int_equal(proc_maps_each(999999999, see, &s), -ENOENT);
	assert_int_equal(s.n, 0);
}

struct sought {
	taddr at;
	struct proc_map m;
};

static int take_at(const struct proc_map *m, void *ctx)
{
	struct sought *s = ctx;

	if (s->at < m->start || s->at >= m->end)
		return 0;
	s->m = *m;
	return 1;
}

static void one_mapping_is_as_in_the_whole_map(void **state)
{
	static uint8_t written;
	const void *at[] = { &written, (void *)(uintptr_t)&proc_map_at, state };
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	struct proc_map m;

	assert_true(fd >= 0);
	if (proc_map_at(fd, (taddr)(uintptr_t)&written, &m) == -ENOTTY) {
		close(fd);
		skip(); /* a kernel before 6.11 */
	}
	for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
		struct sought s = { .at = (taddr)(uintptr_t)at[i] };

		assert_int_equal(proc_maps_each_of(fd, take_at, &s), 1);
		assert_int_equal(proc_map_at(fd, s.at, &m), 0);
		assert_int_equal(m.start, s.m.start);
		assert_int_equal(m.end, s.m.end);
		assert_int_equal(m.readable, s.m.readable);
		assert_int_equal(m.writable, s.m.writable);
		assert_int_equal(m.executable, s.m.executable);
		assert_int_equal(m.shared, s.m.shared);
	}
	assert_int_equal(proc_map_at(fd, 0, &m), -ENOENT);
	close(fd);
}

static void an_open_map_is_read_from_its_beginning_each_time(void **state)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	struct seen first = { 0 }, second = { 0 };

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(proc_maps_each_of(fd, see, &first), proc_maps_each_of(fd, see, &second));
	assert_true(first.n > 0);
	assert_true(second.n > 0);
	close(fd);
	assert_int_equal(proc_maps_each_of(fd, see, &first), -EBADF);
}

static int count_lines(const struct proc_map *m, void *ctx)
{
	(void)m;
	++*(int *)ctx;
	return 0;
}

/* getline(3) says the same at the end and without memory for the line. */
static void a_map_that_there_is_no_memory_for_is_not_a_shorter_one(void **state)
{
	char text[16384] = "";
	bool failed;
	long n = 0;

	(void)state;
	for (int i = 0; i < 40; i++) /* each name longer than those before */
		snprintf(text + strlen(text), sizeof text - strlen(text),
			 "%x000-%x800 r-xp 0 8:1 5 /%0*d\n", i + 1, i + 1, i * 15 + 1, 0);
	do {
		int lines = 0;

		no_memory_after(n++);
		int err = proc_maps_each_in(text, count_lines, &lines);
		failed = no_memory_end();
		/* It can do without a buffer. */
		assert_int_equal(err, lines == 40 ? 0 : -ENOMEM);
		assert_true(failed || !err);
	} while (failed);
	assert_in_range(n, 3, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_taken_apart),
		cmocka_unit_test(a_name_is_all_that_is_behind_the_numbers),
		cmocka_unit_test(what_is_no_such_line_is_none),
		cmocka_unit_test(a_text_is_read_line_by_line_until_it_is_enough),
		cmocka_unit_test(a_file_with_a_hostile_name_is_found_in_our_own),
		cmocka_unit_test(a_process_that_is_not_there_has_none),
		cmocka_unit_test(one_mapping_is_as_in_the_whole_map),
		cmocka_unit_test(an_open_map_is_read_from_its_beginning_each_time),
		cmocka_unit_test(a_map_that_there_is_no_memory_for_is_not_a_shorter_one),
	};

	return cmocka_run_group_tests_name("proc/maps", tests, NULL, NULL);
}
