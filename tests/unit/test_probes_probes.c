/* SPDX-License-Identifier: BSD-2-Clause */
/* Probe definitions as text. */
#include "unit/unit.h"
#include "lib/random.h"
#include "probes/probes.h"
#include "probes/rules.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct probes));
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	probes_release(*state);
	free(*state);
	return 0;
}

static int add(struct probes *p, const char *text, struct error *e)
{
	return probes_add_text(p, text, strlen(text), "my.probes", true, e);
}

/* The only definition in a line. */
static const struct probe *one(struct probes *p, const char *line)
{
	struct error e = { "" };

	probes_release(p);
	if (add(p, line, &e))
		fail_msg("%s", e.text);
	assert_int_equal(p->n, 1);
	return &p->v[0];
}

static void arguments_of_the_usual_kinds_are_where_they_usually_are(void **state)
{
	const struct probe *p = one(*state, "malloc take");

	assert_string_equal(p->name, "take");
	assert_string_equal(p->where, "my.probes:1");
	assert_int_equal(p->kind, PROBE_ALLOC);
	assert_int_equal(p->size_arg, 0);
	assert_int_equal(p->count_arg, NO_ARG);
	assert_int_equal(p->ptr_arg, NO_ARG);
	assert_int_equal(p->out_arg, NO_ARG);
	p = one(*state, "calloc take");
	assert_int_equal(p->kind, PROBE_ALLOC);
	assert_int_equal(p->count_arg, 0);
	assert_int_equal(p->size_arg, 1);
	p = one(*state, "realloc again");
	assert_int_equal(p->kind, PROBE_REALLOC);
	assert_int_equal(p->ptr_arg, 0);
	assert_int_equal(p->size_arg, 1);
	p = one(*state, "free back");
	assert_int_equal(p->kind, PROBE_FREE);
	assert_int_equal(p->ptr_arg, 0);
	assert_int_equal(p->size_arg, NO_ARG);
}

static void arguments_can_be_told(void **state)
{
	const struct probe *p = one(*state, "  malloc\tget  out=1 align=2 size=3 # as "
					    "posix_memalign\n");

	assert_int_equal(p->out_arg, 0);
	assert_int_equal(p->align_arg, 1);
	assert_int_equal(p->size_arg, 2);
	p = one(*state, "realloc heap_recalloc ptr=2 count=3 size=6");
	assert_int_equal(p->ptr_arg, 1);
	assert_int_equal(p->count_arg, 2);
	assert_int_equal(p->size_arg, 5);
	p = one(*state, "free-list drop ptr=2 next=3");
	assert_int_equal(p->ptr_arg, 1);
	assert_int_equal(p->next_arg, 2);
	assert_true(one(*state, "realloc grow frees-on-failure")->frees_on_failure);
	assert_int_equal(one(*state, "malloc 0x401AbC")->address, 0x401abc);
	p = one(*state, "new _Znwm");
	assert_true(p->operator_new);
	assert_string_equal(probe_word(p), "new");
	assert_string_equal(probe_word(one(*state, "calloc c")), "calloc");
}

static void labels_are_told_by_an_argument_or_at_once(void **state)
{
	const struct probe *p = one(*state, "malloc alloc_object size=2 label=1 c=1 f=6-8,10 "
					    "s=16-20,30,63");

	assert_int_equal(p->label_arg, 0);
	assert_int_equal(probe_label(p, 1), LABEL_CONS);
	assert_int_equal(probe_label(p, 6), LABEL_FLOAT);
	assert_int_equal(probe_label(p, 8), LABEL_FLOAT);
	assert_int_equal(probe_label(p, 9), LABEL_OTHER);
	assert_int_equal(probe_label(p, 10), LABEL_FLOAT);
	assert_int_equal(probe_label(p, 63), LABEL_STRUCTURE);
	assert_int_equal(probe_label(p, 64), LABEL_OTHER);
	assert_int_equal(probe_label(p, UINT64_MAX), LABEL_OTHER);
	p = one(*state, "label make_cons is=c");
	assert_int_equal(p->kind, PROBE_LABEL);
	assert_int_equal(probe_label(p, 0), LABEL_CONS);
	assert_int_equal(probe_label(one(*state, "malloc plain"), 1), LABEL_NONE);
}

