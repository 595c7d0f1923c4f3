/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/processes.h"

#include "attach/target.h"
#include "base/array.h"
#include "base/text.h"
#include "cli/cli.h"
#include "proc/file.h"
#include "proc/status.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- numbers ---- */

bool pids_have(const struct pids *p, pid_t pid)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i] == pid)
			return true;
	return false;
}

int pids_add(struct pids *p, pid_t pid)
{
	if (pids_have(p, pid))
		return 0;
	if (ARRAY_RESERVE(&p->v, &p->cap, p->n))
		return -ENOMEM;
	p->v[p->n++] = pid;
	return 0;
}

void pids_release(struct pids *p)
{
	free(p->v);
	*p = (struct pids){ 0 };
}

/* ---- words ---- */

static const char digits[] = "0123456789", between[] = ", \t\n";

static bool is_of(const char *word, const char *bytes, const char *or_these)
{
	for (; *word; word++)
		if (!strchr(bytes, *word) && !strchr(or_these, *word))
			return false;
	return true;
}

enum word_kind processes_word(const char *word, struct pids *out)
{
	char number[16];
	pid_t pid;

	/* Otherwise it is probably an option after "--". */
	if (!word[strspn(word, between)] || word[0] == '-')
		return WORD_WRONG;
	if (!is_of(word, digits, between))
		return WORD_NAME;
	for (word += strspn(word, between); *word; word += strspn(word, between)) {
		size_t n = strspn(word, digits);

		if (n >= sizeof number)
			return WORD_WRONG;
		memcpy(number, word, n);
		number[n] = '\0';
		if (!parse_pid(number, &pid) || (out && pids_add(out, pid)))
			return WORD_WRONG;
		word += n;
	}
	return WORD_NUMBERS;
}

/* ---- names ---- */

enum { COMM_MAX = 15 };	/* TASK_COMM_LEN of linux/sched.h, without the NUL */

bool process_is_called(const struct process_names *p, const char *name)
{
	size_t n = strlen(name);

	return !strcmp(path_last(p->exe), name) || !strcmp(p->title, name) ||
	       !strcmp(path_last(p->title), name) ||
	       (n <= COMM_MAX && !strcmp(p->comm, name));
}

static void read_exe(pid_t pid, char *exe, size_t size)
{
	static const char deleted[] = " (deleted)";
	char path[PROC_PATH];
	ssize_t n = readlink(proc_path(path, pid, "exe"), exe, size - 1);

	exe[n > 0 ? n : 0] = '\0';
	size_t len = strlen(exe), end = sizeof deleted - 1;
	if (len > end && !strcmp(exe + len - end, deleted))
		exe[len - end] = '\0';
}

/* A server that has overwritten its arguments may leave trailing blanks. */
static void read_title(pid_t pid, char *title, size_t size)
{
	int fd = proc_open(pid, "cmdline", 0);

	title[0] = '\0';
	if (fd < 0)
		return;
	if (proc_pread(fd, title, size) < 0)
		title[0] = '\0';
	close(fd);
	for (size_t n = strlen(title); n && title[n - 1] == ' '; n--)
		title[n - 1] = '\0';
}

/* False for processes of mprof: a tracer may run another file, of another version. */
static bool may_be_meant(pid_t pid, const struct proc_status *s)
{
	struct target_facts f;

	if (pid == getpid() || !strcmp(s->name, "mprof-tracer"))
		return false;
	f = target_look(pid);
	return f.exists && f.live_threads && !f.kernel_thread && !f.mprof;
}

bool process_has_name(pid_t pid, const char *name)
{
	char exe[4096], title[4096];
	struct proc_status s = proc_status(pid);
	const struct process_names names = { s.name, exe, title };

	if (s.tgid != pid)
		return false;
	read_exe(pid, exe, sizeof exe);
	read_title(pid, title, sizeof title);
	return process_is_called(&names, name) && may_be_meant(pid, &s);
}

/* ---- all processes ---- */

static int compare_pids(const void *a, const void *b)
{
	return *(const pid_t *)a < *(const pid_t *)b ? -1 : *(const pid_t *)a > *(const pid_t *)b;
}

/* All processes, without other threads than leaders. 0 or -ENOMEM. */
static int list_all(struct pids *all)
{
	DIR *d = opendir("/proc");
	int err = 0;

	for (struct dirent *e; d && !err && (e = readdir(d));) {
		pid_t pid;

		if (!parse_pid(e->d_name, &pid))
			continue;
		err = ARRAY_RESERVE(&all->v, &all->cap, all->n);
		if (!err)
			all->v[all->n++] = pid;
	}
	if (d)
		closedir(d);
	if (all->n)
		qsort(all->v, all->n, sizeof *all->v, compare_pids);
	return err;
}

int processes_named(const char *name, struct pids *out)
{
	struct pids all = { 0 };
	int err = list_all(&all);

	for (size_t i = 0; !err && i < all.n; i++)
		if (process_has_name(all.v[i], name))
			err = pids_add(out, all.v[i]);
	pids_release(&all);
	return err;
}

static bool is_among(const struct pids *p, size_t first, size_t end, pid_t pid)
{
	for (size_t i = first; i < end; i++)
		if (p->v[i] == pid)
			return true;
	return false;
}

int processes_add_children(struct pids *p, size_t first)
{
	struct pids all = { 0 };
	size_t end = p->n;
	int err = list_all(&all);

	for (size_t i = 0; !err && i < all.n; i++)
		if (is_among(p, first, end, proc_status(all.v[i]).ppid))
			err = pids_add(p, all.v[i]);
	pids_release(&all);
	return err;
}
