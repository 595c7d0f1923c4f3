/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/test_symbols_fixture.h"

#include "symbols/demangle.h"

static void check_stem(const char *symbol, const char *stem, bool cold)
{
	bool is_cold;
	char buf[128];

	snprintf(buf, sizeof buf, "%.*s", (int)demangle_stem(symbol, &is_cold), symbol);
	assert_string_equal(buf, stem);
	assert_int_equal(is_cold, cold);
}

static void suffixes_of_compilers_and_versions_are_not_part_of_a_name(void **state)
{
	(void)state;
	check_stem("f", "f", false);
	check_stem("f.constprop.0", "f", false);
	check_stem("f.part.12.isra.3", "f", false);
	check_stem("f.cold", "f", true);
	check_stem("f.constprop.0.cold", "f", true);
	check_stem("memcpy@@GLIBC_2.14", "memcpy", false);
	check_stem("memcpy@GLIBC_2.2.5", "memcpy", false);
	check_stem("_Z1fv.cold", "_Z1fv", true);
	check_stem("f.lto_priv.0", "f", false);
	check_stem("f.llvm.123456789", "f", false);
	check_stem("object.method", "object.method", false);
	check_stem("f.constprop.0.method", "f.constprop.0.method", false);
	check_stem("f.participle", "f.participle", false);
	check_stem(".cold", ".cold", false);
	check_stem("@", "@", false);
	check_stem("", "", false);
}

static void mangled_names_are_made_readable(void **state)
{
	char out[256];

	(void)state;
	assert_true(demangle("_ZN2ns1A4growEi", out, sizeof out));
	assert_string_equal(out, "ns::A::grow(int)");
	assert_true(demangle("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", out, sizeof out));
	assert_string_equal(out, "core::fmt::Formatter::pad");
	assert_true(demangle("_RNvCs1234_7mycrate3foo", out, sizeof out));
	assert_string_equal(out, "mycrate::foo");
	assert_false(demangle("main", out, sizeof out));
	assert_false(demangle("_Zq", out, sizeof out));
	assert_false(demangle("_R", out, sizeof out));
	assert_false(demangle("", out, sizeof out));
	assert_false(demangle("_ZN2ns1A4growEi", out, 8));
}

/* f<pair<int, int>, pair of two of these, pair of two of those, ...>: @n steps, 2^n words */
static void explode(char *name, size_t size, int n)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t len = (size_t)snprintf(name, size, "_Z1fISt4pairIiiE");

	for (int i = 1; i <= n; i++) {
		char ref[8];

		snprintf(ref, sizeof ref, "S%s%c_", i < 36 ? "" : "1", digits[i % 36]);
		len += (size_t)snprintf(name + len, size - len, "S0_I%s%sE", ref, ref);
	}
	snprintf(name + len, size - len, "EvT_");
}

static void a_name_that_explodes_is_left_as_it_is(void **state)
{
	char name[1024], out[16384];

	(void)state;
	explode(name, sizeof name, 1);
	assert_true(demangle(name, out, sizeof out));
	assert_string_equal(out, "void f<std::pair<int, int>, std::pair<std::pair<int, int>, "
				 "std::pair<int, int> > >(std::pair<int, int>)");
	explode(name, sizeof name, 40);
	assert_false(demangle(name, out, sizeof out));
}

static const char classes[] =
"#define MARK(name) __asm__ volatile(\".globl \" #name \"\\n\" #name \":\" ::: \"memory\")\n"
"volatile int sink;\n"
"namespace ns {\n"
"struct thing { thing(int n); void grow(int n); };\n"
"static inline __attribute__((always_inline)) void helper(int n) { sink += n; MARK(in_helper); }\n"
"__attribute__((noinline)) thing::thing(int n) { sink = n; }\n"
"__attribute__((noinline)) void thing::grow(int n) { helper(n); MARK(in_grow); }\n"
"namespace { __attribute__((noinline)) void secret(int n) { sink -= n; MARK(in_secret); } }\n"
"void twice(int n) { secret(n); }\n"
"template<class T> __attribute__((noinline)) void any(T n) { sink -= n; MARK(in_any); }\n"
"}\n"
"int main(int argc, char **) { ns::thing t(argc); t.grow(argc); ns::twice(argc);\n"
"ns::any<long>(argc); sink++; return 0; }\n";

