/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/datafile_schema.h"

#include <string.h>

/*
 * Rows are as short as they can be while still being readable in SQL. There is no index but the
 * row ids, because a tree of a million nodes must not take more than 64 MB. The views scan nodes or
 * leaves once and look up everything else by row id.
 *
 * Any change here, even of a blank, needs a new DATAFILE_VERSION: the reader compares the text.
 */
const struct datafile_object datafile_schema[] = {
	{ "table", "meta", "CREATE TABLE meta(key TEXT NOT NULL, value INTEGER NOT NULL)", 0 },
	{ "table", "command", "CREATE TABLE command(i INTEGER PRIMARY KEY, arg TEXT NOT NULL)", 0 },
	{ "table", "modules",
	  "CREATE TABLE modules(id INTEGER PRIMARY KEY, path TEXT NOT NULL,\n"
	  "  build_id TEXT NOT NULL, names TEXT NOT NULL)", 0 },
	{ "table", "functions",
	  "CREATE TABLE functions(id INTEGER PRIMARY KEY, name TEXT NOT NULL, linkage TEXT,\n"
	  "  module INTEGER REFERENCES modules, address INTEGER NOT NULL)", 0 },
	{ "table", "sites",
	  "CREATE TABLE sites(id INTEGER PRIMARY KEY, function INTEGER NOT NULL REFERENCES "
	  "functions,\n"
	  "  address INTEGER NOT NULL, offset INTEGER NOT NULL, file TEXT, line INTEGER NOT NULL,\n"
	  "  inlined INTEGER NOT NULL, exact INTEGER NOT NULL, guessed INTEGER NOT NULL)", 0 },
	{ "table", "nodes",
	  "CREATE TABLE nodes(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES nodes,\n"
	  "  site INTEGER REFERENCES sites, resumed INTEGER NOT NULL)", 0 },
	{ "table", "leaves",
	  "CREATE TABLE leaves(node INTEGER NOT NULL REFERENCES nodes, size INTEGER NOT NULL,\n"
	  "  allocs INTEGER NOT NULL, frees INTEGER NOT NULL)", 0 },
	{ "table", "lifetimes",
	  "CREATE TABLE lifetimes(node INTEGER NOT NULL REFERENCES nodes, axis INTEGER NOT NULL,\n"
	  "  bucket INTEGER NOT NULL, blocks INTEGER NOT NULL)", 2 },
	{ "table", "timeline",
	  "CREATE TABLE timeline(time_ns INTEGER NOT NULL, churn_bytes INTEGER NOT NULL,\n"
	  "  live_bytes INTEGER NOT NULL, extra_bytes INTEGER NOT NULL, live_blocks INTEGER NOT "
	  "NULL,\n"
	  "  peak INTEGER NOT NULL)", 2 },
	{ "table", "peak",
	  "CREATE TABLE peak(leaf INTEGER PRIMARY KEY, blocks INTEGER NOT NULL)", 2 },
	{ "table", "labels",
	  "CREATE TABLE labels(leaf INTEGER PRIMARY KEY, label INTEGER NOT NULL)", 3 },
	{ "table", "recorded",
	  "CREATE TABLE recorded(min_size INTEGER NOT NULL, max_size INTEGER NOT NULL)", 3 },
	{ "table", "windows",
	  "CREATE TABLE windows(node INTEGER NOT NULL REFERENCES nodes, i INTEGER NOT NULL,\n"
	  "  low INTEGER NOT NULL, high INTEGER NOT NULL, births INTEGER NOT NULL,\n"
	  "  low_bytes INTEGER NOT NULL, high_bytes INTEGER NOT NULL)", 6 },
	{ "table", "survivors",
	  "CREATE TABLE survivors(node INTEGER NOT NULL REFERENCES nodes, i INTEGER NOT NULL,\n"
	  "  blocks INTEGER NOT NULL, bytes INTEGER NOT NULL)", 6 },
	/* Derived from the windows, by a rule that SQL cannot express. */
	{ "table", "verdicts",
	  "CREATE TABLE verdicts(node INTEGER NOT NULL REFERENCES nodes, name TEXT NOT NULL,\n"
	  "  z REAL NOT NULL, gain REAL NOT NULL, stays REAL NOT NULL, bytes_hour REAL NOT "
	  "NULL,\n"
	  "  since_ns INTEGER NOT NULL)", 6 },
	{ "table", "before",
	  "CREATE TABLE before(usable INTEGER NOT NULL, blocks INTEGER NOT NULL,\n"
	  "  freed INTEGER NOT NULL, missed INTEGER NOT NULL)", 7 },
	{ "table", "reach",
	  "CREATE TABLE reach(leaf INTEGER NOT NULL, class INTEGER NOT NULL,\n"
	  "  blocks INTEGER NOT NULL, bytes INTEGER NOT NULL)", 7 },
	{ "table", "hanging",
	  "CREATE TABLE hanging(leaf INTEGER NOT NULL, blocks INTEGER NOT NULL,\n"
	  "  bytes INTEGER NOT NULL)", 7 },
	{ "table", "rss",
	  "CREATE TABLE rss(row TEXT NOT NULL, rss INTEGER NOT NULL, pss INTEGER NOT NULL)", 7 },
	{ "table", "site_types",
	  "CREATE TABLE site_types(node INTEGER NOT NULL REFERENCES nodes, how TEXT NOT NULL,\n"
	  "  certain INTEGER NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL)", 7 },
	{ "table", "series",
	  "CREATE TABLE series(id INTEGER PRIMARY KEY, time_ns INTEGER NOT NULL,\n"
	  "  live_bytes INTEGER NOT NULL, live_blocks INTEGER NOT NULL, allocs INTEGER NOT NULL,\n"
	  "  peak INTEGER NOT NULL)", 8 },
	{ "table", "held",
	  "CREATE TABLE held(point INTEGER NOT NULL REFERENCES series,\n"
	  "  site INTEGER NOT NULL REFERENCES sites, bytes INTEGER NOT NULL)", 8 },
	{ "table", "types",
	  "CREATE TABLE types(size INTEGER NOT NULL, name TEXT NOT NULL, rank INTEGER NOT "
	  "NULL)", 0 },
	/*
	 * Derived, too: sums of other tables. SQL could climb from every leaf to its root, but that
	 * takes leaves x depth steps, a minute for deep trees, and finding a node's children needs
	 * an index, which would be larger than this table.
	 */
	{ "table", "arcs",
	  "CREATE TABLE arcs(caller INTEGER NOT NULL REFERENCES functions,\n"
	  "  callee INTEGER NOT NULL REFERENCES functions, calls INTEGER NOT NULL,\n"
	  "  bytes_s INTEGER NOT NULL, bytes_m INTEGER NOT NULL, bytes_l INTEGER NOT NULL,\n"
	  "  bytes_x INTEGER NOT NULL)", 0 },
	/* DISTINCT over a window: the only documented way to order group_concat() before SQLite
	 * 3.44. */
	{ "view", "bins",
	  "CREATE VIEW bins(size, allocs, bytes, frees, kept_bytes, types) AS\n"
	  "WITH names(size, list) AS MATERIALIZED (\n"
	  "  SELECT DISTINCT size, group_concat(name, ', ') OVER (PARTITION BY size\n"
	  "    ORDER BY rank, name ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)\n"
	  "  FROM types),\n"
	  "sums(size, allocs, frees) AS MATERIALIZED (\n"
	  "  SELECT size, sum(allocs), sum(frees) FROM leaves GROUP BY size)\n"
	  "SELECT s.size, allocs, allocs * s.size, frees, (allocs - frees) * s.size, "
	  "coalesce(list, '')\n"
	  "FROM sums s LEFT JOIN names n ON n.size = s.size ORDER BY s.size", 0 },
	/*
	 * f0 is the innermost function; names are looked up for the leaking paths only. Lost blocks
	 * are NULL, not 0, if nobody has looked for them.
	 */
	{ "view", "leaks",
	  "CREATE VIEW leaks(kept_bytes, allocs, bytes, frees, freed_bytes, truncated, path,\n"
	  "  lost_blocks, lost_bytes, lost_through_blocks, lost_through_bytes, possible_blocks,\n"
	  "  possible_bytes) AS\n"
	  "WITH marked(leaf, ln, lb, tn, tb, pn, pb) AS MATERIALIZED (\n"
	  "  SELECT leaf, sum(iif(class = 0, blocks, 0)), sum(iif(class = 0, bytes, 0)),\n"
	  "    sum(iif(class = 1, blocks, 0)), sum(iif(class = 1, bytes, 0)),\n"
	  "    sum(iif(class = 2, blocks, 0)), sum(iif(class = 2, bytes, 0))\n"
	  "  FROM reach GROUP BY leaf),\n"
	  "ends(node, allocs, bytes, frees, freed, ln, lb, tn, tb, pn, pb) AS MATERIALIZED (\n"
	  "  SELECT node, sum(allocs), sum(allocs * size), sum(frees), sum(frees * size),\n"
	  "    sum(ln), sum(lb), sum(tn), sum(tb), sum(pn), sum(pb)\n"
	  "  FROM leaves l LEFT JOIN marked ON leaf = l.rowid GROUP BY node),\n"
	  "paths(allocs, bytes, frees, freed, ln, lb, tn, tb, pn, pb,\n"
	  "  whole, f4, f3, f2, f1, f0) AS MATERIALIZED (\n"
	  "  SELECT sum(allocs), sum(bytes), sum(frees), sum(freed),\n"
	  "    sum(ln), sum(lb), sum(tn), sum(tb), sum(pn), sum(pb),\n"
	  "    coalesce(0 IN (n0.id, n0.parent, n1.parent, n2.parent, n3.parent, n4.parent), 0) AS "
	  "whole,\n"
	  "    s4.function AS f4, s3.function AS f3, s2.function AS f2, s1.function AS f1,\n"
	  "    s0.function AS f0\n"
	  "  FROM ends CROSS JOIN nodes n0 ON n0.id = ends.node\n"
	  "    LEFT JOIN sites s0 ON s0.id = n0.site\n"
	  "    LEFT JOIN nodes n1 ON n1.id = n0.parent LEFT JOIN sites s1 ON s1.id = n1.site\n"
	  "    LEFT JOIN nodes n2 ON n2.id = n1.parent LEFT JOIN sites s2 ON s2.id = n2.site\n"
	  "    LEFT JOIN nodes n3 ON n3.id = n2.parent LEFT JOIN sites s3 ON s3.id = n3.site\n"
	  "    LEFT JOIN nodes n4 ON n4.id = n3.parent LEFT JOIN sites s4 ON s4.id = n4.site\n"
	  "  GROUP BY whole, f4, f3, f2, f1, f0 HAVING sum(allocs) > sum(frees)),\n"
	  "named AS MATERIALIZED (\n"
	  "  SELECT p.*, g4.name AS g4, g3.name AS g3, g2.name AS g2, g1.name AS g1, g0.name AS "
	  "g0,\n"
	  "    coalesce(' > ' || g4.name, '') || coalesce(' > ' || g3.name, '') ||\n"
	  "    coalesce(' > ' || g2.name, '') || coalesce(' > ' || g1.name, '') ||\n"
	  "    coalesce(' > ' || g0.name, '') AS list\n"
	  "  FROM paths p LEFT JOIN functions g0 ON g0.id = f0 LEFT JOIN functions g1 ON g1.id = "
	  "f1\n"
	  "    LEFT JOIN functions g2 ON g2.id = f2 LEFT JOIN functions g3 ON g3.id = f3\n"
	  "    LEFT JOIN functions g4 ON g4.id = f4)\n"
	  "SELECT bytes - freed, allocs, bytes, frees, freed, NOT whole,\n"
	  "  iif(whole, '||' || list, '...' || substr(list, 2)),\n"
	  "  iif(known, coalesce(ln, 0), NULL), iif(known, coalesce(lb, 0), NULL),\n"
	  "  iif(known, coalesce(tn, 0), NULL), iif(known, coalesce(tb, 0), NULL),\n"
	  "  iif(known, coalesce(pn, 0), NULL), iif(known, coalesce(pb, 0), NULL)\n"
	  "FROM named CROSS JOIN (SELECT value AS known FROM meta WHERE key = 'reach_known')\n"
	  "ORDER BY bytes - freed DESC, (f0 IS NOT NULL) + (f1 IS NOT NULL) +\n"
	  "  (f2 IS NOT NULL) + (f3 IS NOT NULL) + (f4 IS NOT NULL),\n"
	  "  g4, g3, g2, g1, g0, f4, f3, f2, f1, f0, whole", 7 },
	{ "view", "direct",
	  "CREATE VIEW direct(function, bytes, bytes_s, bytes_m, bytes_l, bytes_x,\n"
	  "  kept, kept_s, kept_m, kept_l, kept_x, calls) AS\n"
	  "WITH sums AS MATERIALIZED (\n"
	  "  SELECT s.function AS id, sum(allocs) AS calls,\n"
	  "    sum(iif(size <= 32, allocs * size, 0)) AS s,\n"
	  "    sum(iif(size > 32 AND size <= 256, allocs * size, 0)) AS m,\n"
	  "    sum(iif(size > 256 AND size <= 2048, allocs * size, 0)) AS l,\n"
	  "    sum(iif(size > 2048, allocs * size, 0)) AS x,\n"
	  "    sum(iif(size <= 32, (allocs - frees) * size, 0)) AS ks,\n"
	  "    sum(iif(size > 32 AND size <= 256, (allocs - frees) * size, 0)) AS km,\n"
	  "    sum(iif(size > 256 AND size <= 2048, (allocs - frees) * size, 0)) AS kl,\n"
	  "    sum(iif(size > 2048, (allocs - frees) * size, 0)) AS kx\n"
	  "  FROM leaves CROSS JOIN nodes n ON n.id = node CROSS JOIN sites s ON s.id = n.site\n"
	  "  GROUP BY s.function)\n"
	  "SELECT name, s + m + l + x, s, m, l, x, ks + km + kl + kx, ks, km, kl, kx, calls\n"
	  "FROM sums JOIN functions f ON f.id = sums.id\n"
	  "ORDER BY s + m + l + x DESC, name, module, address", 0 },
	{ "view", "callgraph",
	  "CREATE VIEW callgraph(caller, callee, calls, bytes, bytes_s, bytes_m, bytes_l, "
	  "bytes_x,\n"
	  "  recursion) AS\n"
	  "SELECT f.name, g.name, calls, bytes_s + bytes_m + bytes_l + bytes_x,\n"
	  "  bytes_s, bytes_m, bytes_l, bytes_x, caller = callee\n"
	  "FROM arcs CROSS JOIN functions f ON f.id = caller CROSS JOIN functions g ON g.id = "
	  "callee\n"
	  "ORDER BY bytes_s + bytes_m + bytes_l + bytes_x DESC, f.name, g.name, caller, "
	  "callee", 0 },
	{ NULL, NULL, NULL, 0 },
};

