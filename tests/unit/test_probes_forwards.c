/* SPDX-License-Identifier: BSD-2-Clause */
/* Which operators of a program only forward to others, in programs compiled here. */
#include "unit/unit.h"
#include "lib/random.h"
#include "probes/choose.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
	char dir[64];
	struct module_files files;
	struct scans scans;
	struct rules rules;
};

static int fixture_setup(void **state)
{
	struct fixture *x = calloc(1, sizeof *x);

	*state = x;
	if (!x || probes_add_builtin(&x->rules.probes, true, NULL))
		return -1;
	x->scans.probes = &x->rules.probes;
	strcpy(x->dir, "/tmp/test_forwards.XXXXXX");
	return mkdtemp(x->dir) ? 0 : -1;
}

static void forget_files(struct fixture *x)
{
	scans_release(&x->scans);
	module_files_release(&x->files);
	x->scans.probes = &x->rules.probes;
}

static int fixture_teardown(void **state)
{
	struct fixture *x = *state;
	char command[128];

	forget_files(x);
	rules_release(&x->rules);
	snprintf(command, sizeof command, "rm -r '%s'", x->dir);
	free(x);
	return system(command);
}

static struct scan *scan(struct fixture *x, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	x->files.files = reallocarray(x->files.files, x->files.n + 1, sizeof *x->files.files);
	assert_non_null(x->files.files);
	x->files.files[x->files.n] = (struct module_file){ .path = strdup(path), .fd = fd };
	uint32_t number = (uint32_t)x->files.n++;
	assert_non_null(scan_file(&x->scans, &x->files, number));
	return &x->scans.of[number];
}

static void write_file(const char *path, const void *bytes, size_t len)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* As DIR/compiled; skips the test if that cannot be done here. */
static struct scan *compile(struct fixture *x, const char *flags, const char *source)
{
	char path[128], command[512];

	forget_files(x);
	snprintf(path, sizeof path, "%s/source.cc", x->dir);
	write_file(path, source, strlen(source));
	snprintf(command, sizeof command, "cd '%s' && rm -f compiled && c++ -std=gnu++17 -w %s "
		 "-o compiled source.cc 2>/dev/null", x->dir, flags);
	if (system(command) != 0) {
		print_message("# c++ %s does not work here\n", flags);
		skip();
	}
	snprintf(path, sizeof path, "%s/compiled", x->dir);
	return scan(x, path);
}

/* Operators of the file, and how many of them are forwarders. */
struct operators {
	unsigned n, forwarders;
	const char *why;	/* the first of the others is none */
};

static struct operators operators_of(const struct fixture *x, const struct scan *s)
{
	struct operators o = { 0 };

	for (size_t i = 0; i < s->n_probes; i++) {
		const struct probe *p = &x->rules.probes.v[s->probes[i].probe];

		if (!p->operator_new)
			continue;
		/* Of what the user says no reason is asked for. */
		if (!p->user)
			assert_int_equal(s->probes[i].forwards, !s->probes[i].no_forwarder);
		o.n++;
		o.forwarders += s->probes[i].forwards;
		o.why = o.why ? o.why : s->probes[i].no_forwarder;
	}
	return o;
}

static const char every_form[] =
	"#include <new>\n"
	"#include <stdlib.h>\n"
	"int main() {\n"
	"	std::align_val_t a{64};\n"
	"	const std::nothrow_t &t = std::nothrow;\n"
	"	operator delete(operator new(1)); operator delete[](operator new[](1));\n"
	"	operator delete(operator new(1, t), t);\n"
	"	operator delete[](operator new[](1, t), t);\n"
	"	operator delete(operator new(1, a), a);\n"
	"	operator delete[](operator new[](1, a), a);\n"
	"	operator delete(operator new(1, a, t), a, t);\n"
	"	operator delete[](operator new[](1, a, t), a, t);\n"
	"	operator delete(malloc(1), size_t(1)); operator delete[](malloc(1), size_t(1));\n"
	"	operator delete(operator new(1, a), size_t(1), a);\n"
	"	operator delete[](operator new[](1, a), size_t(1), a);\n"
	"}\n";

