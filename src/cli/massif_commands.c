/* SPDX-License-Identifier: BSD-2-Clause */
/* Massif's commands of the control socket: files of this moment, while the program goes on. */
#include "cli/answer.h"
#include "cli/massif.h"
#include "cli/serve.h"

#include "base/clock.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

const char massif_default_file[] = "massif.vgdb.out";

static struct image *image_of_process(const struct session *s, pid_t pid)
{
	for (struct image *i = s->images; i; i = i->next)
		if (i->pid == pid && i->observed)
			return i;
	return NULL;
}

bool massif_traces(const struct session *s, pid_t pid)
{
	return image_of_process(s, pid);
}

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
	return image_of_process(s, (pid_t)pid);
}

void massif_command(struct serve *v, enum massif_file_kind kind, const char *args,
		    const struct control_asker *to)
{
	struct session *s = v->session;
	const char *path;
	struct image *i = parse(s, args, &path);
	struct error e = { "out of memory" };

	if (!i) {
		answer_error(to, "it is not being traced");
		return;
	}
	if (!s->massif) {
		answer_error(to, "this session makes no massif file: begin it with "
				 "--massif-out-file");
		return;
	}
	struct massif_moment m;
	if (massif_moment_take(i, kind, &m)) {
		answer_error(to, e.text);
		return;
	}
	pid_t pid = serve_fork(v);
	if (!pid) {
		int err = massif_moment_write(s, i, &m, path, &e);

		if (err)
			answer_error(to, e.text);
		else
			answer_written(to, path);
		close(to->fd);
		massif_session_close(s); /* the names are cached for the next one, when it is
					    answered */
		_exit(err ? STATUS_FAILED : 0);
	}
	massif_moment_release(&m);
	serve_forked(v, i, pid);
	if (pid < 0)
		answer_error(to, "no process could be made to write the file");
}

void massif_read_names_ahead(struct serve *v)
{
	struct session *s = v->session;
	struct image *i = s->massif && !v->names_read ? image_of_process(s, s->root) : NULL;
	struct massif_moment m;
	struct error e;

	if (!i || clock_now_ns() - v->started_ns < MASSIF_AHEAD_S * 1000000000ull)
		return;
	v->names_read = true;
	if (massif_moment_take(i, MASSIF_DETAILED_SNAPSHOT, &m))
		return;
	s->reader = serve_fork(v);
	if (!s->reader) {
		setpriority(PRIO_PROCESS, 0, 19);
		massif_moment_write(s, i, &m, "/dev/null", &e);
		massif_session_close(s);
		_exit(0);
	}
	massif_moment_release(&m);
}
