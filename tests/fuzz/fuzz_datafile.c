/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A data file, and the report of one that is accepted. A file that is changed at random is nearly
 * always refused for its checksum: the mutator changes values, and writes what they come to.
 */
#include "fuzz.h"

#include "profile/datafile.h"
#include "profile/datafile_schema.h"
#include "report/report.h"

#include <sqlite3.h>

static void print(const struct profile_data *d)
{
	const struct report_options o = {.level = REPORT_VERBOSE};
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	FUZZ_EXPECT(out);
	FUZZ_EXPECT(!report_tables(d, &o, out) && !report_json(d, &o, out));
	fclose(out);
	FUZZ_EXPECT(strlen(text) == len);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct fuzz_file f = fuzz_file(data, size);
	struct profile_data *d = NULL;
	struct error e = {0};
	const int err = datafile_read(f.path, &d, &e);

	FUZZ_EXPECT(err <= 0 && !err == (d != NULL));
	if (d)
		print(d);
	profile_data_free(d);
	close(f.fd);
	return 0;
}

/* ---- the mutator ---- */

static uint64_t sum_value(uint64_t sum, sqlite3_stmt *row, int column)
{
	switch (sqlite3_column_type(row, column)) {
	case SQLITE_INTEGER:
		return datafile_sum_int(sum, (uint64_t)sqlite3_column_int64(row, column));
	case SQLITE_FLOAT:
		return datafile_sum_real(sum, sqlite3_column_double(row, column));
	case SQLITE_TEXT:
		return datafile_sum_text(sum, (const char *)sqlite3_column_text(row, column),
					 (size_t)sqlite3_column_bytes(row, column));
	default:
		return datafile_sum_null(sum);
	}
}

__attribute__((format(printf, 2, 3))) static sqlite3_stmt *query(sqlite3 *db, const char *fmt, ...)
{
	sqlite3_stmt *row = NULL;
	va_list args;

	va_start(args, fmt);
	char *sql = sqlite3_vmprintf(fmt, args);

	va_end(args);
	sqlite3_prepare_v2(db, sql, -1, &row, NULL);
	sqlite3_free(sql);
	return row;
}

static bool is_the_sum(const char *table, sqlite3_stmt *row)
{
	const char *key = (const char *)sqlite3_column_text(row, 0);

	return !strcmp(table, "meta") && key && !strcmp(key, DATAFILE_CHECKSUM_KEY);
}

static uint64_t sum_table(uint64_t sum, sqlite3 *db, const char *table)
{
	sqlite3_stmt *row = query(db, "SELECT * FROM %s ORDER BY rowid", table);

	while (row && sqlite3_step(row) == SQLITE_ROW)
		for (int i = 0; i < sqlite3_column_count(row) && !is_the_sum(table, row); i++)
			sum = sum_value(sum, row, i);
	sqlite3_finalize(row);
	return sum;
}

/* Tables are summed up in the order in which they are created, but for meta, which comes last. */
static uint64_t sum_all(sqlite3 *db)
{
	uint64_t sum = DATAFILE_SUM_START;

	for (const struct datafile_object *o = datafile_schema; o->type; o++)
		if (!strcmp(o->type, "table") && strcmp(o->name, "meta"))
			sum = sum_table(sum, db, o->name);
	return sum_table(sum, db, "meta");
}

/* One of the tables. */
static const char *pick_table(unsigned *seed)
{
	size_t n = 0;

	while (!strcmp(datafile_schema[n].type, "table"))
		n++;
	const size_t i = *seed % n;

	*seed /= (unsigned)n;
	return datafile_schema[i].name;
}

/* What a value becomes: an expression of SQL, in which %s is the column. */
static const char *const becomes[] = {
	"0",
	"1",
	"%w + 1",
	"%w - 1",
	"-1",
	"2147483647",
	"2147483648",
	"4294967295",
	"4294967296",
	"9223372036854775807",
	"-9223372036854775808",
	"%w * 2",
	"%w << 40",
	"random() %% 20",
	"random()", "rowid", "rowid - 1", "rowid + 1",
	"NULL",
	"''",
	"'main'",
	"'a' || %w",
	"zeroblob(9)",
	"CAST(%w AS REAL)",
	"1e300",
	"-%w",
	"CAST(%w AS TEXT)",
	"'\xff\xfe'",
	"printf('%%.*c', 5000, 'x')",
};

static void change_row(sqlite3 *db, const char *table, unsigned seed)
{
	sqlite3_stmt *row = query(db, "SELECT * FROM %s", table);
	const int columns = row ? sqlite3_column_count(row) : 0;
	const char *column =
		columns ? sqlite3_column_name(row, (int)(seed % (unsigned)columns)) : "";
	char *value =
		sqlite3_mprintf(becomes[seed / 16 % (sizeof becomes / sizeof *becomes)], column);
	sqlite3_stmt *change;

	if (seed / 512 % 8 == 0)
		change = query(db,
			       "DELETE FROM %s WHERE rowid = (SELECT rowid FROM %s ORDER BY "
			       "random() LIMIT 1)",
			       table, table);
	else if (seed / 512 % 8 == 1)
		change = query(db, "INSERT INTO %s SELECT * FROM %s ORDER BY random() LIMIT 1",
			       table, table);
	else
		change = query(db,
			       "UPDATE %s SET %s = %s WHERE rowid = (SELECT rowid FROM %s ORDER "
			       "BY random() LIMIT 1)",
			       table, column, value, table);
	sqlite3_step(change);
	sqlite3_finalize(change);
	sqlite3_free(value);
	sqlite3_finalize(row);
}

static void write_sum(sqlite3 *db)
{
	sqlite3_stmt *change = query(db, "UPDATE meta SET value = %lld WHERE key = '%s'",
				     (sqlite3_int64)sum_all(db), DATAFILE_CHECKSUM_KEY);

	sqlite3_step(change);
	sqlite3_finalize(change);
}

/* Its bytes, for sqlite3_free(); NULL: they are no data file that SQLite can change. */
static uint8_t *changed(const uint8_t *data, size_t size, unsigned seed, size_t *n)
{
	uint8_t *copy = sqlite3_malloc64(size), *bytes = NULL;
	sqlite3_int64 len = 0;
	sqlite3 *db;

	FUZZ_EXPECT(copy && sqlite3_open(":memory:", &db) == SQLITE_OK);
	memcpy(copy, data, size);
	sqlite3_deserialize(db, "main", copy, (sqlite3_int64)size, (sqlite3_int64)size,
			    SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
	for (unsigned times = 1 + seed % 3; times; times--) {
		const char *table = pick_table(&seed);

		change_row(db, table, seed);
		seed = seed * 1103515245 + 12345;
	}
	write_sum(db);
	bytes = sqlite3_serialize(db, "main", &len, 0);
	sqlite3_close(db);
	*n = (size_t)len;
	return bytes;
}

/* libFuzzer calls it; what it takes and gives is in LLVM's documentation of libFuzzer. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	size_t n = 0;
	uint8_t *bytes = size && seed % 8 ? changed(data, size, seed / 8, &n) : NULL;

	if (!bytes || !n || n > max)
		n = LLVMFuzzerMutate(data, size, max);
	else
		memcpy(data, bytes, n);
	sqlite3_free(bytes);
	return n;
}