static const struct {
	const char *mark, *name, *linkage;
} expected[] = {
	{ "in_grow", "ns::thing::grow(int)", "_ZN2ns5thing4growEi" },
	{ "_ZN2ns5thingC1Ei", "ns::thing::thing(int)", NULL },
	{ "in_secret", "ns::(anonymous namespace)::secret(int)", "_ZN2ns12_GLOBAL__N_16secretEi" },
	{ "in_any", "void ns::any<long>(long)", "_ZN2ns3anyIlEEvT_" },
};

static void check_classes(struct fixture *x, const char *compiler, bool dwarf)
{
	write_file(x, "c.cc", classes);
	sh(x, "%s c.cc -o c", compiler);
	int m = load(x, "c");

	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		struct sym_frame f = look(x, m, nm(x, "c", expected[i].mark) + 1, true).frames[0];

		assert_string_equal(f.name, expected[i].name);
		if (expected[i].linkage)
			assert_string_equal(f.linkage, expected[i].linkage);
		assert_ptr_not_equal(f.name, f.linkage);
	}
	if (!dwarf)
		return;
	struct sym_frames f = look(x, m, nm(x, "c", "in_helper"), true);

	assert_int_equal(f.n, 2);
	assert_string_equal(f.frames[0].name, "ns::thing::grow(int)");
	assert_int_equal(strncmp(f.frames[1].name, "ns::helper", 10), 0);
}

static void cplusplus_names_have_their_namespaces_and_classes(void **state)
{
	check_classes(*state, "g++ -O2 -g", true);
}

static void cplusplus_names_without_dwarf(void **state)
{
	check_classes(*state, "g++ -O2", false);
}

static void cplusplus_names_by_clang(void **state)
{
	if (!have("clang++"))
		skip();
	check_classes(*state, "clang++ -O2 -g", true);
}

/* The out-of-line copy of twin() and the one inlined into main() are one function. */
static void inlined_and_own_copies_of_a_function_have_one_key(void **state)
{
	struct fixture *x = *state;

	write_file(x, "k.c", "volatile int sink; int (*volatile ptr)(int);\n"
			     "static inline int twin(int n) {\n"
			     "sink += n; sink *= 3; return sink; }\n"
			     "static inline __attribute__((always_inline)) int other(int n) { "
			     "return twin(n); }\n"
			     "int main(int argc, char **argv) {\n"
			     "(void)argv; ptr = twin;\n"
			     "int n = other(argc);\n"
			     "__asm__ volatile(\".globl in_main\\nin_main:\");\n"
			     "return ptr(n); }\n");
	sh(x, "gcc -O2 -g k.c -o k");
	int m = load(x, "k");
	uint64_t twin = nm(x, "k", "twin");
	struct sym_frames f = look(x, m, twin, false);

	assert_int_equal(f.n, 1);
	assert_string_equal(f.frames[0].name, "twin");
	assert_int_equal(f.frames[0].address, twin);
	uint64_t key = f.frames[0].function_key;

	assert_true(key >> 63);
	f = look(x, m, nm(x, "k", "in_main"), true);
	const struct sym_frame *last = &f.frames[f.n - 1];

	assert_int_equal(f.n, 3);
	assert_string_equal(last->name, "twin");
	assert_int_equal(last->function_key, key);
	assert_int_equal(last->address, twin);
	assert_int_not_equal(f.frames[1].function_key, key);
}

