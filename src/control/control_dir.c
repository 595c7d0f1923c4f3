/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/control_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- who we are ---- */

bool uid_outside(const char *map, uid_t uid, uid_t nobody, uid_t *outside)
{
	unsigned long first, there, n, known = 0;
	bool found = false;
	int used;

	for (; sscanf(map, "%lu %lu %lu%n", &first, &there, &n, &used) == 3; map += used) {
		known += n;
		if (uid < first || uid - first >= n)
			continue;
		*outside = (uid_t)(there + (uid - first));
		found = true;
	}
	return found && (uid != nobody || known >= UINT32_MAX);
}

static bool read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, size - 1) : -1;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n >= 0; /* the map is empty in a namespace whose users have no numbers yet */
}

static bool our_uid_outside(uid_t *outside)
{
	char map[4096], nobody[32];

	*outside = geteuid();
	/* A kernel without user namespaces has no such file: then the numbers are the same. */
	if (!read_text("/proc/self/uid_map", map, sizeof map))
		return true;
	if (!read_text("/proc/sys/kernel/overflowuid", nobody, sizeof nobody) || !*nobody)
		strcpy(nobody, "65534");
	return uid_outside(map, geteuid(), (uid_t)strtoul(nobody, NULL, 10), outside);
}

/* ---- the directories ---- */

bool control_dir_is_ours(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

static void add(struct control_dirs *d, const char *above, const char *name)
{
	int n = snprintf(d->path[d->n], CONTROL_DIR_MAX, "%s/%s", above, name);

	d->n += n > 0 && n < CONTROL_DIR_MAX;
}

/* All directories that may be used if they belong to us. */
static int candidates(struct control_dirs *d, struct error *e)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR"), *tmp = getenv("TMPDIR");
	char name[32];
	uid_t uid;

	d->n = 0;
	if (!our_uid_outside(&uid))
		return error_set(e, -EPERM, "in this user namespace our user has no number, so "
					    "that no directory for "
				 "control sockets is known to be ours");
	if (runtime && runtime[0] == '/' && control_dir_is_ours(runtime))
		add(d, runtime, "mprof");
	snprintf(name, sizeof name, "mprof-%u", (unsigned)uid);
	size_t before = d->n;
	if (tmp && tmp[0] == '/' && !access(tmp, W_OK | X_OK))
		add(d, tmp, name);
	if (d->n == before)
		add(d, "/tmp", name);
	return 0;
}

/* In /tmp another user may have created it first. */
static int check(const char *path, struct error *e)
{
	struct stat st;

	if (lstat(path, &st))
		return error_set(e, -errno, "cannot look at %s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077))
		return error_set(e, -EPERM,
				 "will not use %s for control sockets: it has to be a directory "
				 "that belongs to us and that nobody else can enter; remove "
				 "it", path);
	return 0;
}

static int make(const char *path, struct error *e)
{
	if (mkdir(path, 0700) && errno != EEXIST)
		return error_set(e, -errno, "cannot make the directory for control sockets %s: "
					    "%s", path,
				 strerror(errno));
	return check(path, e);
}

int control_dir_make(char path[CONTROL_DIR_MAX], struct error *e)
{
	struct control_dirs d;
	struct error why;

	e->text[0] = '\0';
	int err = candidates(&d, e);
	for (size_t i = 0; i < d.n; i++) {
		int one = make(d.path[i], &why);

		if (!one) {
			strcpy(path, d.path[i]);
			return 0;
		}
		if (!err)
			err = error_set(e, one, "%s", why.text);
	}
	return err;
}

int control_dirs_find(struct control_dirs *d, struct error *e)
{
	struct control_dirs all;
	struct error why;
	int err = candidates(&all, e);

	d->n = 0;
	for (size_t i = 0; i < all.n; i++) {
		int one = check(all.path[i], &why);

		if (!one)
			strcpy(d->path[d->n++], all.path[i]);
		else if (one != -ENOENT && !err)
			err = error_set(e, one, "%s", why.text);
	}
	return d->n ? 0 : err;
}
