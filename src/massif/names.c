/* SPDX-License-Identifier: BSD-2-Clause */
#include "massif/names.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

static int add_entry(struct massif_names *m, const struct massif_place *p, const char *label,
		     uint32_t module, bool inlined)
{
	struct massif_entry e = { .name = p->name, .label = label, .address = p->address,
				  .module = module,
				  .inlined = inlined };

	if (ARRAY_RESERVE(&m->entries, &m->cap, m->n) || !(e.text = massif_entry_text(p)))
		return -ENOMEM;
	m->entries[m->n++] = e;
	return 0;
}

int massif_names_init(struct massif_names *m, const struct profile *p, struct namer *namer)
{
	*m = (struct massif_names){ .profile = p, .namer = namer };
	return add_entry(m, &(struct massif_place){ .address = 0 }, NULL, PD_NONE, false);
}

void massif_names_release(struct massif_names *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->entries[i].text);
	free(m->entries);
	free(m->runs);
	free(m->ids);
	*m = (struct massif_names){ 0 };
}

/* Add the frames of a place as entries, innermost first. */
static int add_entries(struct massif_names *m, const struct profile_place *place)
{
	bool inside = place->module < m->namer->n;
	struct sym_frames f;
	int err = namer_look(m->namer, place, NULL, &f);

	for (size_t i = f.n; !err && i-- > 0;) {
		const struct sym_frame *s = &f.frames[i];
		struct massif_place p = { namer_instruction(place->address, place->exact),
					  namer_name(m->namer, s), s->file, s->line,
					  inside ? m->namer->paths[place->module] : NULL };

		err = add_entry(m, &p, inside ? s->name : NULL, inside ? place->module : PD_NONE,
				s->inlined);
	}
	return err;
}

static int reserve_runs(struct massif_names *m, uint32_t place)
{
	if (place < m->n_runs)
		return 0;
	size_t n = m->profile->n_places;
	struct massif_run *grown = reallocarray(m->runs, n, sizeof *grown);

	if (!grown)
		return -ENOMEM;
	for (size_t i = m->n_runs; i < n; i++)
		grown[i] = (struct massif_run){ 0 };
	m->runs = grown;
	m->n_runs = n;
	return 0;
}

static int name_place(struct massif_names *m, uint32_t id)
{
	const struct profile_place *place = &m->profile->places[id];
	uint32_t first = (uint32_t)m->n;

	if (reserve_runs(m, id))
		return -ENOMEM;
	if (m->runs[id].n)
		return 0;
	int err = add_entries(m, place);
	if (!err)
		m->runs[id] = (struct massif_run){ first, (uint32_t)m->n - first };
	return err;
}

static int add_id(struct massif_names *m, uint32_t id)
{
	if (ARRAY_RESERVE(&m->ids, &m->cap_ids, m->n_ids))
		return -ENOMEM;
	m->ids[m->n_ids++] = id;
	return 0;
}

int massif_names_ask(struct massif_names *m, const struct namer_asks *how, const uint32_t *nodes,
		     size_t n)
{
	const struct profile *p = m->profile;
	bool *used = calloc(p->n_places + 1, sizeof *used);
	int err = used ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < n; i++)
		for (uint32_t k = nodes[i]; k >= PD_FIRST_NODE; k = p->nodes[k].parent)
			used[p->nodes[k].frame] = true;
	err = err ? err : namer_ask(m->namer, how, p->places, used, p->n_places);
	free(used);
	return err;
}

int massif_names_chain(struct massif_names *m, uint32_t node, const struct massif_filter *f,
		       massif_enough *enough, const uint32_t **ids, size_t *n)
{
	int err = 0;

	m->n_ids = 0;
	if (node < PD_FIRST_NODE)
		err = add_id(m, 0);
	for (; !err && node >= PD_FIRST_NODE && !enough(f, m->entries, m->ids, m->n_ids);
	     node = m->profile->nodes[node].parent) {
		uint32_t place = m->profile->nodes[node].frame;

		err = name_place(m, place);
		for (uint32_t i = 0; !err && i < m->runs[place].n; i++)
			err = add_id(m, m->runs[place].first + i);
	}
	*ids = m->ids;
	*n = m->n_ids;
	return err;
}