/* Two units, in different directories, include the same header by different names. */
static void an_inline_function_of_a_header_has_one_key_in_all_units(void **state)
{
	struct fixture *x = *state;

	sh(x, "mkdir a b");
	write_file(x, "h.h", "extern volatile int sink;\n"
			     "inline int twin(int n) {\n"
			     "sink += n; sink *= 3; return sink; }\n");
	write_file(x, "a/a.cc", "#include \"../h.h\"\nvolatile int sink; int b(int);\n"
				"int main(int argc, char **) {\n"
				"int n = twin(argc);\n"
				"__asm__ volatile(\".globl in_main\\nin_main:\");\n"
				"return n + b(n); }\n");
	write_file(x, "b/b.cc", "#include \"h.h\"\nint (*volatile ptr)(int);\n"
				"int b(int n) { ptr = twin; return ptr(n); }\n");
	sh(x, "(cd a && g++ -O2 -g -c a.cc) && (cd b && g++ -O2 -g -I.. -c b.cc) && g++ a/a.o "
	      "b/b.o -o h");
	int m = load(x, "h");
	struct sym_frames f = look(x, m, nm(x, "h", "in_main"), true);

	assert_int_equal(f.n, 2);
	uint64_t key = f.frames[1].function_key;

	assert_string_equal(f.frames[1].name, "twin(int)");
	f = look(x, m, nm(x, "h", "_Z4twini"), false);
	assert_int_equal(f.n, 1);
	assert_string_equal(f.frames[0].name, "twin(int)");
	assert_int_equal(f.frames[0].function_key, key);
}

static const char lambdas[] =
	"volatile int sink;\n"
	"#define MARK(name) __asm__ volatile(\".globl \" #name \"\\n\" #name \":\")\n"
	"#define INLINE static inline __attribute__((always_inline))\n"
	"template <class A, class B> INLINE void both(A a, B &b) {\n"
	"a(1); b(); sink = 9; MARK(in_both); }\n"
	"INLINE void f(int n) {\n"
	"auto one = [](int k) { sink += k; MARK(in_one); };\n"
	"if (n) { auto two = [](int k) { sink -= k; MARK(in_two); };"
	" auto three = [] { sink = 3; MARK(in_three); }; two(n); three(); }\n"
	"struct { void g(int k) { sink ^= k; MARK(in_g); } } nameless;\n"
	"one(n); nameless.g(n); }\n"
	"int main(int argc, char **) {\n"
	"auto mine = [](int k) { sink *= k; MARK(in_mine); };\n"
	"auto last = [] { sink = 5; }; both(mine, last);\n"
	"f(argc); return 0; }\n";

/* gcc writes neither linkage names for these nor where operator() is declared. */
static void inlined_lambdas_are_told_apart(void **state)
{
	static const char *const expected[][2] = {
		{ "in_one", "f::{lambda#1}::operator()" },
		{ "in_two", "f::{lambda#2}::operator()" },
		{ "in_three", "f::{lambda#3}::operator()" },
		{ "in_g", "f::{unnamed type#1}::g" },
		{ "in_mine", "main::{lambda#1}::operator()" },
		{ "in_both", "both<main(int, char**)::{lambda(int)#1}, "
			     "main(int, char**)::{lambda()#2}>" },
	};
	struct fixture *x = *state;
	uint64_t keys[6];

	write_file(x, "lambdas.cc", lambdas);
	sh(x, "g++ -O2 -g lambdas.cc -o lambdas");
	int m = load(x, "lambdas");

	for (size_t i = 0; i < 6; i++) {
		struct sym_frames f = look(x, m, nm(x, "lambdas", expected[i][0]), true);
		const struct sym_frame *innermost = &f.frames[f.n - 1];

		assert_string_equal(innermost->name, expected[i][1]);
		keys[i] = innermost->function_key;
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(keys[i], keys[k]);
	}
}

