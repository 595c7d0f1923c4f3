/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/cfirows_internal.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

/* Each byte is read once, except for CIEs, and entries that sections share. */
#define READ_AGAIN 2
/* The least that an entry is charged, in bytes. */
#define ENTRY_MIN 16

void row_maker_init(struct row_maker *m, struct cfi_rows *t, const struct cfi_section *s)
{
	*m = (struct row_maker){ .t = t, .s = *s, .budget = s->data->d_size * READ_AGAIN };
}

void row_maker_release(struct row_maker *m)
{
	idindex_release(&m->index);
	free(m->starts);
	*m = (struct row_maker){ 0 };
}

static bool afford(struct row_maker *m, uint64_t bytes)
{
	if (bytes < ENTRY_MIN)
		bytes = ENTRY_MIN;
	if (bytes > m->budget)
		return false;
	m->budget -= bytes;
	return true;
}

static bool is_at(const void *owner, uint32_t id, const void *key)
{
	const struct row_maker *m = owner;

	return m->starts[id].at == *(const Dwarf_Off *)key;
}

static uint64_t hash_of(const void *owner, uint32_t id)
{
	const struct row_maker *m = owner;

	return hash_mix(m->starts[id].at);
}

/* The CIE at @offset; an unusable one if there is none. Returns as row_maker_add(). */
static int find_start(struct row_maker *m, Dwarf_Off offset, const struct cfi_start **out)
{
	uint32_t id = idindex_find(&m->index, hash_mix(offset), is_at, m, &offset);

	if (id == IDINDEX_NONE) {
		if (ARRAY_RESERVE(&m->starts, &m->cap_starts, m->n_starts))
			return -ENOMEM;
		struct cfi_start *x = &m->starts[m->n_starts];

		*x = (struct cfi_start){ .at = offset };
		if (!cfi_cie_read(&m->s, offset, &x->cie))
			x->cie.encoding = -1;
		if (!afford(m, x->cie.size))
			return -EINVAL;
		cfi_start_run(x, &m->s);
		id = (uint32_t)m->n_starts;
		if (idindex_add(&m->index, id, hash_mix(offset), hash_of, m))
			return -ENOMEM;
		m->n_starts++;
	}
	*out = &m->starts[id];
	return 0;
}

static int put(void *ctx, uint64_t pc, struct cfi_code code)
{
	return rows_put(ctx, pc, code);
}

int row_maker_add(struct row_maker *m, Dwarf_Off offset)
{
	const struct cfi_start *x;
	struct cfi_rows *t = m->t;
	Dwarf_CFI_Entry e;
	uint64_t start, end, size;
	const uint8_t *rest;
	bool is_function = cfi_entry_read(&m->s, offset, &e, &size) && !dwarf_cfi_cie_p(&e);

	if (!afford(m, size))
		return -EINVAL;
	if (!is_function) {
		t->skipped++;
		return 0;
	}
	int err = find_start(m, e.fde.CIE_pointer, &x);
	if (err)
		return err;
	if (!cfi_fde_range(&m->s, &x->cie, &e.fde, &start, &end, &rest) || start < t->start ||
	    start >= t->end) {
		t->skipped++;
		return 0;
	}
	if (start < m->last)
		return -EINVAL;
	m->last = start;
	t->functions++;
	err = cfi_interpret(&m->s, x, &e.fde, start, end, rest, put, t);
	return err ? err : rows_put(t, end, (struct cfi_code){ .cfa = UNWIND_CFA_NONE });
}