#define MEMBER_SINCE(version, key, m) \
	{ key, offsetof(struct profile_data, m), sizeof ((struct profile_data *)0)->m, version }
#define MEMBER(key, m) MEMBER_SINCE(0, key, m)

const struct datafile_meta datafile_meta[] = {
	MEMBER("pid", pid),
	MEMBER("program", program),
	MEMBER("started_ns", started_ns),
	MEMBER("ended_ns", ended_ns),
	MEMBER("allocs", totals.allocs),
	MEMBER("alloc_bytes", totals.alloc_bytes),
	MEMBER("frees", totals.frees),
	MEMBER("free_bytes", totals.free_bytes),
	MEMBER("peak_bytes", totals.peak_bytes),
	MEMBER("failed_allocs", totals.failed_allocs),
	MEMBER("unknown_frees", totals.unknown_frees),
	MEMBER("inherited_frees", totals.inherited_frees),
	MEMBER_SINCE(7, "before_frees", totals.before_frees),
	MEMBER_SINCE(9, "missed", totals.missed),
	MEMBER_SINCE(9, "missed_bytes", totals.missed_bytes),
	MEMBER_SINCE(9, "paused_frees", totals.paused_frees),
	MEMBER_SINCE(9, "pauses", unseen.pauses),
	MEMBER_SINCE(9, "paused_ns", unseen.paused_ns),
	MEMBER_SINCE(9, "slowdown_milli", slowdown_milli),
	MEMBER_SINCE(10, "engines", engines),
	MEMBER_SINCE(12, "profiled_from", from),
	MEMBER_SINCE(11, "truncated_cut", totals.truncated_cut),
	MEMBER_SINCE(11, "spared_lifetimes", spared.lifetimes),
	MEMBER_SINCE(11, "spared_timeline", spared.timeline),
	MEMBER_SINCE(11, "spared_depth", spared.depth),
	MEMBER("truncated_chains", totals.truncated_chains),
	MEMBER("truncated_no_cfi", totals.truncated_no_cfi),
	MEMBER("truncated_unreadable", totals.truncated_unreadable),
	MEMBER("truncated_too_deep", totals.truncated_too_deep),
	MEMBER_SINCE(2, "load_begin_ns", load.begin_ns),
	MEMBER_SINCE(2, "load_end_ns", load.end_ns),
	MEMBER_SINCE(2, "load_total_high", load.total_high),
	MEMBER_SINCE(2, "load_total_low", load.total_low),
	MEMBER_SINCE(2, "malloc_calls", load.mallocs),
	MEMBER_SINCE(2, "calloc_calls", load.callocs),
	MEMBER_SINCE(2, "realloc_calls", load.reallocs),
	MEMBER_SINCE(2, "free_calls", load.frees),
	MEMBER_SINCE(2, "stamps", load.stamps),
	MEMBER_SINCE(2, "replaced", load.replaced),
	MEMBER_SINCE(13, "load_missed", load.missed),
	MEMBER_SINCE(13, "load_missed_bytes", load.missed_bytes),
	MEMBER_SINCE(13, "load_max", load.max),
	MEMBER_SINCE(4, "lost", unseen.lost),
	MEMBER_SINCE(4, "lost_unreadable", unseen.lost_unreadable),
	MEMBER_SINCE(4, "doubtful", unseen.doubtful),
	MEMBER_SINCE(4, "other_requests", unseen.other_requests),
	MEMBER_SINCE(4, "other_frees", unseen.other_frees),
	MEMBER_SINCE(4, "taken", unseen.taken),
	MEMBER_SINCE(4, "untrapped", unseen.untrapped),
	MEMBER_SINCE(5, "lost_damaged", unseen.lost_damaged),
	MEMBER_SINCE(6, "window_ns", window_ns),
	MEMBER_SINCE(6, "windows_over", windows_over),
	MEMBER_SINCE(7, "before_how", before.how),
	MEMBER_SINCE(7, "before_blocks", before.blocks),
	MEMBER_SINCE(7, "before_bytes", before.bytes),
	MEMBER_SINCE(7, "before_freed_bytes", before.freed_bytes),
	MEMBER_SINCE(7, "before_missed", before.missed),
	MEMBER_SINCE(7, "before_missed_bytes", before.missed_bytes),
	MEMBER_SINCE(7, "walk_ns", before.walk_ns),
	MEMBER_SINCE(7, "reach_known", reach.known),
	MEMBER_SINCE(7, "lost_blocks", reach.sums[PD_LOST].blocks),
	MEMBER_SINCE(7, "lost_bytes", reach.sums[PD_LOST].bytes),
	MEMBER_SINCE(7, "lost_through_blocks", reach.sums[PD_LOST_THROUGH].blocks),
	MEMBER_SINCE(7, "lost_through_bytes", reach.sums[PD_LOST_THROUGH].bytes),
	MEMBER_SINCE(7, "possible_blocks", reach.sums[PD_POSSIBLE].blocks),
	MEMBER_SINCE(7, "possible_bytes", reach.sums[PD_POSSIBLE].bytes),
	MEMBER_SINCE(7, "reachable_blocks", reach.sums[PD_REACHABLE].blocks),
	MEMBER_SINCE(7, "reachable_bytes", reach.sums[PD_REACHABLE].bytes),
	MEMBER_SINCE(7, "lost_and_freed", reach.freed),
	MEMBER_SINCE(7, "lost_inherited", reach.inherited),
	MEMBER("memory_paths", memory.paths),
	MEMBER("memory_functions", memory.functions),
	MEMBER("memory_counters", memory.counters),
	MEMBER("memory_links", memory.links),
	{ NULL, 0, 0, 0 },
};

