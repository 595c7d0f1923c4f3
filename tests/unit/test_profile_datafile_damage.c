/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/test_profile_datafile.h"
#include "lib/random.h"

#include "profile/pd_site_types.h"
#include "profile/datafile_schema.h"

/* Damaged files: the reader returns what was written, or an error that says what is wrong. */

static void what_is_no_data_file_is_refused(void **state)
{
	unsigned char zeros[5000] = { 0 };

	(void)state;
	assert_unreadable(-ENOENT, "No such file");
	put_file(zeros, 0);
	assert_unreadable(-EINVAL, "is not a data file of mprof");
	put_file(zeros, sizeof zeros);
	assert_unreadable(-EINVAL, "is not a data file of mprof");
	memset(zeros, 'a', sizeof zeros);
	put_file(zeros, sizeof zeros);
	assert_unreadable(-EINVAL, "is not a data file of mprof");
	put_file((const unsigned char *)"desc: (none)\ncmd: a\n", 20);
	assert_unreadable(-EINVAL, "but a massif file: mprof report --format=ms_print prints it");
	change("PRAGMA application_id=0");
	assert_unreadable(-EINVAL, "is not a data file of mprof");
	assert_int_equal(unlink(bad_file), 0);
	assert_int_equal(mkdir(bad_file, 0777), 0);
	assert_unreadable(-EISDIR, "directory");
	assert_int_equal(rmdir(bad_file), 0);
	assert_int_equal(mkfifo(bad_file, 0666), 0);
	assert_unreadable(-EINVAL, "not an ordinary file");
	assert_int_equal(unlink(bad_file), 0);
	assert_int_equal(symlink("/dev/zero", bad_file), 0);
	assert_unreadable(-EINVAL, "not an ordinary file");
}

static void a_newer_file_is_told_from_a_damaged_one(void **state)
{
	(void)state;
	/* Even if nothing in it is as it was. */
	change("PRAGMA user_version=14; DROP TABLE nodes; CREATE TABLE nodes(x)");
	assert_unreadable(-EPROTONOSUPPORT, "newer mprof (format 14, this one reads up to 13)");
	change("PRAGMA user_version=2147483647");
	assert_unreadable(-EPROTONOSUPPORT, "newer mprof");
	change("PRAGMA user_version=0");
	assert_unreadable(-EUCLEAN, "no format 0");
	change("PRAGMA user_version=-1");
	assert_unreadable(-EUCLEAN, "no format -1");
}

static uint64_t sum_of_table(sqlite3 *db, const char *table, uint64_t sum)
{
	char sql[128];
	sqlite3_stmt *row;

	snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY rowid", table);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK);
	while (sqlite3_step(row) == SQLITE_ROW) {
		for (int i = 0; i < sqlite3_column_count(row); i++) {
			if (sqlite3_column_type(row, i) == SQLITE_NULL)
				sum = datafile_sum_null(sum);
			else if (sqlite3_column_type(row, i) == SQLITE_INTEGER)
				sum = datafile_sum_int(sum,
						       (uint64_t)sqlite3_column_int64(row, i));
			else if (sqlite3_column_type(row, i) == SQLITE_FLOAT)
				sum = datafile_sum_real(sum, sqlite3_column_double(row, i));
			else
				sum = datafile_sum_text(
					sum, (const char *)sqlite3_column_text(row, i),
					(size_t)sqlite3_column_bytes(row, i));
		}
	}
	sqlite3_finalize(row);
	return sum;
}

/* The checksum of what is in the tables of a version now. */
static uint64_t sum_of_tables(sqlite3 *db, int version)
{
	uint64_t sum = DATAFILE_SUM_START;

	for (const struct datafile_object *o = datafile_schema; o->type; o++)
		if (o->since <= version && !strcmp(o->type, "table") && strcmp(o->name, "meta"))
			sum = sum_of_table(db, o->name, sum);
	return sum_of_table(db, "meta WHERE key <> 'checksum'", sum);
}

