/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/reading_internal.h"

#include "base/preadall.h"
#include "base/writeall.h"
#include "symbols/debuginfod.h"
#include "symbols/namecache_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Parts done by one process. Its limits are meant for one part, but a thousandth of them is enough
 * for most. */
enum { AT_ONCE = 64 };

/* Sentences that are shown of one process, and one more for each file: honest ones have fewer. */
enum { SENTENCES = 64 };

/* Requests of the confined process. */
enum { ASK_SAY = 1, ASK_FETCH, ASK_KEEP, ASK_TELL, ASK_TAKE };

/* ---- in the process ---- */

static void ask_say(const char *text)
{
	apart_ask(ASK_SAY, text, strlen(text), NULL);
}

static int ask_fetch(const char *build_id, const char *module, char path[PATH_MAX])
{
	char *text = NULL;
	int len = asprintf(&text, "%s %s", build_id, module);
	int err = len < 0 ? -ENOMEM : apart_ask(ASK_FETCH, text, (size_t)len, path);

	free(len < 0 ? NULL : text);
	return err;
}

/* Sends the build ID with its terminating zero, followed by the bytes. */
static void ask_keep(const char *build_id, const char *bytes, size_t n)
{
	size_t len = strlen(build_id) + 1;
	char *both = malloc(len + n);

	if (!both)
		return;
	memcpy(both, build_id, len);
	memcpy(both + len, bytes, n);
	apart_ask(ASK_KEEP, both, len + n, NULL);
	free(both);
}

int reading_tell(const void *bytes, size_t n)
{
	return apart_ask(ASK_TELL, bytes, n, NULL);
}

void reading_begins(uint32_t file)
{
	apart_note(file);
}

void reading_is_done(void)
{
	apart_note(UINT32_MAX);
}

static const struct symbols_outside outside = { apart_note, apart_out_of_memory, ask_fetch,
						ask_keep, ask_say };

int reading_namer(struct reading *r, struct namer *namer)
{
	r->search.outside = &outside;
	r->search.progress = r->search.progress ? ask_say : NULL;
	return namer_init(namer, &r->search);
}

/* The last result is taken when the process has ended; for the others ASK_TAKE returns when the
 * file has been taken and is empty again. */
static int work_in_there(void *ctx, int out)
{
	struct reading *r = ctx;
	const size_t left = r->n - r->at, end = r->at + (left < AT_ONCE ? left : AT_ONCE);
	struct namer namer;
	int err = reading_namer(r, &namer);

	while (!err && r->at < end) {
		err = r->ops->work(r, r->at, &namer, out);
		reading_is_done();
		if (!err && r->at + 1 < end)
			err = apart_ask(ASK_TAKE, &r->at, sizeof r->at, NULL);
		r->at++;
	}
	namer_release(&namer);
	return err;
}

/* ---- outside ---- */

static int fetch(struct reading *r, char *text, char answer[APART_ANSWER])
{
	char *module = strchr(text, ' ');
	struct symbols_search search = r->search;

	/* A process that asks more often than there are files must be up to something. */
	if (!module || !search.fetch || r->fetched++ > 2 * r->n_files)
		return -ENOENT;
	*module++ = '\0';
	if (strspn(text, "0123456789abcdef") != strlen(text))
		return -ENOENT;
	return debuginfod_fetch(&search, text, module, answer);
}

static int copy_of(int out)
{
	char bytes[65536];
	int copy = memfd_create("mprof apart", MFD_CLOEXEC), err = copy < 0 ? -errno : 0;
	ssize_t got = 1;

	for (off_t at = 0; !err && got; at += got) {
		got = pread(out, bytes, sizeof bytes, at);
		err = got < 0 ? -errno : write_all(copy, bytes, (size_t)got);
	}
	if (!err && ftruncate(out, 0))
		err = -errno;
	if (err && copy >= 0)
		close(copy);
	return err ? err : copy;
}

static int take(struct reading *r, int fd)
{
	const int err = r->at < r->n ? r->ops->take(r, r->at, fd) : -EPROTO;

	r->spoiled |= err != 0;
	r->at += !err;
	return err;
}

int reading_take_copy(struct reading *r)
{
	int copy = copy_of(r->out), err = copy < 0 ? copy : take(r, copy);

	if (copy >= 0)
		close(copy);
	return err;
}

static int take_one(struct reading *r, const char *bytes, size_t size)
{
	if (size != sizeof r->at || memcmp(bytes, &r->at, sizeof r->at))
		return -EPROTO;
	return reading_take_copy(r);
}

int reading_take(int fd, void *to, size_t size)
{
	struct stat st;

	if (fstat(fd, &st) || (uint64_t)st.st_size != size ||
	    pread_all(fd, to, size, 0) != (ssize_t)size)
		return -EUCLEAN;
	return 0;
}

static int show(struct reading *r, const char *sentence)
{
	const size_t most = SENTENCES + r->n_files;

	if (r->said++ < most) {
		say_to(r->search.progress ? r->search.progress : r->say, "%s", sentence);
		return 0;
	}
	if (r->said == most + 1)
		say_to(r->say,
		       "the process that reads names has more than %zu sentences: the others are "
		       "not shown",
		       most);
	return -EDQUOT;
}

