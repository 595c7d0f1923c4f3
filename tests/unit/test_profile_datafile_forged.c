/* SPDX-License-Identifier: BSD-2-Clause */
#include "unit/test_profile_datafile.h"

#include "profile/datafile_check.h"
#include "profile/datafile_io.h"
#include "profile/datafile_tables.h"

/* Forged files: the reader trusts none of them, and runs no code from one. */

static void a_schema_that_is_not_ours_is_damage(void **state)
{
	(void)state;
	change("DROP TABLE nodes");
	assert_unreadable(-EUCLEAN, "has no table nodes");
	change("DROP VIEW leaks");
	assert_unreadable(-EUCLEAN, "has no view leaks");
	change("DROP TABLE nodes; CREATE VIEW nodes AS WITH RECURSIVE c(id) AS"
	       " (SELECT 0 UNION ALL SELECT id + 1 FROM c) SELECT id, 0 AS parent, 0 AS site,"
	       " 0 AS resumed FROM c");
	assert_unreadable(-EUCLEAN, "table nodes is not mprof's");
	change("DROP TABLE nodes; CREATE VIRTUAL TABLE nodes USING fts5(parent, site, resumed)");
	assert_unreadable(-EUCLEAN, "table nodes is not mprof's");
	change("ALTER TABLE nodes ADD COLUMN x INTEGER AS (length(zeroblob(1000000000)))");
	assert_unreadable(-EUCLEAN, "table nodes is not mprof's");
	change("PRAGMA writable_schema=ON; UPDATE sqlite_schema SET rootpage = 1 WHERE name = "
	       "'nodes'");
	assert_unreadable(-EUCLEAN, "is damaged");
	change("PRAGMA writable_schema=ON; UPDATE sqlite_schema SET rootpage ="
	       " (SELECT rootpage FROM sqlite_schema WHERE name = 'leaves') WHERE name = 'nodes'");
	assert_unreadable(-EUCLEAN, "is damaged");
	change("PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = 'CREATE TABLE nodes(x'"
	       " WHERE name = 'nodes'");
	assert_unreadable(-EUCLEAN, "is damaged");
}

static void what_somebody_adds_is_let_alone(void **state)
{
	(void)state;
	change("CREATE INDEX i ON nodes(id, parent, site, resumed); CREATE TABLE notes(x);"
	       "CREATE VIEW mine AS SELECT * FROM leaks; CREATE INDEX j ON leaves(node);"
	       "CREATE TRIGGER t AFTER UPDATE ON nodes BEGIN DELETE FROM nodes; END");
	assert_sample();
	change("PRAGMA page_size=512; VACUUM");
	assert_sample();
	change("PRAGMA page_size=65536; VACUUM");
	assert_sample();
	assert_int_equal(entries("."), 1);
}

/* An index whose content is not the table's could answer in its place. */
static void an_index_that_lies_is_not_used(void **state)
{
	(void)state;
	change("CREATE INDEX i ON nodes(id, parent, site, resumed); PRAGMA writable_schema=ON;"
	       "CREATE TABLE lie(id INTEGER PRIMARY KEY, parent, site, resumed);"
	       "INSERT INTO lie SELECT id, parent, site, 99 FROM nodes;"
	       "CREATE INDEX k ON lie(id, parent, site, resumed);"
	       "UPDATE sqlite_schema AS a SET rootpage = b.rootpage FROM sqlite_schema b"
	       " WHERE (a.name, b.name) IN (VALUES('i', 'k'), ('k', 'i'))");
	assert_sample();
}

/* Every child of the root of the table is made the same page: a small file with many rows. */
static void pages_used_twice_are_damage(void **state)
{
	struct profile_data *d = random_profile(20, 60, 20000, 5);
	sqlite3 *db;
	sqlite3_stmt *row;
	size_t n;

	(void)state;
	write_ok(bad_file, d);
	profile_data_free(d);
	assert_int_equal(sqlite3_open(bad_file, &db), SQLITE_OK);
	sqlite3_prepare_v2(db, "SELECT rootpage FROM sqlite_schema WHERE name = "
			       "'leaves'", -1, &row, NULL);
	assert_int_equal(sqlite3_step(row), SQLITE_ROW);
	size_t root = (size_t)sqlite3_column_int(row, 0);
	sqlite3_finalize(row);
	sqlite3_close(db);
	unsigned char *bytes = get_file(&n), *page = bytes + (root - 1) * 4096;
	assert_int_equal(page[0], 5);	/* an interior page of a table */
	size_t cells = (size_t)page[3] << 8 | page[4], first = (size_t)page[12] << 8 | page[13];
	for (size_t i = 1; i < cells; i++) {
		size_t at = (size_t)page[12 + 2 * i] << 8 | page[13 + 2 * i];

		memcpy(page + at, page + first, 4);
	}
	put_file(bytes, n);
	free(bytes);
	assert_unreadable(-EUCLEAN, "is damaged");
}

