/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc/status.h"

#include "base/text.h"
#include "proc/file.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parse a number at *at, at most @max; *at moves behind it. False: there is none. */
static bool number(const char **at, int base, uint64_t max, uint64_t *n)
{
	char *end;
	const char *s = *at + strspn(*at, " \t");

	if (!isxdigit((unsigned char)*s))
		return false;
	errno = 0;
	*n = strtoull(s, &end, base);
	*at = end;
	return end != s && !errno && *n <= max;
}

static pid_t pid_at(const char *at)
{
	uint64_t n;

	return number(&at, 10, INT_MAX, &n) ? (pid_t)n : 0;
}

static uint64_t number_at(const char *at, int base)
{
	uint64_t n;

	return number(&at, base, UINT64_MAX, &n) ? n : 0;
}

/* "real effective saved of-the-file-system" */
static bool ids_at(const char *at, unsigned *real, unsigned *effective)
{
	uint64_t r, e;

	if (!number(&at, 10, UINT_MAX, &r) || !number(&at, 10, UINT_MAX, &e))
		return false;
	*real = (unsigned)r;
	*effective = (unsigned)e;
	return true;
}

/* Parse its number in each pid namespace that the task is in, from ours on, its own last. */
static void pids_at(const char *at, struct proc_status *s)
{
	unsigned namespaces = 0;
	uint64_t n;

	for (s->inner = 0; number(&at, 10, INT_MAX, &n); namespaces++)
		s->inner = (pid_t)n;
	s->pid_namespaces = namespaces ? namespaces - 1 : 0;
}

/* The value behind "FIELD:" if the line begins with that; else NULL. */
static const char *value_of(const char *line, const char *field)
{
	const char *rest = text_after(line, field);

	return rest && *rest == ':' ? rest + 1 + strspn(rest + 1, " \t") : NULL;
}

struct parse {
	struct proc_status *s;
	bool uids, gids;
};

static void parse_line(struct parse *p, const char *line)
{
	struct proc_status *s = p->s;
	const char *at;

	if ((at = value_of(line, "Name")))
		snprintf(s->name, sizeof s->name, "%.*s", (int)strcspn(at, "\n"), at);
	else if ((at = value_of(line, "State")))
		s->state = isalpha((unsigned char)*at) ? *at : 'X';
	else if ((at = value_of(line, "Tgid")))
		s->tgid = pid_at(at);
	else if ((at = value_of(line, "PPid")))
		s->ppid = pid_at(at);
	else if ((at = value_of(line, "TracerPid")))
		s->tracer = pid_at(at);
	else if ((at = value_of(line, "Uid")))
		p->uids = ids_at(at, &s->uid, &s->effective_uid);
	else if ((at = value_of(line, "Gid")))
		p->gids = ids_at(at, &s->gid, &s->effective_gid);
	else if ((at = value_of(line, "NSpid")))
		pids_at(at, s);
	else if ((at = value_of(line, "Threads")))
		s->threads = number_at(at, 10);
	else if ((at = value_of(line, "VmSize")))
		s->vm_size = number_at(at, 10);
	else if ((at = value_of(line, "VmRSS")))
		s->vm_rss = number_at(at, 10);
	else if ((at = value_of(line, "SigCgt")))
		s->caught = number_at(at, 16);
	else if ((at = value_of(line, "SigIgn")))
		s->ignored = number_at(at, 16);
	else if ((at = value_of(line, "SigBlk")))
		s->blocked = number_at(at, 16);
	else if ((at = value_of(line, "Seccomp")))
		s->seccomp = (unsigned)number_at(at, 10);
	else if ((at = value_of(line, "Seccomp_filters")))
		s->filters = (unsigned)number_at(at, 10);
	else if ((at = value_of(line, "NoNewPrivs")))
		s->no_new_privs = number_at(at, 10);
	else if ((at = value_of(line, "CapEff")))
		s->capabilities = number_at(at, 16);
	else if ((at = value_of(line, "SigPnd")))
		s->pending = number_at(at, 16);
}

/*
 * Of two lines for the same field the later one counts. Only the name is chosen by the program, and
 * it comes first: so it cannot fake another field even where line breaks in it are not escaped.
 */
struct proc_status proc_status_parse(const char *text)
{
	struct proc_status s = { .name = "?", .state = 'X' };
	struct parse p = { .s = &s };

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		parse_line(&p, line);
	s.has_ids = p.uids && p.gids;
	return s;
}

struct proc_status proc_status(pid_t tid)
{
	char *text = proc_read(tid, "status", NULL);
	struct proc_status s = proc_status_parse(text ? text : "");

	free(text);
	return s;
}

bool proc_status_lives(const struct proc_status *s)
{
	return !strchr("ZX", s->state);
}

bool proc_lives(pid_t tid)
{
	struct proc_status now = proc_status(tid);

	return proc_status_lives(&now);
}

bool proc_status_catches(const struct proc_status *s, int sig)
{
	return s->caught >> (sig - 1) & 1;
}

bool proc_status_can(const struct proc_status *s, int capability)
{
	return s->capabilities >> capability & 1;
}
