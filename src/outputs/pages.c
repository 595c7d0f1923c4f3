/* SPDX-License-Identifier: BSD-2-Clause */
#include "outputs/pages.h"

#include "outputs/data.h"
#include "session/filename.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* True if there is one page for all profiles: its name has no %p. */
static bool is_joint(const struct outputs *o)
{
	return !filename_has_pid(o->settings.html);
}

char *page_file_name(const char *html, const struct filename_whose *whose, struct error *e)
{
	size_t stem = filename_stem(html, PAGE_ENDING);
	char *pattern = strndup(html, stem);
	char *name = pattern ? filename_of(pattern, whose, e) : NULL, *whole = NULL;

	if (!pattern || (name && asprintf(&whole, "%s%s", name, html + stem) < 0)) {
		error_set(e, -ENOMEM, "out of memory");
		whole = NULL;
	}
	free(pattern);
	free(name);
	return whole;
}

static int add(struct outputs *o, const struct image *i, struct profile_data *printed,
	       struct error *e)
{
	struct profile_data *own = printed ? NULL : data_name_image(o, i);

	if (!printed && !own)
		return error_set(e, -ENOMEM, "out of memory");
	o->host->step("making the page");
	int err = o->host->page_add(o->host_ctx, own ? own : printed, printed, e);
	o->host->step(NULL);
	profile_data_free(own);
	return err;
}

static int put(const struct outputs *o, const char *path, size_t *n, struct error *e)
{
	o->host->step("writing the page");
	int err = o->host->page_write(o->host_ctx, path, n, e);
	o->host->step(NULL);
	return err;
}

/* @n of @all profiles are in the page. */
static void say_written(const struct outputs *o, pid_t pid, size_t n, size_t all,
			const char *path, bool older)
{
	char of[64];

	if (!strcmp(path, "/dev/null"))
		return;
	if (all == 1)
		snprintf(of, sizeof of, "process %d", (int)pid);
	else if (n == all)
		snprintf(of, sizeof of, "all %zu profiles", all);
	else
		snprintf(of, sizeof of, "%zu of %zu profiles", n, all);
	say_to(o->host->say, "the page of %s is %s%s", of, path, older ? OUTPUT_REPLACED : "");
}

/* There is no second try for a page: how to make it from the data files. */
static const char *otherwise(const struct outputs *o)
{
	return o->settings.data && strcmp(o->settings.data, "/dev/null") != 0
		       ? "; mprof report --format=html makes one of the data files"
		       : "";
}

static void failed(struct outputs *o, const struct image *i, int err, const struct error *e)
{
	unwritten_say(o, "process %d: no page: %s%s", (int)i->pid, e->text, otherwise(o));
	o->paged = o->paged ? o->paged : err;
}

static void page_alone(struct outputs *o, const struct image *i, struct profile_data *printed)
{
	const struct filename_whose whose = data_whose(o, i);
	struct error e;
	char *path = page_file_name(o->settings.html, &whose, &e);
	int err = path ? add(o, i, printed, &e) : -EINVAL;
	const bool older = path && output_replaces(path, i->started_ns);
	size_t n = 1;

	if (!err)
		err = put(o, path, &n, &e);
	if (err)
		failed(o, i, err, &e);
	else if (untold_is(o, i))
		untold_paged(o, path, older);
	else
		say_written(o, i->pid, n, 1, path, older);
	free(path);
}

static void page_among_others(struct outputs *o, const struct image *i,
			      struct profile_data *printed)
{
	struct error e;
	int err = add(o, i, printed, &e);

	o->to_page++;
	if (err)
		failed(o, i, err, &e);
	else
		o->n_paged++;
}

void page_of_image(struct outputs *o, struct image *i, struct profile_data *printed)
{
	if (!o->settings.html || i->paged)
		return;
	i->paged = true;
	if (is_joint(o))
		page_among_others(o, i, printed);
	else
		page_alone(o, i, printed);
}

/* @first: the first image that is in it. */
static void write_joint(struct outputs *o, const struct image *first)
{
	size_t n = o->to_page;
	struct error e;
	char *path = filename_expand(o->settings.html, o->session->root, &e);
	const bool older = path && output_replaces(path, first->started_ns);
	int err = path ? put(o, path, &n, &e) : -EINVAL;

	if (err)
		unwritten_say(o, "no page: %s%s", e.text, otherwise(o));
	else
		say_written(o, first->pid, n, o->to_page, path, older);
	free(path);
	o->paged = o->paged ? o->paged : err;
}

int pages_of_session(struct outputs *o)
{
	const struct image *first = o->session->images;

	for (struct image *i = o->session->images; i; i = i->next)
		page_of_image(o, i, NULL);
	if (first && o->n_paged)
		write_joint(o, first);
	untold_say(o);
	return o->paged;
}
