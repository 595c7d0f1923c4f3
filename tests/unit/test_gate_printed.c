/* SPDX-License-Identifier: BSD-2-Clause */
/* The results of conditions, for people and for CI systems, whatever the names contain. */
#include "unit/unit.h"

#include "gate/gate.h"
#include "unit/pd_build.h"

#include <jansson.h>

/* All that XML, JSON, messages of SARIF and terminals have a use for, what is no UTF-8, and at the
 * end U+202E and U+200B. */
#define HOSTILE                                                                                    \
	"<&\"'>]]>\x01\x1b[31m\x7f\xff\xc3(\xef\xbf\xbf{0}[a](b)\\\n\t\xe2\x82\xac"       \
	"\xe2\x80\xae\xe2\x80\x8b"

static struct profile_data *hostile(void)
{
	struct profile_data *d = profile_data_new();

	pd_build_chain(d, "main+1 > make+2", 100, 2, 0);
	pd_build_finish(d);
	for (size_t i = 0; i < d->n_functions; i++) {
		free(d->functions[i].name);
		d->functions[i].name = strdup(i ? "make" HOSTILE : "main");
	}
	for (size_t i = 0; i < d->n_sites; i++) {
		d->sites[i].file = strdup("/work/src/" HOSTILE ".c");
		d->sites[i].line = 7;
	}
	free(d->command);
	d->command = calloc(2, sizeof *d->command);
	d->command[0] = strdup("./" HOSTILE);
	d->pid = 12;
	d->started_ns = 1000000000ull * 86400;
	d->ended_ns = d->started_ns + 1500000000;
	return d;
}

static const char *const conditions[] = {
	"kept>0", "lost(" HOSTILE ")>0", "allocs>5", "kept(" HOSTILE ")<1", NULL,
};

static struct gate judged(void)
{
	struct profile_data *d = hostile();
	struct gate g = {0};

	assert_int_equal(gate_add_conditions(&g, conditions), 0);
	assert_int_equal(gate_judge(&g, d), 0);
	profile_data_free(d);
	return g;
}

static char *printed(int (*print)(const struct gate *g, FILE *out), const struct gate *g)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(print(g, out), 0);
	fclose(out);
	return text;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, what)); at++)
		n++;
	return n;
}

static void junit_has_a_case_for_each_condition_and_is_xml(void **state)
{
	(void)state;
	struct gate g = judged();
	char *text = printed(gate_print_junit, &g);

	assert_int_equal(count(text, "<testcase "), 4);
	assert_int_equal(count(text, "<failure "), 2);
	assert_int_equal(count(text, "<error "), 1);
	assert_non_null(strstr(text, " tests=\"4\" failures=\"2\" errors=\"1\" time=\"1.500\">"));
	assert_non_null(strstr(text, "timestamp=\"1970-01-02T00:00:00\""));
	assert_non_null(strstr(text, "<failure message=\"there are 200 bytes\" type=\"fail-if\">"));
	/* Nothing that is not ours opens or closes anything, or cannot be in XML at all. */
	assert_null(strpbrk(text, "\x01\x1b\x7f\xff"));
	assert_null(strstr(text, "<&"));
	assert_null(strstr(text, "]]>"));
	assert_null(strstr(text, "\xef\xbf\xbf"));
	assert_int_equal(count(text, "<"), count(text, ">"));
	assert_non_null(strstr(text, "&#60;&#38;&#34;&#39;&#62;]]&#62;"
				     "\\001\\033[31m\\177\\377\\303("));
	/* As the tables have it. */
	assert_null(strstr(text, "\xe2\x80"));
	assert_non_null(strstr(text, "\xe2\x82\xac\\342\\200\\256\\342\\200\\213"));
	free(text);
	gate_release(&g);
}

static int print_sarif(const struct gate *g, FILE *out)
{
	return gate_print_sarif(g, "/work", out);
}

static const char *string_at(const json_t *j, const char *a, const char *b)
{
	return json_string_value(json_object_get(json_object_get(j, a), b));
}

