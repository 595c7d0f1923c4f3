/* SPDX-License-Identifier: BSD-2-Clause */
/* What a session writes at its end, and what happens if something cannot be written. */
#include "unit/scripted_observer.h"

#include "outputs/data.h"
#include "outputs/pages.h"
#include "outputs/tell.h"
#include "outputs/unsaved.h"
#include "outputs/write.h"
#include "profile/datafile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static struct host {
	char said[16000];	/* a line for each sentence */
	unsigned printed, ended;
	unsigned hushed;	/* of those */
	unsigned added, added_unprinted; /* to pages */
	unsigned not_added;	/* which of them cannot be */
	char pages[200];	/* that have been written: NAME:PROFILES */
	size_t left_out;	/* of a page */
	bool disk_full;
	const struct profile_data *seen; /* by whoever printed last */
	FILE *to;		/* the last report was printed there */
	bool cannot_print;
} host;

static void take(const char *sentence)
{
	size_t n = strlen(host.said);

	snprintf(host.said + n, sizeof host.said - n, "%s\n", sentence);
}

static void step(const char *what)
{
	(void)what;
}

static int print(void *ctx, struct profile_data *d, bool hushed, FILE *out)
{
	assert_ptr_equal(ctx, &host);
	host.printed++;
	host.hushed += hushed;
	host.seen = d;
	host.to = out;
	fprintf(out, "%u: %u\n", (unsigned)d->pid, (unsigned)d->totals.allocs);
	return host.cannot_print ? -EIO : 0;
}

static void printed(void *ctx)
{
	assert_ptr_equal(ctx, &host);
	host.ended++;
}

static void lacking(void *ctx, const struct pd_module *m)
{
	assert_ptr_equal(ctx, &host);
	assert_non_null(m->path);
}

static void named(void *ctx, const struct massif_names *names)
{
	(void)ctx, (void)names;
}

static int page_add(void *ctx, struct profile_data *d, bool was_printed, struct error *e)
{
	assert_ptr_equal(ctx, &host);
	if (was_printed)
		assert_ptr_equal(d, host.seen);
	else
		assert_ptr_not_equal(d, host.seen);
	if (host.added++ == host.not_added)
		return error_set(e, -ENOMEM, "no room");
	host.added_unprinted += !was_printed;
	return 0;
}

static int page_write(void *ctx, const char *path, size_t *n, struct error *e)
{
	size_t len = strlen(host.pages);

	(void)ctx;
	snprintf(host.pages + len, sizeof host.pages - len, "%s:%zu ", path, *n);
	*n -= host.left_out;
	return host.disk_full ? error_set(e, -ENOSPC, "disk full") : 0;
}

static const struct output_host functions = { .say = take, .announce = take, .step = step,
					      .print = print, .printed = printed, .named = named,
					      .page_add = page_add, .page_write = page_write,
					      .lacking = lacking };

/* In an empty directory of its own. */
static void open_with(struct outputs *o, struct session *s, const struct output_settings *settings)
{
	char dir[] = "/tmp/mprof-test-XXXXXX";

	host = (struct host){ .not_added = UINT_MAX };
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(outputs_open(o, s, settings, &functions, &host), 0);
}

static void finish(struct outputs *o)
{
	char *dir = getcwd(NULL, 0), command[200];

	session_release(o->session);
	outputs_close(o);
	assert_int_equal(chdir("/"), 0);
	snprintf(command, sizeof command, "rm -r '%s'", dir);
	assert_int_equal(system(command), 0);
	free(dir);
}

static bool is_there(const char *path)
{
	return !access(path, F_OK);
}

/* A program that makes @n requests, and ends. */
static struct image *runs(struct session *s, unsigned n)
{
	struct image *i = start(s, ROOT);

	i->program = NO_FILE;
	for (unsigned k = 1; k <= n; k++)
		alloc(i, 0x10 * k, 100);
	script.tasks = 0;
	gone(i);
	session_sink.ended(s, ROOT, 0);
	return i;
}

/* ---- pages ---- */

static const struct output_settings paged = { .data = "/dev/null", .report = "r",
					      .html = "p.html" };

