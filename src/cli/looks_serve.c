/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks that a session is asked for: a looker runs the command and answers. */
#include "cli/looks.h"

#include "base/clock.h"
#include "base/jsontext.h"
#include "base/preadall.h"
#include "base/text.h"
#include "cli/answer.h"
#include "cli/looker.h"
#include "cli/options.h"
#include "cli/unheard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The looks, by name. */
static const struct {
	const char *name;
	enum control_id id;
	look_fn *look;
	const char *options; /* the command that has its options */
} looks[] = {
	{"heap", CONTROL_LOOK_HEAP, heap_look, "heap"},
	{"leaks", CONTROL_LOOK_LEAKS, leaks_look, "leaks"},
	{"rss", CONTROL_LOOK_RSS, rss_look, "rss"},
	{"before", CONTROL_LOOK_BEFORE, before_left, "control"},
	{"figures", CONTROL_FIGURES, figures_told, "control"},
};

enum { N_LOOKS = sizeof looks / sizeof *looks, OPTIONS_MAX = MAX_NAMES + 16 };

/* A look that was asked for. */
struct asked {
	size_t which;
	pid_t pid;
	char *argv[OPTIONS_MAX + 3]; /* "mprof", the name, options, NULL */
	int argc;
	const struct serve *serve;
	struct requesters_files files;
	bool raw; /* for CONTROL_LOOK: with the status, and sentences separately */
	struct control_asker to;
	char words[CONTROL_WORDS_MAX + 1];
};

/* ---- the looker ---- */

/* Redirect a descriptor to a file in memory. */
static int redirect(int fd)
{
	int file = memfd_create("mprof look", MFD_CLOEXEC);

	return file < 0 || dup2(file, fd) < 0 ? -1 : file;
}

/* The content of such a file, for free(); NULL: out of memory. */
static char *contents(int file)
{
	size_t size;

	return file < 0 ? strdup("") : pread_whole(file, &size);
}

static void answer_raw(const struct control_asker *to, int status, const char *said,
		       const char *printed)
{
	char *text;

	if (asprintf(&text, "%d %zu\n%s%s", status, strlen(said), said, printed) < 0)
		return;
	control_answer_at_length(to, text);
	free(text);
}

/* Join lines to one sentence, without "mprof: ", which the client prepends. */
static void as_sentence(char *said)
{
	char *to = said;

	for (char *next, *line = said; *line; line = next) {
		const char *rest = text_after(line, "mprof: ");
		size_t skipped = rest ? (size_t)(rest - line) : 0;
		size_t n = strcspn(line + skipped, "\n");
		bool ends = !line[skipped + n];

		next = line + skipped + n + !ends;
		if (to != said && n) {
			*to++ = ';';
			*to++ = ' ';
		}
		memmove(to, line + skipped, n);
		to += n;
	}
	*to = '\0';
}

static void answer_json(const struct asked *q, const char *said, const char *printed)
{
	json_t *o =
		json_pack("{sb so}", "ok", 1, looks[q->which].name, json_loads(printed, 0, NULL));
	char *text = NULL, *line = NULL;

	if (o && *said)
		json_object_set_new(o, "note", json_string(said));
	text = o ? json_text_dump(o, JSON_COMPACT) : NULL;
	if (text && asprintf(&line, "%s\n", text) >= 0)
		control_answer_at_length(&q->to, line);
	else
		answer_error(&q->to, "out of memory");
	free(line);
	free(text);
	json_decref(o);
}

static void answer_printed(const struct asked *q, const char *said, const char *printed)
{
	char *text = NULL;

	if (!*said)
		control_answer_at_length(&q->to, printed);
	else if (asprintf(&text, "%smprof: %s\n", printed, said) >= 0)
		control_answer_at_length(&q->to, text);
	else
		answer_error(&q->to, "out of memory");
	free(text);
}