/* Make of the file what an earlier version of the format would be. */
static void make_version(const char *path, int version)
{
	char sql[256];
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	for (const struct datafile_object *o = datafile_schema; o->type; o++) {
		/* Views were others, each in its time. */
		snprintf(sql, sizeof sql, "DROP %s %s; %s%s%s", o->type, o->name,
			 *o->type == 'v' ? "CREATE VIEW " : "", *o->type == 'v' ? o->name : "",
			 *o->type == 'v' ? " AS SELECT 1" : "");
		if (o->since > version)
			assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	}
	for (const struct datafile_meta *m = datafile_meta; m->key; m++) {
		snprintf(sql, sizeof sql, "DELETE FROM meta WHERE key = '%s'", m->key);
		if (m->since > version)
			assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	}
	snprintf(sql, sizeof sql, "UPDATE meta SET value = %lld WHERE key = 'checksum'; PRAGMA "
				  "user_version=%d",
		 (long long)sum_of_tables(db, version), version);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void without_load(struct profile_data *d)
{
	d->load.missed = d->totals.missed;
	d->load.missed_bytes = d->totals.missed_bytes;
	d->load.max = d->totals.peak_bytes;
}

static void without_from(struct profile_data *d)
{
	without_load(d);
	d->from = PD_FROM_UNKNOWN;
}

static void without_spared(struct profile_data *d)
{
	without_from(d);
	d->spared.depth = 0;
	d->totals.truncated_cut = 0;
}

static void without_engines(struct profile_data *d)
{
	without_spared(d);
	d->engines = 0;
}

static void without_pauses(struct profile_data *d)
{
	without_engines(d);
	d->unseen.pauses = d->unseen.paused_ns = d->totals.paused_frees = d->slowdown_milli = 0;
	d->totals.missed = d->totals.missed_bytes = 0;
	without_load(d);
}

static void without_series(struct profile_data *d)
{
	without_pauses(d);
	d->n_series = d->n_held = 0;
}

static void without_what_came_with_7(struct profile_data *d)
{
	without_series(d);
	free(d->before.bins);
	d->before = (struct pd_before){ 0 };
	for (size_t i = 0; i < d->n_rss; i++)
		free(d->rss[i].name);
	d->n_rss = 0;
	d->totals.before_frees = 0;
	d->reach = (struct pd_reach){ 0 };
	for (size_t i = 0; i < d->n_leaves; i++) {
		memset(d->leaves[i].reach, 0, sizeof d->leaves[i].reach);
		d->leaves[i].hanging = (struct pd_sum){ 0 };
	}
	pd_site_types_drop(d);
}

static void without_windows(struct profile_data *d)
{
	without_what_came_with_7(d);
	d->n_windows = d->n_survivors = 0;
	d->window_ns = d->windows_over = 0;
}

static void assert_read_as(const struct profile_data *d)
{
	struct profile_data *got = read_ok(bad_file);

	assert_profiles_equal(d, got);
	profile_data_free(got);
}

static void a_file_of_version_1_is_read_without_what_came_later(void **state)
{
	struct profile_data *d = sample();

	(void)state;
	d->n_points = 0;
	for (size_t i = 0; i < d->n_leaves; i++)
		d->leaves[i].at_peak = d->leaves[i].label = 0;
	d->labelled = false;
	d->min_size = d->max_size = 0;
	write_ok(bad_file, d);
	d->n_lifetimes = 0;
	d->load = (struct pd_load){ 0 };
	d->unseen = (struct pd_unseen){ 0 };
	without_windows(d);
	make_version(bad_file, 1);
	assert_read_as(d);
	profile_data_free(d);
}

static void a_file_of_version_3_does_not_tell_what_was_not_seen(void **state)
{
	struct profile_data *d = sample();

	(void)state;
	write_ok(bad_file, d);
	assert_read_as(d);
	d->unseen = (struct pd_unseen){ 0 };
	without_windows(d);
	make_version(bad_file, 3);
	assert_read_as(d);
	profile_data_free(d);
}

static void a_file_of_version_4_does_not_tell_of_damaged_records(void **state)
{
	struct profile_data *d = sample();

	(void)state;
	write_ok(bad_file, d);
	assert_int_not_equal(d->unseen.lost_damaged, 0);
	d->unseen.lost_damaged = 0;
	without_windows(d);
	make_version(bad_file, 4);
	assert_read_as(d);
	profile_data_free(d);
}

static void a_file_of_version_5_does_not_tell_of_windows(void **state)
{
	struct profile_data *d = sample();

	(void)state;
	write_ok(bad_file, d);
	assert_true(d->n_windows && d->n_survivors);
	assert_read_as(d);
	without_windows(d);
	make_version(bad_file, 5);
	assert_read_as(d);
	profile_data_free(d);
}

static void a_file_of_version_6_does_not_tell_of_what_came_with_7(void **state)
{
	struct profile_data *d = sample();

	(void)state;
	write_ok(bad_file, d);
	assert_true(d->before.n_bins && d->n_rss && d->n_site_types && d->reach.known);
	assert_read_as(d);
	without_what_came_with_7(d);
	make_version(bad_file, 6);
	assert_read_as(d);
	profile_data_free(d);
}

static void a_file_of_version_7_has_no_series(void **state)
{
	struct profile_data *d = sample();

	(void)state;
	write_ok(bad_file, d);
	assert_true(d->n_series && d->n_held && d->n_points);
	assert_read_as(d);
	without_series(d);
	make_version(bad_file, 7);
	assert_read_as(d);
	profile_data_free(d);
}

static void a_file_of_version_8_tells_of_no_pauses(void **state)
{
	struct profile_data *d = sample();

	(void)state;
	write_ok(bad_file, d);
	assert_true(d->unseen.pauses && d->totals.paused_frees && d->slowdown_milli);
	assert_read_as(d);
	without_pauses(d);
	make_version(bad_file, 8);
	assert_read_as(d);
	profile_data_free(d);
}

static void a_file_of_version_9_does_not_tell_the_engine(void **state)
{
	struct profile_data *d = sample();

	(void)state;
	write_ok(bad_file, d);
	assert_int_not_equal(d->engines, 0);
	assert_read_as(d);
	without_engines(d);
	make_version(bad_file, 9);
	assert_read_as(d);
	profile_data_free(d);
}

static void a_file_of_version_10_does_not_tell_what_was_spared(void **state)
{
	struct profile_data *d = sample();

	(void)state;
	write_ok(bad_file, d);
	assert_read_as(d);
	without_spared(d);
	make_version(bad_file, 10);
	assert_read_as(d);
	profile_data_free(d);
}

static void a_file_of_version_11_does_not_tell_whether_it_was_attached_to(void **state)
{
	struct profile_data *d = sample();

	(void)state;
	write_ok(bad_file, d);
	assert_int_not_equal(d->from, PD_FROM_UNKNOWN);
	assert_read_as(d);
	without_from(d);
	make_version(bad_file, 11);
	assert_read_as(d);
	profile_data_free(d);
}

static void a_file_of_version_12_takes_the_peak_for_the_highest_load(void **state)
{
	struct profile_data *d = sample();

	(void)state;
	write_ok(bad_file, d);
	assert_int_not_equal(d->load.missed, d->totals.missed);
	assert_int_not_equal(d->load.max, d->totals.peak_bytes);
	assert_read_as(d);
	without_load(d);
	make_version(bad_file, 12);
	assert_read_as(d);
	profile_data_free(d);
}

/* A change of the schema needs a new version: existing readers know the old one. */
static void the_schema_is_that_of_version_13(void **state)
{
	uint64_t sum = DATAFILE_SUM_START;

	(void)state;
	for (const struct datafile_object *o = datafile_schema; o->type; o++)
		sum = datafile_sum_text(sum, o->sql, strlen(o->sql));
	for (const struct datafile_meta *m = datafile_meta; m->key; m++)
		sum = datafile_sum_text(sum, m->key, strlen(m->key));
	assert_int_equal(DATAFILE_VERSION, 13);
	assert_int_equal(sum, UINT64_C(0x13d54354376fa854));
}

static void a_file_cut_anywhere_is_damaged(void **state)
{
	uint64_t seed = 9;
	size_t n;

	(void)state;
	write_sample();
	unsigned char *bytes = get_file(&n);
	for (size_t i = 0, cut = 0; i < 700; i++) {
		put_file(bytes, cut);
		assert_unreadable(cut < 100 ? -EINVAL : -EUCLEAN,
				  cut < 100 ? "not a data" : "its end");
		cut = i < 200		   ? i
		      : i < 200 + n / 4096 ? (i - 199) * 4096 - 1
					   : random_next(&seed) % n;
	}
	put_file(bytes, n);
	assert_sample();
	free(bytes);
}

/* Truncated, with a header that says that this is all. */
static void a_file_cut_by_an_expert_is_damaged(void **state)
{
	size_t n;

	(void)state;
	write_sample();
	unsigned char *bytes = get_file(&n);
	for (size_t pages = 0; pages < n / 4096; pages++) {
		bytes[30] = (unsigned char)(pages >> 8);
		bytes[31] = (unsigned char)pages;
		put_file(bytes, pages * 4096 < 100 ? 100 : pages * 4096);
		assert_unreadable(-EUCLEAN, "is damaged");
	}
	free(bytes);
}

/* Returns 1 if the file was still readable; then it must say what was written. */
static int survives(const struct profile_data *want)
{
	struct profile_data *d = NULL;
	struct error e = { "" };
	int err = datafile_read(bad_file, &d, &e);

	if (!err)
		assert_profiles_equal(want, d);
	else
		assert_true(err == -EUCLEAN || err == -EINVAL || err == -EPROTONOSUPPORT);
	assert_int_equal(!err, !*e.text);
	/* A sentence for a person, not SQLite's list of what it has found. */
	assert_null(strstr(e.text, "***"));
	assert_null(strstr(e.text, "\\012"));
	profile_data_free(d);
	return !err;
}

static void flipped_bytes_are_found_or_harmless(void **state)
{
	struct profile_data *want = sample();
	uint64_t seed = 77;
	int fine = 0, runs = 1500;
	size_t n;

	(void)state;
	write_sample();
	unsigned char *bytes = get_file(&n), *bad = array(n, 1);
	for (int i = 0; i < runs; i++) {
		memcpy(bad, bytes, n);
		for (uint64_t k = i % 3 ? 1 : 1 + random_next(&seed) % 20; k; k--) {
			/* the schema is in front */
			size_t at = random_next(&seed) % (i % 5 ? n : 4 * 4096);

			bad[at] ^= (unsigned char)(1 + random_next(&seed) % 255);
		}
		put_file(bad, n);
		fine += survives(want);
	}
	print_message("%d of %d changed files were readable, their content "
		      "unchanged\n", fine, runs);
	assert_true(fine < runs * 2 / 3);	/* about half of so small a file is not used */
	free(bytes);
	free(bad);
	profile_data_free(want);
}

/* Each changed value is noticed, in every column of every table. */
static void a_changed_value_is_damage(void **state)
{
	const char *const columns[] = {
		"command.arg", "modules.path", "modules.build_id", "modules.names",
		"functions.name", "functions.linkage", "functions.module", "functions.address",
		"sites.function", "sites.address", "sites.offset", "sites.file", "sites.line",
		"sites.inlined", "sites.guessed", "nodes.parent", "nodes.site", "nodes.resumed",
		"leaves.node", "leaves.size", "leaves.allocs", "leaves.frees", "timeline.time_ns",
		"timeline.churn_bytes", "timeline.live_bytes", "timeline.extra_bytes",
		"timeline.live_blocks", "timeline.peak", "peak.blocks", "labels.label",
		"recorded.min_size", "recorded.max_size", "types.size", "types.name", "types.rank",
		"arcs.caller", "arcs.callee", "arcs.calls", "arcs.bytes_s", "arcs.bytes_m",
		"arcs.bytes_l", "arcs.bytes_x", "meta.key", "meta.value",
	};
	const char *const values[] = {	/* one of another kind than the column's too */
		"CASE typeof(%s) WHEN 'integer' THEN 1 - %s ELSE 'x' END", "x'6162'", "'a text'",
		"CAST(x'610062' AS TEXT)", "-1", "1.5", "9223372036854775807",
	};
	char sql[400], value[200], table[20];

	(void)state;
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		const char *column = strchr(columns[i], '.') + 1;

		snprintf(table, sizeof table, "%.*s", (int)(column - columns[i] - 1), columns[i]);
		for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
			snprintf(value, sizeof value, values[v], column, column);
			snprintf(sql, sizeof sql, "UPDATE %s SET %s = %s WHERE rowid = "
				 "(SELECT rowid FROM %s ORDER BY rowid LIMIT 1 OFFSET "
				 "(SELECT count(*) / 2 FROM "
				 "%s))", table, column, value, table, table);
			change(sql);
			assert_unreadable(-EUCLEAN, "is damaged");
		}
	}
}

