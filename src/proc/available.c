/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc/available.h"

#include "base/text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct files {
	const char *limit, *used, *folder;
	const char *reclaimable; /* in memory.stat: counted as used, but can be reclaimed */
};

static const struct files version1 = {"memory.limit_in_bytes", "memory.usage_in_bytes",
				      "/sys/fs/cgroup/memory", "total_inactive_file "};
static const struct files version2 = {"memory.max", "memory.current", "/sys/fs/cgroup",
				      "inactive_file "};

static FILE *open_in(const char *root, const char *folder, const char *path, const char *name)
{
	char full[PATH_MAX];
	int n = snprintf(full, sizeof full, "%s%s%s/%s", root, folder, path, name);

	return n > 0 && (size_t)n < sizeof full ? fopen(full, "re") : NULL;
}

/* The number behind @key at the beginning of a line; UINT64_MAX: none, or "max". */
static uint64_t number_in(FILE *f, const char *key)
{
	uint64_t n = UINT64_MAX;
	char line[4096];

	while (f && n == UINT64_MAX && fgets(line, sizeof line, f)) {
		const char *rest = text_after(line, key);

		if (rest && sscanf(rest, "%" SCNu64, &n) != 1)
			n = UINT64_MAX;
	}
	if (f)
		fclose(f);
	return n;
}

static uint64_t left_in(const char *root, const struct files *files, const char *path)
{
	uint64_t limit = number_in(open_in(root, files->folder, path, files->limit), "");
	uint64_t used = number_in(open_in(root, files->folder, path, files->used), "");
	uint64_t back =
		number_in(open_in(root, files->folder, path, "memory.stat"), files->reclaimable);

	if (limit == UINT64_MAX || used == UINT64_MAX)
		return UINT64_MAX;
	if (back != UINT64_MAX)
		used -= back < used ? back : used;
	return limit > used ? limit - used : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What a group and its parents leave. In a container the path may be that of the host, of which
 * only the root exists: so the root is always read. */
static uint64_t left_in_all(const char *root, const struct files *files, char *path)
{
	uint64_t left = UINT64_MAX;

	for (char *slash; (slash = strrchr(path, '/')); *slash = '\0')
		left = least(left, left_in(root, files, path));
	return least(left, left_in(root, files, ""));
}

/* "0::/path", "4:memory:/path" */
static bool take_apart(char *line, const struct files **files, char **path)
{
	char *names = strchr(line, ':');
	char *end = names ? strchr(names + 1, ':') : NULL;

	if (!end)
		return false;
	*end = '\0';
	*path = end + 1;
	(*path)[strcspn(*path, "\n")] = '\0';
	*files = names[1] ? &version1 : &version2;
	return !names[1] || strstr(names + 1, "memory");
}

static uint64_t left_in_groups(const char *root)
{
	FILE *f = open_in(root, "/proc", "/self", "cgroup");
	uint64_t left = UINT64_MAX;
	char line[PATH_MAX + 256], *path;
	const struct files *files;

	while (f && fgets(line, sizeof line, f))
		if (take_apart(line, &files, &path))
			left = least(left, left_in_all(root, files, path));
	if (f)
		fclose(f);
	return left;
}

uint64_t memory_available_in(const char *root)
{
	uint64_t machine = number_in(open_in(root, "/proc", "", "meminfo"), "MemAvailable:");

	if (machine != UINT64_MAX)
		machine *= 1024;
	return least(machine, left_in_groups(root));
}

uint64_t memory_available(void)
{
	return memory_available_in("");
}