uint64_t datafile_meta_get(const struct datafile_meta *m, const struct profile_data *d)
{
	uint32_t narrow;
	uint64_t wide;

	if (m->width == sizeof wide) {
		memcpy(&wide, (const char *)d + m->offset, sizeof wide);
		return wide;
	}
	memcpy(&narrow, (const char *)d + m->offset, sizeof narrow);
	return narrow;
}

bool datafile_meta_set(const struct datafile_meta *m, struct profile_data *d, uint64_t value)
{
	uint32_t narrow = (uint32_t)value;

	if (m->width == sizeof value) {
		memcpy((char *)d + m->offset, &value, sizeof value);
		return true;
	}
	memcpy((char *)d + m->offset, &narrow, sizeof narrow);
	return narrow == value;
}

static uint64_t sum_word(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return sum ^ sum >> 32;
}

uint64_t datafile_sum_null(uint64_t sum)
{
	return sum_word(sum, 1);
}

uint64_t datafile_sum_int(uint64_t sum, uint64_t value)
{
	return sum_word(sum_word(sum, 2), value);
}

uint64_t datafile_sum_real(uint64_t sum, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return sum_word(sum_word(sum, 4), bits);
}

uint64_t datafile_sum_text(uint64_t sum, const char *text, size_t len)
{
	sum = sum_word(sum_word(sum, 3), len);
	for (size_t at = 0; at < len; at += 8) {
		uint64_t word = 0;

		for (size_t i = 0; i < 8 && at + i < len; i++)
			word |= (uint64_t)(unsigned char)text[at + i] << 8 * i;
		sum = sum_word(sum, word);
	}
	return sum;
}
