/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/pd_names.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

uint32_t names_function(const struct profile_data *d, uint32_t site)
{
	if (site >= d->n_sites || d->sites[site].function >= d->n_functions)
		return (uint32_t)d->n_functions;
	return d->sites[site].function;
}

const char *names_text(const struct profile_data *d, uint32_t function)
{
	return function < d->n_functions ? d->functions[function].name : "?";
}

static const char *file_of(const struct profile_data *d, uint32_t site)
{
	return site < d->n_sites && d->sites[site].file ? d->sites[site].file : "";
}

uint32_t names_line(const struct profile_data *d, uint32_t site)
{
	return site < d->n_sites ? d->sites[site].line : 0;
}

int names_compare_lines(const struct profile_data *d, uint32_t s, uint32_t t)
{
	const char *a = file_of(d, s), *b = file_of(d, t);
	int c = a == b ? 0 : strcmp(a, b);

	if (c)
		return c;
	return names_line(d, s) < names_line(d, t) ? -1 : names_line(d, s) > names_line(d, t);
}

/* Addresses are relative to a module, so compare modules first; "?" comes last. */
static int by_address(const struct profile_data *d, uint32_t a, uint32_t b)
{
	if (a < d->n_functions && b < d->n_functions) {
		const struct pd_function *f = &d->functions[a], *g = &d->functions[b];

		if (f->module != g->module)
			return f->module < g->module ? -1 : 1;
		if (f->address != g->address)
			return f->address < g->address ? -1 : 1;
	}
	return a < b ? -1 : a > b;
}

static int by_name(const void *left, const void *right, void *data)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int c = strcmp(names_text(data, a), names_text(data, b));

	return c ? c : by_address(data, a, b);
}

uint32_t *names_ranks(const struct profile_data *d)
{
	size_t n = names_count(d);
	uint32_t *sorted = malloc(n * sizeof *sorted), *rank = malloc(n * sizeof *rank);

	if (!sorted || !rank) {
		free(sorted);
		free(rank);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		sorted[i] = (uint32_t)i;
	qsort_r(sorted, n, sizeof *sorted, by_name, (void *)d);
	for (size_t i = 0; i < n; i++)
		rank[sorted[i]] = (uint32_t)i;
	free(sorted);
	return rank;
}

uint32_t *names_falling(const struct profile_data *d, const uint32_t *rank)
{
	size_t n = names_count(d), place = 0;
	uint32_t *sorted = malloc(n * sizeof *sorted), *falling = malloc(n * sizeof *falling);

	if (!sorted || !falling) {
		free(sorted);
		free(falling);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		sorted[rank[i]] = (uint32_t)i;
	for (size_t end = n, begin; end > 0; end = begin) {
		begin = end - 1;
		while (begin > 0 &&
		       !strcmp(names_text(d, sorted[begin - 1]), names_text(d, sorted[begin])))
			begin--;
		for (size_t i = begin; i < end; i++)
			falling[sorted[i]] = (uint32_t)place++;
	}
	free(sorted);
	return falling;
}

bool names_is_nameless(const char *name)
{
	const char *plus = strrchr(name, '+');
	const char *digits = plus ? text_after(plus, "+0x") : NULL;

	return digits && digits[strspn(digits, "0123456789abcdef")] == '\0';
}

bool names_nothing_names(const struct profile_data *d, uint32_t function)
{
	const char *name = names_text(d, function);

	/* A JIT compiler may give its code any name. */
	if (function < d->n_functions && d->functions[function].module == PD_NONE)
		return text_begins(name, "0x");
	return names_is_nameless(name);
}
