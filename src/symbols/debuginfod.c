/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/debuginfod.h"

#include "base/clock.h"
#include "base/error.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The soname has never changed. The library is not linked: it depends on a large part of the
 * system, for something that few users need. */
#define DEBUGINFOD_LIBRARY "libdebuginfod.so.1"

/* The limit if DEBUGINFOD_MAXTIME is not set, and how often to report progress. */
#define DEBUGINFOD_SECONDS 90
#define TELL_SECONDS 5

typedef struct debuginfod_client client;

/* debuginfod_find_debuginfo(3) */
struct library {
	client *(*begin)(void);
	void (*end)(client *c);
	int (*find)(client *c, const unsigned char *build_id, int build_id_len, char **path);
	void (*set_progress)(client *c, int (*fn)(client *c, long a, long b));
	void (*set_user_data)(client *c, void *data);
	void *(*get_user_data)(client *c);
};

struct fetch {
	const struct symbols_search *how;
	const char *module;
	time_t began, told;
};

static time_t seconds(void)
{
	return (time_t)(clock_now_ns() / 1000000000);
}

static time_t limit(void)
{
	const char *text = getenv("DEBUGINFOD_MAXTIME");
	long n = text ? strtol(text, NULL, 10) : 0;

	return n > 0 && n < 100000 ? n : DEBUGINFOD_SECONDS;
}

static struct library library;
static time_t spent;

static bool load(struct library *l)
{
	static bool tried;

	if (tried)
		return l->begin;
	tried = true;
	void *handle = dlopen(DEBUGINFOD_LIBRARY, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		return false;
	l->end = (void (*)(client *))dlsym(handle, "debuginfod_end");
	l->find = (int (*)(client *, const unsigned char *, int, char **))
		dlsym(handle, "debuginfod_find_debuginfo");
	l->set_progress = (void (*)(client *, int (*)(client *, long, long)))
		dlsym(handle, "debuginfod_set_progressfn");
	l->set_user_data = (void (*)(client *, void *))dlsym(handle, "debuginfod_set_user_data");
	l->get_user_data = (void *(*)(client *))dlsym(handle, "debuginfod_get_user_data");
	if (l->end && l->find && l->set_progress && l->set_user_data && l->get_user_data)
		l->begin = (client *(*)(void))dlsym(handle, "debuginfod_begin");
	return l->begin;
}

bool debuginfod_available(void)
{
	return load(&library);
}

__attribute__((format(printf, 2, 3))) static void tell(const struct fetch *f, const char *fmt, ...)
{
	char text[1024];
	struct error safe;
	va_list ap;

	if (!f->how->progress)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	error_set(&safe, 0, "%s", text);
	f->how->progress(safe.text);
}

/* Called about once a second; a result other than 0 ends the download. */
static int on_progress(client *c, long done, long all)
{
	struct fetch *f = library.get_user_data(c);
	time_t now = seconds();

	(void)done, (void)all;	/* meaningless before the answer comes */
	if (!f)
		return 1;
	if (spent + (now - f->began) >= limit())
		return 1;
	if (now - f->told >= TELL_SECONDS) {
		f->told = now;
		tell(f, "still fetching after %ld seconds", (long)(now - f->began));
	}
	return 0;
}

static int find(struct fetch *f, const char *build_id, char path[PATH_MAX])
{
	client *c = library.begin();
	char *found = NULL;

	if (!c)
		return -ENOENT;
	library.set_user_data(c, f);
	library.set_progress(c, on_progress);
	int fd = library.find(c, (const unsigned char *)build_id, 0, &found);
	int err = fd < 0 ? fd : 0;

	if (fd >= 0) {
		close(fd);
		if (!found || (size_t)snprintf(path, PATH_MAX, "%s", found) >= PATH_MAX)
			err = -ENAMETOOLONG;
	}
	free(found);
	library.end(c);
	return err;
}

int debuginfod_fetch(const struct symbols_search *how, const char *build_id, const char *module,
		     char path[PATH_MAX])
{
	struct fetch f = { .how = how, .module = module };
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (!urls || !urls[strspn(urls, " ")] || spent >= limit())
		return -ENOENT;
	if (!load(&library)) {
		spent = limit();
		tell(&f,
		     "DEBUGINFOD_URLS is set, but " DEBUGINFOD_LIBRARY " is not there: nothing is "
		     "fetched");
		return -ENOENT;
	}
	f.began = f.told = seconds();
	tell(&f, "asking debuginfod for the names of %s", module);
	int err = find(&f, build_id, path);

	spent += seconds() - f.began;
	if (spent >= limit())
		tell(&f, "%ld seconds were spent on debuginfod: nothing more is "
			 "fetched", (long)spent);
	else if (err && err != -ENOENT)
		tell(&f, "debuginfod does not answer: %s", strerror(-err));
	return err ? -ENOENT : 0;
}
