/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of profiles made by hand, with a template that is data: their blocks are parsed again. */
#include "unit/unit.h"

#include "html/page.h"
#include "html/parts.h"
#include "html/rows.h"
#include "html/sink.h"
#include "html/tree.h"
#include "report/report.h"
#include "unit/pd_build.h"

#include <errno.h>
#include <jansson.h>
#include <unistd.h>
#include <zlib.h>

static const char small[] = "<html><title><!--mprof:title--></title>\n"
			    "<body><!--mprof:data--><script>run()</script></body></html>\n";
static const struct page_template template = {(char *)small, sizeof small - 1};
static const struct report_options usual;

static char *page_of(struct profile_data *const *d, size_t n)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(page_write(&template, d, n, &usual, f), 0);
	fclose(f);
	return text;
}

static unsigned value(char c)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = strchr(letters, c);

	assert_true(c && at);
	return (unsigned)(at - letters);
}

static size_t from_base64(const char *text, size_t len, unsigned char *to)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i += 4) {
		unsigned fill = text[i + 3] != '=' ? 0 : text[i + 2] != '=' ? 1 : 2;
		unsigned bits = value(text[i]) << 18 | value(text[i + 1]) << 12;

		bits |= (fill < 2 ? value(text[i + 2]) << 6 : 0) |
			(fill < 1 ? value(text[i + 3]) : 0);
		for (unsigned k = 0; k < 3 - fill; k++)
			to[n++] = (unsigned char)(bits >> (16 - 8 * k));
	}
	return n;
}

/* What a text of base64 is inflated; for free(). */
static char *inflated(const char *text, size_t len)
{
	enum { MAX = 1 << 20 };
	unsigned char *deflated = malloc(len + 3);
	char *out = calloc(1, MAX);
	uLongf n = MAX - 1;

	assert_true(deflated && out);
	assert_int_equal(len % 4, 0);
	assert_int_equal(uncompress((Bytef *)out, &n, deflated, from_base64(text, len, deflated)),
			 Z_OK);
	free(deflated);
	return out;
}

/* The JSON in the block with this id. */
static json_t *block(const char *page, const char *id)
{
	char head[100];
	json_error_t why;

	snprintf(head, sizeof head, "<script type=\"application/x-mprof\" id=\"%s\">", id);
	const char *at = strstr(page, head);
	if (!at)
		fail_msg("there is no block %s", id);
	at += strlen(head);
	char *text = inflated(at, strcspn(at, "<"));
	json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, &why);

	if (!j)
		fail_msg("%s: line %d: %s in:\n%s", id, why.line, why.text, text);
	free(text);
	return j;
}

/* With that many blocks, one of which is freed. */
static struct profile_data *made_of(const char *program, uint32_t pid, unsigned blocks)
{
	struct profile_data *d = profile_data_new();

	assert_non_null(d);
	pd_build_chain(d, "main+1 > f+2", 100, blocks, 1);
	pd_build_finish(d);
	d->pid = pid;
	if (!program)
		return d;
	free(d->command);
	d->command = calloc(2, sizeof *d->command);
	d->command[0] = strdup(program);
	return d;
}

static struct profile_data *made(const char *program, uint32_t pid)
{
	return made_of(program, pid, 3);
}

static int write_report(const struct profile_data *d, FILE *out)
{
	return report_json_short(d, &usual, out);
}

static int write_tree(const struct profile_data *d, FILE *out)
{
	struct tree *t;

	assert_int_equal(tree_new(d, NULL, &t), 0);
	int err = tree_json(t, out);
	tree_free(t);
	return err;
}

static int write_rows(const struct profile_data *d, FILE *out)
{
	struct tree *t;

	assert_int_equal(tree_new(d, NULL, &t), 0);
	int err = rows_json(t, &usual, out);
	tree_free(t);
	return err;
}

/* What is written for itself is what is in the page. */
static void assert_same(const char *page, const char *id, const struct profile_data *d,
			int (*write)(const struct profile_data *d, FILE *out))
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(write(d, f), 0);
	fclose(f);
	json_t *want = json_loads(text, 0, NULL), *got = block(page, id);

	assert_non_null(want);
	assert_true(json_equal(want, got));
	json_decref(want);
	json_decref(got);
	free(text);
}

