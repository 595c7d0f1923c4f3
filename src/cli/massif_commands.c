/* SPDX-License-Identifier: BSD-2-Clause */
/* Massif's commands of the control socket: files of this moment, while the program goes on. */
#include "cli/answer.h"
#include "cli/massif.h"
#include "cli/serve.h"

#include "session/saving.h"

#include <stdlib.h>
#include <unistd.h>

const char massif_default_file[] = "massif.vgdb.out";

static void answer_written(const struct control_asker *to, const char *path)
{
	struct answer a;

	answer_begin(&a, to);
	answer_file(&a, CONTROL_FILE, path);
	answer_send(&a);
}

/* "PID [FILE]" behind the command's name. */
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

/* What a copy of ourselves writes, and whom it answers. */
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
	massif_output_free(f->output); /* the names are cached for the next one, when it is
					  answered */
	return err;
}

void massif_command(struct serve *v, enum massif_file_kind kind, const char *args,
		    const struct control_asker *to)
{
	struct written_for f = { .output = v->massif, .to = to };
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
	bool begun = session_write_beside(v->session, i, write_for, &f);

	massif_moment_release(&f.moment);
	if (!begun)
		answer_error(to, "no process could be made to write the file");
}