/* An honest process has an entry for a file at most. */
static int put_into_cache(struct reading *r, const char *bytes, size_t size)
{
	if (!r->search.cache || strnlen(bytes, size) == size)
		return 0;
	if (r->cached++ < r->n_files) {
		cache_keep(bytes, bytes + strlen(bytes) + 1, size - strlen(bytes) - 1);
		return 0;
	}
	if (r->cached == r->n_files + 1)
		say_to(r->say,
		       "the process that reads names has more entries for the cache of names than "
		       "there are files (%zu): the others are not written",
		       r->n_files);
	return -EDQUOT;
}

static int serve(void *ctx, unsigned kind, const char *bytes, size_t size,
		 char answer[APART_ANSWER])
{
	struct reading *r = ctx;
	char *text = NULL;
	int err = 0;

	switch (kind) {
	case ASK_SAY:
		return show(r, bytes);
	case ASK_FETCH:
		text = strdup(bytes);
		err = text ? fetch(r, text, answer) : -ENOMEM;
		free(text);
		return err;
	case ASK_KEEP:
		return put_into_cache(r, bytes, size);
	case ASK_TELL:
		return r->ops->told ? r->ops->told(r, r->at, bytes, size) : -EPROTO;
	case ASK_TAKE:
		return take_one(r, bytes, size);
	default:
		return -EPROTO;
	}
}

static void waits(void *ctx)
{
	const struct reading *r = ctx;

	if (r->waits)
		r->waits(r->waits_ctx);
}

int reading_work(struct reading *r, int (*body)(void *ctx, int out), struct apart_work *work,
		 struct apart_end *end)
{
	int *fds = calloc(r->n_files + r->n_fds + 1, sizeof *fds);

	*end = (struct apart_end){ .noted = UINT32_MAX };
	*work = (struct apart_work){
		.work = body, .serve = serve, .waits = waits, .ctx = r, .fds = fds,
		.n_fds = r->n_files + r->n_fds, .out = &r->out, .bounds = apart_bounds(),
	};
	r->spoiled = false;
	r->said = r->cached = r->fetched = 0;
	if (!fds)
		return error_set(&end->why, -ENOMEM, "takes memory that there is not");
	for (size_t i = 0; i < r->n_files; i++)
		fds[i] = r->files[i].fd;
	for (size_t i = 0; i < r->n_fds; i++)
		fds[r->n_files + i] = r->fds[i];
	return 0;
}

void reading_tell_spoiled(const struct reading *r, struct apart_end *end)
{
	if (r->spoiled)
		error_set(&end->why, -EUCLEAN, "gave what makes no sense");
}

/* Has a process do as many parts as it may. True: it did, and ended well; else see @end. */
static bool run_apart(struct reading *r, struct apart_end *end)
{
	struct apart_work work;

	if (reading_work(r, work_in_there, &work, end))
		return false;
	int out = apart_run(&work, end);

	free((void *)(uintptr_t)work.fds);
	if (out >= 0) {
		take(r, out);
		close(out);
	}
	reading_tell_spoiled(r, end);
	return !r->spoiled && end->fine;
}

static void leave_out(struct reading *r, size_t file, const struct error *why)
{
	r->files[file].fd = -1;
	r->why[file] = strdup(why->text);
}

void reading_leave_all_out(struct reading *r, const struct error *why)
{
	for (size_t i = 0; i < r->n_files; i++)
		if (r->files[i].fd >= 0)
			leave_out(r, i, why);
	r->search = (struct symbols_search){ 0 };
	say_to(r->say, "no names are told: the process that reads them %s", why->text);
}

bool reading_leave_out_noted(struct reading *r, const struct apart_end *end)
{
	if (end->noted >= r->n_files || r->files[end->noted].fd < 0)
		return false;
	leave_out(r, end->noted, &end->why);
	say_to(r->say, "the names of %s are left out: reading it %s", r->files[end->noted].path,
	       end->why.text);
	return true;
}

static void do_all(struct reading *r)
{
	struct apart_end end;

	for (int tries = 0; r->at < r->n && tries < READING_TRIES;) {
		if (run_apart(r, &end))
			continue;
		if (!reading_leave_out_noted(r, &end))
			break;
		tries++;
	}
	if (r->at < r->n)
		reading_leave_all_out(r, &end.why);
	for (; r->at < r->n; r->at++)
		if (r->ops->without)
			r->ops->without(r, r->at);
}

int reading_run(struct reading *r, const struct resolve_module *files, size_t n_files)
{
	r->files = calloc(n_files + 1, sizeof *r->files);
	r->why = calloc(n_files + 1, sizeof *r->why);
	if (!r->files || !r->why)
		return -ENOMEM;
	r->n_files = n_files;
	for (size_t i = 0; i < n_files; i++)
		r->files[i] = files[i];
	do_all(r);
	return 0;
}

struct resolve_module *reading_modules(const struct module_files *files)
{
	struct resolve_module *v = calloc(files->n + 1, sizeof *v);

	for (size_t i = 0; v && i < files->n; i++)
		v[i] = (struct resolve_module){ files->files[i].path,
						module_file_fd(&files->files[i]) };
	return v;
}

void reading_end(struct reading *r)
{
	struct apart_end end;

	reading_end_kept(r, &end);
	for (size_t i = 0; i < r->n_files; i++)
		free(r->why[i]);
	free(r->why);
	free(r->files);
}
