/* SPDX-License-Identifier: BSD-2-Clause */
/* landlock(7): files may be read, and nothing else. */
#include "confine/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

/* As in linux/landlock.h of Linux 6.12; the build machine's header may be older. */
struct ruleset {
	uint64_t files, net, scoped;
};

enum {
	READ_FILE = 1 << 2,
	READ_DIR = 1 << 3,
	FILES_1 = (1 << 13) - 1,	/* execute, write, read, and what is made and removed */
	REFER = 1 << 13,		/* since version 2 */
	TRUNCATE = 1 << 14,		/* 3 */
	IOCTL_DEV = 1 << 15,		/* 5 */
	NET_TCP = 3,			/* 4: bind and connect */
	SCOPES = 3,			/* 6: abstract sockets, and signals to others */
};

/* A process with a ruleset may not trace one without either, which includes /proc/PID/mem. */
static struct ruleset ruleset_of(long version)
{
	struct ruleset r = { .files = FILES_1 };

	r.files |= version >= 2 ? REFER : 0;
	r.files |= version >= 3 ? TRUNCATE : 0;
	r.files |= version >= 5 ? IOCTL_DEV : 0;
	r.net = version >= 4 ? NET_TCP : 0;
	r.scoped = version >= 6 ? SCOPES : 0;
	return r;
}

/* An old kernel takes a shorter struct. */
static size_t size_of(long version)
{
	return version >= 6 ? 3 * sizeof(uint64_t) : version >= 4 ? 2 * sizeof(uint64_t)
								  : sizeof(uint64_t);
}

static int allow_reading(int rules)
{
	struct landlock_path_beneath_attr all = {
		.allowed_access = READ_FILE | READ_DIR,
		.parent_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC),
	};

	if (all.parent_fd < 0)
		return -errno;
	int err = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &all, 0)
			  ? -errno
			  : 0;
	close(all.parent_fd);
	return err;
}

int confine_files(void)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
			       LANDLOCK_CREATE_RULESET_VERSION);

	if (version < 0)
		return -errno;
	const struct ruleset r = ruleset_of(version);
	int rules = (int)syscall(SYS_landlock_create_ruleset, &r, size_of(version), 0);

	if (rules < 0)
		return -errno;
	int err = allow_reading(rules);
	if (!err && syscall(SYS_landlock_restrict_self, rules, 0))
		err = -errno;
	close(rules);
	return err;
}