static void a_value_of_the_wrong_kind_is_named(void **state)
{
	(void)state;
	change("UPDATE functions SET name = CAST(x'610062' AS TEXT) WHERE id = 7");
	assert_unreadable(-EUCLEAN, "table functions, row 7: a zero byte in a text");
	change("UPDATE modules SET path = x'6162' WHERE id = 1");
	assert_unreadable(-EUCLEAN, "table modules, row 1: not a text");
	change("UPDATE nodes SET resumed = 'many' WHERE id = 70");
	assert_unreadable(-EUCLEAN, "table nodes, row 70: not a number");
	change("UPDATE nodes SET parent = 4294967295 WHERE id = 3");
	assert_unreadable(-EUCLEAN, "table nodes, row 3: number out of range");
	change("UPDATE sites SET line = 4294967296 WHERE id = 3");
	assert_unreadable(-EUCLEAN, "table sites, row 3: number out of range");
	change("UPDATE meta SET value = 4294967296 WHERE key = 'pid'");
	assert_unreadable(-EUCLEAN, "table meta, row 0: number out of range");
	change("UPDATE meta SET value = value + 1 WHERE key = 'peak_bytes'");
	assert_unreadable(-EUCLEAN, "the checksum does not match");
}

static void missing_moved_and_added_rows_are_damage(void **state)
{
	const char *const tables[] = {
		"command", "modules", "functions", "sites", "nodes", "peak", "leaves", "timeline",
		"types", "arcs", "meta",
	};
	char sql[400];

	(void)state;
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		const char *t = tables[i];

		snprintf(sql, sizeof sql, "DELETE FROM %s", t);
		change(sql);
		assert_unreadable(-EUCLEAN, "is damaged");
		snprintf(sql, sizeof sql, "DELETE FROM %s WHERE rowid = 1", t);
		change(sql);
		assert_unreadable(-EUCLEAN, "is damaged");
		snprintf(sql, sizeof sql, "UPDATE %s SET rowid = 10000000 WHERE rowid = 1", t);
		change(sql);
		assert_unreadable(-EUCLEAN, "is damaged");
		snprintf(sql, sizeof sql, "CREATE TEMP TABLE c AS SELECT * FROM %s LIMIT 1;"
			 "INSERT OR REPLACE INTO %s SELECT * FROM c", t, t);
		if (i >= 6) {	/* without an id of its own the row comes once more */
			change(sql);
			assert_unreadable(-EUCLEAN, "is damaged");
		}
	}
}

