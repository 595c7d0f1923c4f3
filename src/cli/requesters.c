/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/requesters.h"

#include "base/preadall.h"
#include "base/writeall.h"
#include "cli/serve.h"
#include "cli/unheard.h"
#include "outputs/data.h"
#include "profile/datafile.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 300 }; /* time limit for a namer, which reads the program's files */

int requesters_files_open(struct requesters_files *f)
{
	f->blocks = memfd_create("mprof lost", MFD_CLOEXEC);
	f->data = f->blocks < 0 ? -1 : memfd_create("mprof lost data", MFD_CLOEXEC);
	f->open = f->data >= 0;
	if (f->open)
		return 0;
	int err = -errno;

	if (f->blocks >= 0)
		close(f->blocks);
	return err;
}

void requesters_files_close(struct requesters_files *f)
{
	if (!f->open)
		return;
	close(f->blocks);
	close(f->data);
	f->open = false;
}

/* 0 or -errno. */
static int write_requests(int file, const struct lost_request *v, size_t n)
{
	if (lseek(file, 0, SEEK_SET) || ftruncate(file, 0))
		return -errno;
	return write_all(file, v, n * sizeof *v);
}

/* For free(), or NULL. */
static struct lost_request *read_requests(int file, size_t *n)
{
	size_t size = 0;
	struct lost_request *v = pread_whole(file, &size);

	*n = size / sizeof *v;
	return v;
}

/* ---- the namer ---- */

/* The leaf that counts a block; PD_NONE: none. */
static uint32_t look_up(const struct profile *p, struct lost_request *q,
			const struct requesters_asked *a)
{
	const struct live_slot *block = profile_block_since(p, q->at, a->since_ns);

	q->before = !block && profile_had_before(p, q->at);
	if (!block)
		return PD_NONE;
	q->age_ns = ((a->then_ns & LIVE_NS_MASK) - live_born_ns(block)) & LIVE_NS_MASK;
	return profile_leaf_number(block);
}

/* Count a block again, in a profile that was restarted. 0 or -ENOMEM. */
static int count(struct profile *p, taddr at, uint32_t leaf, uint64_t now_ns)
{
	const struct call_leaf *l = &p->leaves[leaf];
	const struct alloc_event e = {.kind = AE_ALLOC,
				      .time_ns = now_ns,
				      .ptr = at,
				      .size = l->size,
				      .label = l->label,
				      .chain.node = l->node};
	struct block_change change;

	return profile_event(p, &e, &change);
}

/*
 * Reduce the profile, which is our own copy, to what is lost: naming anything else would take most
 * of the time.
 * @leaves  set for each block
 */
static int count_lost(struct profile *p, struct lost_request *v, size_t n, uint32_t *leaves,
		      const struct requesters_asked *a)
{
	int err = 0;

	for (size_t i = 0; i < n; i++)
		leaves[i] = look_up(p, &v[i], a);
	profile_restart(p);
	for (size_t i = 0; !err && i < n; i++)
		if (leaves[i] != PD_NONE)
			err = count(p, v[i].at, leaves[i], a->then_ns);
	return err;
}

static int tell(const struct requesters_asked *a, const struct image *i, struct lost_request *v,
		size_t n)
{
	uint32_t *leaves = calloc(n + 1, sizeof *leaves), *nodes = NULL;
	struct profile_data *d = NULL;
	struct error e;
	int err = leaves ? count_lost(i->profile, v, n, leaves, a) : -ENOMEM;

	if (!err)
		nodes = calloc(i->profile->n_leaves + 1, sizeof *nodes);
	if (nodes)
		d = data_name_profile(&a->serve->outputs, i, i->profile, nodes);
	for (size_t k = 0; d && k < n; k++)
		v[k].node = leaves[k] == PD_NONE ? PD_NONE : nodes[leaves[k]];
	err = d ? write_requests(a->files.blocks, v, n) : -ENOMEM;
	/* Written last: without a complete one the looker takes nothing. */
	if (!err)
		err = datafile_write_fd(a->files.data, d, &e);
	profile_data_free(d);
	free(nodes);
	free(leaves);
	return err;
}

int requesters_name(void *ctx, struct still_holder *holder)
{
	const struct requesters_asked *a = ctx;
	const struct image *i = session_observed_image(a->serve->session, a->pid);
	struct lost_request *v;
	size_t n;

	(void)holder;
	unheard_child();
	signal(SIGALRM, SIG_DFL);
	alarm(PATIENCE_SECONDS);
	v = i ? read_requests(a->files.blocks, &n) : NULL;
	int err = v ? tell(a, i, v, n) : -ESRCH;

	free(v);
	return err != 0;
}

/* ---- in the looker ---- */

/* 0 or -errno. */
static int ask(struct still_holder *session, const struct requesters_files *files,
	       const struct reach *reach, const struct spans *blocks)
{
	struct lost_request *v = calloc(reach->n_lost + 1, sizeof *v);
	uint64_t usable;

	for (size_t i = 0; v && i < reach->n_lost; i++) {
		v[i].at = spans_at(blocks, reach->lost[i].block, &usable);
		v[i].node = PD_NONE;
	}
	int err = v ? write_requests(files->blocks, v, reach->n_lost) : -ENOMEM;

	free(v);
	if (!err && ftruncate(files->data, 0))
		err = -errno;
	return err ? err : still_name(session);
}

/* 0 or -errno. */
static int take(struct requesters *r, const struct requesters_files *files, size_t n)
{
	char path[32];
	struct error why;
	size_t got = 0;

	snprintf(path, sizeof path, "/proc/self/fd/%d", files->data);
	int err = datafile_read(path, &r->d, &why);

	if (err)
		return err;
	r->v = read_requests(files->blocks, &got);
	for (size_t i = 0; r->v && i < got; i++)
		if (r->v[i].node != PD_NONE && r->v[i].node >= r->d->n_nodes)
			return -EUCLEAN;
	return !r->v ? -ENOMEM : got == n ? 0 : -EUCLEAN;
}

int requesters_find(struct requesters *r, struct still_holder *session,
		    const struct requesters_files *files, const struct reach *reach,
		    const struct spans *blocks, struct error *e)
{
	*r = (struct requesters){0};
	int err = ask(session, files, reach, blocks);

	if (!err)
		err = take(r, files, reach->n_lost);
	if (err)
		return error_set(e, err, "%s",
				 err == -ENOMEM ? "out of memory"
						: "the session could not say it");
	r->requests = (struct lost_requests){r->d, r->v};
	return 0;
}

void requesters_release(struct requesters *r)
{
	profile_data_free(r->d);
	free(r->v);
	*r = (struct requesters){0};
}
