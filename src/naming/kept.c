/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/kept.h"

#include "base/preadall.h"
#include "confine/apart.h"
#include "naming/apart_internal.h"
#include "naming/places.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct resolve_kept {
	struct naming naming;
	struct resolve_how how;
	struct resolve_one one;		/* the question */
};

/* ---- in the process ---- */

/* A question is an array of places, for free(). NULL: out of memory, or it cannot be read. */
static struct profile_place *read_question(int fd, size_t *n)
{
	struct stat st;

	if (fstat(fd, &st))
		return NULL;
	*n = (size_t)st.st_size / sizeof(struct profile_place);
	struct profile_place *places = calloc(*n + 1, sizeof *places);

	if (places && pread_all(fd, places, *n * sizeof *places, 0) ==
			      (ssize_t)(*n * sizeof *places) && !ftruncate(fd, 0))
		return places;
	free(places);
	return NULL;
}

/* The answer to what is asked now: what the parent asked when this process was begun is replaced,
 * here. */
static int name_asked(struct reading *r, size_t which, struct namer *namer, int out)
{
	struct naming *naming = r->ctx;
	struct resolve_how how = *naming->how;
	size_t n = 0;
	struct profile_place *places = read_question(out, &n);
	struct profile p = { 0 };
	int err = places ? places_profile(&p, places, n) : -ENOMEM;

	how.leaf_nodes = calloc(n + 1, sizeof *how.leaf_nodes);
	if (!err && how.leaf_nodes) {
		const struct resolve_one one = { &p, PD_NONE, -1 };

		naming->how = &how;
		naming->all = &one;
		err = naming_work(r, which, namer, out);
	}
	err = how.leaf_nodes ? err : -ENOMEM;
	free(how.leaf_nodes);
	places_profile_release(&p);
	free(places);
	return err;
}

/* ---- outside ---- */

static const struct reading_ops ops = { name_asked, naming_take, naming_without_files,
					naming_told };

bool resolve_kept_possible(void)
{
	return apart_can_pause();
}

struct resolve_kept *resolve_kept_new(const struct resolve_kept_host *host)
{
	struct resolve_kept *k = calloc(1, sizeof *k);

	if (!k)
		return NULL;
	k->how = (struct resolve_how){ .search = host->search, .jit_map = -1, .no_types = true,
				       .no_trim = true };
	k->naming = (struct naming){
		.reading = { .ops = &ops, .ctx = &k->naming, .search = host->search,
			     .say = host->say, .waits = host->waits, .waits_ctx = host->ctx },
		.how = &k->how, .all = &k->one, .named = naming_take_only,
	};
	return k;
}

void resolve_kept_free(struct resolve_kept *k)
{
	if (!k)
		return;
	reading_end(&k->naming.reading);
	free(k);
}

int resolve_kept_ask(struct resolve_kept *k, const struct profile *places,
		     const struct resolve_module *files, size_t n_files, uint32_t *leaf_nodes,
		     bool *left_out, struct profile_data **out)
{
	struct reading *r = &k->naming.reading;

	*out = NULL;
	k->how.leaf_nodes = leaf_nodes;
	k->one = (struct resolve_one){ places, PD_NONE, -1 };
	k->naming.ctx = out;
	k->naming.leaves_told = false;
	if (reading_keep(r, files, n_files))
		return -ENOMEM;
	reading_ask(r, places->places, places->n_places * sizeof *places->places);
	for (size_t i = 0; i < n_files; i++)
		left_out[i] = r->why[i];
	return *out ? 0 : -ENOMEM;
}