static void assert_has(const char *page, const char *part)
{
	if (!strstr(page, part))
		fail_msg("\"%s\" is not in:\n%s", part, page);
}

static void a_page_is_the_template_with_title_and_data_in_the_places_of_its_marks(void **state)
{
	struct profile_data *d = made("/usr/bin/widgets", 12);
	char *page = page_of(&d, 1);

	(void)state;
	assert_int_equal(
		strncmp(page, "<html><title>widgets (pid 12) - mprof</title>\n<body><script ", 60),
		0);
	assert_has(page, "</script>\n<script>run()</script></body></html>\n");
	assert_null(strstr(page, "<!--"));
	json_t *index = block(page, "mprof-index");
	json_t *want = json_pack("{ss ss s[{ss ss ss si s{si si si si si} ss ss ss}]}", "schema",
				 "mprof.page.v1", "version", MPROF_VERSION, "profiles", "title",
				 "widgets (pid 12)", "program", "widgets", "arguments", "", "pid",
				 12, "totals",
				 "allocs", 3, "alloc_bytes", 300, "kept_objects", 2, "kept_bytes",
				 200, "peak_bytes", 300, "report", "mprof-report-0", "tree",
				 "mprof-tree-0", "rows", "mprof-rows-0");

	assert_true(json_equal(index, want));
	assert_same(page, "mprof-report-0", d, write_report);
	assert_same(page, "mprof-tree-0", d, write_tree);
	assert_same(page, "mprof-rows-0", d, write_rows);
	json_decref(index);
	json_decref(want);
	free(page);
	profile_data_free(d);
}

/* What the list of a page says that a program was started with. For free(). */
static char *arguments_in_page(const char *const *arguments)
{
	struct profile_data *d = made("widgets", 12);
	size_t n = 0;

	while (arguments[n])
		n++;
	d->command = realloc(d->command, (n + 2) * sizeof *d->command);
	assert_non_null(d->command);
	for (size_t i = 0; i <= n; i++)
		d->command[i + 1] = arguments[i] ? strdup(arguments[i]) : NULL;
	char *page = page_of(&d, 1);
	json_t *index = block(page, "mprof-index"),
	       *entry = json_array_get(json_object_get(index, "profiles"), 0);
	char *text = strdup(json_string_value(json_object_get(entry, "arguments")));

	json_decref(index);
	free(page);
	profile_data_free(d);
	return text;
}

static void assert_arguments(const char *const *arguments, const char *want)
{
	char *text = arguments_in_page(arguments);

	assert_string_equal(text, want);
	free(text);
}

static void arguments_tell_processes_of_one_program_apart(void **state)
{
	char many[400], cut[301];

	(void)state;
	assert_arguments((const char *[]){NULL}, "");
	assert_arguments((const char *[]){"-q", "a.c", NULL}, "-q a.c");
	assert_arguments((const char *[]){"", "</script>", "a\nb\xff", NULL},
			 " </script> a\xef\xbf\xbd" "b\xef\xbf\xbd");
	memset(many, 'x', sizeof many);
	/* The 300th byte is the second one of a character. */
	memcpy(many + 299, "\xc3\xa4", 3);
	memcpy(cut, many, 299);
	cut[299] = '\0';
	assert_arguments((const char *[]){many, "more", NULL}, cut);
}

static void several_profiles_are_in_one_page_in_their_order(void **state)
{
	struct profile_data *d[] = {made("a", 1), made("b", 2), made(NULL, 3)};
	char *page = page_of(d, 3);
	json_t *index = block(page, "mprof-index");
	const json_t *list = json_object_get(index, "profiles");

	(void)state;
	assert_has(page, "<title>a (pid 1) and 2 more - mprof</title>");
	assert_int_equal(json_array_size(list), 3);
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 1), "title")),
			    "b (pid 2)");
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 2), "title")),
			    "? (pid 3)");
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 2), "tree")),
			    "mprof-tree-2");
	for (size_t i = 0; i < 3; i++) {
		char id[32];

		snprintf(id, sizeof id, "mprof-report-%zu", i);
		assert_same(page, id, d[i], write_report);
		profile_data_free(d[i]);
	}
	json_decref(index);
	free(page);
}

static char *page_of_parts(const struct page_parts *p, size_t all)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(page_parts_write(p, all, &template, f), 0);
	fclose(f);
	return text;
}

