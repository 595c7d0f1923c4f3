/* SPDX-License-Identifier: BSD-2-Clause */
/* What was found once is found again, and mistakes in the cache are never visible. */
#include "unit/test_symbols_fixture.h"

#include "base/text.h"
#include "base/unfinished.h"
#include "symbols/internal.h"
#include "symbols/namecache_file.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const char program[] =
	"volatile int sink;\n"
	"struct thing { char c[37]; }; typedef struct { char c[41]; } other_t;\n"
	"static inline __attribute__((always_inline)) void inner(int n)\n"
	"{\n"
	"	sink += n;\n"
	"	__asm__ volatile(\".globl in_inner\\nin_inner:\");\n"
	"}\n"
	"__attribute__((noinline)) void outer(int n)\n"
	"{\n"
	"	struct thing t; other_t o; (void)t; (void)o;\n"
	"	inner(n);\n"
	"	sink++;\n"
	"}\n"
	"int main(int argc, char **argv) { (void)argv; outer(argc); return 0; }\n";

static void make(struct fixture *x)
{
	write_file(x, "p.c", program);
	/* Only large files are kept in the cache. */
	sh(x, "gcc -O1 -g -Wl,--build-id=sha1 p.c -o small && head -c 2000000 /dev/zero >pad && "
	      "objcopy --add-section .pad=pad small p && touch -d 2020-01-01 p");
	setenv("XDG_CACHE_HOME", in_dir(x, "cache"), 1);
}

static bool want_all(uint64_t size, void *ctx)
{
	(void)size, (void)ctx;
	return true;
}

static bool want_37(uint64_t size, void *ctx)
{
	(void)ctx;
	return size == 37;
}

/* What can be found out about ./p, as text; *opened: did that take a look at its DWARF? */
static char *ask(struct fixture *x, bool *opened)
{
	static char text[4096];
	const uint64_t at[] = { nm(x, "p", "in_inner"), nm(x, "p", "outer"), nm(x, "p", "main") + 4,
				0x10 };
	struct sym_type *types;
	size_t n, len = 0;

	symbols_free(x->s);
	x->s = symbols_new();
	symbols_set_search(x->s, &(struct symbols_search){ .cache = true });
	int m = load(x, "p");

	for (size_t i = 0; i < 4; i++) {
		struct sym_frames f = look(x, m, at[i], i % 2 == 0);

		for (size_t j = 0; j < f.n; j++)
			len += (size_t)snprintf(text + len, sizeof text - len,
						"%s %s %s:%u +%llu "
						"%llx %d %d\n",
						f.frames[j].name, f.frames[j].linkage,
						f.frames[j].file ? f.frames[j].file : "?",
						f.frames[j].line,
						(unsigned long long)f.frames[j].offset,
						(unsigned long long)f.frames[j].address,
						f.frames[j].inlined,
						f.frames[j].function_key >> 63 != 0);
	}
	assert_int_equal(symbols_types(x->s, m, want_37, NULL, &types, &n), 0);
	assert_int_equal(n, 1);
	assert_string_equal(types[0].name, "thing");
	free(types);
	assert_int_equal(symbols_types(x->s, m, want_all, NULL, &types, &n), 0);
	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(text + len, sizeof text - len, "%llu %s\n",
					(unsigned long long)types[i].size, types[i].name);
	free(types);
	snprintf(text + len, sizeof text - len, "%s\n", symbols_source(x->s, m));
	*opened = x->s->modules[m]->opened;
	symbols_free(x->s); /* writes the cache */
	x->s = symbols_new();
	return text;
}

/* The entry's name; false: there is none. */
static bool entry(struct fixture *x, char path[PATH_MAX])
{
	char dir[PATH_MAX / 2];
	struct dirent *e;
	bool found = false;

	snprintf(dir, sizeof dir, "%s", in_dir(x, "cache/mprof"));
	DIR *d = opendir(dir);

	while (d && (e = readdir(d)))
		if (strstr(e->d_name, ".names")) {
			assert_false(found);
			found = true;
			snprintf(path, PATH_MAX, "%s/%s", dir, e->d_name);
			/* whole: no temporary file is left */
			assert_int_equal(strlen(strstr(e->d_name, ".names")), 6);
		}
	if (d)
		closedir(d);
	return found;
}

static char *read_entry(const char *path, size_t *n)
{
	FILE *f = fopen(path, "re");

	assert_non_null(f);
	char *bytes = malloc(65536);
	*n = fread(bytes, 1, 65536, f);
	fclose(f);
	return bytes;
}

