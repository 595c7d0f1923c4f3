/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/last_look.h"

#include "base/clock.h"
#include "base/writeall.h"
#include "cli/look_reach.h"
#include "cli/look_rss.h"
#include "cli/looks.h"
#include "report/rss.h"
#include "session/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	PATIENCE_SECONDS = 30, /* most time for a look, while the program runs */
	MORE_SECONDS = 5,      /* and for ending a looker that does not end itself */
	CLASS_BITS = 7,	       /* bits of a block's address that are 0, and hold its class */
	MARKS_AT_ONCE = 512,
};

/* What the looker reports. The classes of blocks are in a file: first the address of each block
 * with its class in the low bits, then those that are lost directly. */
struct last_told {
	bool known; /* it is known what resident memory is for */
	struct rss_sums sums;
	struct error why_not;
	struct pd_reach reach;
	uint64_t marks; /* number of words in the first part of the file */
	bool doubtful; /* lost blocks are not known: the allocator's books are inconsistent */
};

/* A block that is lost directly. */
struct lost_mark {
	uint64_t block, hanging_blocks, hanging_bytes;
};

_Static_assert((int)PD_LOST == REACH_LOST && (int)PD_LOST_THROUGH == REACH_LOST_THROUGH &&
		       (int)PD_POSSIBLE == REACH_POSSIBLE && (int)PD_REACHABLE == REACH_REACHABLE,
	       "the classes are the same");

/* ---- in the looker ---- */

/* Words are written to the file in batches. */
struct marks_file {
	int file;
	bool failed;
	size_t n; /* words not written yet */
	uint64_t words[MARKS_AT_ONCE];
};

static void flush(struct marks_file *m)
{
	const size_t size = m->n * sizeof *m->words;

	m->failed = m->failed || write_all(m->file, m->words, size);
	m->n = 0;
}

static void put(struct marks_file *m, const void *mark, size_t size)
{
	if (m->n + size / sizeof *m->words > MARKS_AT_ONCE)
		flush(m);
	memcpy(m->words + m->n, mark, size);
	m->n += size / sizeof *m->words;
}

/* Returns true if everything has been written. */
static bool write_marks(int file, const struct spans *blocks, const struct reach *r,
			struct last_told *t)
{
	struct marks_file m = {.file = file};

	for (uint32_t i = 0; i < blocks->n; i++) {
		if (r->classes[i] == REACH_LOST)
			continue;
		put(&m, &(uint64_t){spans_at(blocks, i, &(uint64_t){0}) | r->classes[i]},
		    sizeof(uint64_t));
		t->marks++;
	}
	for (size_t i = 0; i < r->n_lost; i++) {
		const struct reach_lost *l = &r->lost[i];

		put(&m,
		    &(struct lost_mark){spans_at(blocks, l->block, &(uint64_t){0}), l->through.n,
					l->through.bytes},
		    sizeof(struct lost_mark));
	}
	flush(&m);
	return !m.failed;
}

/* If the walk is doubtful, nothing of it is used. */
static void find_lost(void *ctx, const struct look *l)
{
	const struct serve *v = ctx;
	struct last_told *t = v->last.told;
	struct spans blocks = {0};
	struct reach r = {0};

	t->known = true;
	t->doubtful = !l->walk_err && heap_walk_is_doubtful(&l->walk);
	if (l->walk_err || t->doubtful)
		return;
	bool found = !look_reach(l, (struct reach_asked){0}, &blocks, &r) &&
		     write_marks(v->last.marks, &blocks, &r, t);
	for (int k = 0; found && k < PD_REACH_CLASSES; k++) {
		t->reach.sums[k].blocks = r.sums[k].n;
		t->reach.sums[k].bytes = r.sums[k].bytes;
	}
	t->reach.known = found;
	reach_release(&r);
	spans_release(&blocks);
}

static int look(void *ctx, struct still_holder *holder)
{
	const struct serve *v = ctx;
	struct last_told *t = v->last.told;

	signal(SIGALRM, SIG_DFL);
	alarm(PATIENCE_SECONDS);
	rss_measure(v->options, v->last.look.pid, holder, &t->sums, find_lost, ctx, &t->why_not);
	looker_done(holder);
	return 0;
}

/* ---- the session ---- */

static int set_rows(struct image *i, const struct rss_sums *sums)
{
	i->rss = calloc(N_RSS_KINDS, sizeof *i->rss);
	for (int k = 0; i->rss && k < N_RSS_KINDS; k++) {
		struct pd_rss_row row = {.rss = sums->rss[k], .pss = sums->pss[k]};

		if (!row.rss)
			continue;
		row.name = strdup(report_rss_name(sums->allocator, k));
		if (!row.name)
			return -ENOMEM;
		i->rss[i->n_rss++] = row;
	}
	return i->rss ? 0 : -ENOMEM;
}

/* Read the next words from *@at on; returns their number, 0: no more. */
static size_t read_marks(const struct serve *v, uint64_t some[MARKS_AT_ONCE], uint64_t *at)
{
	uint64_t left = v->last.told->marks - *at;
	size_t want = left < MARKS_AT_ONCE ? (size_t)left : MARKS_AT_ONCE;
	ssize_t n = pread(v->last.marks, some, want * sizeof *some, (off_t)(*at * sizeof *some));

	*at += n > 0 ? (size_t)n / sizeof *some : 0;
	return n > 0 ? (size_t)n / sizeof *some : 0;
}