static void a_page_made_of_one_profile_after_the_other_is_that_of_all(void **state)
{
	struct profile_data *d[] = {made("a", 1), made("b", 2), made("c", 3)};
	struct page_parts *p = page_parts_new(&usual, SIZE_MAX);
	char *want = page_of(d, 3);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(page_parts_add(p, d[i]), 0);
		profile_data_free(d[i]);
	}
	char *got = page_of_parts(p, 3);

	assert_string_equal(got, want);
	free(want);
	free(got);
	page_parts_free(p);
}

/* How long the blocks of a profile are. */
static size_t length_of(struct profile_data *d)
{
	struct page_parts *p = page_parts_new(&usual, SIZE_MAX);

	assert_int_equal(page_parts_add(p, d), 0);
	char *page = page_of_parts(p, 1);
	const char *from = strstr(page, "<script type=\"application/x-mprof\" id=\"mprof-report-");
	size_t n = (size_t)(strstr(page, "<script>run()") - from);

	free(page);
	page_parts_free(p);
	return n;
}

static void of_a_page_that_is_too_large_the_lowest_peaks_are_left_out_and_counted(void **state)
{
	struct profile_data *d[] = {made_of("b", 1, 20), made_of("c", 2, 10), made_of("a", 3, 30),
				    made_of("c", 4, 10), made_of("d", 5, 10)};
	/* For three of them, not for four. */
	struct page_parts *p = page_parts_new(&usual, length_of(d[0]) * 7 / 2);

	(void)state;
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(page_parts_add(p, d[i]), 0);
	assert_int_equal(page_parts_count(p), 3);
	assert_int_equal(page_parts_left_out(p), 2);
	char *page = page_of_parts(p, 6); /* one could not be added */
	json_t *index = block(page, "mprof-index");
	const json_t *list = json_object_get(index, "profiles");

	assert_has(page, "<title>b (pid 1) and 5 more - mprof</title>");
	assert_int_equal(json_integer_value(json_object_get(index, "missing")), 3);
	for (size_t i = 0; i < 3; i++) {
		const json_t *one = json_array_get(list, i);

		assert_int_equal(json_integer_value(json_object_get(one, "pid")), i + 1);
		assert_same(page, json_string_value(json_object_get(one, "report")), d[i],
			    write_report);
	}
	json_decref(index);
	free(page);
	page_parts_free(p);
	for (size_t i = 0; i < 5; i++)
		profile_data_free(d[i]);
}

static void the_first_profile_is_in_a_page_however_long_it_is(void **state)
{
	struct profile_data *d[] = {made_of("a", 1, 10), made_of("b", 2, 20)};
	struct page_parts *p = page_parts_new(&usual, 1);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(page_parts_add(p, d[i]), 0);
		assert_int_equal(page_parts_count(p), 1);
	}
	char *page = page_of_parts(p, 2);

	assert_has(page, "<title>a (pid 1) and 1 more - mprof</title>");
	free(page);
	page_parts_free(p);
	for (size_t i = 0; i < 2; i++)
		profile_data_free(d[i]);
}

static void a_sum_of_profiles_is_called_that_and_has_no_process(void **state)
{
	struct profile_data *d = made("sum of 3 profiles", 0);
	char *page = page_of(&d, 1);
	json_t *report = block(page, "mprof-report-0");

	(void)state;
	assert_has(page, "<title>sum of 3 profiles - mprof</title>");
	assert_int_equal(json_integer_value(json_object_get(report, "merged")), 3);
	json_decref(report);
	free(page);
	profile_data_free(d);
	d = made("sum of 3 profiles", 7); /* a program of that name */
	page = page_of(&d, 1);
	assert_has(page, "<title>sum of 3 profiles (pid 7) - mprof</title>");
	free(page);
	profile_data_free(d);
}

/* What a function is numbered in a tree of a difference. */
static json_int_t same_of(const json_t *tree, const char *name)
{
	const json_t *strings = json_object_get(tree, "strings"),
		     *functions = json_object_get(tree, "functions"),
		     *names = json_object_get(functions, "name"),
		     *same = json_object_get(functions, "same");

	assert_int_equal(json_array_size(names), json_array_size(same));
	for (size_t i = 0; i < json_array_size(names); i++) {
		size_t text = (size_t)json_integer_value(json_array_get(names, i));

		if (!strcmp(json_string_value(json_array_get(strings, text)), name))
			return json_integer_value(json_array_get(same, i));
	}
	fail_msg("there is no %s", name);
	return -1;
}

