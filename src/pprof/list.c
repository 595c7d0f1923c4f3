/* SPDX-License-Identifier: BSD-2-Clause */
/* Source lines with their numbers, as google-pprof --list. */
#include "pprof/print.h"

#include "base/printable.h"
#include "base/text.h"
#include "pprof/number.h"
#include "naming/shortname.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AROUND 5 /* lines of context before the first and after the last line with numbers */

struct line_sums {
	int64_t line, flat, cumulative;
	size_t seen;	/* the last stack that had it, from 1 */
};

struct listing {
	const struct heap_stacks *h;
	const struct heap_view *v;
	FILE *out;
	uint32_t function;
	struct line_sums *lines;	/* of the function, sorted by line */
	size_t n;
	int64_t flat, cumulative;
};

static int by_line(const void *left, const void *right)
{
	const struct line_sums *a = left, *b = right;

	return (a->line > b->line) - (a->line < b->line);
}

/* Collect its lines. 0 or -ENOMEM. */
static int find_lines(struct listing *l)
{
	size_t n = 0;

	l->lines = calloc(l->h->n_lines + 1, sizeof *l->lines);
	if (!l->lines)
		return -ENOMEM;
	for (size_t i = 0; i < l->h->n_lines; i++)
		if (l->h->lines[i].function == l->function && l->h->lines[i].line > 0)
			l->lines[n++].line = l->h->lines[i].line;
	qsort(l->lines, n, sizeof *l->lines, by_line);
	for (size_t i = 0; i < n; i++)
		if (!l->n || l->lines[i].line != l->lines[l->n - 1].line)
			l->lines[l->n++] = l->lines[i];
	return 0;
}

static struct line_sums *sums_of(struct listing *l, int64_t line)
{
	struct line_sums key = { .line = line };

	return bsearch(&key, l->lines, l->n, sizeof key, by_line);
}

static void sum_stack(struct listing *l, const struct stack *s, size_t number)
{
	int64_t value = s->value[l->v->value];
	size_t depth = 0;
	bool counted = false;

	for (size_t k = 0; k < s->n; k++) {
		const struct pp_location *loc =
			&l->h->locations[l->h->stacks.elements[s->first + k]];

		depth += !loc->n_lines;
		for (uint32_t i = 0; i < loc->n_lines; i++, depth++) {
			const struct pp_line *line = &l->h->lines[loc->first_line + i];
			struct line_sums *sums = line->function == l->function
							 ? sums_of(l, line->line)
							 : NULL;

			if (!sums)
				continue;
			if (!depth) {
				sums->flat = stack_sum(sums->flat, value);
				l->flat = stack_sum(l->flat, value);
			}
			if (sums->seen != number)
				sums->cumulative = stack_sum(sums->cumulative, value);
			sums->seen = number;
			l->cumulative = stack_sum(l->cumulative, counted ? 0 : value);
			counted = true;
		}
	}
}

static void print_number(struct listing *l, int64_t n)
{
	char text[32];

	heap_number(text, l->v, n);
	fprintf(l->out, "%6s ", n ? text : ".");
}

/* Regular files only: the name comes from a file, and may point anywhere. */
static FILE *open_source(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
		return fdopen(fd, "r");
	if (fd >= 0)
		close(fd);
	return NULL;
}

static void print_source_line(struct listing *l, int64_t n, const char *text)
{
	const struct line_sums *sums = sums_of(l, n);
	char *safe = printable_copy(text);

	print_number(l, sums ? sums->flat : 0);
	print_number(l, sums ? sums->cumulative : 0);
	/* Tabs are not escaped. */
	fprintf(l->out, "%4" PRId64 ": ", n);
	for (const char *s = safe; s && *s; s++) {
		if (text_begins(s, "\\011")) {
			fputc('\t', l->out);
			s += 3;
		} else {
			fputc(*s, l->out);
		}
	}
	fputc('\n', l->out);
	free(safe);
}

static void print_source(struct listing *l, const char *path)
{
	FILE *f = open_source(path);
	char *text = NULL;
	size_t cap = 0;
	int64_t first = l->lines[0].line, last = l->lines[l->n - 1].line, n = 0;

	if (!f) { /* without the source: print the numbers only */
		for (size_t i = 0; i < l->n; i++)
			print_source_line(l, l->lines[i].line, "(the source is not there)");
		return;
	}
	while (n - AROUND < last && getline(&text, &cap, f) >= 0) {
		n++;
		text[strcspn(text, "\r\n")] = '\0';
		if (n >= first - AROUND)
			print_source_line(l, n, text);
	}
	free(text);
	fclose(f);
}

static int list_function(struct listing *l)
{
	const struct pp_function *f = &l->h->functions[l->function];
	size_t size = strlen(f->name) + 1;
	char *name = malloc(size);
	struct error shown;
	int err = name ? find_lines(l) : -ENOMEM;

	for (size_t i = 0; !err && i < l->h->stacks.n; i++)
		sum_stack(l, &l->h->stacks.stacks[i], i + 1);
	if (!err && l->n) {
		shortname(strcmp(f->system_name, f->name) ? f->system_name : NULL, f->name, name,
			  size);
		error_set(&shown, 0, "%s in %s", name, *f->file ? f->file : "??");
		fprintf(l->out, "ROUTINE ====================== %s\n", shown.text);
		print_number(l, l->flat);
		print_number(l, l->cumulative);
		fprintf(l->out, "Total %s (flat / cumulative)\n", heap_unit(l->v));
		print_source(l, f->file);
	}
	free(name);
	free(l->lines);
	return err;
}

int heap_print_list(const struct heap_stacks *h, const struct heap_view *v, const char *re,
		    FILE *out, bool *any, struct error *e)
{
	regex_t compiled;
	char why[256];
	int err = regcomp(&compiled, re, REG_EXTENDED | REG_NOSUB);

	if (err) {
		regerror(err, &compiled, why, sizeof why);
		return error_set(e, -EINVAL, "option list: \"%s\" is no regular expression: "
					     "%s", re, why);
	}
	for (uint32_t i = 0; !err && i < h->n_functions; i++) {
		struct listing l = { .h = h, .v = v, .out = out, .function = i };

		if (regexec(&compiled, h->functions[i].name, 0, NULL, 0))
			continue;
		*any = true;
		err = list_function(&l);
	}
	regfree(&compiled);
	return err ? error_set(e, err, "out of memory") : 0;
}
