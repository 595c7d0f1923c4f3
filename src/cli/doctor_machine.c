/* SPDX-License-Identifier: BSD-2-Clause */
/* mprof doctor: facts about this machine, a process, and a program to be run. */
#include "cli/doctor_facts.h"

#include "attach/permission.h"
#include "base/text.h"
#include "confine/confine.h"
#include "fast/fast.h"
#include "fast/refusal.h"
#include "proc/available.h"
#include "proc/file.h"
#include "proc/inside.h"
#include "proc/status.h"
#include "symbols/debuginfod.h"

#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <unistd.h>

static bool we_can(int capability)
{
	struct proc_status us = proc_status(getpid());

	return proc_status_can(&us, capability);
}

/* ---- the machine ---- */

static bool has_entries(const char *path)
{
	DIR *dir = opendir(path);
	bool has = false;

	for (struct dirent *e; dir && !has && (e = readdir(dir));)
		has = e->d_name[0] != '.' || text_begins(e->d_name, ".build-id");
	if (dir)
		closedir(dir);
	return has;
}

void doctor_look_at_machine(struct findings *f, int not_permitted)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	struct machine_facts m = {
		.yama = permission_yama(""),
		.can_trace = we_can(CAP_SYS_PTRACE),
		.follows_inside = proc_follows_inside(),
		.us = geteuid(),
		.can_count = we_can(CAP_PERFMON) || we_can(CAP_SYS_ADMIN),
		.perf_paranoid = proc_number("/proc/sys/kernel/perf_event_paranoid",
					     PARANOID_UNKNOWN),
		.fast_lacks = fast_machine_lacks(),
		.debug_dir = has_entries("/usr/lib/debug"),
		.debuginfod_urls = urls && urls[strspn(urls, " ")],
		.available = memory_available(),
	};
	struct error kernel = {""}, unconfined;
	struct utsname u;
	struct advice a;

	if (!uname(&u))
		error_set(&kernel, 0, "%s %s on %s", u.sysname, u.release, u.machine);
	m.kernel = kernel.text;
	if (permission_forbids_all(m.yama, m.can_trace, &a)) {
		m.yama_forbids = a.why.text;
		m.yama_remedy = a.remedy.text;
	}
	m.debuginfod_library = m.debuginfod_urls && debuginfod_available();
	if (confine_tell_lacking(confine_lacking(), &unconfined))
		m.unconfined = unconfined.text;
	judge_machine(f, &m, not_permitted);
}

bool doctor_may_trace_children(struct findings *f, int not_permitted)
{
	struct advice a;

	if (!permission_forbids_all(permission_yama(""), we_can(CAP_SYS_PTRACE), &a))
		return true;
	findings_fail(f, "tracing", not_permitted, &a);
	return false;
}

/* ---- a process ---- */

void doctor_look_at_process(struct findings *f, pid_t pid, pid_t tid)
{
	const struct proc_status s = proc_status(tid);
	const struct permission_facts p = permission_look(tid);

	judge_process(f, &(struct process_facts){
				 .threads = (unsigned long)s.threads,
				 .uid = s.uid,
				 .pid_namespaces = s.pid_namespaces,
				 .inner = proc_status(pid).inner,
				 .other_root = proc_leads_elsewhere(tid, "root/.") == 1,
				 .other_user_ns = p.other_user_ns,
				 .seccomp = s.seccomp,
				 .no_new_privs = s.no_new_privs,
				 .confined = p.confined,
				 .can_admin = we_can(CAP_SYS_ADMIN),
			 });
}

const char *doctor_fast_refusal(pid_t pid, struct error *why)
{
	const char *lacks = fast_machine_lacks();

	if (lacks)
		return lacks;
	if (!pid || !proc_status(pid).seccomp || we_can(CAP_SYS_ADMIN))
		return NULL;
	fast_refuse(why, FAST_SECCOMP, -EPERM, 0);
	return why->text;
}

/* ---- a program ---- */

bool doctor_look_at_program(struct findings *f, const char *path, const char *file)
{
	struct stat st = {0};
	struct program_facts p = {
		.file = file,
		.script = strcmp(path, file) != 0 ? path : NULL,
		.readable = !access(file, R_OK),
		.can_trace = we_can(CAP_SYS_PTRACE),
	};

	stat(file, &st);
	p.setuid = st.st_mode & S_ISUID && st.st_uid != geteuid();
	p.setgid = st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getegid();
	p.capabilities = getxattr(file, "security.capability", NULL, 0) > 0;
	judge_program(f, &p);
	return p.readable;
}