static void a_difference_has_both_profiles_and_says_which_functions_are_the_same(void **state)
{
	struct profile_data *now = made("new", 2), *base = profile_data_new();
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	pd_build_chain(base, "old+1 > f+2", 50, 1, 1);
	pd_build_chain(base, "main+1 > f+2", 100, 2, 1);
	pd_build_finish(base);
	assert_int_equal(page_write_growth(&template, now, base, &usual, f), 0);
	fclose(f);
	assert_has(text, "<title>new (pid 2) since ? (pid 0) - mprof</title>");
	json_t *index = block(text, "mprof-index"), *growth = block(text, "mprof-growth"),
	       *tree = block(text, "mprof-tree-0"), *old = block(text, "mprof-tree-1");

	assert_string_equal(json_string_value(json_object_get(index, "growth")), "mprof-growth");
	assert_int_equal(json_array_size(json_object_get(index, "profiles")), 2);
	assert_int_equal(json_array_size(json_object_get(growth, "sizes")), 2);
	assert_same(text, "mprof-report-0", now, write_report);
	assert_same(text, "mprof-rows-0", now, write_rows);
	assert_same(text, "mprof-report-1", base, write_report);
	assert_same(text, "mprof-rows-1", base, write_rows);
	assert_int_equal(same_of(tree, "f"), same_of(old, "f"));
	assert_int_equal(same_of(tree, "main"), same_of(old, "main"));
	assert_int_not_equal(same_of(tree, "main"), same_of(old, "old"));
	assert_int_not_equal(same_of(tree, "f"), same_of(old, "old"));
	json_decref(index);
	json_decref(growth);
	json_decref(tree);
	json_decref(old);
	free(text);
	profile_data_free(now);
	profile_data_free(base);
}

static void a_difference_that_cannot_be_told_leaves_nothing(void **state)
{
	struct profile_data *now = made("new", 2), *base = profile_data_new();
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len), *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	assert_int_equal(page_write_growth(&template, now, base, &usual, full),
			 -ENOSPC);
	fclose(full);
	pd_build_chain(base, "main", UINT64_MAX, 1, 0);
	assert_int_equal(page_write_growth(&template, now, base, &usual, f),
			 -EOVERFLOW);
	fclose(f);
	assert_int_equal(len, 0);
	free(text);
	profile_data_free(now);
	profile_data_free(base);
}

static void a_program_may_be_called_whatever_it_likes(void **state)
{
	struct profile_data *d =
		made("/x/</title><img onerror=\"a&b'\">\x1b]0;\n\x7f\xc2\x9b\xff\xc3\xa9"
		     "\xe2\x80\xae", 7);

	(void)state;
	/* Up to the last slash it is a folder. */
	char *page = page_of(&d, 1);

	assert_has(page, "<title>title&gt;&lt;img onerror=&quot;a&amp;b&#39;&quot;&gt;"
			 "\xef\xbf\xbd]0;\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9"
			 "\xef\xbf\xbd (pid 7) - mprof</title>");
	free(page);
	profile_data_free(d);
}

static void a_mark_in_a_name_is_no_mark(void **state)
{
	struct profile_data *d = made("<!--mprof:data-->", 7);

	(void)state;
	free(d->functions[0].name);
	d->functions[0].name = strdup("<!--mprof:data--></script><script>evil()");
	char *page = page_of(&d, 1);

	assert_has(page, "<title>&lt;!--mprof:data--&gt; (pid 7)");
	assert_null(strstr(page, "evil"));
	assert_same(page, "mprof-tree-0", d, write_tree);
	assert_same(page, "mprof-rows-0", d, write_rows);
	free(page);
	profile_data_free(d);
}

static void an_empty_profile_has_a_page(void **state)
{
	struct profile_data *d = profile_data_new();
	char *page = page_of(&d, 1);

	(void)state;
	assert_same(page, "mprof-report-0", d, write_report);
	assert_same(page, "mprof-tree-0", d, write_tree);
	assert_same(page, "mprof-rows-0", d, write_rows);
	free(page);
	profile_data_free(d);
}

