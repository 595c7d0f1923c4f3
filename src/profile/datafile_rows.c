/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/datafile_rows.h"

#include "profile/datafile_schema.h"

#include <errno.h>
#include <stdlib.h>

void get_damaged(struct get *g, const char *what)
{
	if (!g->err)
		g->err = error_set(g->e, -EUCLEAN, "table %s, row %zu: %s", g->table, g->n, what);
}

void get_out_of_memory(struct get *g)
{
	if (!g->err)
		g->err = error_set(g->e, -ENOMEM, "out of memory");
}

/* Every statement is ours and the schema was compared, so what fails now is the content. */
static void sqlite_failed(struct get *g, int rc)
{
	if (rc == SQLITE_NOMEM)
		get_out_of_memory(g);
	else
		get_damaged(g, sqlite3_errmsg(g->db));
}

void get_begin(struct get *g, const char *table, const char *select)
{
	g->table = table;
	g->n = g->rows = 0;
	if (g->err)
		return;
	if (g->flat) {
		if (!flat_get_int(g->flat, &g->left))
			get_damaged(g, "it is missing");
		return;
	}
	int rc = sqlite3_prepare_v2(g->db, select, -1, &g->row, NULL);
	if (rc != SQLITE_OK)
		sqlite_failed(g, rc);
}

static int next_in_stream(struct get *g)
{
	if (!g->left)
		return SQLITE_DONE;
	g->left--;
	return SQLITE_ROW;
}

bool get_row(struct get *g)
{
	if (g->err)
		return false;
	g->column = 0;
	int rc = g->flat ? next_in_stream(g) : sqlite3_step(g->row);
	g->n = g->rows;
	if (rc == SQLITE_ROW) {
		g->rows++;
		return true;
	}
	if (rc != SQLITE_DONE)
		sqlite_failed(g, rc);
	return false;
}

void get_end(struct get *g)
{
	sqlite3_finalize(g->row);
	g->row = NULL;
}

static bool next_int(struct get *g, uint64_t *value)
{
	int c = g->column++;

	if (g->flat)
		return flat_get_int(g->flat, value);
	*value = (uint64_t)sqlite3_column_int64(g->row, c);
	return sqlite3_column_type(g->row, c) == SQLITE_INTEGER;
}

uint64_t get_int(struct get *g)
{
	uint64_t value;

	if (!next_int(g, &value)) {
		get_damaged(g, "not a number");
		return 0;
	}
	g->sum = datafile_sum_int(g->sum, value);
	return value;
}

double get_real(struct get *g)
{
	int c = g->column++;

	if (sqlite3_column_type(g->row, c) != SQLITE_FLOAT) {
		get_damaged(g, "not a real number");
		return 0;
	}
	double value = sqlite3_column_double(g->row, c);
	g->sum = datafile_sum_real(g->sum, value);
	return value;
}

uint32_t get_u32(struct get *g)
{
	uint64_t value = get_int(g);

	if (value > UINT32_MAX)
		get_damaged(g, "number out of range");
	return (uint32_t)value;
}

uint8_t get_flag(struct get *g)
{
	uint64_t value = get_int(g);

	return value <= 1 ? (uint8_t)value : UINT8_MAX;
}

static bool get_null(struct get *g)
{
	if (g->flat ? !flat_get_null(g->flat)
		    : sqlite3_column_type(g->row, g->column) != SQLITE_NULL)
		return false;
	g->column++;
	g->sum = datafile_sum_null(g->sum);
	return true;
}

uint32_t get_index(struct get *g)
{
	if (get_null(g))
		return PD_NONE;
	uint32_t index = get_u32(g);
	if (index == PD_NONE)
		get_damaged(g, "number out of range");
	return index;
}

void get_id(struct get *g)
{
	if (get_int(g) != g->n)
		get_damaged(g, "rows are missing before it");
}

/* *@text is a copy. False: the value is no text; true and *@text NULL: out of memory. */
static bool next_text(struct get *g, char **text, size_t *len)
{
	int c = g->column++;

	if (g->flat)
		return flat_get_text(g->flat, text, len);
	if (sqlite3_column_type(g->row, c) != SQLITE_TEXT)
		return false;
	const char *there = (const char *)sqlite3_column_text(g->row, c);

	*len = (size_t)sqlite3_column_bytes(g->row, c);
	*text = there ? malloc(*len + 1) : NULL;
	if (*text) {
		memcpy(*text, there, *len);
		(*text)[*len] = '\0';
	}
	return true;
}

char *get_text(struct get *g)
{
	char *text;
	size_t len;

	if (!next_text(g, &text, &len)) {
		get_damaged(g, "not a text");
		return NULL;
	}
	if (!text) {
		get_out_of_memory(g);
		return NULL;
	}
	if (memchr(text, 0, len)) {
		get_damaged(g, "a zero byte in a text");
		free(text);
		return NULL;
	}
	g->sum = datafile_sum_text(g->sum, text, len);
	return text;
}

char *get_text_or_null(struct get *g)
{
	return get_null(g) ? NULL : get_text(g);
}

uint8_t get_small(struct get *g, uint64_t end)
{
	uint64_t n = get_int(g);

	if (n >= end && !g->err)
		get_damaged(g, "number out of range");
	return (uint8_t)n;
}