static const char split[] =
	"volatile int sink;\n"
	"__attribute__((cold, noinline)) void oops(int n) { sink = n; }\n"
	"__attribute__((noinline)) int work(int n) {\n"
	"if (n > 1000) {\n"
	"oops(n); __asm__ volatile(\".globl in_cold\\nin_cold:\"); sink++; }\n"
	"sink += n; __asm__ volatile(\".globl in_hot\\nin_hot:\"); return sink; }\n"
	"int main(int argc, char **argv) { (void)argv; return work(argc); }\n";

static void the_cold_part_of_a_function_belongs_to_it(void **state)
{
	struct fixture *x = *state;

	write_file(x, "w.c", split);
	sh(x, "gcc -O2 -g w.c -o w && gcc -O2 w.c -o wn");
	uint64_t cold = nm(x, "w", "work.cold"), work = nm(x, "w", "work"),
		 at = nm(x, "w", "in_cold");
	struct sym_frame f = look(x, load(x, "w"), at, true).frames[0];

	assert_string_equal(f.name, "work");
	assert_int_equal(f.line, 5);
	assert_int_equal(f.address, work);
	assert_int_equal(f.function_key, work);
	assert_int_equal(f.offset, at - cold);
	int m = load(x, "wn");

	f = look(x, m, at, true).frames[0];
	assert_string_equal(f.name, "work");
	assert_string_equal(f.linkage, "work.cold");
	assert_int_equal(f.address, work);
	assert_int_equal(f.offset, at - cold);
	assert_int_equal(f.function_key,
			 look(x, m, nm(x, "w", "in_hot"), true).frames[0].function_key);
}

static const char clones[] =
"volatile int sink;\n"
"static __attribute__((noinline)) int work(int n, int how) {\n"
"sink += n; if (how == 7) sink *= 5; return sink; }\n"
"int main(int argc, char **argv) { (void)argv; return work(argc, 7) + work(3 * argc, 7); }\n";

static void a_clone_has_the_name_of_its_function(void **state)
{
	struct fixture *x = *state;

	write_file(x, "p.c", clones);
	sh(x, "gcc -O2 -g p.c -o p && gcc -O2 p.c -o pn");
	uint64_t clone = nm(x, "p", "work.constprop.0");
	struct sym_frame f = look(x, load(x, "p"), clone, false).frames[0];

	assert_string_equal(f.name, "work");
	assert_int_equal(f.address, clone);
	f = look(x, load(x, "pn"), clone, false).frames[0];
	assert_string_equal(f.name, "work");
	assert_string_equal(f.linkage, "work.constprop.0");
	assert_int_equal(f.function_key, clone);
}

static void versions_are_cut_off(void **state)
{
	struct fixture *x = *state;

	write_file(x, "v.c", "int f_old(void) { return 1; }\nint f_new(void) { return 2; }\n"
			     "__asm__(\".symver f_new, f@@NEW\");\n");
	write_file(x, "v.map", "NEW { global: f; local: *; };\n");
	sh(x, "gcc -shared -fPIC v.c -o libv.so -Wl,--version-script=v.map && strip libv.so -o "
	      "libs.so");
	uint64_t f_new = nm(x, "libv.so", "f_new");

	assert_string_equal(look(x, load(x, "libs.so"), f_new, false).frames[0].name, "f");
	struct sym_frame f = look(x, load(x, "libv.so"), f_new, false).frames[0];

	assert_null(strchr(f.name, '@'));
	assert_null(strchr(f.linkage, '@'));
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suffixes_of_compilers_and_versions_are_not_part_of_a_name),
		cmocka_unit_test(mangled_names_are_made_readable),
		cmocka_unit_test(a_name_that_explodes_is_left_as_it_is),
		T(cplusplus_names_have_their_namespaces_and_classes),
		T(cplusplus_names_without_dwarf),
		T(cplusplus_names_by_clang),
		T(inlined_and_own_copies_of_a_function_have_one_key),
		T(an_inline_function_of_a_header_has_one_key_in_all_units),
		T(inlined_lambdas_are_told_apart),
		T(the_cold_part_of_a_function_belongs_to_it),
		T(a_clone_has_the_name_of_its_function),
		T(versions_are_cut_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
