/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc/rights.h"

#include "proc/file.h"
#include "proc/status.h"

#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Without a security module there is no such file. */
static bool read_label(pid_t tid, char *label, size_t size)
{
	size_t n = 0;
	char *text = proc_read(tid, "attr/current", &n);
	const bool fits = !text || n < size;

	label[0] = '\0';
	if (text && fits)
		memcpy(label, text, n);
	if (text && fits)
		label[n] = '\0';
	free(text);
	return fits;
}

/* The last line of that name: a task's name, in the first line, is its own choice. */
static bool read_groups(pid_t tid, char *groups, size_t size)
{
	static const char field[] = "\nGroups:";
	char *text = proc_read(tid, "status", NULL), *at = NULL;

	for (char *next = text; next && (next = strstr(next, field));)
		at = next += sizeof field - 1;
	const size_t n = at ? strcspn(at, "\n") : 0;
	const bool fits = at && n < size;

	if (fits)
		memcpy(groups, at, n);
	groups[fits ? n : 0] = '\0';
	free(text);
	return fits;
}

struct proc_rights proc_rights(pid_t tid)
{
	const struct proc_status s = proc_status(tid);
	struct proc_rights r = {
		.uid = s.effective_uid,
		.gid = s.effective_gid,
		.capabilities = s.capabilities,
		.filters = s.filters > s.seccomp ? s.filters : s.seccomp,
	};
	const int user_ns = proc_leads_elsewhere(tid, "ns/user");
	const int mount_ns = proc_leads_elsewhere(tid, "ns/mnt");
	const int root = proc_leads_elsewhere(tid, "root/.");

	r.other_user_ns = user_ns > 0;
	r.other_files = mount_ns > 0 || root > 0;
	r.known = s.tgid && s.has_ids && user_ns >= 0 && mount_ns >= 0 && root >= 0 &&
		  read_label(tid, r.label, sizeof r.label) &&
		  read_groups(tid, r.groups, sizeof r.groups);
	return r;
}

/* The next number in a list; *at moves behind it. False: there is none. */
static bool next_group(const char **at, unsigned long *group)
{
	char *end;

	*group = strtoul(*at, &end, 10);
	const bool is = end != *at;

	*at = end;
	return is;
}

static bool is_in_group(const struct proc_rights *r, unsigned long group)
{
	const char *at = r->groups;

	for (unsigned long one; next_group(&at, &one);)
		if (one == group)
			return true;
	return r->gid == group;
}

/* With CAP_DAC_OVERRIDE files are written whatever their group. */
static bool is_in_all_groups(const struct proc_rights *r, const struct proc_rights *ours)
{
	const char *at = ours->groups;

	if (r->capabilities >> CAP_DAC_OVERRIDE & 1)
		return true;
	for (unsigned long one; next_group(&at, &one);)
		if (!is_in_group(r, one))
			return false;
	return true;
}

const char *rights_lacking(const struct proc_rights *r, const struct proc_rights *ours)
{
	if (!r->known || !ours->known)
		return "what it may do itself cannot be told";
	if (r->uid != ours->uid)
		return "it is another user's";
	if (r->gid != ours->gid)
		return "it is another group's";
	if (!is_in_all_groups(r, ours))
		return "it is not in all groups that mprof is in";
	if (r->other_user_ns)
		return "it is in another user namespace";
	if (ours->capabilities & ~r->capabilities)
		return "it has not all capabilities that mprof has";
	if (r->other_files)
		return "it sees other files than mprof (a container, or chroot)";
	if (r->filters > ours->filters)
		return "a seccomp filter restricts it";
	if (strcmp(r->label, ours->label) != 0)
		return "it has another security label";
	return NULL;
}

const char *proc_lacks_our_rights(pid_t tid)
{
	const struct proc_rights r = proc_rights(tid), ours = proc_rights(gettid());

	return rights_lacking(&r, &ours);
}
