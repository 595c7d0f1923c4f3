/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/results.h"

#include "base/array.h"
#include "base/memstream.h"
#include "outputs/data.h"
#include "outputs/tell.h"
#include "outputs/write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- lines ---- */

void section_write(const struct section *s, FILE *out)
{
	fprintf(out, CONTROL_PROCESS "%d %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n", (int)s->pid,
		s->number, s->allocs, s->bytes, s->kept_bytes, s->title);
}

bool section_read(struct section *s, const char *line)
{
	int pid, at = 0;

	*s = (struct section){ 0 };
	if (sscanf(line, CONTROL_PROCESS "%d %u %" SCNu64 " %" SCNu64 " %" SCNu64 "%n", &pid,
		   &s->number, &s->allocs, &s->bytes, &s->kept_bytes, &at) != 5 ||
	    line[at] != ' ')
		return false;
	s->pid = pid;
	/* Escape it again: it comes from another process. */
	title_make(s->title, line + at + 1, strlen(line + at + 1));
	return true;
}

/* ---- results of a session ---- */

/* The answer has a line for each name. */
static bool fits_a_line(const char *name)
{
	return !strchr(name, '\n');
}

/* True if the client reads the profile from memory: it was not saved, no file was wanted, or the
 * file's name cannot be told. */
static bool is_read_from_memory(const struct outputs *o, const struct image *i, enum results what)
{
	if (!i->saved)
		return what == RESULTS_KEPT;
	char *name = data_absolute_name(o, i);
	bool is = name && (!strcmp(name, "/dev/null") || !fits_a_line(name));

	free(name);
	return is;
}

/* Save to memory all profiles that are read from there; together, since the same files are read for
 * their names. */
static void save_in_memory(const struct outputs *o, enum results what)
{
	struct image **v = NULL;
	size_t n = 0, cap = 0;

	/* Out of memory: a profile is not readable from there. */
	for (struct image *i = o->session->images; i; i = i->next)
		if (!i->memory && is_read_from_memory(o, i, what) && !ARRAY_RESERVE(&v, &cap, n))
			v[n++] = i;
	if (n)
		data_save_in_memory(o, v, n);
	free(v);
}

static void add_image(FILE *out, const struct outputs *o, const struct image *i, enum results what)
{
	struct section section = output_section(i);
	char *name = i->saved ? data_absolute_name(o, i) : NULL;
	struct error where;

	section_write(&section, out);
	if (i->memory && is_read_from_memory(o, i, what))
		fprintf(out, CONTROL_MEMORY "/proc/%d/fd/%d\n", (int)getpid(), i->memory);
	else if (name && fits_a_line(name))
		fprintf(out, CONTROL_DATA "%s\n", name);
	if (name && !fits_a_line(name)) {
		error_set(&where, 0, "the profile is in %s", name); /* escapes it */
		fprintf(out, CONTROL_SAID "%s\n", where.text);
	}
	free(name);
}

static void add_unsaved(FILE *out, const struct outputs *o)
{
	struct unsaved u;

	unsaved_list(o, &u);
	for (size_t i = 0; i < u.n; i++) {
		char *name = unsaved_name(o, &u.files[i]);

		fprintf(out, CONTROL_UNSAVED "%s %s\n", unsaved_kind_name(u.files[i].kind),
			name ? name : "?");
		free(name);
	}
	unsaved_release(&u);
}

static void add_failures(FILE *out, const struct outputs *o)
{
	const struct session *s = o->session;

	unwritten_print(&o->unwritten, CONTROL_FAILED, out);
	if (s->save_children.failed)
		fputs(CONTROL_FAILED
		      "not everything could be written that was due while the session went on\n",
		      out);
}

char *results_text(const struct outputs *o, const char *head, enum results what)
{
	const struct session *s = o->session;
	char *text = NULL;
	size_t len;
	FILE *out = memstream_open(&text, &len);

	if (!out)
		return NULL;
	fputs(head, out);
	save_in_memory(o, what);
	for (const struct image *i = s->images; i; i = i->next)
		add_image(out, o, i, what);
	if (what == RESULTS_KEPT)
		add_unsaved(out, o);
	add_failures(out, o);
	struct error e;
	if (o->left_out_text)
		fprintf(out, CONTROL_SAID "%s\n", o->left_out_text);
	if (tell_unfollowed(s, &e))
		fprintf(out, CONTROL_SAID "%s\n", e.text);
	fclose(out);
	return text;
}

void results_answer_saved(const struct outputs *o, const struct unsaved *files, struct answer *a)
{
	for (size_t i = 0; i < files->n; i++) {
		const struct unsaved_file *f = &files->files[i];
		char *name = unsaved_is(o, f) ? NULL : unsaved_name(o, f);

		if (name)
			answer_file(a, f->kind == UNSAVED_PROFILE ? CONTROL_DATA : CONTROL_FILE,
				    name);
		free(name);
	}
	if (o->left_out_text)
		answer_said(a, o->left_out_text);
}

/* Append other errors: "; cannot write ...; and 3 more". */
static void append_failures(char *text, size_t size, const struct outputs *o, size_t told)
{
	size_t len = strlen(text), n = told;

	for (const char *why; (why = unwritten_behind(&o->unwritten, n)); n++) {
		if (n >= UNWRITTEN_REMEMBERED ||
		    len + strlen(why) + sizeof "; and 4294967295 more" > size)
			break;
		len += (size_t)snprintf(text + len, size - len, "; %s", why);
	}
	if (n < o->unwritten.n)
		snprintf(text + len, size - len, "; and %zu more", o->unwritten.n - n);
	else if (o->session->save_children.failed)
		snprintf(text + len, size - len, "; and more");
}

bool results_last_word(const struct outputs *o, struct error *e)
{
	const struct session *s = o->session;
	const struct image *i = s->images;
	char when[64] = "", more[64] = "";
	const char *why = unwritten_behind(&o->unwritten, 0);
	const char *with = s->root_ended ? "with its process " : "";
	time_t now = time(NULL);
	size_t others = 0;

	while (i && (i->over || i->pid != s->root))
		i = i->next;
	if (!i)
		i = s->images;
	if (!i)
		return false;
	for (const struct image *k = s->images; k; k = k->next)
		others += k != i;
	if (others)
		snprintf(more, sizeof more, ", and %zu more", others);
	strftime(when, sizeof when, "%F %T", localtime(&now));
	char *name = i->saved ? data_absolute_name(o, i) : NULL;
	if (name && !strcmp(name, "/dev/null"))
		error_set(e, 0, "ended %sat %s, and was to save no profile", with, when);
	else if (name)
		error_set(e, 0, "ended %sat %s, and the profile is in "
				"%s%s", with, when, name, more);
	else
		error_set(e, 0, "ended %sat %s, and its profile has not been saved: %s", with, when,
			  why ? why : "it was given up");
	append_failures(e->text, sizeof e->text, o, !name && why);
	free(name);
	return true;
}
