/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TEST_SYMBOLS_FIXTURE_H
#define TEST_SYMBOLS_FIXTURE_H

/* What the tests of src/symbols share: programs are compiled in a directory that is removed
 * afterwards. */

#include "unit/unit.h"
#include "symbols/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
	char dir[64];
	struct symbols *s;
};

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

__attribute__((unused)) static int fixture_teardown(void **state)
{
	struct fixture *x = *state;

	symbols_free(x->s);
	nftw(x->dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	free(x);
	return 0;
}

__attribute__((unused)) static int fixture_setup(void **state)
{
	struct fixture *x = calloc(1, sizeof *x);

	if (!x)
		return -1;
	strcpy(x->dir, "/tmp/test_symbols.XXXXXX");
	x->s = symbols_new();
	*state = x;
	if (x->s && mkdtemp(x->dir))
		return 0;
	symbols_free(x->s);
	free(x);
	return -1;
}

/* Run a command in the folder; it must succeed. */
__attribute__((format(printf, 2, 3), unused)) static void sh(struct fixture *x, const char *fmt,
							     ...)
{
	char line[4096], command[8192];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	snprintf(command, sizeof command, "cd %s && { %s\n}", x->dir, line);
	if (system(command) != 0)
		fail_msg("failed: %s", line);
}

__attribute__((unused)) static bool have(const char *tool)
{
	char command[256];

	snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", tool);
	return system(command) == 0;
}

/* The path of a file in the folder; good until the next but three call. */
__attribute__((unused)) static const char *in_dir(struct fixture *x, const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned turn;
	char *p = paths[turn++ % 4];

	snprintf(p, PATH_MAX, "%s/%s", x->dir, name);
	return p;
}

__attribute__((unused)) static void write_file(struct fixture *x, const char *name,
					       const char *text)
{
	FILE *f = fopen(in_dir(x, name), "we");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* Register a file of the folder. */
__attribute__((unused)) static int load(struct fixture *x, const char *name)
{
	int fd = open(in_dir(x, name), O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	int m = symbols_add_module(x->s, in_dir(x, name), fd);

	close(fd);
	assert_true(m >= 0);
	return m;
}

/* What nm says of a symbol; a debug file or the unstripped program is asked. */
__attribute__((unused)) static uint64_t nm(struct fixture *x, const char *file, const char *symbol)
{
	char command[8192];
	unsigned long long addr = 0;

	snprintf(command, sizeof command, "nm %s | awk '$3 == \"%s\" { print $1 "
					  "}'", in_dir(x, file), symbol);
	FILE *f = popen(command, "re");

	assert_non_null(f);
	if (fscanf(f, "%llx", &addr) != 1)
		addr = 0;
	pclose(f);
	if (!addr)
		fail_msg("nm %s does not know %s", file, symbol);
	return addr;
}

__attribute__((unused)) static struct sym_frames look(struct fixture *x, int module, uint64_t pc,
						      bool is_return)
{
	struct sym_frames f;

	assert_int_equal(symbols_lookup(x->s, module, pc, is_return, &f), 0);
	assert_true(f.n >= 1);
	assert_false(f.frames[0].inlined);
	return f;
}

#endif