static void an_error_tells_file_line_and_what_was_expected(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "malloc a\nmallok b\n", "my.probes:2: expected a kind such as malloc" },
		{ "\n\nfree", "my.probes:3: expected a name behind \"free\"" },
		{ "malloc a size",
		  "my.probes:1: expected the number of an argument, 1 to 6, in \"size\"" },
		{ "malloc a size=", "1 to 6, in \"size=\"" },
		{ "malloc a size=0", "1 to 6, in \"size=0\"" },
		{ "malloc a size=7", "1 to 6, in \"size=7\"" },
		{ "malloc a size=11", "1 to 6, in \"size=11\"" },
		{ "malloc a ptr=2",
		  "expected size count align out pool label (an argument, as in ptr=1) of a "
		  "function" },
		{ "free a colour=2", "not \"colour=2\"" },
		{ "malloc a align=1",
		  "expected different arguments for size and align: both are 1" },
		{ "malloc a size=1 size=2",
		  "expected size= only once, found it again in \"size=2\"" },
		{ "realloc a ptr=1 ptr=1", "expected ptr= only once" },
		{ "label a label=1 is=c", "expected label=N or is=LETTER, not both" },
		{ "malloc a label=2 c=1-4 f=4",
		  "expected each value in one of c=, f= and s= only" },
		{ "free-list a", "expected next=N" },
		{ "malloc 0x", "expected a name or an address as nm(1) shows it, not \"0x\"" },
		{ "malloc 0xxyz", "expected a name or an address" },
		{ "malloc 0x0", "expected a name or an address" },
		{ "malloc 0x11111111111111111", "expected a name or an address" },
		{ "internal a ptr=1", "expected no argument of a function of kind internal" },
		{ "label a", "expected label=N (which argument tells it) or is=LETTER" },
		{ "label a is=x", "expected is=c, f, s or o, not \"is=x\"" },
		{ "label a is=", "expected is=c, f, s or o" },
		{ "malloc a c=1", "expected label=N: which argument has these values" },
		{ "malloc a label=2 c=", "expected numbers from 0 to 63" },
		{ "malloc a label=2 c=1,", "expected numbers from 0 to 63" },
		{ "malloc a label=2 c=9-3", "expected numbers from 0 to 63" },
		{ "malloc a label=2 c=64", "expected numbers from 0 to 63" },
		{ "malloc a label=2 c=99999999999999999999", "expected numbers from 0 to 63" },
		{ "malloc a label=2 c=1x", "expected numbers from 0 to 63" },
		{ "free a label=1", "expected ptr size align" },
		{ "forwarder", "expected a name behind \"forwarder\"" },
		{ "forwarder a b", "expected the end of the line, not \"b\"" },
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct error e = { "" };

		assert_int_equal(add(*state, bad[i].text, &e), -EINVAL);
		if (!strstr(e.text, bad[i].says) || strncmp(e.text, "my.probes:", 10))
			fail_msg("\"%s\" gives: %s", bad[i].text, e.text);
		probes_release(*state);
	}
}

static void lines_that_are_no_text_are_refused(void **state)
{
	char line[3000];
	struct error e;

	memset(line, 'a', sizeof line);
	assert_int_equal(probes_add_text(*state, line, sizeof line, "f", true, &e), -EINVAL);
	assert_non_null(strstr(e.text, "f:1: expected a line of at most 1000 bytes"));
	assert_int_equal(probes_add_text(*state, "malloc a\0b\n", 11, "f", true, &e), -EINVAL);
	assert_non_null(strstr(e.text, "f:1: expected text"));
	memset(line, 0xff, 900);
	assert_int_equal(probes_add_text(*state, line, 900, "f", true, &e), -EINVAL);
	assert_int_equal(((struct probes *)*state)->n, 0);
}

/* Whatever the bytes, nothing is read or written out of bounds (sanitizers would notice). */
static void random_bytes_do_no_harm(void **state)
{
	static const char *const words[] = { "malloc", "calloc", " ", "\t", "\n", "size=", "ptr=",
					     "1", "2", "=",
					     "#", "0x", "forwarder", "free-list", "next=3",
					     "label=2 ", "c=", "is=", "-", ",", "\xff", "\r", "a" };
	uint64_t seed = 12345;
	unsigned added = 0;

	for (int round = 0; round < 3000; round++) {
		char text[400];
		size_t n = 0;

		while (n < 300) {
			uint64_t r = random_next(&seed);
			const char *word = words[(r >> 16) % (sizeof words / sizeof *words)];
			memcpy(text + n, word, strlen(word));
			n += strlen(word);
			if ((r >> 8) % 97 == 0)
				text[n++] = (char)(r >> 24);
		}
		struct error e;
		probes_add_text(*state, text, n, "random", true, &e);
		added += ((struct probes *)*state)->n;
		probes_release(*state);
	}
	assert_true(added > 0);
}

static void the_first_definition_of_a_name_holds(void **state)
{
	struct probes *p = *state;
	struct error e;

	assert_int_equal(probes_add_hook(p, "calloc:malloc", &e), 0);
	assert_int_equal(probes_add_builtin(p, true, &e), 0);
	assert_int_equal(probes_named(p, "malloc"), 0);
	assert_true(p->v[0].must_be_found);
	assert_true(probes_named(p, "free") > 0);
	assert_int_equal(probes_named(p, "fre"), IDINDEX_NONE);
	assert_int_equal(probes_named(p, "(client request)"), IDINDEX_NONE);
}

