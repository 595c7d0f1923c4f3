/* SPDX-License-Identifier: BSD-2-Clause */
#include "outputs/data.h"

#include "base/texts.h"
#include "naming/apart.h"
#include "naming/jit_map.h"
#include "naming/reading.h"
#include "profile/datafile.h"
#include "session/unseen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- a profile with its names ---- */

static int add_recorded(const struct outputs *o, const struct image *i, struct profile_data *d)
{
	int err = recorders_report(i->recorders, d);
	const struct pd_point *peak = profile_data_peak(d);

	/* A recorder had no memory for an event, which is missing in the timeline. */
	if (!err && d->n_points && (peak ? peak->live_bytes : 0) != d->totals.peak_bytes) {
		say_to(o->host->say,
		       "process %d: the timeline is left out, for events are missing in it",
		       (int)i->pid);
		d->n_points = 0;
	}
	return err;
}

/* The data file needs a copy: the arguments belong to the image. */
static int copy_command(struct profile_data *d, char *const *command)
{
	char **copy = texts_copy(command);

	if (!copy)
		return -ENOMEM;
	texts_free(d->command);
	d->command = copy;
	return 0;
}

static void close_map(int jit_map)
{
	if (jit_map >= 0)
		close(jit_map);
}

struct profile_data *data_name_profile(const struct outputs *o, const struct image *i,
				       const struct profile *p, uint32_t *leaf_nodes)
{
	const struct session *s = o->session;
	struct resolve_how how = { .search = o->settings.search,
				   .jit_map = jit_map_open(i->pid),
				   .leaf_nodes = leaf_nodes };
	struct resolve_module *modules = reading_modules(s->observer->files);
	struct profile_data *d = NULL;

	if (modules)
		resolve_profile_apart(&how, p, modules, s->observer->files->n, i->program,
				      o->host->say, &d);
	close_map(how.jit_map);
	free(modules);
	return d;
}

/* Add what an image has besides a named profile. Returns @d, or NULL: out of memory, @d is
 * freed. */
static struct profile_data *complete(const struct outputs *o, const struct image *i,
				     struct profile_data *d)
{
	if (!d)
		return NULL;
	d->pid = (uint32_t)i->pid;
	d->started_ns = i->started_ns;
	d->ended_ns = i->ended_ns;
	d->min_size = o->session->settings.min_size;
	d->max_size = o->session->settings.max_size;
	d->engines = unseen_engines(i);
	d->from = i->attached ? PD_FROM_ATTACH : PD_FROM_START;
	d->unseen = unseen_now(i);
	if (o->session->settings.over.slowdown)
		d->slowdown_milli =
			(uint64_t)(slowdown_of(&o->session->cost) * 1000);
	if (add_recorded(o, i, d) || copy_command(d, i->command) ||
	    profile_data_copy_rss(d, i->rss, i->n_rss)) {
		profile_data_free(d);
		return NULL;
	}
	return d;
}

struct profile_data *data_name_image(const struct outputs *o, const struct image *i)
{
	return complete(o, i, data_name_profile(o, i, i->profile, NULL));
}

struct naming_images {
	const struct outputs *o;
	struct image *const *v;
	data_named *named;
	void *ctx;
};

static void image_named(void *ctx, size_t which, struct profile_data *d)
{
	const struct naming_images *n = ctx;

	n->named(n->ctx, n->v[which], complete(n->o, n->v[which], d));
}

void data_name_images(const struct outputs *o, struct image *const *v, size_t n, data_named *named,
		      void *ctx)
{
	struct naming_images images = { o, v, named, ctx };
	struct resolve_module *modules = reading_modules(o->session->observer->files);
	struct resolve_one *all = calloc(n + 1, sizeof *all);

	for (size_t i = 0; all && i < n; i++)
		all[i] = (struct resolve_one){ v[i]->profile, v[i]->program,
					       jit_map_open(v[i]->pid) };
	if (all && modules)
		resolve_profiles_apart(&o->settings.search, all, n, modules,
				       o->session->observer->files->n, o->host->say, image_named,
				       &images);
	else
		for (size_t i = 0; i < n; i++)
			named(ctx, v[i], NULL);
	for (size_t i = 0; all && i < n; i++)
		close_map(all[i].jit_map);
	free(all);
	free(modules);
}