static void a_template_without_marks_is_refused_before_anything_is_written(void **state)
{
	static const char *const bad[] = {"", "<!--mprof:title-->", "<!--mprof:data-->",
					  "<!--mprof:data--><!--mprof:title-->"};
	struct profile_data *d = made("x", 1);

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct page_template t = {(char *)bad[i], strlen(bad[i])};
		char *text = NULL;
		size_t len;
		FILE *f = open_memstream(&text, &len);

		assert_int_equal(page_write(&t, &d, 1, &usual, f), -EINVAL);
		fclose(f);
		assert_int_equal(len, 0);
		free(text);
	}
	profile_data_free(d);
}

static void a_full_disk_is_told(void **state)
{
	struct profile_data *d = made("x", 1);
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	assert_int_equal(page_write(&template, &d, 1, &usual, full), -ENOSPC);
	fclose(full);
	profile_data_free(d);
}

/* More than any buffer on the way, of incompressible bytes. */
static void a_sink_takes_any_length(void **state)
{
	enum { LENGTH = 300000 };
	char *bytes = malloc(LENGTH + 1), *text = NULL, *back;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	uint32_t x = 1;

	(void)state;
	for (size_t i = 0; i < LENGTH; i++)
		bytes[i] = (char)('!' + (x = x * 1103515245 + 12345) / 65536 % 90);
	bytes[LENGTH] = '\0';
	FILE *sink = sink_open(f);

	assert_true(bytes && f && sink);
	for (size_t i = 0; i < LENGTH; i += 30000)
		assert_int_equal(fwrite(bytes + i, 1, 30000, sink), 30000);
	assert_int_equal(fclose(sink), 0);
	fclose(f);
	back = inflated(text, len);
	assert_string_equal(back, bytes);
	free(back);
	free(bytes);
	free(text);
}

static void a_template_is_a_file_or_that_of_mprof_itself(void **state)
{
	char name[] = "/tmp/test_html_page.XXXXXX";
	struct page_template t;
	struct error e = {""};
	int fd = mkstemp(name), err;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, small, template.len), template.len);
	close(fd);
	assert_int_equal(template_load(name, &t, &e), 0);
	assert_int_equal(t.len, template.len);
	assert_memory_equal(t.text, small, t.len);
	template_release(&t);
	unlink(name);
	assert_int_equal(template_load(name, &t, &e), -ENOENT);
	assert_has(e.text, "cannot read the template /tmp/test_html_page.");
	err = template_load(NULL, &t, &e);
	if (err) {
		assert_int_equal(err, -ENOENT);
		assert_has(e.text, "this mprof has no page: ");
		assert_has(e.text, "when mprof was built");
	} else {
		assert_non_null(memmem(t.text, t.len, "<!--mprof:title-->", 18));
		assert_non_null(memmem(t.text, t.len, "<!--mprof:data-->", 17));
	}
	template_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_page_is_the_template_with_title_and_data_in_the_places_of_its_marks),
		cmocka_unit_test(arguments_tell_processes_of_one_program_apart),
		cmocka_unit_test(several_profiles_are_in_one_page_in_their_order),
		cmocka_unit_test(a_page_made_of_one_profile_after_the_other_is_that_of_all),
		cmocka_unit_test(
			of_a_page_that_is_too_large_the_lowest_peaks_are_left_out_and_counted),
		cmocka_unit_test(the_first_profile_is_in_a_page_however_long_it_is),
		cmocka_unit_test(a_sum_of_profiles_is_called_that_and_has_no_process),
		cmocka_unit_test(
			a_difference_has_both_profiles_and_says_which_functions_are_the_same),
		cmocka_unit_test(a_difference_that_cannot_be_told_leaves_nothing),
		cmocka_unit_test(a_program_may_be_called_whatever_it_likes),
		cmocka_unit_test(a_mark_in_a_name_is_no_mark),
		cmocka_unit_test(an_empty_profile_has_a_page),
		cmocka_unit_test(a_template_without_marks_is_refused_before_anything_is_written),
		cmocka_unit_test(a_full_disk_is_told),
		cmocka_unit_test(a_sink_takes_any_length),
		cmocka_unit_test(a_template_is_a_file_or_that_of_mprof_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