static void sarif_has_a_result_for_each_row_at_its_place(void **state)
{
	(void)state;
	struct gate g = judged();
	char *text = printed(print_sarif, &g);
	json_t *log = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	const json_t *run = json_array_get(json_object_get(log, "runs"), 0);
	const json_t *results = json_object_get(run, "results");
	const json_t *first = json_array_get(results, 0);
	const json_t *rules = json_object_get(
		json_object_get(json_object_get(run, "tool"), "driver"), "rules");
	const json_t *at = json_object_get(
		json_array_get(json_object_get(first, "locations"), 0), "physicalLocation");

	assert_non_null(log);
	assert_string_equal(json_string_value(json_object_get(log, "version")), "2.1.0");
	assert_int_equal(json_array_size(rules), 4);
	/* One path, what cannot be told, and what is too little and has no rows. */
	assert_int_equal(json_array_size(results), 3);
	assert_string_equal(json_string_value(json_object_get(first, "ruleId")), "kept>0");
	assert_string_equal(json_string_value(json_object_get(first, "level")), "error");
	assert_string_equal(json_string_value(
		json_object_get(json_array_get(results, 1), "kind")), "open");
	/* Below the root, and nothing in it but what a URI may have. */
	const char *uri = string_at(at, "artifactLocation", "uri");
	assert_memory_equal(uri, "src/%3C%26%22%27%3E%5D%5D%3E%01%1B%5B31m%7F%FF%C3%28", 50);
	assert_int_equal(strspn(uri, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				     "0123456789-._~/%"), strlen(uri));
	assert_string_equal(string_at(at, "artifactLocation", "uriBaseId"), "%SRCROOT%");
	assert_int_equal(json_integer_value(json_object_get(json_object_get(at, "region"),
							    "startLine")), 7);
	/* No name is a link, or a place to fill in. */
	const char *message = string_at(first, "message", "text");
	assert_non_null(strstr(message, "{{0}}\\[a\\](b)\\\\"));
	assert_null(strstr(text, "\x1b"));
	/* As the tables have it, with the backslashes of a message. */
	assert_null(strstr(text, "\xe2\x80"));
	assert_null(strstr(text, "\\u20"));
	assert_non_null(strstr(message, "\xe2\x82\xac\\\\342\\\\200\\\\256"));
	at = json_object_get(json_array_get(json_object_get(first, "locations"), 0),
			     "logicalLocations");
	assert_non_null(strstr(json_string_value(json_object_get(json_array_get(at, 0),
								 "fullyQualifiedName")),
			       "\xe2\x82\xac\\342\\200\\256\\342\\200\\213"));
	assert_true(json_equal(json_object_get(json_array_get(results, 1), "ruleId"),
			       json_object_get(json_array_get(rules, 1), "id")));
	json_decref(log);
	free(text);
	gate_release(&g);
}

static void sources_elsewhere_have_their_whole_path(void **state)
{
	(void)state;
	static const char *const roots[] = {"/wor", "/", NULL, "/work/src2"};
	struct gate g = judged();

	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
		char *text = NULL;
		size_t len;
		FILE *out = open_memstream(&text, &len);

		assert_int_equal(gate_print_sarif(&g, roots[i], out), 0);
		fclose(out);
		assert_non_null(strstr(text, "\"uri\": \"file:///work/src/%3C"));
		assert_null(strstr(text, "SRCROOT"));
		free(text);
	}
	gate_release(&g);
}

static int print_rows(const struct gate *g, FILE *out)
{
	return gate_rows_print(g, &g->results[0], out);
}

static void names_do_nothing_to_a_terminal(void **state)
{
	(void)state;
	struct gate g = judged();
	char *rows = printed(print_rows, &g), *table = printed(gate_table_print, &g);

	assert_null(strpbrk(rows, "\x01\x1b\x7f\xff\t"));
	assert_int_equal(count(rows, "\n"), 1);
	assert_non_null(strstr(rows, " 200 bytes     main > make<&\"'>]]>\\001\\033[31m"));
	assert_null(strpbrk(table, "\x01\x1b\x7f\xff\t"));
	assert_int_equal(count(table, "\n"), 3);
	free(rows);
	free(table);
	gate_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(junit_has_a_case_for_each_condition_and_is_xml),
		cmocka_unit_test(sarif_has_a_result_for_each_row_at_its_place),
		cmocka_unit_test(sources_elsewhere_have_their_whole_path),
		cmocka_unit_test(names_do_nothing_to_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