/* Visiting all rows would compute a column of the forger's, to see that it is not NULL. */
static void more_work_than_the_size_is_worth_is_damage(void **state)
{
	char sql[2000] = "CREATE TABLE trap(x, y NOT NULL AS (x",
	     insert[] =
		     ")); INSERT INTO trap WITH "
		     "RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 300000) "
		     "SELECT i FROM c";

	(void)state;
	for (int i = 0; i < 9; i++)
		strcat(sql, "+(x+x+x+x+x+x+x+x+x+x)");
	strcat(sql, insert);
	change(sql);
	assert_unreadable(-EUCLEAN, "more work than a file of its size is worth");
}

/* A file with a right checksum over what cannot be. */
static void forge(const struct profile_data *d)
{
	struct datafile_io io;
	sqlite3 *db;
	int fd = open(bad_file, O_RDWR | O_CREAT | O_TRUNC, 0666);

	assert_true(fd >= 0);
	assert_int_equal(datafile_io_open(&io, fd, false, &db), SQLITE_OK);
	assert_int_equal(datafile_put_tables(db, d), SQLITE_OK);
	datafile_io_close(&io, db);
	close(fd);
}

/* Forges what @expression makes of the sample. */
#define ASSERT_FORGED(expression, words) do { \
	struct profile_data *d = sample(); \
	uint32_t last = (uint32_t)d->n_nodes - 1; \
	(void)last; \
	(void)(expression); \
	forge(d); \
	assert_unreadable(-EUCLEAN, words); \
	struct error e; \
	assert_int_equal(datafile_check(d, &e), -EUCLEAN); \
	profile_data_free(d); \
} while (0)

/* A leaf that blocks hang on. */
static struct pd_leaf *a_head(struct profile_data *d)
{
	size_t i = 0;

	while (i < d->n_leaves && !d->leaves[i].hanging.blocks)
		i++;
	assert_true(i < d->n_leaves);
	return &d->leaves[i];
}