static void answer(const struct asked *q, int status, char *said, const char *printed)
{
	if (q->raw) {
		answer_raw(&q->to, status, said, printed);
		return;
	}
	as_sentence(said);
	if (status)
		answer_error(&q->to, *said ? said : "it failed, and has not said why");
	else if (q->to.form == CONTROL_JSON)
		answer_json(q, said, printed);
	else
		answer_printed(q, said, printed);
}

static int look(void *ctx, struct still_holder *holder)
{
	struct asked *q = ctx;
	const struct look_by by = {holder, q->serve, &q->files};
	struct options o;
	int out = redirect(STDOUT_FILENO), err = redirect(STDERR_FILENO);

	/* Sentences are part of the answer; they are not printed by the session. */
	unheard_child();
	unheard_changed();
	unsetenv("MPROF_OPTIONS");
	int first = options_parse(&o, looks[q->which].options, q->argc, q->argv, 2);
	/* A client must not make the session write a file. */
	o.output = NULL;
	int status = first < 0 ? STATUS_USAGE : looks[q->which].look(&o, q->pid, &by);
	fflush(NULL);
	char *printed = contents(out), *said = contents(err);

	if (printed && said)
		answer(q, status, said, printed);
	else
		answer_error(&q->to, "out of memory");
	free(printed);
	free(said);
	return 0;
}

/* ---- the session: what is asked for ---- */

/* "heap PID [OPTION...]" or, for the commands of users, "PID". False: malformed. */
static bool understand(struct asked *q, const struct control_request *r)
{
	char *save, *word;

	q->raw = r->command->id == CONTROL_LOOK;
	q->to = r->from;
	snprintf(q->words, sizeof q->words, "%s", r->arg ? r->arg : "");
	word = strtok_r(q->words, " ", &save);
	for (q->which = 0; q->which < N_LOOKS; q->which++)
		if (q->raw ? word && !strcmp(word, looks[q->which].name)
			   : r->command->id == looks[q->which].id)
			break;
	if (q->which == N_LOOKS)
		return false;
	if (q->raw)
		word = strtok_r(NULL, " ", &save);
	q->pid = word ? atoi(word) : 0;
	q->argv[q->argc++] = (char *)(uintptr_t) "mprof";
	q->argv[q->argc++] = (char *)(uintptr_t)looks[q->which].name;
	if (!q->raw && q->to.form == CONTROL_JSON)
		q->argv[q->argc++] = (char *)(uintptr_t) "--format=json";
	while (q->argc < OPTIONS_MAX + 2 && (word = strtok_r(NULL, " ", &save)))
		q->argv[q->argc++] = word;
	/* arguments that do not fit are an error */
	return q->pid > 0 && !strtok_r(NULL, " ", &save);
}

/* 0 or -errno. */
static int begin(struct serve *v, struct served_look *l, struct asked *q)
{
	int err = requesters_files_open(&q->files);

	q->serve = v;
	*l = (struct served_look){.pid = q->pid, .files = q->files};
	if (!err)
		err = looker_begin_watched(&l->looker, v, look, q);
	if (err)
		requesters_files_close(&l->files);
	return err;
}

static void end(struct served_look *l)
{
	looker_end(&l->looker);
	looker_end(&l->namer);
	requesters_files_close(&l->files);
}

void looks_begin(struct serve *v, const struct control_request *r)
{
	struct served_look *l = v->looks;
	struct asked *q = calloc(1, sizeof *q);
	struct error e;
	int err;

	while (l < v->looks + SERVED_LOOKS && l->looker.pid)
		l++;
	if (!q || !understand(q, r)) {
		answer_error(&r->from, q ? "this session does not know how to look at that"
					 : "out of memory");
	} else if (!session_observed_image(v->session, q->pid)) {
		answer_error(&r->from, "it is not being traced");
	} else if (l == v->looks + SERVED_LOOKS) {
		answer_error(&r->from, LOOKS_BUSY);
	} else if ((err = begin(v, l, q))) {
		error_set(&e, err, "cannot begin to look: %s", strerror(-err));
		answer_error(&r->from, e.text);
	}
	free(q);
}

