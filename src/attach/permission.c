/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/permission.h"

#include "proc/file.h"
#include "proc/status.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the facts ---- */

int permission_yama(const char *root)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/proc/sys/kernel/yama/ptrace_scope", root);
	return proc_number(path, YAMA_ALL);
}

/* The /proc files of an undumpable process belong to root. Of a process of root's own this cannot
 * be told. */
static bool is_undumpable(pid_t pid, const struct proc_status *s)
{
	char path[PROC_PATH];
	struct stat st;

	return s->has_ids && s->effective_uid && !stat(proc_path(path, pid, "status"), &st) &&
	       st.st_uid != s->effective_uid;
}

/* "profile (enforce)" of AppArmor, "user:role:type:level" of SELinux. */
static void read_confinement(pid_t pid, char *text, size_t size)
{
	char *label = proc_read(pid, "attr/current", NULL);
	size_t n = label ? strcspn(label, "\n") : 0;

	snprintf(text, size, "%.*s", (int)n, label ? label : "");
	free(label);
	if (!strcmp(text, "unconfined") || strstr(text, ":unconfined_t:"))
		*text = '\0';
}

struct permission_facts permission_look(pid_t pid)
{
	struct proc_status s = proc_status(pid), us = proc_status(getpid());
	struct permission_facts f = {
		.us = geteuid(),
		.target = s.uid,
		.can_trace = proc_status_can(&us, CAP_SYS_PTRACE),
		.can_write = proc_status_can(&us, CAP_DAC_OVERRIDE),
		.undumpable = is_undumpable(pid, &s),
		.other_user_ns = proc_leads_elsewhere(pid, "ns/user") == 1,
		.yama = permission_yama(""),
	};

	read_confinement(pid, f.confined, sizeof f.confined);
	return f;
}

int permission_ask(pid_t pid)
{
	int fd = proc_open(pid, "mem", O_RDONLY);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* ---- what they come to ---- */

bool permission_forbids_all(int yama, bool can_trace, struct advice *a)
{
	*a = (struct advice){0};
	if (yama >= YAMA_NOBODY) {
		error_set(&a->why, 0, "kernel.yama.ptrace_scope is %d: nobody may trace anything",
			  yama);
		error_set(&a->remedy, 0,
			  "start the system with another setting; it cannot be "
			  "changed back while it runs");
	} else if (yama == YAMA_PRIVILEGED && !can_trace) {
		error_set(&a->why, 0, "kernel.yama.ptrace_scope is %d", yama);
		error_set(&a->remedy, 0, "run mprof as root, or set it to 0 or 1");
	}
	return *a->why.text;
}

static void why_confined(const struct permission_facts *f, struct advice *a)
{
	error_set(&a->why, 0, "not permitted: a security module confines it (%s)", f->confined);
	error_set(&a->remedy, 0, "allow ptrace in that profile, or run mprof outside of its own");
}

static void why_not_root(const struct permission_facts *f, struct advice *a)
{
	if (f->us != f->target) {
		error_set(&a->why, 0, "it belongs to user %u, we are user %u", (unsigned)f->target,
			  (unsigned)f->us);
		error_set(&a->remedy, 0, "run mprof as that user or as root");
	} else if (f->undumpable) {
		error_set(&a->why, 0,
			  "it is undumpable: it has more privileges than we have, has "
			  "made itself so (prctl PR_SET_DUMPABLE), or may not be read");
		error_set(&a->remedy, 0, "run mprof as root");
	} else if (f->yama == YAMA_DESCENDANTS) {
		error_set(&a->why, 0, "kernel.yama.ptrace_scope is %d", f->yama);
		error_set(&a->remedy, 0,
			  "run mprof as root, or start the program with mprof run, "
			  "or set it to 0");
	} else if (*f->confined) {
		why_confined(f, a);
	} else {
		error_set(&a->why, 0, "not permitted: it may have more privileges than we have");
		error_set(&a->remedy, 0, "run mprof as root");
	}
}

void permission_why(const struct permission_facts *f, struct advice *a)
{
	if (permission_forbids_all(f->yama, f->can_trace, a))
		return;
	if (f->can_trace && f->other_user_ns) {
		error_set(&a->why, 0,
			  "it lives in a user namespace of which we have no "
			  "capabilities");
		error_set(&a->remedy, 0, "run mprof as root outside of any container");
	} else if (f->can_trace && *f->confined) {
		why_confined(f, a);
	} else if (f->can_trace && !f->can_write && f->us != f->target) {
		error_set(&a->why, 0,
			  "it belongs to user %u, we are user %u, with CAP_SYS_PTRACE but without "
			  "CAP_DAC_OVERRIDE, which it takes to write its memory",
			  (unsigned)f->target, (unsigned)f->us);
		error_set(&a->remedy, 0, "have that, too, or run mprof as that user or as root");
	} else if (f->us == 0 && !f->can_trace) {
		error_set(&a->why, 0,
			  "not permitted, although we are root: this container or "
			  "sandbox lacks the capability CAP_SYS_PTRACE");
		error_set(&a->remedy, 0, "give it that (docker run --cap-add=SYS_PTRACE)");
	} else {
		why_not_root(f, a);
	}
}