struct filename_whose data_whose(const struct outputs *o, const struct image *i)
{
	return (struct filename_whose){ .pid = i->pid,
					.further = i->pid != o->session->root || i->over,
					.before_pid = '.',
					.number = i->over ? i->number + 1 : 0 };
}

char *data_file_name(const struct outputs *o, const struct image *i, struct error *e)
{
	struct filename_whose w = data_whose(o, i);

	char *name = i->data ? strdup(i->data) : filename_of(o->settings.data, &w, e);

	if (!name && i->data)
		error_set(e, 0, "out of memory");
	return name;
}

/* ---- its file ---- */

int data_save(struct outputs *o, struct image *i, const struct profile_data *d)
{
	struct error e = { "out of memory" };
	char *path = data_file_name(o, i, &e);
	int err = -EINVAL;

	o->host->step("writing the data file");
	const bool older = path && output_replaces(path, i->started_ns);

	if (path)
		err = datafile_write(path, d, &e);
	o->host->step(NULL);
	if (!path)
		unwritten_say(o, "process %d: cannot write its profile: %s", (int)i->pid, e.text);
	else if (err)
		unwritten_say(o, "%s", e.text);
	else if (o->settings.quiet || !strcmp(path, "/dev/null"))
		; /* the user does not want to know where it is */
	else if (untold_is(o, i))
		untold_saved(o, path, older);
	else
		say_to(o->host->say, "the profile is in %s%s", path, older ? OUTPUT_REPLACED : "");
	i->saved = !err;
	free(path);
	return err;
}

int data_save_named(const struct outputs *o, const struct image *i, struct profile_data *d,
		    const char *path, char **written, struct error *e)
{
	error_set(e, 0, "out of memory");
	char *name = path ? strdup(path) : data_file_name(o, i, e);
	int err = d && name ? datafile_write(name, d, e) : -ENOMEM;

	profile_data_free(d);
	*written = err ? NULL : name;
	if (err)
		free(name);
	return err;
}

int data_save_as(const struct outputs *o, const struct image *i, const char *path, char **written,
		 struct error *e)
{
	return data_save_named(o, i, data_name_image(o, i), path, written, e);
}

int data_save_snapshot(const struct outputs *o, const struct image *i, char **written,
		       struct error *e)
{
	char *beside = data_file_name(o, i, e), *name = NULL;
	int err;

	*written = NULL;
	if (!beside)
		return -EINVAL;
	if (asprintf(&name, "%s" SNAPSHOT_ENDING "%u", beside, i->snapshots) < 0)
		err = error_set(e, -ENOMEM, "out of memory");
	else
		err = data_save_as(o, i, name, written, e);
	free(beside);
	free(name);
	return err;
}

int data_save_elsewhere(struct outputs *o, struct image *i, const char *path)
{
	struct error e = { "out of memory" };
	struct filename_whose w = data_whose(o, i);
	char *before = i->data;

	i->data = filename_derived(path, &w, &e);
	struct profile_data *d = i->data ? data_name_image(o, i) : NULL;
	int err = d ? data_save(o, i, d) : -ENOMEM;

	if (!d)
		unwritten_say(o, "process %d: cannot write its profile: %s", (int)i->pid, e.text);
	profile_data_free(d);
	if (err) {
		free(i->data);
		i->data = before;
	} else {
		free(before);
	}
	return err;
}

static void save_in_memory(void *ctx, struct image *i, struct profile_data *d)
{
	const struct outputs *o = ctx;
	int fd = d ? memfd_create("mprof.data", MFD_CLOEXEC) : -1;
	struct error e;

	if (fd >= 0 && datafile_write_fd(fd, d, &e)) {
		say_to(o->host->say, "%s", e.text);
		close(fd);
		fd = -1;
	}
	profile_data_free(d);
	i->memory = fd > 0 ? fd : 0;
}

void data_save_in_memory(const struct outputs *o, struct image *const *v, size_t n)
{
	data_name_images(o, v, n, save_in_memory, (void *)(uintptr_t)o);
}

char *data_absolute(char *name)
{
	char *dir = name && name[0] != '/' ? getcwd(NULL, 0) : NULL, *path = NULL;

	if (!dir || asprintf(&path, "%s/%s", dir, name) < 0)
		path = NULL;
	free(dir);
	if (!path)
		return name;
	free(name);
	return path;
}

char *data_absolute_name(const struct outputs *o, const struct image *i)
{
	struct error e;

	return data_absolute(data_file_name(o, i, &e));
}