#define TEST(f) cmocka_unit_test_teardown(f, test_dir_clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_no_data_file_is_refused),
		TEST(a_newer_file_is_told_from_a_damaged_one),
		TEST(a_file_of_version_1_is_read_without_what_came_later),
		TEST(a_file_of_version_3_does_not_tell_what_was_not_seen),
		TEST(a_file_of_version_4_does_not_tell_of_damaged_records),
		TEST(a_file_of_version_5_does_not_tell_of_windows),
		TEST(a_file_of_version_6_does_not_tell_of_what_came_with_7),
		TEST(a_file_of_version_7_has_no_series),
		TEST(a_file_of_version_8_tells_of_no_pauses),
		TEST(a_file_of_version_9_does_not_tell_the_engine),
		TEST(a_file_of_version_10_does_not_tell_what_was_spared),
		TEST(a_file_of_version_11_does_not_tell_whether_it_was_attached_to),
		TEST(a_file_of_version_12_takes_the_peak_for_the_highest_load),
		TEST(the_schema_is_that_of_version_13),
		TEST(a_file_cut_anywhere_is_damaged),
		TEST(a_file_cut_by_an_expert_is_damaged),
		TEST(flipped_bytes_are_found_or_harmless),
		TEST(a_changed_value_is_damage),
		TEST(a_value_of_the_wrong_kind_is_named),
		TEST(missing_moved_and_added_rows_are_damage),
	};

	return cmocka_run_group_tests_name("datafile damage", tests, test_dir_make,
					   test_dir_remove);
}