static void forged_content_is_refused(void **state)
{
	(void)state;
	ASSERT_FORGED(d->functions[3].module = 3, "function 3: there is no such module");
	ASSERT_FORGED(d->sites[4].inlined = 2, "site 4: inlined");
	ASSERT_FORGED(d->sites[4].guessed = 2, "site 4: guessed");
	ASSERT_FORGED(d->nodes[9].parent = 9, "node 9: its parent does not precede it");
	ASSERT_FORGED(d->nodes[9].parent = 10, "node 9: its parent does not precede it");
	ASSERT_FORGED(d->leaves[2].frees = d->leaves[2].allocs + 1, "leaf 2: more frees");
	ASSERT_FORGED(d->leaves[2].node = d->leaves[1].node = last, "is out of order");
	ASSERT_FORGED((d->leaves[1].node = d->leaves[0].node, d->leaves[1].size = d->leaves[0].size,
		       d->leaves[1].label = d->leaves[0].label),
		      "leaf 1: it is out of order");
	ASSERT_FORGED(d->leaves[1].label = 5, "leaf or label");
	ASSERT_FORGED(d->leaves[0].size = UINT64_MAX, "leaf 0: the sum is more than 64 bits");
	ASSERT_FORGED(d->leaves[0].allocs = UINT64_MAX, "64 bits");
	ASSERT_FORGED(d->totals.allocs++, "the leaves add up to");
	ASSERT_FORGED(d->totals.alloc_bytes--, "the leaves add up to");
	ASSERT_FORGED(d->totals.frees++, "the leaves add up to");
	ASSERT_FORGED(d->totals.free_bytes++, "the leaves add up to");
	ASSERT_FORGED(d->totals.inherited_frees = d->totals.unknown_frees + 1, "inherited");
	ASSERT_FORGED(d->leaves[2].at_peak = d->leaves[2].allocs + 1, "leaf 2: more blocks at the "
								      "peak");
	ASSERT_FORGED(d->leaves[4].at_peak--, "the blocks at the peak add up to");
	ASSERT_FORGED(d->points[7].time_ns = 0, "point 7: it is out of order");
	ASSERT_FORGED(d->points[7].live_bytes = UINT64_MAX, "point 7: it is above the peak");
	ASSERT_FORGED(d->points[7].extra_bytes = UINT64_MAX, "point 7: the sum");
	ASSERT_FORGED(d->points[7].peak = 2, "point 7: peak is neither");
	ASSERT_FORGED(d->points[7].peak = 1, "point 7: it is not the peak");
	ASSERT_FORGED(d->points[20].live_bytes--, "point 20: it is not the peak");
	ASSERT_FORGED(d->series[7].time_ns = 0, "point of the series 7: it is out of order");
	ASSERT_FORGED(d->series[7].allocs = 0, "point of the series 7: it is out of order");
	ASSERT_FORGED(d->series[7].live_bytes = UINT64_MAX, "series 7: it is above the peak");
	ASSERT_FORGED(d->series[7].live_blocks = 8, "series 7: more blocks than requests");
	ASSERT_FORGED(d->series[59].allocs = UINT64_MAX, "series 59: more blocks than requests");
	ASSERT_FORGED(d->series[7].peak = 2, "series 7: peak is neither");
	ASSERT_FORGED(d->series[7].peak = 1, "series 7: it is not the peak");
	ASSERT_FORGED(d->series[31] = d->series[30], "series 31: it is not the peak");
	ASSERT_FORGED(d->held[7].point = 60, "held 7: there is no such point");
	ASSERT_FORGED(d->held[7].site = (uint32_t)d->n_sites, "held 7: there is no such point");
	ASSERT_FORGED(d->held[7] = d->held[6], "held 7: it is out of order");
	ASSERT_FORGED(d->held[7].bytes = 0, "held 7: it is nothing");
	ASSERT_FORGED(d->held[7].bytes++, "held 7: it is nothing, or more than was live");
	ASSERT_FORGED(d->held[7].bytes = UINT64_MAX, "held 7: it is nothing, or more");
	ASSERT_FORGED(d->window_ns = 0, "windows of 0 ns");
	ASSERT_FORGED(d->window_ns = UINT64_MAX / 63, "there are 40 windows of");
	ASSERT_FORGED(d->windows[1].i = 40, "window 1: it is not over");
	ASSERT_FORGED(d->windows[1].i = d->windows[0].i, "window 1: it is out of order");
	ASSERT_FORGED(d->windows[2].node = 0, "window 2: it is out of order");
	ASSERT_FORGED(d->windows[0].low = 99, "window 0: its floor is above its ceiling");
	ASSERT_FORGED(d->windows[0].low_bytes = 11, "window 0: its floor is above its ceiling");
	ASSERT_FORGED(d->windows[0].births = UINT64_MAX, "window 0: more births than requests");
	ASSERT_FORGED(d->survivors[0].i = 40, "survivor 0: its window is not over");
	ASSERT_FORGED(d->survivors[1].node = 0, "survivor 1: it is out of order");
	ASSERT_FORGED(d->survivors[0].blocks = d->totals.allocs, "survivor 0: more survivors");
	ASSERT_FORGED(d->before.how = 3, "no such way to look");
	ASSERT_FORGED(d->before.how = 1, "more is told of what was before");
	ASSERT_FORGED(d->before.bins[3].usable = d->before.bins[2].usable,
		      "size before 3: it is out of order");
	ASSERT_FORGED(d->before.bins[3].freed = d->before.bins[3].blocks,
		      "size before 3: more blocks are gone");
	ASSERT_FORGED(d->before.bins[3].missed = UINT64_MAX, "size before 3: more blocks are gone");
	ASSERT_FORGED(d->before.bins[29].usable = UINT64_MAX, "size before 29: the sum");
	ASSERT_FORGED(d->before.blocks++, "does not add up");
	ASSERT_FORGED(d->before.bytes++, "does not add up");
	ASSERT_FORGED(d->before.freed_bytes++, "does not add up");
	ASSERT_FORGED(d->before.missed++, "does not add up");
	ASSERT_FORGED(d->before.missed_bytes++, "does not add up");
	ASSERT_FORGED(d->totals.before_frees++, "does not add up");
	ASSERT_FORGED(d->rss[1].rss = UINT64_MAX, "row of rss 2: the sum");
	ASSERT_FORGED(d->totals.truncated_cut++, "more reasons for truncated chains");
	ASSERT_FORGED(d->spared.lifetimes = 1, "it tells of what was spared");
	ASSERT_FORGED(d->spared.timeline = 1, "it tells of what was spared");
	ASSERT_FORGED(d->spared.timeline = 2, "what was spared is neither");
	ASSERT_FORGED(d->engines = 8, "there are no such engines as 0x8");
	ASSERT_FORGED(d->load.missed = 3, "more blocks in the load than were missed");
	ASSERT_FORGED(d->load.missed_bytes = 4, "more blocks in the load than were missed");
	ASSERT_FORGED(d->from = 3, "there is no such beginning as 3");
	ASSERT_FORGED(d->reach.known = 2, "more is told of what is lost");
	ASSERT_FORGED(d->reach.sums[PD_POSSIBLE].blocks -= 4,
		      "more of its blocks are lost than were");
	ASSERT_FORGED(d->reach.sums[PD_LOST].blocks = 0, "class of reach 0: blocks without bytes");
	ASSERT_FORGED(d->reach.sums[PD_REACHABLE].bytes = 0, "class of reach 3: blocks without");
	ASSERT_FORGED(d->reach.sums[PD_LOST_THROUGH].bytes++, "class of reach 3: the sum is more");
	ASSERT_FORGED(d->reach.sums[PD_LOST].blocks = UINT64_MAX, "class of reach 1: the sum");
	ASSERT_FORGED(d->reach.freed++, "more is lost and freed than was lost");
	ASSERT_FORGED(d->reach.sums[PD_LOST_THROUGH].blocks--, "more is lost and freed than was");
	ASSERT_FORGED(d->reach.known = 0, "more of its blocks are lost than there are");
	ASSERT_FORGED(d->leaves[0].reach[PD_POSSIBLE] = d->leaves[0].allocs + 1,
		      "leaf 0: more of its blocks are lost than there are");
	ASSERT_FORGED(d->leaves[0].reach[PD_LOST] = UINT64_MAX,
		      "leaf 0: more of its blocks are lost than there are");
	ASSERT_FORGED(a_head(d)->reach[PD_LOST] = 0, "more of its blocks are lost than there are");
	ASSERT_FORGED(a_head(d)->hanging.blocks = d->reach.sums[PD_LOST_THROUGH].blocks + 1,
		      "more hangs on its blocks than is lost");
	ASSERT_FORGED(a_head(d)->hanging.bytes = d->reach.sums[PD_LOST_THROUGH].bytes + 1,
		      "more hangs on its blocks than is lost");
	ASSERT_FORGED(d->site_types[0].node = UINT32_MAX, "type of a site 0: there is no such");
	ASSERT_FORGED(d->site_types[1].certain = 2, "type of a site 1: it makes no sense");
	ASSERT_FORGED(d->site_types[1].name[0] = '\0', "type of a site 1: it makes no sense");
	ASSERT_FORGED(d->site_types[1].node = d->site_types[0].node, "type of a site 1: it is");
	ASSERT_FORGED(d->site_types[2].node = 0, "type of a site 2: it is out of order");
	ASSERT_FORGED(d->types[3].rank = 0, "type 3: it is out of order");
	ASSERT_FORGED(d->types[4].size = 0, "type 4: it is out of order");
	ASSERT_FORGED(strcpy(d->types[1].name, d->types[0].name), "type 1: it is out of order");
	ASSERT_FORGED(strcpy(d->types[2].name, d->types[0].name), "its name is there twice");
}

#define TEST(f) cmocka_unit_test_teardown(f, test_dir_clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_schema_that_is_not_ours_is_damage),
		TEST(what_somebody_adds_is_let_alone),
		TEST(an_index_that_lies_is_not_used),
		TEST(pages_used_twice_are_damage),
		TEST(more_work_than_the_size_is_worth_is_damage),
		TEST(forged_content_is_refused),
	};

	return cmocka_run_group_tests_name("datafile forged", tests, test_dir_make,
					   test_dir_remove);
}
