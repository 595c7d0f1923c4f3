/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/unit.h"
#include "symbols/demangle.h"
#include "naming/shortname.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The short name of a symbol as in a profile, which has its linkage name and that for people. */
static void check(const char *symbol, const char *want)
{
	char full[16384], out[16384];

	snprintf(full, sizeof full, "%s", symbol);
	demangle(symbol, full, sizeof full);
	shortname(strcmp(symbol, full) ? symbol : NULL, full, out, sizeof out);
	assert_string_equal(out, want);
}

static void names_without_types_stay(void **state)
{
	(void)state;
	check("main", "main");
	check("g_slice_alloc0", "g_slice_alloc0");
	check("libfoo.so+0x12", "libfoo.so+0x12");
	check("object.method", "object.method");
	check("gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
	check("", "");
}

static void parameters_and_return_types_go(void **state)
{
	(void)state;
	check("_ZN2ns1A4growEi", "ns::A::grow");
	check("_ZNK2ns1A4growEi", "ns::A::grow");
	check("_ZN2ns3anyIlEEvT_", "ns::any");
	check("_ZN2ns2fpIiEEPFvcET_", "ns::fp");		/* void (*ns::fp<int>(int))(char) */
	check("_ZN2ns1A4growEi.cold", "ns::A::grow");
	check("_ZN2ns12_GLOBAL__N_16secretEi", "ns::(anonymous namespace)::secret");
	check("_ZN2ns6taggedB5cxx11Ei", "ns::tagged[abi:cxx11]");
	check("_ZSt7forwardIRA2_KcEOT_RNSt16remove_referenceIS3_E4typeE", "std::forward");
	check("_ZN2ns2boILb1EEEvv", "ns::bo");
	check("_ZThn16_N2ns1A1fEi", "non-virtual thunk to ns::A::f");
}

static void operators_keep_their_names(void **state)
{
	(void)state;
	check("_ZN2ns1AclEi", "ns::A::operator()");
	check("_ZNKR2ns1AclEi", "ns::A::operator()");
	check("_ZN2ns1AixEi", "ns::A::operator[]");
	check("_ZN2nsltIiEEbT_RKNS_1AE", "ns::operator<");
	check("_ZNK2ns1AlsIiEEbT_", "ns::A::operator<<");
	check("_ZN2nsrsIiEEiT_NS_1AE", "ns::operator>>");
	check("_ZN2ns1AptEv", "ns::A::operator->");
	check("_ZN2ns1AssEi", "ns::A::operator<=>");
	check("_ZN2ns1AcviEv", "ns::A::operator int");
	check("_ZN2ns1AcvPFviEEv", "ns::A::operator void (*)");
	check("_ZN2ns1AnaEm", "ns::A::operator new[]");
	check("_ZN2nsli3_kmEy", "ns::operator\"\" _km");
	/* As debuggers' data has them, without a mangled name. */
	check("operator< <int>", "operator<");
	check("operator<<int>", "operator<");
	check("operator<< <int>", "operator<<");
	check("operator-><int>", "operator->");
	check("A::operator&<int>", "A::operator&");
	check("A::operator== <int>", "A::operator==");
	check("vector<int, std::allocator<int> >::push_back", "vector::push_back");
	check("f<(3>2)>", "f");
	check("f<&ns::operator< >", "f");
}

/* clang, and gcc since 14, count the lambdas of a function for each list of parameters. */
static void lambdas_keep_their_numbers_and_parameters(void **state)
{
	(void)state;
	check("_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()");
	check("_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()");
	check("_ZZN2ns5outerEiENKUliSt6vectorIiSaIiEEE0_clEiS2_",
	      "ns::outer::{lambda(int, std::vector)#2}::operator()");
	check("_ZZ4mainENKUlPFviEE_clES0_", "main::{lambda(void (*)(int))#1}::operator()");
	check("_ZZZ4mainENKUliE_clEiENKUlvE_clEv",
	      "main::{lambda(int)#1}::operator()::{lambda()#1}::operator()");
	/* as of a function that was inlined by gcc */
	check("main::{lambda#2}::operator()", "main::{lambda#2}::operator()");
	check("_ZZ1fiENUt_1gEv", "f::{unnamed type#1}::g");
	check("_ZZN2ns1fIiEEvT_E1s", "ns::f::s");
}

static void rust_names_keep_their_traits(void **state)
{
	(void)state;
	check("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
	check("_ZN4core3ptr42drop_in_place$LT$alloc..string..String$GT$17h0123456789abcdefE",
	      "core::ptr::drop_in_place");
	check("_ZN1r4main28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE",
	      "r::main::{{closure}}");
	check("_RNvCs1234_7mycrate3foo", "mycrate::foo");
	check("_RINvNtC3std3mem8align_ofjdE", "std::mem::align_of");
	/* a trait's method, for a type with arguments; a type's own method */
	check("<alloc::vec::Vec<u8> as core::clone::Clone>::clone",
	      "<alloc::vec::Vec as core::clone::Clone>::clone");
	check("<mycrate::Foo<u32>>::grow::<i8>", "mycrate::Foo::grow");
	check("<[T] as mycrate::Bar>::baz", "<[T] as mycrate::Bar>::baz");
}

static void brackets_that_do_not_match_are_left_alone(void **state)
{
	(void)state;
	check("f<", "f<");
	check("f(", "f(");
	check("a>b", "a>b");
	check("f<(>", "f<(>");
	check("{", "{");
	check("f<int>>", "f>");
	check("operator", "operator");
	check("operatorx<int>", "operatorx");
}

/* A summary has room for little: what is long may be just what is left out. */
static void a_short_name_may_fit_where_the_whole_one_does_not(void **state)
{
	char out[40];

	(void)state;
	shortname("_ZZ1fiENKUlSt6vectorIiSaIiEEE_clES1_",
		  "f(int)::{lambda(std::vector<int, std::allocator<int> >)#1}::operator()", out,
		  sizeof out);
	assert_string_equal(out, "f::{lambda(std::vector)#1}::operator()");
	shortname(NULL, "f(int)::a_long_name_of_a_function_is_cut", out, sizeof out);
	assert_string_equal(out, "f::a_long_name_of_a_function_is_cut");
	shortname(NULL, "ns::f::a_long_name_of_a_function_is_cut_off", out, sizeof out);
	assert_string_equal(out, "ns::f::a_long_name_of_a_function_is_cut");
}

/* 100,000 names of random pieces: it ends, the result fits, and is never longer. */
static void anything_is_a_name(void **state)
{
	static const char *const pieces[] = {
		"<", ">", "(", ")", "{", "}", "[", "]", "operator", "operator<", "operator()", "::",
		" as ", "a", "int", " ", ",", "->", "(anonymous namespace)", "_Z", "N", "E", "I",
		"S_", "1f", "Ul", "\xff", "*", "&", " const",
	};
	char name[512], out[512];

	(void)state;
	srand(6);
	for (int i = 0; i < 100000; i++) {
		size_t len = 0;

		for (int n = rand() % 24; n >= 0 && len < 400; n--)
			len += (size_t)
				snprintf(name + len, sizeof name - len, "%s",
					 pieces[(size_t)rand() % (sizeof pieces / sizeof *pieces)]);
		shortname(i % 2 ? name : NULL, name, out, len + 1);
		assert_true(strlen(out) <= len);
	}
	memset(name, '<', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	shortname(NULL, name, out, sizeof out);
	assert_string_equal(out, name);
}

static void a_pattern_is_for_the_whole_name_or_the_short_one(void **state)
{
	(void)state;
	const char *any = "void ns::any<long>(long)", *grow = "ns::A::grow(int) const";

	assert_true(shortname_matches("ns::A::grow", "_ZNK2ns1A4growEi", grow));
	assert_true(shortname_matches("ns::A::grow(int) const", "_ZNK2ns1A4growEi", grow));
	assert_true(shortname_matches("*::grow", "_ZNK2ns1A4growEi", grow));
	assert_true(shortname_matches("ns::any", "_ZN2ns3anyIlEEvT_", any));
	assert_true(shortname_matches("main", NULL, "main"));
	assert_false(shortname_matches("ns::A::grow(long)", "_ZNK2ns1A4growEi", grow));
	assert_false(shortname_matches("grow", "_ZNK2ns1A4growEi", grow));
	assert_false(shortname_matches("ns::A::gro", "_ZNK2ns1A4growEi", grow));
	assert_false(shortname_matches("main(", NULL, "main"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_without_types_stay),
		cmocka_unit_test(parameters_and_return_types_go),
		cmocka_unit_test(operators_keep_their_names),
		cmocka_unit_test(lambdas_keep_their_numbers_and_parameters),
		cmocka_unit_test(rust_names_keep_their_traits),
		cmocka_unit_test(brackets_that_do_not_match_are_left_alone),
		cmocka_unit_test(a_short_name_may_fit_where_the_whole_one_does_not),
		cmocka_unit_test(anything_is_a_name),
		cmocka_unit_test(a_pattern_is_for_the_whole_name_or_the_short_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