static void every_operator_of_a_static_libstdcxx_is_a_forwarder(void **state)
{
	static const char *const flags[] = { "-static-libstdc++ -static-libgcc",
					     "-static-libstdc++ -no-pie",
					     "-static-libstdc++ -fno-plt -no-pie",
					     "-static-libstdc++ -Wl,-z,lazy -s -rdynamic",
					     "-static", "-static-pie" };
	struct fixture *x = *state;

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		struct operators o = operators_of(x, compile(x, flags[i], every_form));

		if (o.n < 20 || o.forwarders != o.n)
			fail_msg("%s: %u of %u; %s", flags[i], o.forwarders, o.n, o.why);
	}
}

#define OWN(new_body, delete_body)                                                                 \
	"#include <new>\n"                                                                         \
	"#include <stdlib.h>\n"                                                                    \
	"char arena[9999]; size_t used; extern void (*hook)(size_t);\n"                            \
	"void *operator new(size_t n) { " new_body " }\n"                                          \
	"void operator delete(void *p) noexcept { " delete_body " }\n"                             \
	"int main(int n, char **) { delete new char; }\n"                                          \
	"void (*hook)(size_t);\n"

#define THROWS "if (!p) throw std::bad_alloc(); return p;"

static void own_operators_that_ask_malloc_are_forwarders(void **state)
{
	static const char *const flags[] = { "-O0 -fstack-protector-all", "-O2",
					     "-Os -fno-pic -no-pie -fno-plt" };
	static const char *const sources[] = {
		OWN("return malloc(n);", "free(p);"),
		OWN("void *p = malloc(n); " THROWS, "if (p) free(p);"),
		OWN("if (!n) n = 1; void *p = malloc(n); " THROWS, "free(p);"),
		OWN("void *p = malloc(n ? n : 1); " THROWS, "used--; free(p);"),
		OWN("used++; void *p = malloc(n); if (!p) abort(); return p;", "free(p);"),
		OWN("for (;;) { if (void *p = malloc(n)) return p; auto h = std::get_new_handler();"
		    "if (!h) throw std::bad_alloc(); h(); }", "free(p);"),
	};
	struct fixture *x = *state;

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		for (size_t j = 0; j < sizeof sources / sizeof *sources; j++) {
			struct operators o = operators_of(x, compile(x, flags[i], sources[j]));

			assert_int_equal(o.n, 2);
			if (o.forwarders != 2)
				fail_msg("%s: %s: %s", flags[i], sources[j], o.why);
		}
}

static void own_operators_that_do_more_are_none(void **state)
{
	static const char *const flags[] = { "-O0", "-O2" };
	static const char *const sources[] = {
		/* a header in front, another behind; an arena; somebody who is told */
		OWN("size_t *p = (size_t *)malloc(n + 16); if (!p) throw std::bad_alloc(); *p = n;"
		    "return p + 2;", "if (p) free((size_t *)p - 2);"),
		OWN("char *p = (char *)malloc(n + 1); if (p) p[n] = 42; return p;",
		    "free((char *)p - used);"),
		OWN("used += n; return arena + used - n;", ""),
		OWN("if (hook) hook(n); return malloc(n);", "if (hook) hook(0); free(p);"),
		OWN("void *p = calloc(n, 1); " THROWS, "p = realloc(p, 0);"),
		OWN("if (n < 99 && used < 9) { used++; return arena + 99 * used; }"
		    "return malloc(n);",
		    "if (p < arena || p >= arena + 9999) free(p);"),
	};
	struct fixture *x = *state;

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		for (size_t j = 0; j < sizeof sources / sizeof *sources; j++) {
			struct operators o = operators_of(x, compile(x, flags[i], sources[j]));

			assert_int_equal(o.n, 2);
			if (o.forwarders)
				fail_msg("%s: %s", flags[i], sources[j]);
		}
}

