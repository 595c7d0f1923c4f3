/* SPDX-License-Identifier: BSD-2-Clause */
/* Selects which stacks, and which of their frames, are shown. */
#include "pprof/heapstacks.h"

#include "pprof/allocators.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* ---- allocation functions ---- */

/* All functions of a location count, or none: what is inlined into malloc belongs to malloc. */
static bool is_allocator(const struct heap_stacks *h, const struct pp_location *l)
{
	if (l->mapping != PP_NONE && heap_is_allocators_file(h->mappings[l->mapping].path))
		return true;
	for (uint32_t i = 0; i < l->n_lines; i++)
		if (!heap_is_allocator(h->functions[h->lines[l->first_line + i].function].name))
			return false;
	return l->n_lines;
}

int heap_stacks_trim(struct heap_stacks *h)
{
	struct stack_table was = h->stacks;
	uint64_t *kept = malloc((was.n_elements + 1) * sizeof *kept);
	int err = kept ? 0 : -ENOMEM;

	if (err)
		return err;
	h->stacks = (struct stack_table){ 0 };
	for (size_t i = 0; !err && i < was.n; i++) {
		const struct stack *s = &was.stacks[i];
		size_t n = 0;

		for (size_t k = 0; k < s->n; k++)
			if (!is_allocator(h, &h->locations[was.elements[s->first + k]]))
				kept[n++] = was.elements[s->first + k];
		err = stack_table_add(&h->stacks, kept, n, s->value);
	}
	free(kept);
	stack_table_release(&was);
	return err;
}

/* ---- focus and ignore ---- */

static int compile(const char *text, const char *option, regex_t *re, struct error *e)
{
	char why[256];
	int err = regcomp(re, text, REG_EXTENDED | REG_NOSUB);

	if (!err)
		return 0;
	regerror(err, re, why, sizeof why);
	return error_set(e, -EINVAL, "option %s: \"%s\" is no regular expression: "
				     "%s", option, text, why);
}

/* Set for each location whether it matches. Returns true if any does. */
static bool match_locations(const struct heap_stacks *h, const regex_t *re, bool *matches)
{
	bool any = false;

	for (size_t i = 0; i < h->n_locations; i++) {
		const struct pp_location *l = &h->locations[i];

		for (uint32_t k = 0; !matches[i] && k < l->n_lines; k++) {
			const struct pp_function *f =
				&h->functions[h->lines[l->first_line + k].function];

			matches[i] = !regexec(re, f->name, 0, NULL, 0) ||
				     !regexec(re, f->file, 0, NULL, 0);
		}
		any |= matches[i];
	}
	return any;
}

static bool any_matches(const struct stack_table *t, const struct stack *s, const bool *matches)
{
	for (size_t k = 0; k < s->n; k++)
		if (matches[t->elements[s->first + k]])
			return true;
	return false;
}

/* Keep the stacks that match (or, if not @keep, those that do not). *any: set if something
 * matches. */
static int filter(struct heap_stacks *h, const char *text, const char *option, bool keep, bool *any,
		  struct error *e)
{
	bool *matches = calloc(h->n_locations + 1, sizeof *matches);
	struct stack_table was = h->stacks;
	regex_t re;
	int err = matches ? compile(text, option, &re, e) : error_set(e, -ENOMEM, "out of memory");

	if (err) {
		free(matches);
		return err;
	}
	*any |= match_locations(h, &re, matches);
	regfree(&re);
	h->stacks = (struct stack_table){ 0 };
	for (size_t i = 0; !err && i < was.n; i++) {
		const struct stack *s = &was.stacks[i];

		if (any_matches(&was, s, matches) == keep)
			err = stack_table_add(&h->stacks, was.elements + s->first, s->n, s->value);
	}
	free(matches);
	stack_table_release(&was);
	return err ? error_set(e, err, "out of memory") : 0;
}

int heap_stacks_filter(struct heap_stacks *h, const char *focus, const char *ignore,
		       struct heap_matches *m, struct error *e)
{
	int err = focus ? filter(h, focus, "focus", true, &m->focus, e) : 0;

	return !err && ignore ? filter(h, ignore, "ignore", false, &m->ignore, e) : err;
}