/* ---- the session: while it looks ---- */

/* Waits again after a signal: requests are signalled. */
static int next_order(const struct served_look *l, uint64_t until_ns, struct still_request *r)
{
	int err;

	do {
		uint64_t now = clock_now_ns();

		err = still_next(l->looker.fd, now < until_ns ? until_ns - now : 0, r);
	} while (err == -EINTR);
	return err;
}

/*
 * Hold the programs. All their events until now have been read and counted. Records of an agent are
 * timed between two readings of its ring: those read from now on get times after the second hold.
 */
static void stop(struct serve *v, struct served_look *l)
{
	struct observer *o = v->session->observer;

	o->ops->hold(o);
	l->held_ns = clock_now_ns();
	o->ops->hold(o);
	/* Blocks will be marked that may be freed before they are known. */
	if (l == &v->last.look && !v->last.image->over)
		profile_look(v->last.image->profile, l->held_ns);
}

/* Hold the program until the looker lets it go or ends. */
static void hold(struct serve *v, struct served_look *l, const struct still_request *asked)
{
	enum { MOMENT_NS = 1000000 };
	struct observer *o = v->session->observer;
	uint64_t until_ns = clock_now_ns() + asked->limit_ns, moments = 1;
	struct still_pause pause = {0};
	struct still_request r;
	int err;

	stop(v, l);
	for (;;) {
		uint64_t since_ns = clock_now_ns();

		err = still_tell_tasks(l->looker.fd, v->tracer, l->pid);
		if (!err)
			err = next_order(l, until_ns, &r);
		pause.held_ns += clock_now_ns() - since_ns;
		if (err || r.order != STILL_AGAIN)
			break;
		tracer_let_run(v->tracer, moments * MOMENT_NS);
		moments *= 2;
		stop(v, l);
	}
	/* For several copies of a running program, keep the time of the first; otherwise of the
	 * last. */
	if (!asked->running || !l->since_ns)
		l->since_ns = l->held_ns;
	o->ops->let_run(o);
	if (err || r.order != STILL_LET_GO || still_tell_pause(l->looker.fd, &pause))
		end(l);
}

/* It may also have ended without an answer. */
static void await_namer(struct served_look *l)
{
	struct still_request r;
	int err = still_next(l->namer.fd, 0, &r);

	if (err == -EAGAIN || err == -EINTR)
		return;
	looker_end(&l->namer);
	if (still_tell_named(l->looker.fd))
		end(l);
}

/* Start the namer. If the program ran while it was copied, an address may have changed from one
 * block to another until then: this is known when all events before the end of the copy have been
 * read. */
static void begin_namer(struct serve *v, struct served_look *l)
{
	struct requesters_asked a = {v, l->pid, l->since_ns, l->held_ns, l->files};
	struct observer *o = v->session->observer;

	o->ops->hear(o);
	const bool in_turn = l->held_ns && !l->namer.pid && l->files.open;
	if (in_turn && !looker_begin_watched(&l->namer, v, requesters_name, &a))
		return;
	if (!in_turn || still_tell_named(l->looker.fd))
		end(l);
}

static void serve_one(struct serve *v, struct served_look *l)
{
	struct still_request r;
	int err = still_next(l->looker.fd, 0, &r);

	if (err == -EAGAIN || err == -EINTR)
		return;
	if (!err && r.order == STILL_HOLD)
		hold(v, l, &r);
	else if (!err && r.order == STILL_NAME)
		begin_namer(v, l);
	else
		end(l);
}

void looks_serve(struct serve *v)
{
	for (struct served_look *l = v->looks; l < v->looks + SERVED_LOOKS; l++) {
		if (l->namer.pid)
			await_namer(l);
		if (l->looker.pid)
			serve_one(v, l);
	}
	if (v->last.look.looker.pid)
		serve_one(v, &v->last.look);
}

void looks_end(struct serve *v)
{
	for (struct served_look *l = v->looks; l < v->looks + SERVED_LOOKS; l++)
		end(l);
}
