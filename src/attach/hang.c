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

/* Where the kernel does not count it nothing is known of what the tracer wants. */
static bool read_ran(pid_t tracer, uint64_t *ran_ns)
{
	char *text = proc_read(tracer, "schedstat", NULL);
	bool read = text && sscanf(text, "%" SCNu64, ran_ns) == 1;

	free(text);
	return read;
}

/* Is a byte of it not 0? */
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

static bool somebody_waits(const struct journal *g)
{
	bool waits = false;

	for (uint32_t i = 0; !waits && i < atomic_load(&g->n_entries); i++) {
		const struct journal_entry *e = &g->entries[i];
		struct address_space *s = e->pid && e->kind == JOURNAL_WAITS ?
						  program_open_space(e->pid) : NULL;

		waits = s && any_set(s, e->at, e->size);
		address_space_free(s);
	}
	return waits;
}

void hang_look(struct hang *h, struct journal *g, pid_t tracer)
{
	struct hang_seen seen = { .beats = atomic_load(&g->beats) };

	/* Nobody's memory is read as long as the tracer does something. */
	seen.waiting = seen.beats == h->beats && somebody_waits(g);
	if (seen.waiting)
		seen.wants_to_run = read_ran(tracer, &seen.ran_ns) &&
				    proc_status(tracer).state == 'R';
	if (!hang_judge(h, &seen))
		return;
	atomic_store(&g->hung, true);
	kill(tracer, SIGKILL);
}
