/* SPDX-License-Identifier: BSD-2-Clause */
#include "heapprofile/mapped.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void mapped_release(struct mapped *m)
{
	free(m->parts);
	free(m->objects);
	stack_table_release(&m->counts);
	*m = (struct mapped){ 0 };
}

int mapped_copy(struct mapped *to, const struct mapped *from)
{
	const struct stack_table *t = &from->counts;
	int err = 0;

	to->parts = malloc((from->n_parts + 1) * sizeof *to->parts);
	to->objects = malloc((from->n_objects + 1) * sizeof *to->objects);
	if (!to->parts || !to->objects)
		return -ENOMEM;
	if (from->n_parts)
		memcpy(to->parts, from->parts, from->n_parts * sizeof *to->parts);
	if (from->n_objects)
		memcpy(to->objects, from->objects, from->n_objects * sizeof *to->objects);
	to->n_parts = to->cap_parts = from->n_parts;
	to->n_objects = to->cap_objects = from->n_objects;
	to->unused = from->unused;
	to->brk = from->brk;
	for (size_t i = 0; !err && i < t->n; i++)
		err = stack_table_add(&to->counts, t->elements + t->stacks[i].first, t->stacks[i].n,
				      t->stacks[i].value);
	return err;
}

static int count(struct mapped *m, uint32_t node, int64_t objects, int64_t bytes, bool gone)
{
	int64_t value[HEAP_VALUES] = { gone ? 0 : objects, gone ? 0 : bytes, gone ? -objects
				       : objects,
				       gone ? -bytes : bytes };
	uint64_t element = node;

	return stack_table_add(&m->counts, &element, 1, value);
}

static taddr page_end(taddr at)
{
	return (at + 4095) & ~4095ull;
}

static int new_object(struct mapped *m, uint32_t node, uint32_t *object)
{
	if (m->unused) {
		*object = m->unused - 1;
		m->unused = m->objects[*object].node;
	} else if (ARRAY_RESERVE(&m->objects, &m->cap_objects, m->n_objects)) {
		return -ENOMEM;
	} else {
		*object = (uint32_t)m->n_objects++;
	}
	m->objects[*object] = (struct mapped_object){ .node = node };
	return 0;
}

static void leave_unused(struct mapped *m, uint32_t object)
{
	m->objects[object].node = m->unused;
	m->unused = object + 1;
}

static int add_part(struct mapped *m, struct mapped_part part)
{
	if (ARRAY_RESERVE(&m->parts, &m->cap_parts, m->n_parts))
		return -ENOMEM;
	m->objects[part.object].parts++;
	m->parts[m->n_parts++] = part;
	return 0;
}

/* Remove [start, end) from part @i; what is left after the hole becomes a new part. */
static int cut(struct mapped *m, size_t i, taddr start, taddr end)
{
	struct mapped_part *p = &m->parts[i], rest = *p;
	uint32_t object = p->object;
	struct mapped_object *o = &m->objects[object];
	taddr from = start > p->start ? start : p->start, to = end < p->end ? end : p->end;
	uint32_t node = o->node;

	if (to < p->end) {
		rest.start = to;
		if (from > p->start) {
			int err = add_part(m, rest);
			if (err)
				return err;
			m->parts[i].end = from;
		} else {
			m->parts[i].start = to;
		}
	} else if (from > p->start) {
		m->parts[i].end = from;
	} else {
		if (!--o->parts)
			leave_unused(m, object);
		*p = m->parts[--m->n_parts];
	}
	return count(m, node, !o->parts, (int64_t)(to - from), true);
}

/* Remove what was mapped before call @before began. */
static int unmap(struct mapped *m, taddr start, taddr end, uint64_t before)
{
	int err = 0;

	/* Backwards: a part that is removed is replaced by the last one, and new ones are
	 * appended. */
	for (size_t i = m->n_parts; !err && i-- > 0;) {
		const struct mapped_part *p = &m->parts[i];

		if (p->start < end && start < p->end && p->born < before)
			err = cut(m, i, start, end);
	}
	return err;
}

static int map(struct mapped *m, taddr start, uint64_t len, uint64_t born, uint32_t node)
{
	if (!len || start + len < start)
		return 0;
	uint32_t object;
	int err = new_object(m, node, &object);
	if (err)
		return err;
	err = add_part(m, (struct mapped_part){ start, start + len, object, born });
	if (err) {
		leave_unused(m, object);
		return err;
	}
	return count(m, node, 1, (int64_t)len, false);
}

static int move_break(struct mapped *m, const struct page_event *e, uint32_t node, bool ignored)
{
	taddr was = m->brk;

	m->brk = e->at;
	if (!was || was == e->at)
		return 0;
	if (e->at < was)
		return unmap(m, e->at, was, e->begun);
	return ignored ? 0 : map(m, was, e->at - was, e->number, node);
}

int mapped_event(struct mapped *m, const struct page_event *e, uint32_t node, bool ignored)
{
	int err = 0;

	switch (e->kind) {
	case PE_UNMAP:
		return unmap(m, e->at, page_end(e->at + e->len), e->begun);
	case PE_BREAK:
		return move_break(m, e, node, ignored);
	case PE_REMAP:
		err = unmap(m, e->old, page_end(e->old + e->old_len), e->begun);
		break;
	case PE_MAP:
	case PE_REMAP_KEEP:
		break;
	default: /* shared memory segments are not counted */
		return 0;
	}
	if (!err)
		err = unmap(m, e->at, page_end(e->at + e->len), e->begun);
	return err || ignored ? err : map(m, e->at, e->len, e->number, node);
}