/* 0 or -ENOMEM. */
static int mark_others(struct serve *v, struct profile *p)
{
	uint64_t some[MARKS_AT_ONCE], at = 0;
	int err = 0;

	for (size_t n; !err && (n = read_marks(v, some, &at));) {
		for (size_t k = 0; k < n; k++)
			live_expect(&p->live, some[k] & ~(uint64_t)CLASS_BITS);
		for (size_t k = 0; !err && k < n; k++) {
			struct said_of_block said = {some[k] & ~(uint64_t)CLASS_BITS,
						     some[k] & CLASS_BITS, {0}};

			if ((int)said.class < PD_REACH_CLASSES)
				err = profile_mark(p, &said, v->last.look.held_ns);
		}
	}
	return err;
}

/* 0 or -ENOMEM. */
static int mark_lost(struct serve *v, struct profile *p)
{
	struct lost_mark some[MARKS_AT_ONCE];
	off_t at = (off_t)(v->last.told->marks * sizeof(uint64_t));
	ssize_t n;
	int err = 0;

	for (; !err && (n = pread(v->last.marks, some, sizeof some, at)) > 0; at += n)
		for (size_t k = 0; !err && k < (size_t)n / sizeof *some; k++)
			err = profile_mark(
				p,
				&(struct said_of_block){
					some[k].block,
					PD_LOST,
					{some[k].hanging_blocks, some[k].hanging_bytes}},
				v->last.look.held_ns);
	return err;
}

/* 0 or -ENOMEM. */
static int mark(struct serve *v, struct profile *p)
{
	profile_looked(p, &v->last.told->reach);
	int err = mark_others(v, p);

	return err ? err : mark_lost(v, p);
}

static void take(struct serve *v, struct image *i)
{
	const struct last_told *t = v->last.told;
	const char *why = *t->why_not.text ? t->why_not.text
			  : i->observed	   ? "who looked at it was ended"
					   : "it has ended";

	/* The process runs another program now. */
	if (i->over)
		return;
	if (i->observed && t->known)
		why = set_rows(i, &t->sums) || (t->reach.known && mark(v, i->profile))
			      ? "out of memory"
			      : NULL;
	profile_look_over(i->profile);
	if (!why && t->doubtful)
		say("what is lost in process %d is not known: the books of its heap were being "
		    "written, or are damaged; what of it is resident is doubtful",
		    (int)i->pid);
	if (why)
		say("what the resident memory of process %d is for is not known: %s", (int)i->pid,
		    why);
}

/* The next observed image after @i (NULL: the first), among those that existed at the beginning. */
static struct image *next_observed(const struct serve *v, struct image *i)
{
	while (i != v->last.until) {
		i = i ? i->next : v->session->images;
		if (!i || i->observed)
			return i;
	}
	return NULL;
}

/* 0 or -errno. */
static int begin(struct serve *v, const struct image *i)
{
	struct served_look *l = &v->last.look;

	l->pid = i->pid;
	memset(v->last.told, 0, sizeof *v->last.told);
	if (ftruncate(v->last.marks, 0) || lseek(v->last.marks, 0, SEEK_SET))
		return -errno;
	v->last.end_ns = clock_now_ns() + (PATIENCE_SECONDS + MORE_SECONDS) * UINT64_C(1000000000);
	return looker_begin_watched(&l->looker, v, look, v);
}

/* Begin with @i or the first image after it for which a looker can be started; false: none. */
static bool begin_from(struct serve *v, struct image *i)
{
	for (; i; i = next_observed(v, i)) {
		int err = begin(v, i);

		v->last.image = i;
		if (!err)
			return true;
		say("what the resident memory of process %d is for is not known: nobody could be "
		    "sent to look: %s",
		    (int)i->pid, strerror(-err));
	}
	return false;
}

static bool end(struct serve *v)
{
	looker_end(&v->last.look.looker);
	if (v->last.told && v->last.marks >= 0)
		close(v->last.marks);
	if (v->last.told)
		munmap(v->last.told, sizeof *v->last.told);
	v->last.told = NULL;
	v->last.state = LAST_OVER;
	return false;
}

static bool begin_all(struct serve *v)
{
	void *told = mmap(NULL, sizeof(struct last_told), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	v->last.told = told == MAP_FAILED ? NULL : told;
	v->last.marks = memfd_create("mprof marks", MFD_CLOEXEC);
	v->last.state = LAST_GOES_ON;
	for (struct image *i = v->session->images; i; i = i->next)
		v->last.until = i;
	return v->last.told && v->last.marks >= 0 && begin_from(v, next_observed(v, NULL));
}

void last_look_end(struct serve *v)
{
	bool missed = v->last.state == LAST_NOT_BEGUN && !v->session->launched;

	end(v);
	if (missed)
		say("what the resident memory of process %d was for is not known: it could not be "
		    "looked at any more",
		    (int)v->session->root);
}

bool last_look_goes_on(struct session *s)
{
	struct serve *v = s->owner;

	if (v->last.state == LAST_OVER)
		return false;
	/* There is no time, or no program to look at. */
	if (serve_told() == SIGXCPU || !s->observer->ops->tasks(s->observer))
		return false;
	if (v->last.state == LAST_NOT_BEGUN)
		return begin_all(v) || end(v);
	if (v->last.look.looker.pid && clock_now_ns() < v->last.end_ns)
		return true;
	looker_end(&v->last.look.looker);
	take(v, v->last.image);
	return begin_from(v, next_observed(v, v->last.image)) || end(v);
}
