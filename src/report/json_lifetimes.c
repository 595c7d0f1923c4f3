/* SPDX-License-Identifier: BSD-2-Clause */
#include "report/json.h"
#include "report/json_path.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* From the outside in; the tree leads from the inside out. */
static int write_path(struct json_out *o, struct json_sites *sites, uint32_t node, uint32_t *path)
{
	const struct profile_data *d = sites->d;
	size_t n = 0;

	for (; node >= PD_FIRST_NODE; node = d->nodes[node].parent)
		path[n++] = d->nodes[node].site;
	if (!n)
		path[n++] = PD_NONE;
	while (n--) {
		const char *text = json_site(sites, path[n]);

		if (!text)
			return -ENOMEM;
		json_out_raw(o, text);
		json_out_raw(o, n ? "," : "");
	}
	return 0;
}

/* The histogram of one axis, without empty buckets. */
static void write_axis(struct json_out *o, const char *name, const struct pd_lifetime *l, size_t n,
		       enum pd_life_axis axis, uint32_t engines)
{
	const bool least = pd_life_has_least(engines, axis);
	bool first = true;
	char text[128];

	json_out_raw(o, name);
	for (size_t i = 0; i < n; i++) {
		if (l[i].axis != axis)
			continue;
		snprintf(text, sizeof text,
			 "%s{\"from\":%" PRIu64 ",\"below\":%" PRIu64 ",\"blocks\":%" PRIu64 "}",
			 first ? "" : ",", least && l[i].bucket ? UINT64_C(1) << l[i].bucket : 0,
			 l[i].bucket < 62 ? UINT64_C(2) << l[i].bucket : INT64_MAX, l[i].blocks);
		json_out_raw(o, text);
		first = false;
	}
	json_out_raw(o, "]");
}

static uint64_t sum_of(const struct pd_lifetime *l, size_t n, enum pd_life_axis axis)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += l[i].axis == axis ? l[i].blocks : 0;
	return sum;
}

/* One node's lifetimes, @l[0...n). */
static void write_node(struct json_out *o, struct json_sites *sites, const struct pd_lifetime *l,
		       size_t n, uint32_t *path)
{
	char text[96];

	json_out_next_row(o);
	snprintf(text, sizeof text, "{\"frees\":%" PRIu64 ",\"temporary\":%" PRIu64,
		 sum_of(l, n, PD_LIFE_EVENTS), sum_of(l, n, PD_LIFE_TEMPORARY));
	json_out_raw(o, text);
	write_axis(o, ",\"events\":[", l, n, PD_LIFE_EVENTS, sites->d->engines);
	write_axis(o, ",\"ns\":[", l, n, PD_LIFE_NS, sites->d->engines);
	json_out_raw(o, ",\"path\":[");
	json_out_fail(o, write_path(o, sites, l->node, path));
	json_out_raw(o, "]}");
}

void json_lifetimes(struct json_out *o, const struct profile_data *d,
		    const char *const *own_code)
{
	struct json_sites sites;
	uint32_t *path = calloc(d->n_nodes, sizeof *path);
	int err = json_sites_init(&sites, d, own_code);

	if (err || !path) {
		json_out_fail(o, -ENOMEM);
		goto out;
	}
	json_out_begin_rows(o, "lifetimes");
	for (size_t i = 0, n; i < d->n_lifetimes && !o->err; i += n) {
		for (n = 1;
		     i + n < d->n_lifetimes && d->lifetimes[i + n].node == d->lifetimes[i].node;
		     n++)
			;
		write_node(o, &sites, &d->lifetimes[i], n, path);
	}
	json_out_end_rows(o);
out:
	json_sites_release(&sites);
	free(path);
}
