/* SPDX-License-Identifier: BSD-2-Clause */
/* Lost blocks: by path if a session knows it, else by size; all rows add up. */
#include "unit/unit.h"
#include "unit/pd_build.h"

#include "report/lost.h"

#include <jansson.h>

enum { BLOCKS = 9, LOST = 8, SECOND = 1000000000 };

/* The last one is possible. */
struct look {
	struct profile_data *d;
	struct spans blocks;
	struct reach reach;
	uint8_t classes[BLOCKS];
	struct reach_lost lost[LOST];
	struct lost_request v[LOST];
	struct lost_requests requests;
	struct heap_walk walk;
	struct lost_report report;
};

static void line(struct profile_data *d, const char *function, uint64_t offset, uint32_t number)
{
	struct pd_site *s = &d->sites[pd_build_site(d, function, offset)];

	s->file = strdup("/src/lose.c");
	s->line = number;
}

static void add_block(struct look *l, uint32_t i, uint64_t size, struct heap_sum through)
{
	bool lost = i < LOST;

	assert_int_equal(spans_add(&l->blocks, 0x1000 + 0x100 * i, size), 0);
	l->classes[i] = lost ? REACH_LOST : REACH_POSSIBLE;
	l->reach.sums[l->classes[i]].n++;
	l->reach.sums[l->classes[i]].bytes += size;
	l->reach.sums[REACH_LOST_THROUGH].n += through.n;
	l->reach.sums[REACH_LOST_THROUGH].bytes += through.bytes;
	if (lost)
		l->lost[l->reach.n_lost++] = (struct reach_lost){i, through};
}

static void request(struct look *l, uint32_t i, const char *chain, uint64_t seconds)
{
	struct profile_data *d = l->d;

	l->v[i].node = chain ? pd_build_path(d, PD_ROOT_WHOLE, chain) : PD_NONE;
	l->v[i].age_ns = seconds * SECOND;
	if (chain)
		pd_build_leaf(d, l->v[i].node, 8, 1, 0);
}

static int setup(void **state)
{
	struct look *l = calloc(1, sizeof *l);
	const struct heap_sum none = {0, 0};

	assert_non_null(l);
	l->d = profile_data_new();
	l->reach.lost = l->lost;
	l->reach.classes = l->classes;
	for (uint32_t i = 0; i < BLOCKS; i++)
		add_block(l, i, i == 3 ? 56 : 24, i == 4 ? (struct heap_sum){9, 900} : none);
	assert_int_equal(spans_index(&l->blocks), 0);
	request(l, 0, "main+1 > lose+1", 3);
	request(l, 1, "main+1 > lose+1", 300);
	request(l, 2, "main+2 > lose+1", 4);	/* another line of main */
	request(l, 3, "main+1 > lose+2", 7200); /* another line of lose, more bytes */
	request(l, 4, "strange", 2 * 86400);
	request(l, 5, NULL, 0);
	request(l, 6, NULL, 0);
	request(l, 7, NULL, 0);
	l->v[5].before = l->v[6].before = true;
	line(l->d, "main", 1, 10);
	line(l->d, "main", 2, 11);
	line(l->d, "lose", 1, 57);
	line(l->d, "lose", 2, 58);
	l->d->modules = calloc(2, sizeof *l->d->modules);
	assert_non_null(l->d->modules);
	l->d->modules[0] = (struct pd_module){strdup("/usr/lib/app/server"), strdup(""),
					      strdup("DWARF")};
	l->d->modules[1] = (struct pd_module){strdup("/usr/lib/libsystem.so"), strdup(""),
					      strdup("DWARF")};
	l->d->n_modules = 2;
	l->d->program = 0;
	for (size_t i = 0; i < l->d->n_functions; i++)
		l->d->functions[i].module = !strcmp(l->d->functions[i].name, "strange");
	pd_build_finish(l->d);
	l->requests = (struct lost_requests){l->d, l->v};
	l->report = (struct lost_report){.heap = {.facts = {.pid = 7, .name = "server", .looks = 1},
						  .walk = &l->walk,
						  .allocator = "glibc",
						  .version = ""},
					 .blocks = &l->blocks,
					 .reach = &l->reach,
					 .passes = 1,
					 .requests = &l->requests};
	*state = l;
	return 0;
}

static int teardown(void **state)
{
	struct look *l = *state;

	profile_data_free(l->d);
	spans_release(&l->blocks);
	free(l);
	return 0;
}