static void count_one(void *ctx, const struct scan_probe *p)
{
	(void)p;
	++*(size_t *)ctx;
}

static size_t chosen(struct fixture *x)
{
	size_t n = 0;

	assert_int_equal(choose_probes(&x->files, &x->scans, &x->rules, 0, true, count_one, &n), 0);
	return n;
}

/* If malloc() itself is not searched, only its callers are visible. */
static void forwarders_are_left_out_unless_it_is_said_where_to_look(void **state)
{
	struct fixture *x = *state;
	const struct scan *s = compile(x, "-O2", OWN("return malloc(n);", "free(p);"));

	assert_int_equal(s->n_probes, 2);
	assert_int_equal(chosen(x), 0);
	x->rules.libs[0].name = "NONE";
	x->rules.n_libs = 1;
	assert_int_equal(chosen(x), 2);
}

static void what_the_user_says_of_an_operator_holds(void **state)
{
	struct fixture *x = *state;
	struct error e;

	rules_release(&x->rules);
	assert_int_equal(probes_add_hook(&x->rules.probes, "new:_Znwm", &e), 0);
	assert_int_equal(probes_add_builtin(&x->rules.probes, true, NULL), 0);
	struct operators o = operators_of(x, compile(x, "-O2 -static-libstdc++", every_form));

	assert_true(o.n >= 20);
	assert_int_equal(o.forwarders, o.n - 1);
	/* What is no request any more is nothing that a request can be passed on to. */
	rules_release(&x->rules);
	assert_int_equal(probes_add_hook(&x->rules.probes, "wrapper:malloc", &e), 0);
	assert_int_equal(probes_add_builtin(&x->rules.probes, true, NULL), 0);
	o = operators_of(x, compile(x, "-O2", OWN("return malloc(n);", "free(p);")));
	assert_int_equal(o.n, 2);
	assert_int_equal(o.forwarders, 1);
}

static void damaged_files_do_no_harm(void **state)
{
	struct fixture *x = *state;
	char path[128], bad_path[128];
	struct stat st;

	const struct scan *s = compile(x, "-O2 -static-libstdc++ -static-libgcc", every_form);
	uint64_t code = 0;

	for (size_t i = 0; i < s->n_probes; i++)
		if (s->probes[i].forwards)
			code = s->probes[i].address;
	assert_true(code);
	snprintf(path, sizeof path, "%s/compiled", x->dir);
	snprintf(bad_path, sizeof bad_path, "%s/bad", x->dir);
	assert_int_equal(stat(path, &st), 0);
	size_t len = (size_t)st.st_size;
	uint8_t *good = malloc(len), *bad = malloc(len);
	assert_non_null(good);
	assert_non_null(bad);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(read(fd, good, len), len);
	close(fd);
	random_state = 7;
	for (int i = 0; i < 150; i++) {
		memcpy(bad, good, len);
		/* About the operators, whose offset is their address, and anywhere: tables of
		 * frames and of exceptions, relocations, symbols. */
		for (int n = 0; n < 60; n++)
			bad[(code & ~UINT64_C(4095)) + random_below(8192)] = (uint8_t)random_word();
		for (int n = 0; n < 40 * (i % 3); n++)
			bad[4096 + random_below(len - 4096)] = (uint8_t)random_word();
		write_file(bad_path, bad, len);
		forget_files(x);
		operators_of(x, scan(x, bad_path));
	}
	free(good);
	free(bad);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(every_operator_of_a_static_libstdcxx_is_a_forwarder),
		TEST(own_operators_that_ask_malloc_are_forwarders),
		TEST(own_operators_that_do_more_are_none),
		TEST(forwarders_are_left_out_unless_it_is_said_where_to_look),
		TEST(what_the_user_says_of_an_operator_holds),
		TEST(damaged_files_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
