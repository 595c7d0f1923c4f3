/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/hang.h"

#include "attach/rescue_internal.h"

#include "proc/file.h"
#include "proc/status.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

bool hang_judge(struct hang *h, const struct hang_seen *seen)
{
	if (!seen->waiting || seen->beats != h->beats) {
		*h = (struct hang){ .beats = seen->beats };
		return false;
	}
	if (!h->looks)
		h->ran_ns = seen->ran_ns;
	h->looks += h->looks < HANG_LOOKS;
	return h->looks == HANG_LOOKS &&
	       (!seen->wants_to_run || seen->ran_ns - h->ran_ns >= HANG_RAN_NS);
}

/* The tracer's processor time. False: this kernel does not count it. */
static bool read_ran(pid_t tracer, uint64_t *ran_ns)
{
	char *text = proc_read(tracer, "schedstat", NULL);
	bool read = text && sscanf(text, "%" SCNu64, ran_ns) == 1;

	free(text);
	return read;
}

/* Is any byte of the range not 0? */
static bool any_set(const struct address_space *s, taddr at, uint64_t size)
{
	uint8_t bytes[4096];

	while (size) {
		size_t piece = size < sizeof bytes ? (size_t)size : sizeof bytes;
		ssize_t got = address_space_read(s, at, bytes, piece);

		for (ssize_t i = 0; i < got; i++)
			if (bytes[i])
				return true;
		if (got < (ssize_t)piece)
			return false;
		at += piece;
		size -= piece;
	}
	return false;
}

/* Copy the entry, which the tracer may be writing at this moment. False: it is not a JOURNAL_WAITS,
 * or has been replaced meanwhile. */
static bool read_waits(const struct journal_entry *e, struct journal_entry *now)
{
	now->pid = __atomic_load_n(&e->pid, __ATOMIC_ACQUIRE);
	now->kind = __atomic_load_n(&e->kind, __ATOMIC_RELAXED);
	now->at = __atomic_load_n(&e->at, __ATOMIC_RELAXED);
	now->size = __atomic_load_n(&e->size, __ATOMIC_RELAXED);
	atomic_thread_fence(memory_order_acquire);
	return now->pid && now->kind == JOURNAL_WAITS &&
	       __atomic_load_n(&e->pid, __ATOMIC_RELAXED) == now->pid;
}

static bool somebody_waits(const struct journal *g)
{
	bool waits = false;

	for (uint32_t i = 0; !waits && i < atomic_load(&g->n_entries); i++) {
		struct journal_entry e;
		struct address_space *s = read_waits(&g->entries[i], &e) ?
						  program_open_space(e.pid) : NULL;

		waits = s && any_set(s, e.at, e.size);
		address_space_free(s);
	}
	return waits;
}

void hang_look(struct hang *h, struct journal *g, pid_t tracer)
{
	struct hang_seen seen = { .beats = atomic_load(&g->beats) };

	/* As long as the tracer makes progress no program's memory is read. */
	seen.waiting = seen.beats == h->beats && somebody_waits(g);
	if (seen.waiting)
		seen.wants_to_run = read_ran(tracer, &seen.ran_ns) &&
				    proc_status(tracer).state == 'R';
	if (!hang_judge(h, &seen))
		return;
	atomic_store(&g->hung, true);
	kill(tracer, SIGKILL);
}
