/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/unwritten.h"

#include "base/error.h"
#include "cli/cli.h"

#include <stdarg.h>

/* A group may have thousands of processes, and a full disk one sentence for each. */
enum { REMEMBERED = 16 }; /* the last of them is the newest */

static struct error sentences[REMEMBERED];
static size_t n_sentences;

void unwritten_say(const char *fmt, ...)
{
	char text[sizeof sentences->text];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	say("%s", text);
	error_set(&sentences[n_sentences < REMEMBERED ? n_sentences : REMEMBERED - 1], 0, "%s",
		  text);
	n_sentences++;
}

size_t unwritten_count(void)
{
	return n_sentences;
}

void unwritten_forget(size_t n)
{
	n_sentences = n;
}

const char *unwritten_behind(size_t n)
{
	if (n >= n_sentences)
		return NULL;
	return sentences[n < REMEMBERED ? n : REMEMBERED - 1].text;
}

void unwritten_print(const char *mark, FILE *out)
{
	for (size_t i = 0; i < n_sentences && i < REMEMBERED; i++)
		fprintf(out, "%s%s\n", mark, sentences[i].text);
	if (n_sentences > REMEMBERED)
		fprintf(out, "%sand %zu more\n", mark, n_sentences - REMEMBERED);
}