static void what_is_built_in_is_sound_and_names_nothing_twice(void **state)
{
	struct probes *p = *state;
	struct error e = { "" };

	if (probes_add_builtin(p, true, &e))
		fail_msg("%s", e.text);
	for (uint32_t i = 0; i < p->n; i++) {
		assert_false(p->v[i].user);
		if (p->v[i].kind != PROBE_REQUEST && probes_named(p, p->v[i].name) != i)
			fail_msg("%s: %s is defined before", p->v[i].where, p->v[i].name);
	}
	assert_int_not_equal(probes_of_kind(p, PROBE_REQUEST), IDINDEX_NONE);
	assert_true(probes_forwards(p, "libstdc++.so.6"));
	assert_false(probes_forwards(p, "libstdc++.so.7"));
	assert_false(probes_forwards(p, NULL));
	probes_release(p);
	assert_int_equal(probes_add_builtin(p, false, &e), 0);
	assert_int_equal(probes_of_kind(p, PROBE_REQUEST), IDINDEX_NONE);
}

static void hooks_have_a_kind_and_a_name(void **state)
{
	static const char *const bad[] = { "", "malloc", "malloc:", ":name", "malloc:two words",
					   "mallok:name",
					   "malloc:name#", "malloc:0x" };
	struct error e;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(probes_add_hook(*state, bad[i], &e), -EINVAL);
		assert_int_equal(strncmp(e.text, "--hook=", 7), 0);
		assert_non_null(strstr(e.text, "expected"));
	}
	assert_int_equal(probes_add_hook(*state, "free:give_back", &e), 0);
	assert_int_equal(probes_add_hook(*state, "malloc:0x4011d6", &e), 0);
	assert_int_equal(((struct probes *)*state)->v[1].address, 0x4011d6);
}

static void a_file_that_cannot_be_read_is_told(void **state)
{
	char path[] = "/tmp/test_probes.XXXXXX";
	int fd = mkstemp(path);
	struct error e;

	assert_true(fd >= 0);
	assert_int_equal(probes_add_file(*state, path, &e), 0); /* an empty one defines nothing */
	assert_int_equal(write(fd, "free a", 6), 6);
	assert_int_equal(probes_add_file(*state, path, &e), 0); /* without a newline at its end */
	assert_int_equal(((struct probes *)*state)->n, 1);
	assert_int_equal(ftruncate(fd, 2000000), 0);
	assert_int_equal(probes_add_file(*state, path, &e), -EFBIG);
	close(fd);
	unlink(path);
	assert_int_equal(probes_add_file(*state, path, &e), -ENOENT);
	assert_non_null(strstr(e.text, path));
	assert_int_equal(probes_add_file(*state, "/", &e), -EISDIR);
	assert_int_equal(probes_add_file(*state, "/dev/zero", &e), -ENOTSUP);
}

static void libraries_are_told_by_file_name_or_soname(void **state)
{
	struct rules r = { .libs = { { "libc.so.6", false }, { "libmy.so", false } }, .n_libs = 2 };
	struct rules none = { .libs = { { "NONE", false } }, .n_libs = 1 }, all = { .n_libs = 0 };

	(void)state;
	assert_true(rules_allow(&r, "/lib/libc-2.36.so", "libc.so.6", false));
	assert_false(r.libs[1].found);
	assert_true(rules_allow(&r, "/opt/libmy.so", NULL, false));
	assert_true(r.libs[0].found && r.libs[1].found);
	assert_false(rules_allow(&r, "/opt/mylibmy.so", "libmy.so.1", false));
	assert_false(rules_allow(&r, NULL, NULL, true));
	assert_true(rules_allow(&none, "/bin/ls", NULL, true));
	assert_false(rules_allow(&none, "/bin/NONE", NULL, false));
	assert_true(rules_allow(&all, NULL, NULL, false));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(arguments_of_the_usual_kinds_are_where_they_usually_are),
		TEST(arguments_can_be_told),
		TEST(labels_are_told_by_an_argument_or_at_once),
		TEST(an_error_tells_file_line_and_what_was_expected),
		TEST(lines_that_are_no_text_are_refused),
		TEST(random_bytes_do_no_harm),
		TEST(the_first_definition_of_a_name_holds),
		TEST(what_is_built_in_is_sound_and_names_nothing_twice),
		TEST(hooks_have_a_kind_and_a_name),
		TEST(a_file_that_cannot_be_read_is_told),
		TEST(libraries_are_told_by_file_name_or_soname),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
