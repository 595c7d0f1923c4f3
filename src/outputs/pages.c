/* SPDX-License-Identifier: BSD-2-Clause */
#include "outputs/pages.h"

#include "outputs/data.h"
#include "session/filename.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A command of more files nobody types. */
enum { FILES_TOLD = 12 };

/* heap.html; of a child heap.PID.html; of a process that has exec'ed, what was before it
 * heap.PID.N.html: a browser knows a page by how its name ends. */
static char *file_name(const struct outputs *o, const struct image *i, struct error *e)
{
	const struct filename_whose whose = data_whose(o, i);
	size_t stem = filename_stem(o->settings.html, PAGE_ENDING);
	char *pattern = strndup(o->settings.html, stem);
	char *name = pattern ? filename_of(pattern, &whose, e) : NULL, *whole = NULL;

	if (!pattern || (name && asprintf(&whole, "%s%s", name, o->settings.html + stem) < 0)) {
		error_set(e, -ENOMEM, "out of memory");
		whole = NULL;
	}
	free(pattern);
	free(name);
	return whole;
}

static int put_page(struct outputs *o, const struct image *i, struct profile_data *printed,
		    const char *path, struct error *e)
{
	struct profile_data *own = printed ? NULL : data_name_image(o, i);

	if (!printed && !own)
		return -ENOMEM;
	o->host->step("writing the page");
	int err = printed ? o->host->page(o->host_ctx, printed, path, e)
			  : o->host->page_unprinted(o->host_ctx, own, path, e);
	o->host->step(NULL);
	profile_data_free(own);
	return err;
}

void page_of_image(struct outputs *o, struct image *i, struct profile_data *printed)
{
	struct error e = {"out of memory"};

	if (!o->settings.html || i->paged)
		return;
	char *path = file_name(o, i, &e);
	int err = path ? put_page(o, i, printed, path, &e) : -ENOMEM;

	i->paged = true;
	if (err)
		unwritten_say(o, "process %d: no page: %s", (int)i->pid, e.text);
	else if (strcmp(path, "/dev/null"))
		say_to(o->host->say, "the page of process %d is %s", (int)i->pid, path);
	free(path);
	o->paged = o->paged ? o->paged : err;
}

static bool has_file(const struct image *i, const char *name)
{
	return i->saved && name && strcmp(name, "/dev/null");
}

/* " mprof.data mprof.data.4711", those that are there; returns how many these are. */
static size_t list_data_files(const struct outputs *o, FILE *out)
{
	struct error e;
	size_t n = 0;

	for (const struct image *i = o->session->images; i; i = i->next) {
		char *name = data_file_name(o, i, &e);

		if (has_file(i, name) && n++ < FILES_TOLD)
			fprintf(out, " %s", name);
		free(name);
	}
	if (n > FILES_TOLD)
		fprintf(out, " ... (and the %zu other data files)", n - FILES_TOLD);
	return n;
}

/* The pages of several processes know nothing of each other. */
static void say_one_page(const struct outputs *o)
{
	struct error e;
	char *page = filename_expand(o->settings.html, o->session->root, &e), *files = NULL;
	size_t len;
	FILE *out = page && strcmp(page, "/dev/null") ? open_memstream(&files, &len) : NULL;
	size_t n = out ? list_data_files(o, out) : 0;

	if (out && !fclose(out) && n > 1)
		say_to(o->host->say,
		       "these are pages of one process each; one page of all %zu is made by: "
		       "mprof report --format=html -o %.*s.all" PAGE_ENDING "%s",
		       n, (int)filename_stem(page, PAGE_ENDING), page, files);
	free(files);
	free(page);
}

int pages_of_session(struct outputs *o)
{
	for (struct image *i = o->session->images; i; i = i->next)
		page_of_image(o, i, NULL);
	if (o->settings.html && !o->paged && !o->settings.quiet)
		say_one_page(o);
	return o->paged;
}