/* What is printed from the line of the classes on, for free(). */
static char *text_of(const struct look *l, int (*print)(const struct lost_report *, FILE *))
{
	static char *text; /* static: gcc 12 takes what the stream allocates for the variable */
	static size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(print(&l->report, f), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void assert_rows(const struct look *l, const char *expected)
{
	char *text = text_of(l, report_lost);
	const char *rows = strstr(text, "\n\n");

	assert_non_null(rows);
	assert_string_equal(rows + 1, expected);
	free(text);
}

#define PATH_HEADING                                                                               \
	"     lost bytes     blocks   through them     blocks    oldest   requested by\n"
#define SIZE_HEADING "     lost bytes     blocks   through them     blocks   each"
#define BELOW	     "                                                                   "

static void paths_come_first_and_what_loses_most_before_them_all(void **state)
{
	assert_rows(*state, "\n" PATH_HEADING
			    "             24          1            900          9       2 d   "
			    "strange (libsystem.so), in no code of the program's own\n" BELOW
			    "|| > strange\n"
			    "             56          1              0          0       2 h   "
			    "lose (lose.c:58)\n" BELOW
			    "|| > main (lose.c:10) > lose (lose.c:58)\n"
			    "             48          2              0          0     5 min   "
			    "lose (lose.c:57)\n" BELOW
			    "|| > main (lose.c:10) > lose (lose.c:57)\n"
			    "             24          1              0          0       4 s   "
			    "lose (lose.c:57)\n" BELOW
			    "|| > main (lose.c:11) > lose (lose.c:57)\n"
			    "\n" SIZE_HEADING ", from before the session\n"
			    "             48          2              0          0   24 usable\n"
			    "\n" SIZE_HEADING ", requested by nobody knows whom\n"
			    "             24          1              0          0   24 usable\n");
}

static void without_a_session_there_are_sizes(void **state)
{
	struct look *l = *state;

	l->report.requests = NULL;
	l->report.lists_possible = l->report.advises = true;
	assert_rows(l, "\n"
		       "     lost bytes     blocks   through them     blocks   each\n"
		       "            168          7            900          9   24 usable\n"
		       "             56          1              0          0   56 usable\n"
		       "\n"
		       " possible bytes     blocks   each\n"
		       "             24          1   24 usable\n"
		       "\n"
		       "'mprof attach --before=walk 7' and, later, 'mprof leaks 7' tell who "
		       "requests what is lost from then on\n");
}

/* More paths than are listed. */
static void many_paths_have_a_row_for_all_others(void **state)
{
	struct look *l = *state;
	struct reach_lost lost[30];
	struct lost_request v[30];
	char chain[32];

	for (uint32_t i = 0; i < 30; i++) {
		snprintf(chain, sizeof chain, "main+1 > many#%u", (unsigned)i);
		lost[i] = (struct reach_lost){i % 3, {i / 20, i / 20}};
		v[i] = (struct lost_request){
			.node = pd_build_path(l->d, PD_ROOT_WHOLE, chain)};
		pd_build_leaf(l->d, v[i].node, 8, 1, 0);
	}
	qsort(l->d->leaves, l->d->n_leaves, sizeof *l->d->leaves, pd_build_by_node);
	l->reach.lost = lost;
	l->reach.n_lost = 30;
	l->requests.v = v;
	char *text = text_of(l, report_lost);
	assert_non_null(strstr(text, "\n            240         10              0          0"
				     "             10 other paths\n"));
	free(text);
	l->report.heap.all_sizes = true;
	text = text_of(l, report_lost);
	assert_null(strstr(text, "other paths"));
	free(text);
	l->reach.lost = l->lost;
}

static json_int_t sum(const json_t *rows, const char *key)
{
	json_int_t n = 0;
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
		n += json_integer_value(json_object_get(row, key));
	return n;
}

static void all_rows_of_the_json_add_up(void **state)
{
	struct look *l = *state;
	char *text = text_of(l, report_lost_json);
	json_t *o = json_loads(text, 0, NULL);
	const json_t *rows = json_object_get(o, "lost"), *row = json_array_get(rows, 1),
		     *own = json_object_get(row, "own");

	assert_non_null(o);
	assert_int_equal(json_array_size(rows), 6);
	assert_int_equal(sum(rows, "blocks"), LOST);
	assert_int_equal(sum(rows, "bytes"), l->reach.sums[REACH_LOST].bytes);
	assert_int_equal(sum(rows, "through_blocks"), 9);
	assert_int_equal(sum(rows, "through_bytes"), 900);
	assert_int_equal(json_array_size(json_object_get(row, "path")), 2);
	assert_true(json_is_null(json_object_get(row, "usable")));
	assert_int_equal(json_integer_value(json_object_get(row, "oldest_ns")),
			 7200 * (json_int_t)SECOND);
	assert_string_equal(json_string_value(json_object_get(own, "function")), "lose");
	assert_int_equal(json_integer_value(json_object_get(own, "line")), 58);
	assert_true(json_is_null(json_object_get(json_array_get(rows, 0), "own")));
	row = json_array_get(rows, 4);
	assert_true(json_is_null(json_object_get(row, "path")));
	assert_true(json_is_true(json_object_get(row, "before")));
	assert_int_equal(json_integer_value(json_object_get(row, "blocks")), 2);
	row = json_array_get(rows, 5);
	assert_true(json_is_null(json_object_get(row, "path")));
	assert_null(json_object_get(row, "before"));
	assert_int_equal(json_integer_value(json_object_get(row, "usable")), 24);
	json_decref(o);
	free(text);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(paths_come_first_and_what_loses_most_before_them_all),
		TEST(without_a_session_there_are_sizes),
		TEST(many_paths_have_a_row_for_all_others),
		TEST(all_rows_of_the_json_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
