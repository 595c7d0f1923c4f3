/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/meant.h"

#include "control/control.h"
#include "proc/status.h"
#include "proc/title.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Find the processes of this name. 0 or -ENOMEM. */
typedef int find_fn(const char *name, struct pids *out);

static int no_memory(const struct options *o)
{
	say("%s: out of memory", o->command);
	return STATUS_FAILED;
}

static int say_several(const struct options *o, const char *name, const struct pids *p)
{
	say("%zu processes are called \"%s\": say which by its number", p->n, name);
	for (size_t i = 0; i < p->n; i++) {
		char title[TITLE_MAX];

		title_of(title, p->v[i]);
		say("%7d  %s", (int)p->v[i], title);
	}
	if (!strcmp(o->command, "attach"))
		say("or all of them, -p \"$(pidof %s)\"; --tree with a number takes its children",
		    name);
	return STATUS_USAGE;
}

/* Add the processes of a name. 0 or a status. @none: the sentence, with the name, if there is
 * none. */
static int add_named(const struct options *o, const char *name, find_fn *find, const char *none,
		     int status, struct pids *out)
{
	struct pids found = { 0 };
	int err = find(name, &found);

	if (!err && found.n == 1)
		err = pids_add(out, found.v[0]);
	if (err)
		status = no_memory(o);
	else if (!found.n)
		say("%s \"%s\"", none, name);
	else
		status = found.n == 1 ? 0 : say_several(o, name, &found);
	pids_release(&found);
	return status;
}

static int add_word(const struct options *o, const char *word, find_fn *find, const char *none,
		    int status, struct pids *out)
{
	switch (processes_word(word, out)) {
	case WORD_NUMBERS:
		return 0;
	case WORD_NAME:
		return add_named(o, word, find, none, status, out);
	default:
		say("%s: \"%s\" is neither the number nor the name of a process; see mprof help "
		    "%s", o->command, word,
		    o->command);
		return STATUS_USAGE;
	}
}

/* Add the processes of words. 0 or a status. */
static int add_words(const struct options *o, char *const words[], size_t n, find_fn *find,
		     const char *none, int wrong, struct pids *out)
{
	int status = 0;

	for (size_t i = 0; !status && o->pids[i]; i++)
		status = add_word(o, o->pids[i], find, none, wrong, out);
	for (size_t i = 0; !status && i < n; i++)
		status = add_word(o, words[i], find, none, wrong, out);
	return status;
}

int meant_processes(const struct options *o, char *const words[], size_t n, struct pids *out)
{
	struct pids said = { 0 };
	int status = add_words(o, words, n, processes_named, "no process is "
							     "called", STATUS_NOT_THERE, &said);

	for (size_t i = 0; !status && i < said.n; i++) {
		pid_t tgid = proc_status(said.v[i]).tgid;

		if (pids_add(out, tgid > 0 ? tgid : said.v[i]))
			status = no_memory(o);
	}
	pids_release(&said);
	return status;
}

int meant_process(const struct options *o, char *const words[], size_t n, pid_t *pid)
{
	struct pids pids = {0};
	int status = meant_processes(o, words, n, &pids);

	if (!status && pids.n > 1) {
		say("%s: of one process at a time; %d is one too many", o->command,
		    (int)pids.v[1]);
		status = STATUS_USAGE;
	}
	*pid = status || !pids.n ? 0 : pids.v[0];
	pids_release(&pids);
	return status;
}

/* ---- sessions ---- */

static int sessions_named(const char *name, struct pids *out)
{
	pid_t *pids;
	struct error e;
	ssize_t n = control_sessions(&pids, &e);
	int err = 0;

	for (ssize_t i = 0; !err && i < n; i++)
		if (process_has_name(pids[i], name))
			err = pids_add(out, pids[i]);
	free(pids);
	return err;
}

static pid_t session_of(pid_t pid)
{
	pid_t by = control_is_there(pid) ? pid : control_tracing(pid);

	return by ? by : pid;
}

void meant_traced(struct error *e, const char *command, pid_t pid, pid_t by)
{
	error_set(e, 0, "there is no session for process %d by itself: it is traced in that of "
			"process %d, which mprof "
		  "%s %d %s", (int)pid, (int)by, command, (int)by, strcmp(command, "detach")
			  ? "reaches" : "ends");
}

/* A tid stands for its process, unless a session has that number. */
static pid_t process_of(pid_t pid)
{
	pid_t tgid = proc_status(pid).tgid;

	return tgid > 0 && tgid != pid && !control_is_there(pid) ? tgid : pid;
}

/* Naming one process of a session need not mean all of its processes. */
static int only_one(const struct options *o, const struct pids *said, pid_t *session)
{
	/* The session of this very process is tried first. */
	if (said->n == 1) {
		*session = process_of(said->v[0]);
		return 0;
	}
	for (size_t i = 0; i < said->n; i++) {
		pid_t of = session_of(said->v[i]);

		if (!pids_have(said, of)) {
			struct error e;

			meant_traced(&e, o->command, said->v[i], of);
			say("%s", e.text);
			return STATUS_NO_SESSION;
		}
		if (*session && of != *session) {
			say("%s: of one session at a time; %d and %d are "
			    "two", o->command, (int)*session, (int)of);
			return STATUS_USAGE;
		}
		*session = of;
	}
	return 0;
}

int meant_session(const struct options *o, char *const words[], size_t n, pid_t *session)
{
	struct pids said = { 0 };

	*session = 0;
	int status = add_words(o, words, n, sessions_named, "there is no session of a process that "
							    "is called",
			       STATUS_NO_SESSION, &said);
	if (!status)
		status = only_one(o, &said, session);
	pids_release(&said);
	return status;
}