static void write_entry(const char *path, const char *bytes, size_t n)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static void what_was_found_once_is_found_without_a_look_at_the_dwarf(void **state)
{
	struct fixture *x = *state;
	char path[PATH_MAX];
	bool opened;

	make(x);
	char *first = strdup(ask(x, &opened));

	assert_true(opened);
	assert_true(entry(x, path));
	assert_non_null(strstr(first, "inner inner "));
	assert_non_null(strstr(first, "37 thing\n41 other_t\nDWARF\n"));
	assert_string_equal(ask(x, &opened), first);
	assert_false(opened);
	free(first);
}

static void small_files_and_those_without_build_id_are_not_kept(void **state)
{
	struct fixture *x = *state;
	char path[PATH_MAX];
	bool opened;

	make(x);
	sh(x, "cp p big && cp small p");
	ask(x, &opened);
	assert_false(entry(x, path));
	sh(x, "objcopy --remove-section .note.gnu.build-id big p");
	ask(x, &opened);
	assert_false(entry(x, path));
	sh(x, "rm p && cp big p");
	ask(x, &opened);
	assert_true(entry(x, path));
}

static void a_stale_entry_is_made_anew(void **state)
{
	struct fixture *x = *state;
	char path[PATH_MAX];
	bool opened;

	make(x);
	char *first = strdup(ask(x, &opened));

	sh(x, "touch -d 2021-01-01 p");
	assert_string_equal(ask(x, &opened), first);
	assert_true(opened);
	assert_string_equal(ask(x, &opened), first);
	assert_false(opened);
	assert_true(entry(x, path));
	free(first);
}

/* Neither read nor written: the DWARF is looked at each time. */
static void is_of_no_use(struct fixture *x, const char *empty)
{
	bool opened;

	ask(x, &opened);
	assert_true(opened);
	ask(x, &opened);
	assert_true(opened);
	sh(x, "test -z \"$(ls -A %s)\"", empty);
}

static void where_somebody_else_could_put_a_link_there_is_no_cache(void **state)
{
	struct fixture *x = *state;
	bool opened;

	make(x);
	sh(x, "mkdir cache && chmod 777 cache");
	is_of_no_use(x, "cache");
	sh(x, "chmod 755 cache && mkdir -m 700 other && ln -s ../other cache/mprof");
	is_of_no_use(x, "other");
	sh(x, "rm cache/mprof && mkdir cache/mprof && chmod 770 cache/mprof");
	is_of_no_use(x, "cache/mprof");
	sh(x, "rmdir cache/mprof");
	if (geteuid() == 0) {
		sh(x, "chown 65534 cache");
		is_of_no_use(x, "cache");
		sh(x, "chown 0 cache");
	}
	ask(x, &opened);
	assert_true(opened);
	ask(x, &opened);
	assert_false(opened);
}

static void somebody_else_s_entry_is_not_read(void **state)
{
	struct fixture *x = *state;
	char path[PATH_MAX];
	bool opened;

	make(x);
	ask(x, &opened);
	assert_true(entry(x, path));
	assert_int_equal(chmod(path, 0666), 0);
	ask(x, &opened);
	assert_true(opened);
	sh(x, "mv cache/mprof/*.names kept && ln -s $PWD/kept \"$(basename %s)\" && mv "
	      "\"$(basename %s)\" cache/mprof",
	   path, path);
	ask(x, &opened);
	assert_true(opened);
	if (chown(path, 65534, 65534) == 0) {
		ask(x, &opened);
		assert_true(opened);
	}
}

static void a_damaged_entry_is_ignored_and_made_anew(void **state)
{
	struct fixture *x = *state;
	char path[PATH_MAX];
	bool opened;
	size_t n;

	make(x);
	char *first = strdup(ask(x, &opened));

	assert_true(entry(x, path));
	char *bytes = read_entry(path, &n);

	assert_true(n > 100 && n < 65536);
	for (size_t i = 0; i < n; i += i < 64 ? 1 : 41) {
		bytes[i] ^= (char)(1 << i % 8);
		write_entry(path, bytes, n);
		bytes[i] ^= (char)(1 << i % 8);
		chmod(path, 0600);
		assert_string_equal(ask(x, &opened), first);
		assert_true(opened);
		write_entry(path, bytes, i);
		assert_string_equal(ask(x, &opened), first);
		assert_true(opened);
	}
	assert_string_equal(ask(x, &opened), first);
	assert_false(opened);
	free(bytes);
	free(first);
}

