/* SPDX-License-Identifier: BSD-2-Clause */
#include "outputs/pages.h"

#include "outputs/data.h"
#include "session/filename.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

int pages_of_session(struct outputs *o)
{
	for (struct image *i = o->session->images; i; i = i->next)
		page_of_image(o, i, NULL);
	return o->paged;
}
