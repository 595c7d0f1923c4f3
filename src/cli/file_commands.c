/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/file_commands.h"

#include "cli/answer.h"
#include "outputs/data.h"
#include "outputs/heap.h"
#include "session/saving.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- profiles ---- */

static bool is_to_be_saved(const struct serve *v, const struct image *i, const char *path)
{
	return !i->over && (path ? i->pid == v->session->root : i->observed != NULL);
}

/* Profiles that a save child writes, and the client that it answers. */
struct saved_for {
	const struct serve *serve;
	const char *path;
	const struct control_asker *to;
	size_t n;	/* number of images */
	int err;	/* last error */
};

static void save_named(void *ctx, struct image *i, struct profile_data *d)
{
	struct saved_for *f = ctx;
	struct error e;
	char *name;
	int err = data_save_named(&f->serve->outputs, i, d, f->path, &name, &e);

	if (err) {
		answer_error_part(f->to, e.text);
		f->err = err;
		return;
	}
	struct answer a;

	name = data_absolute(name);
	answer_begin(&a, f->to);
	answer_file(&a, CONTROL_DATA, name);
	answer_send_part(&a);
	free(name);
}

/* One child saves all, since they share modules; it answers a part for each. */
static int save_for(void *ctx)
{
	struct saved_for *f = ctx;
	struct image **v = calloc(f->n, sizeof *v);
	size_t n = 0;

	for (struct image *i = f->serve->session->images; i; i = i->next) {
		if (!is_to_be_saved(f->serve, i, f->path))
			continue;
		if (v)
			v[n++] = i;
		else
			save_named(f, i, NULL);
	}
	if (v)
		data_name_images(&f->serve->outputs, v, n, save_named, f);
	free(v);
	return f->err;
}

void save_command(struct serve *v, const char *path, const struct control_asker *to)
{
	struct saved_for f = { .serve = v, .path = path, .to = to };
	const struct image *first = NULL;

	save_children_await(&v->session->save_children);
	for (const struct image *i = v->session->images; i; i = i->next) {
		if (!is_to_be_saved(v, i, path))
			continue;
		first = first ? first : i;
		f.n++;
	}
	if (!first) {
		answer_error(to, "nothing is traced any more that could be saved");
		return;
	}
	control_answer_begin(to, f.n);
	session_write_beside(v->session, first, "the profile", save_for, &f);
}

/* ---- massif files ---- */

/* Name of a file without a name; in the directory where the session began. */
static const char massif_default_file[] = "massif.vgdb.out";

static void answer_written(const struct control_asker *to, const char *path)
{
	struct answer a;

	answer_begin(&a, to);
	answer_file(&a, CONTROL_FILE, path);
	answer_send(&a);
}

/* "PID [FILE]", the arguments of the command. */
static struct image *parse(const struct session *s, const char *args, const char **path)
{
	char *end;
	long pid = args ? strtol(args, &end, 10) : 0;

	*path = massif_default_file;
	if (pid <= 0 || (*end && *end != ' '))
		return NULL;
	if (*end == ' ' && end[1])
		*path = end + 1;
	return session_observed_image(s, (pid_t)pid);
}

/* A massif file that a save child writes, and the client that it answers. */
struct written_for {
	struct massif_output *output;
	const struct image *image;
	struct massif_moment moment;
	const char *path;
	const struct control_asker *to;
};

static int write_for(void *ctx)
{
	const struct written_for *f = ctx;
	struct error e = { "out of memory" };
	int err = massif_moment_write(f->output, f->image, &f->moment, f->path, &e);

	if (err)
		answer_error(f->to, e.text);
	else
		answer_written(f->to, f->path);
	close(f->to->fd);
	massif_output_free(f->output); /* saves the cached names for later, after the client has its
				          answer */
	return err;
}

void massif_command(struct serve *v, enum massif_file_kind kind, const char *args,
		    const struct control_asker *to)
{
	struct written_for f = { .output = v->outputs.massif, .to = to };
	struct image *i = parse(v->session, args, &f.path);

	f.image = i;
	if (!i) {
		answer_error(to, "it is not being traced");
		return;
	}
	if (!f.output) {
		answer_error(to, "this session makes no massif file: begin it with "
				 "--massif-out-file");
		return;
	}
	if (massif_moment_take(f.output, i, kind, &f.moment)) {
		answer_error(to, "out of memory");
		return;
	}
	bool begun = session_write_beside(v->session, i, "a massif file", write_for, &f);

	massif_moment_release(&f.moment);
	if (!begun)
		answer_error(to, "no process could be made to write the file");
}

/* ---- heap profiles ---- */

/* False: there are no heap profiles of it, or there is an error, with a sentence in @e. */
static bool dump_image(const struct serve *v, const struct image *i, const char *reason,
		       const char *dir, struct answer *a, struct error *e)
{
	char *path, *whole;

	if (heap_output_dump(v->outputs.heap, i, reason, &path, e))
		return false;
	if (*path != '/' && dir && asprintf(&whole, "%s/%s", dir, path) >= 0) {
		free(path);
		path = whole;
	}
	answer_file(a, CONTROL_HEAP, path);
	free(path);
	return true;
}

void heap_command(struct serve *v, const char *reason, const struct control_asker *to)
{
	char *dir = getcwd(NULL, 0);
	struct error e = { "this session writes no heap profiles: it was begun without "
			   "--heap-profile" };
	bool any = false;
	struct answer a;

	answer_begin(&a, to);
	for (const struct image *i = v->session->images; i; i = i->next)
		any |= dump_image(v, i, reason, dir, &a, &e);
	if (any) {
		answer_send(&a);
	} else {
		answer_drop(&a);
		answer_error(to, e.text);
	}
	free(dir);
}
