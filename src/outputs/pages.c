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

static int write_page(struct outputs *o, const struct image *i)
{
	struct error e = {"out of memory"};
	char *path = file_name(o, i, &e);
	struct profile_data *d = path ? data_name_image(o, i) : NULL;
	int err = d ? 0 : -ENOMEM;

	o->host->step("writing the page");
	if (d)
		err = o->host->page(o->host_ctx, d, path, &e);
	o->host->step(NULL);
	if (err)
		unwritten_say(o, "process %d: no page: %s", (int)i->pid, e.text);
	else if (strcmp(path, "/dev/null"))
		say_to(o->host->say, "the page of process %d is %s", (int)i->pid, path);
	profile_data_free(d);
	free(path);
	return err;
}

int pages_of_session(struct outputs *o)
{
	int err = 0;

	for (const struct image *i = o->session->images; o->settings.html && i; i = i->next) {
		int e = write_page(o, i);

		err = err ? err : e;
	}
	return err;
}