/* Whatever numbers are in an entry whose checksum is right. */
static void a_forged_entry_does_no_harm(void **state)
{
	static const uint64_t odd[] = { 0, 1, 2, 3, 7, 37, UINT32_MAX, UINT64_MAX,
					UINT64_C(1) << 63,
					(UINT64_C(1) << 63) + 1000 };
	struct fixture *x = *state;
	char path[PATH_MAX];
	bool opened;
	size_t n;

	make(x);
	ask(x, &opened);
	assert_true(entry(x, path));
	char *bytes = read_entry(path, &n), *id = strdup(strrchr(path, '/') + 1);
	const char *who = bytes + 24;

	*strstr(id, ".names") = '\0';
	srand(6);
	for (int i = 0; i < 3000; i++) {
		struct cache_out out;

		assert_int_equal(cache_create(&out, id, who, NULL), 0);
		/* like a real one for a while, then anything */
		if (rand() % 8)
			cache_put_text(&out, "DWARF");
		for (int j = rand() % 40; j >= 0; j--)
			switch (rand() % 4) {
			case 0:
				cache_put_text(&out, rand() % 4 ? "name" : NULL);
				break;
			case 1:
				cache_put_int(&out, (uint64_t)rand() % 5);
				break;
			default:
				cache_put_int(&out, odd[(size_t)rand() % 10]);
			}
		cache_finish(&out);
		symbols_free(x->s);
		x->s = symbols_new();
		symbols_set_search(x->s, &(struct symbols_search){ .cache = true });
		int m = load(x, "p");
		struct sym_type *types;

		look(x, m, 0x10 + (uint64_t)i, i % 2);
		assert_int_equal(symbols_types(x->s, m, want_all, NULL, &types, &n), 0);
		free(types);
		assert_non_null(symbols_source(x->s, m));
	}
	free(bytes);
	free(id);
}

static void without_a_place_for_it_there_is_no_cache(void **state)
{
	struct fixture *x = *state;
	bool opened;

	make(x);
	setenv("XDG_CACHE_HOME", "relative", 1);
	setenv("HOME", "", 1);
	ask(x, &opened);
	ask(x, &opened);
	assert_true(opened);
	write_file(x, "file", "");
	setenv("XDG_CACHE_HOME", in_dir(x, "file"), 1);
	ask(x, &opened);
	ask(x, &opened);
	assert_true(opened);
}

/* The entry is @bytes; a process is killed while it writes that, and is there no more. */
static pid_t killed_while_it_keeps(const char *id, const char *bytes, size_t n)
{
	const struct rlimit little = { 100, 100 };
	int wstatus;
	pid_t pid = fork();

	if (!pid) {
		signal(SIGXFSZ, SIG_DFL);
		setrlimit(RLIMIT_FSIZE, &little);
		cache_keep(id, bytes, n);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &wstatus, 0), pid);
	assert_true(WIFSIGNALED(wstatus) && WTERMSIG(wstatus) == SIGXFSZ);
	return pid;
}

static void what_a_killed_process_was_writing_is_removed_by_who_is_told(void **state)
{
	struct fixture *x = *state;
	char path[PATH_MAX];
	bool opened;
	size_t n;

	unfinished_share();
	make(x);
	ask(x, &opened);
	assert_true(entry(x, path));
	char *bytes = read_entry(path, &n), *id = strdup(path_last(path));

	*strstr(id, ".names") = '\0';
	sh(x, "rm cache/mprof/*");
	pid_t pid = killed_while_it_keeps(id, bytes, n);
	sh(x, "test -n \"$(ls cache/mprof)\"");
	unfinished_remove(pid);
	sh(x, "test -z \"$(ls cache/mprof)\"");
	free(bytes);
	free(id);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(what_was_found_once_is_found_without_a_look_at_the_dwarf),
		T(small_files_and_those_without_build_id_are_not_kept),
		T(a_stale_entry_is_made_anew),
		T(where_somebody_else_could_put_a_link_there_is_no_cache),
		T(somebody_else_s_entry_is_not_read),
		T(a_damaged_entry_is_ignored_and_made_anew),
		T(a_forged_entry_does_no_harm),
		T(without_a_place_for_it_there_is_no_cache),
		T(what_a_killed_process_was_writing_is_removed_by_who_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