static void one_naming_serves_the_report_and_the_page(void **state)
{
	struct session *s = begin(false);
	struct outputs o;

	(void)state;
	open_with(&o, s, &paged);
	runs(s, 3);
	assert_int_equal(output_session(&o), 0);
	assert_int_equal(host.added, 1);
	/* It is not tried again. */
	assert_int_equal(output_session(&o), 0);
	host.disk_full = true;
	assert_int_equal(pages_of_session(&o), -ENOSPC);
	assert_int_equal(host.added, 1);
	assert_int_equal(host.added_unprinted, 0);
	assert_string_equal(host.pages, "p.html:1 ");
	assert_string_equal(unwritten_behind(&o.unwritten, 0), "no page: disk full");
	finish(&o);
}

static void that_a_page_takes_the_place_of_an_older_one_is_said(void **state)
{
	struct session *s = begin(false);
	struct outputs o;
	FILE *older;

	(void)state;
	open_with(&o, s, &paged);
	older = fopen("p.html", "we");
	assert_non_null(older);
	fclose(older);
	const struct timespec long_ago[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	assert_int_equal(utimensat(AT_FDCWD, "p.html", long_ago, 0), 0);
	runs(s, 3);
	assert_int_equal(output_session(&o), 0);
	assert_int_equal(pages_of_session(&o), 0);
	assert_non_null(strstr(host.said, "the page of process 4711 is p.html, in the place of an "
					  "older one\n"));
	finish(&o);
}

static void a_page_is_written_though_the_report_cannot_be(void **state)
{
	struct session *s = begin(false);
	struct outputs o;
	struct output_settings settings = paged;

	(void)state;
	settings.report = "no/r";
	open_with(&o, s, &settings);
	runs(s, 3);
	assert_int_not_equal(output_session(&o), 0);
	assert_int_equal(pages_of_session(&o), 0);
	assert_int_equal(host.added_unprinted, 1);
	assert_string_equal(host.pages, "p.html:1 ");
	assert_non_null(strstr(host.said, "the page of process 4711 is p.html\n"));
	finish(&o);
}

/* What a process did, and some that it has forked. */
static void forks(struct session *s, int times)
{
	struct image *i = start(s, ROOT);

	for (pid_t pid = ROOT; pid <= ROOT + times; pid++) {
		struct image *k = pid == ROOT ? i : session_sink.forked(s, i, pid);

		k->program = NO_FILE;
		alloc(k, 0x10, 100);
	}
	script.tasks = 0;
	for (struct image *k = s->images; k; k = k->next) {
		gone(k);
		k->counts.trapped = 1;
	}
	session_sink.ended(s, ROOT, 0);
}

static void forks_twice(struct session *s)
{
	forks(s, 2);
}

static void all_processes_of_a_session_are_in_one_page(void **state)
{
	struct session *s = begin(true);
	struct outputs o;

	(void)state;
	open_with(&o, s, &paged);
	forks_twice(s);
	assert_int_equal(output_session(&o), 0);
	assert_int_equal(host.added, 3);
	assert_string_equal(host.pages, "");
	assert_int_equal(pages_of_session(&o), 0);
	assert_int_equal(host.added, 3);
	assert_string_equal(host.pages, "p.html:3 ");
	assert_non_null(strstr(host.said, "the page of all 3 profiles is p.html\n"));
	finish(&o);
}

/* ---- what is said of many ---- */

static const struct output_settings many = { .data = "d", .report = "r", .html = "p%p.html" };

static void the_first_of_many_profiles_are_told_and_the_rest_is_summed_up(void **state)
{
	struct session *s = begin(true);
	struct outputs o;

	(void)state;
	open_with(&o, s, &many);
	forks(s, 13);
	assert_int_equal(output_session(&o), 0);
	assert_int_equal(pages_of_session(&o), 0);
	assert_int_equal(host.printed, 14);
	assert_int_equal(host.hushed, 4);
	assert_non_null(strstr(host.said, "(process 4720): 1 allocation of 100 bytes, 0 frees"));
	assert_non_null(strstr(host.said, "the profile is in d.4720\n"));
	assert_non_null(strstr(host.said, "the page of process 4720 is p4720.html\n"));
	assert_null(strstr(host.said, "(process 4721)"));
	assert_null(strstr(host.said, "is in d.4721"));
	assert_non_null(strstr(host.said, "and 4 more profiles: 4 allocations of 400 bytes, 0 "
					  "frees, 400 kept; --verbose tells of each\n"
					  "in all of these 0 truncated chains, 0 frees of unknown "
					  "blocks, 0 failed requests, 0 events lost\n"
					  "4 more data files are written, the last of which is "
					  "d.4724\n"
					  "4 more pages are written, the last of which is "
					  "p4724.html\n"));
	assert_true(is_there("d.4724"));
	finish(&o);
}

static void of_one_more_it_is_said_in_the_singular(void **state)
{
	struct session *s = begin(true);
	struct outputs o;

	(void)state;
	open_with(&o, s, &many);
	forks(s, 10);
	assert_int_equal(output_session(&o), 0);
	assert_non_null(strstr(host.said, "and 1 more profile: 1 allocation of 100 bytes"));
	assert_non_null(strstr(host.said, "1 more data file is d.4721\n"));
	finish(&o);
}

static void a_profile_in_which_something_is_missing_is_told_among_many(void **state)
{
	struct session *s = begin(true);
	struct outputs o;

	(void)state;
	open_with(&o, s, &many);
	forks(s, 23);
	for (struct image *i = s->images; i; i = i->next)
		i->counts.engine_failed = i->pid >= ROOT + 12;
	assert_int_equal(output_session(&o), 0);
	assert_null(strstr(host.said, "(process 4722)"));
	assert_non_null(strstr(host.said, "(process 4723) and was switched off"));
	assert_non_null(strstr(host.said, "(process 4732) and was switched off"));
	assert_null(strstr(host.said, "(process 4733)"));
	assert_non_null(strstr(host.said, "and 4 more profiles: "));
	assert_non_null(strstr(host.said, "of 2 of these not all was seen"));
	assert_non_null(strstr(host.said, "14 more data files are written"));
	finish(&o);
}

static void who_wants_to_hear_all_is_told_of_each(void **state)
{
	struct session *s = begin(true);
	struct outputs o;
	struct output_settings settings = many;

	(void)state;
	settings.names = TELL_NAMES_ALL;
	open_with(&o, s, &settings);
	forks(s, 13);
	assert_int_equal(output_session(&o), 0);
	assert_int_equal(host.hushed, 0);
	assert_non_null(strstr(host.said, "(process 4724): 1 allocation"));
	assert_null(strstr(host.said, " more "));
	finish(&o);
}

static void what_a_page_has_not_got_is_counted(void **state)
{
	struct session *s = begin(true);
	struct outputs o;

	(void)state;
	open_with(&o, s, &paged);
	forks_twice(s);
	host.not_added = host.left_out = 1;
	assert_int_equal(output_session(&o), 0);
	assert_int_equal(pages_of_session(&o), -ENOMEM);
	assert_string_equal(host.pages, "p.html:3 ");
	assert_string_equal(unwritten_behind(&o.unwritten, 0), "process 4712: no page: no room");
	assert_non_null(strstr(host.said, "the page of 2 of 3 profiles is p.html\n"));
	finish(&o);
}

static void a_name_with_the_process_in_it_is_that_of_a_page_for_each(void **state)
{
	struct session *s = begin(true);
	struct outputs o;
	struct output_settings settings = paged;

	(void)state;
	settings.html = "p%p.html";
	open_with(&o, s, &settings);
	forks_twice(s);
	host.not_added = 1;
	assert_int_equal(output_session(&o), 0);
	assert_int_equal(pages_of_session(&o), -ENOMEM);
	assert_string_equal(host.pages, "p4711.html:1 p4713.html:1 ");
	assert_non_null(strstr(host.said, "the page of process 4713 is p4713.html\n"));
	finish(&o);
}

/* ---- orders ---- */

static void a_profile_that_cannot_be_written_is_kept_and_saved_elsewhere(void **state)
{
	struct session *s = begin(false);
	struct outputs o;

	(void)state;
	open_with(&o, s, &(struct output_settings){ .data = "no/data", .report = "r" });
	const struct image *i = runs(s, 3);
	assert_int_not_equal(output_session(&o), 0);
	assert_true(output_unsaved(s));
	assert_non_null(strstr(unwritten_behind(&o.unwritten, 0), "no/data"));
	assert_non_null(strstr(host.said, "no/data"));
	assert_true(is_there("r"));
	assert_int_equal(host.printed, 1);
	/* Another try, which finds what it found before: the report is not printed again. */
	unwritten_forget(&o.unwritten, 0);
	assert_int_not_equal(output_session(&o), 0);
	assert_int_equal(o.unwritten.n, 1);
	assert_int_equal(host.printed, 1);
	assert_int_equal(host.ended, 1);
	assert_int_equal(unsaved_save_elsewhere(&o, "elsewhere"), 0);
	assert_false(output_unsaved(s));
	assert_string_equal(i->data, "elsewhere");
	struct profile_data *d;
	struct error e;
	assert_int_equal(datafile_read("elsewhere", &d, &e), 0);
	assert_int_equal(d->totals.allocs, 3);
	assert_int_equal(d->pid, ROOT);
	profile_data_free(d);
	assert_int_equal(output_session(&o), 0);
	assert_false(is_there("no/data"));
	finish(&o);
}

static void a_report_that_cannot_be_written_is_tried_again_and_the_profile_is_not(void **state)
{
	struct session *s = begin(false);
	struct outputs o;

	(void)state;
	open_with(&o, s, &(struct output_settings){ .data = "data", .report = "no/r" });
	runs(s, 1);
	assert_int_not_equal(output_session(&o), 0);
	assert_true(is_there("data"));
	assert_false(output_unsaved(s));
	assert_int_equal(host.printed, 0);
	assert_non_null(strstr(unwritten_behind(&o.unwritten, 0), "cannot write the report no/r"));
	assert_int_equal(unlink("data"), 0);
	assert_int_equal(mkdir("no", 0777), 0);
	host.cannot_print = true;
	assert_int_not_equal(output_session(&o), 0);
	assert_int_equal(host.printed, 1);
	host.cannot_print = false;
	assert_int_equal(output_session(&o), 0);
	assert_int_equal(host.printed, 2);
	assert_true(is_there("no/r"));
	assert_false(is_there("data"));
	finish(&o);
}

static void a_massif_file_that_cannot_be_written_is_tried_again(void **state)
{
	struct session *s = begin(false);
	struct outputs o;
	FILE *report = tmpfile();

	(void)state;
	assert_non_null(report);
	open_with(&o, s, &(struct output_settings){
				 .data = "data", .report_to = report,
				 .massif = { .file = "no/massif.%n",
					     .settings = { .heap = true, .alignment = 16,
							   .unit = MASSIF_BYTES,
							   .rules.max_snapshots = 10 } } });
	struct image *i = runs(s, 4);
	assert_false(i->saved);
	assert_int_not_equal(output_session(&o), 0);
	assert_ptr_equal(host.to, report);
	assert_true(i->saved);
	assert_true(output_unsaved(s));
	assert_non_null(strstr(unwritten_behind(&o.unwritten, 0),
			       "process 4711: no massif file: "));
	assert_int_equal(mkdir("no", 0777), 0);
	assert_int_equal(output_session(&o), 0);
	assert_false(output_unsaved(s));
	assert_true(is_there("no/massif.1"));
	finish(&o);
}

/* The first one's is DATA; that of the image before its exec is DATA.PID.1. */
static void each_program_of_a_process_has_a_file_and_a_section_of_its_own(void **state)
{
	struct session *s = begin_with(&(struct session_settings){ .keep_execs = true });
	struct outputs o;
	char *file;
	size_t len;
	FILE *report = open_memstream(&file, &len);

	(void)state;
	open_with(&o, s, &(struct output_settings){ .data = "data", .report_to = report,
						    .sections = true });
	struct image *shell = start(s, ROOT);
	shell->program = NO_FILE;
	alloc(shell, 0x10, 10);
	gone(shell);
	runs(s, 2);
	/* A copy of ourselves has written it by now, which is not the last time. */
	assert_int_equal(script.saves, 1);
	assert_false(shell->saved);
	output_leave_out(&o);
	assert_null(o.left_out_text);
	assert_int_equal(output_session(&o), 0);
	assert_true(is_there("data") && is_there("data.4711.1"));
	assert_non_null(strstr(file, "mprof: 2 profiles\n"));
	assert_non_null(strstr(file, "mprof: process 4711, program 1 of it "));
	finish(&o);
	free(file);
}

static void who_is_left_out_is_named(void **state)
{
	struct session *s = begin(false);
	struct outputs o;
	FILE *report = tmpfile();

	(void)state;
	open_with(&o, s, &(struct output_settings){ .data = "data", .report_to = report });
	struct image *shell = start(s, ROOT);
	alloc(shell, 0x10, 10);
	gone(shell);
	runs(s, 2);
	output_leave_out(&o);
	assert_ptr_equal(s->left_out, shell);
	assert_string_equal(o.left_out_text,
			    "1 program that executed another one in its place is left out (?): 1 "
			    "allocation of 10 bytes; --keep-execs keeps it");
	assert_non_null(strstr(host.said, o.left_out_text));
	assert_int_equal(output_session(&o), 0);
	assert_true(is_there("data"));
	assert_false(is_there("data.4711.1"));
	finish(&o);
}

static void who_is_not_profiled_is_counted(void **state)
{
	struct session *s = begin(false);
	struct error e;
	struct image *i = start(s, ROOT);

	(void)state;
	assert_false(tell_unfollowed(s, &e));
	assert_null(session_sink.forked(s, i, 12));
	assert_true(tell_unfollowed(s, &e));
	assert_non_null(strstr(e.text, "1 process that it started was not profiled"));
	assert_false(session_sink.wanted(s, 13));
	assert_true(session_sink.wanted(s, ROOT));
	assert_true(tell_unfollowed(s, &e));
	assert_non_null(strstr(e.text, "2 processes that it started were not profiled"));
	session_release(s);
}

static void of_many_sentences_the_first_and_the_newest_are_remembered(void **state)
{
	struct unwritten u = { 0 };
	char text[20], *printed;
	size_t len;
	FILE *out = open_memstream(&printed, &len);

	(void)state;
	for (unsigned n = 1; n <= UNWRITTEN_REMEMBERED + 3; n++) {
		snprintf(text, sizeof text, "file %u", n);
		unwritten_remember(&u, text);
	}
	assert_string_equal(unwritten_behind(&u, 0), "file 1");
	assert_string_equal(unwritten_behind(&u, UNWRITTEN_REMEMBERED + 2), "file 19");
	assert_null(unwritten_behind(&u, u.n));
	unwritten_print(&u, "- ", out);
	fclose(out);
	assert_non_null(strstr(printed, "- file 15\n- file 19\n- and 3 more\n"));
	free(printed);
	unwritten_forget(&u, 1);
	assert_null(unwritten_behind(&u, 1));
	assert_string_equal(unwritten_behind(&u, 0), "file 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_naming_serves_the_report_and_the_page),
		cmocka_unit_test(that_a_page_takes_the_place_of_an_older_one_is_said),
		cmocka_unit_test(a_page_is_written_though_the_report_cannot_be),
		cmocka_unit_test(all_processes_of_a_session_are_in_one_page),
		cmocka_unit_test(the_first_of_many_profiles_are_told_and_the_rest_is_summed_up),
		cmocka_unit_test(of_one_more_it_is_said_in_the_singular),
		cmocka_unit_test(a_profile_in_which_something_is_missing_is_told_among_many),
		cmocka_unit_test(who_wants_to_hear_all_is_told_of_each),
		cmocka_unit_test(what_a_page_has_not_got_is_counted),
		cmocka_unit_test(a_name_with_the_process_in_it_is_that_of_a_page_for_each),
		cmocka_unit_test(a_profile_that_cannot_be_written_is_kept_and_saved_elsewhere),
		cmocka_unit_test(
			a_report_that_cannot_be_written_is_tried_again_and_the_profile_is_not),
		cmocka_unit_test(a_massif_file_that_cannot_be_written_is_tried_again),
		cmocka_unit_test(each_program_of_a_process_has_a_file_and_a_section_of_its_own),
		cmocka_unit_test(who_is_left_out_is_named),
		cmocka_unit_test(who_is_not_profiled_is_counted),
		cmocka_unit_test(of_many_sentences_the_first_and_the_newest_are_remembered),
	};

	return cmocka_run_group_tests_name("outputs", tests, NULL, NULL);
}
