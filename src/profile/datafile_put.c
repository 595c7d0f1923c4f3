/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/datafile_put.h"

#include "profile/datafile_schema.h"

#include <stdio.h>
#include <string.h>

/* Executing a statement costs as much as inserting some rows, so each inserts this many. */
#define BATCH 16

/* Prepares p->insert for the next rows, unless it already has the right number of them. */
static void prepare(struct put *p)
{
	char sql[64 + BATCH * 64];
	int rows = p->rows_left < BATCH ? 1 : BATCH;

	p->bound = 0;
	if (p->rc != SQLITE_OK || !p->rows_left || p->values == rows * p->columns)
		return;
	sqlite3_finalize(p->insert);
	p->values = rows * p->columns;
	int n = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES", p->table);
	for (int i = 0; i < p->values; i++)
		n += snprintf(sql + n, sizeof sql - (size_t)n, "%s?%s",
			      i % p->columns ? "" : i ? ",(" : "(",
			      (i + 1) % p->columns ? "," : ")");
	p->rc = sqlite3_prepare_v2(p->db, sql, n, &p->insert, NULL);
}

void put_begin(struct put *p, const char *table, int columns, size_t rows)
{
	if (p->flat) {
		flat_put_int(p->flat, rows);
		return;
	}
	p->table = table;
	p->columns = columns;
	p->rows_left = rows;
	p->values = 0;
	prepare(p);
}

void put_end(struct put *p)
{
	sqlite3_finalize(p->insert);
	p->insert = NULL;
}

static void bound(struct put *p, int rc)
{
	if (p->rc == SQLITE_OK)
		p->rc = rc;
}

/* SQLite's integers have a sign; what is above 2^63 goes through as its two's complement. */
void put_int(struct put *p, uint64_t value)
{
	p->sum = datafile_sum_int(p->sum, value);
	if (p->flat)
		flat_put_int(p->flat, value);
	else
		bound(p, sqlite3_bind_int64(p->insert, ++p->bound, (sqlite3_int64)value));
}

void put_real(struct put *p, double value)
{
	p->sum = datafile_sum_real(p->sum, value);
	if (p->flat)
		flat_put_real(p->flat, value);
	else
		bound(p, sqlite3_bind_double(p->insert, ++p->bound, value));
}

void put_null(struct put *p)
{
	p->sum = datafile_sum_null(p->sum);
	if (p->flat)
		flat_put_null(p->flat);
	else
		bound(p, sqlite3_bind_null(p->insert, ++p->bound));
}

void put_index(struct put *p, uint32_t index)
{
	if (index == PD_NONE)
		put_null(p);
	else
		put_int(p, index);
}

void put_text(struct put *p, const char *text)
{
	if (!text) {
		put_null(p);
		return;
	}
	size_t len = strlen(text);
	p->sum = datafile_sum_text(p->sum, text, len);
	if (p->flat)
		flat_put_text(p->flat, text, len);
	else
		bound(p, sqlite3_bind_text64(p->insert, ++p->bound, text, len, SQLITE_STATIC,
					     SQLITE_UTF8));
}

void put_row(struct put *p)
{
	if (p->flat || p->rc != SQLITE_OK || p->bound < p->values)
		return;
	sqlite3_step(p->insert);
	p->rc = sqlite3_reset(p->insert);
	p->rows_left -= (size_t)(p->values / p->columns);
	prepare(p);
}
