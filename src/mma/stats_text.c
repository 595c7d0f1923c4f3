/* SPDX-License-Identifier: BSD-2-Clause */
#include "mma/stats_text.h"

#include <inttypes.h>

/* The five statistics, in the order in which they are printed. */
struct value {
	const char *name, *unit;
	mma_wide value;
};

enum { VALUES = 5 };

static void values_of(const struct mma_stats *s, struct value v[VALUES])
{
	v[0] = (struct value){ "duration", "ns", mma_stats_duration(s) };
	v[1] = (struct value){ "load_max", "byte", s->load_max };
	v[2] = (struct value){ "load_current", "byte", s->load };
	v[3] = (struct value){ "load_total", "byte*ns", s->load_total };
	v[4] = (struct value){ "load_avg", "byte", mma_stats_average(s) };
}

void mma_stats_print(const struct mma_stats *s, bool humanized, FILE *out)
{
	struct value v[VALUES];

	values_of(s, v);
	for (int i = 0; i < VALUES; i++) {
		char text[MMA_WIDE_TEXT];
		const char *number = mma_wide_text(v[i].value, text);

		if (humanized)
			fprintf(out, "%s [%s]: %s\n", v[i].name, v[i].unit, number);
		else
			fprintf(out, "%s%s", i ? " " : "", number);
	}
	if (!humanized)
		fputc('\n', out);
}

/* By hand: no JSON library supports 128 bits. All names are our own and need no escapes. */
void mma_stats_json(const struct mma_stats *s, FILE *out)
{
	struct value v[VALUES];

	values_of(s, v);
	for (int i = 0; i < VALUES; i++) {
		char text[MMA_WIDE_TEXT];

		fprintf(out, "%s\"%s\":%s", i ? "," : "{", v[i].name,
			mma_wide_text(v[i].value, text));
	}
	fprintf(out, ",\"events\":%" PRIu64, mma_stats_events(s));
	for (int i = 0; i < MMA_TYPES; i++)
		fprintf(out, ",\"%s\":%" PRIu64, mma_type_names[i], s->events[i]);
	fprintf(out,
		",\"unknown_free\":%" PRIu64 ",\"failed\":%" PRIu64 ",\"replaced\":%" PRIu64
		",\"live_blocks\":%" PRIu64 "}\n",
		s->unknown_free, s->failed, s->replaced, s->live_blocks);
}
