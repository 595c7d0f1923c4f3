/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/hang.h"

#include "attach/rescue_internal.h"

#include <signal.h>

bool hang_judge(struct hang *h, uint64_t beats, bool waiting)
{
	if (!waiting || beats != h->beats) {
		*h = (struct hang){ .beats = beats };
		return false;
	}
	return ++h->looks >= HANG_LOOKS;
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
	uint64_t beats = atomic_load(&g->beats);

	/* Nobody's memory is read as long as the tracer does something. */
	if (!hang_judge(h, beats, beats == h->beats && somebody_waits(g)))
		return;
	atomic_store(&g->hung, true);
	kill(tracer, SIGKILL);
}
