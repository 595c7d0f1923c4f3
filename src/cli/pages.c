/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/pages.h"

#include "base/overwrite.h"
#include "base/replace.h"
#include "base/stream.h"
#include "cli/browser.h"
#include "cli/fn_names.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "html/page.h"
#include "html/parts.h"
#include "outputs/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A template for development and tests, instead of the built-in one. */
static int load(struct page_template *t, struct error *e)
{
	const char *path = getenv("MPROF_PAGE_TEMPLATE");

	return template_load(path && *path ? path : NULL, t, e);
}

bool pages_possible(void)
{
	struct page_template t;
	struct error e;

	if (load(&t, &e)) {
		say("%s", e.text);
		return false;
	}
	template_release(&t);
	return true;
}

int pages_view(const struct options *o, struct profile_data *d)
{
	fn_names_meet(o, d);
	return view_apply(&o->view, d);
}

struct profile_data *pages_viewed(const struct options *o, struct profile_data *d)
{
	if (!d || !pages_view(o, d))
		return d;
	say("cannot write the page: out of memory");
	profile_data_free(d);
	return NULL;
}

/* ---- writing ---- */

struct page {
	struct page_template template;
	const struct page_parts *parts; /* blocks of @n profiles; NULL: it is of these: */
	struct profile_data *const *d;
	size_t n;
	const struct report_options *o;
	bool growth; /* changes of the first since the second */
};

static int print_page(FILE *out, void *ctx)
{
	const struct page *p = ctx;

	if (p->parts)
		return page_parts_write(p->parts, p->n, &p->template, out);
	return p->growth ? page_write_growth(&p->template, p->d[0], p->d[1], p->o, out)
			 : page_write(&p->template, p->d, p->n, p->o, out);
}

/* True for a device or a pipe, which is not replaced. */
static bool is_no_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

int pages_check_path(const char *path)
{
	return is_no_file(path) ? output_check_file(path, "the page", say_sentence)
				: output_check_replaced(path, "the page", say_sentence);
}

static FILE *open_special(const char *path)
{
	int fd = overwrite_open(path, false, 0);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd < 0)
		errno = -fd;
	else if (!out)
		close(fd);
	return out;
}

static int put_path(const char *path, struct page *p, struct error *e)
{
	if (path && !is_no_file(path))
		return replace_stream(path, "mprof.page.", print_page, p, e);
	FILE *out = path ? open_special(path) : stdout;
	int err = out ? print_page(out, p) : -errno;
	int lost = out ? stream_close(out) : 0;

	err = err ? err : lost;

	return err ? error_set(e, err, "cannot write %s: %s", path ? path : "the page",
			       overwrite_why(err))
		   : 0;
}

static int write_to(const char *path, struct page *p, struct error *e)
{
	int err = load(&p->template, e);

	if (!err)
		err = put_path(path, p, e);
	template_release(&p->template);
	return err;
}

/* ---- one profile after the other ---- */

/* Size, compressed, that browsers open without trouble. */
enum { PARTS_MIB = 100 };

int pages_add(struct page_parts **p, struct profile_data *d, const struct report_options *o,
	      struct error *e)
{
	if (!*p)
		*p = page_parts_new(o, (size_t)PARTS_MIB << 20);
	int err = *p ? page_parts_add(*p, d) : -ENOMEM;

	if (*p && !page_parts_count(*p)) {
		page_parts_free(*p);
		*p = NULL;
	}
	return err ? error_set(e, err, "%s", strerror(-err)) : 0;
}

static void say_left_out(const char *path, const struct page_parts *p)
{
	size_t n = page_parts_left_out(p), all = page_parts_count(p) + n;

	if (n)
		say("%s is without %zu of the %zu profiles, those with the lowest peaks: with them "
		    "it would be larger than %d MiB; mprof report --format=html makes a page of "
		    "the data files that it is given",
		    path ? path : "the page", n, all, PARTS_MIB);
}

/* Free the parts after a try to write them. */
static void end_parts(const char *path, struct page_parts **p, int failed)
{
	if (!failed)
		say_left_out(path, *p);
	page_parts_free(*p);
	*p = NULL;
}

int pages_write(const char *path, struct page_parts **p, size_t *n, struct error *e)
{
	int err = write_to(path, &(struct page){.parts = *p, .n = *n}, e);

	*n = page_parts_count(*p);
	end_parts(path, p, err);
	return err;
}

/* ---- commands ---- */

static int print(const char *path, struct page *p)
{
	struct error e;

	progress_begin("writing the page");
	int err = write_to(path, p, &e);
	progress_end();
	if (err)
		say("%s", e.text);
	return err ? STATUS_FAILED : 0;
}

int pages_print(const char *path, struct profile_data *const *d, size_t n,
		const struct report_options *o)
{
	return print(path, &(struct page){.d = d, .n = n, .o = o});
}

int pages_print_parts(const char *path, struct page_parts **p, size_t n)
{
	int status = print(path, &(struct page){.parts = *p, .n = n});

	end_parts(path, p, status);
	return status;
}

int pages_print_growth(const char *path, struct profile_data *now, struct profile_data *base,
		       const struct report_options *o)
{
	struct profile_data *const d[] = {now, base};

	return print(path, &(struct page){.d = d, .n = 2, .o = o, .growth = true});
}

/* ---- a report ---- */

bool pages_begin(struct options *o, char **place)
{
	if (o->format == FORMAT_HTML && !pages_possible())
		return false;
	if (o->open && !o->output)
		o->output = *place = browser_new_page();
	return !o->open || o->output;
}

int pages_end(const struct options *o, char *place, int status)
{
	if (o->open && !status)
		status = browser_show(o->output);
	else if (place)
		browser_no_page(place);
	free(place);
	return status;
}

/* ---- options ---- */

bool pages_check_options(const struct options *o)
{
	uint64_t command = options_of_command(o->command);

	if (command & FOR_TRACING && o->format == FORMAT_HTML) {
		say("--format=html is for mprof report and detach: a page beside the report is "
		    "written by --html=FILE");
		return false;
	}
	if (o->open && o->format != FORMAT_HTML) {
		say("option open means nothing with another format than html: nothing else is for "
		    "a browser");
		return false;
	}
	if (o->open && o->to_stdout) {
		say("option open means nothing with -o -: a browser opens a file");
		return false;
	}
	if (o->format == FORMAT_HTML && !o->open && !o->output && !o->to_stdout &&
	    isatty(STDOUT_FILENO)) {
		say("--format=html is for a browser, not for a terminal: name a file by -o FILE, "
		    "or see the page by --open");
		return false;
	}
	return true;
}
