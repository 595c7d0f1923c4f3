/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scribbles: what a program may do to memory that is not its own. "records" writes ten invalid
 * records where the next ones of mprof's ring go, and allocates; "unmap-agent", "unmap-near" and
 * "fill-near" destroy mprof's code, and allocate. Prints "done".
 */
#include "live.h"

#include "agent/layout.h"

#include <sys/mman.h>

enum { WRONG = 10, PAIRS = 1000, NEAR_CODE = 32 << 10 };

struct found {
	uintptr_t shared;	/* the memory that the agent writes to */
	uintptr_t agent, agent_end, near;
};

/* Without a call of the allocator. */
static struct found look(void)
{
	static char text[1 << 20];
	struct found f = { 0 };
	uintptr_t code = 0, code_end = 0;
	size_t n = 0;
	ssize_t got;
	int fd = open("/proc/self/maps", O_RDONLY);

	while ((got = read(fd, text + n, sizeof text - 1 - n)) > 0)
		n += (size_t)got;
	close(fd);
	text[n] = '\0';
	for (char *line = text, *end; *line; line = end + 1) {
		end = strchrnul(line, '\n');
		*end = '\0';
		char *at, *perms;
		uintptr_t lo = strtoul(line, &at, 16), hi = strtoul(at + 1, &perms, 16);
		bool file = strchr(line, '/') || strchr(line, '[');

		if (!strncmp(perms, " r-xp", 5) && !file) {
			code = lo;
			code_end = hi;
			if (hi - lo == NEAR_CODE)
				f.near = lo;
		}
		if (strstr(line, "/memfd:mprof") && !f.shared) {
			f.shared = lo;
			if (code_end == lo) {
				f.agent = code;
				f.agent_end = code_end;
			}
		}
	}
	return f;
}

static void write_records(struct agent_shared *s)
{
	MUST(s);
	for (unsigned i = 0; i < WRONG; i++) {
		struct agent_record *r = &s->ring[(s->head + i) % AGENT_RING];

		r->hi = 1;
		__atomic_store_n(&r->lo, RECORD_SET, __ATOMIC_RELEASE);
	}
}

static void unmap(uintptr_t at, size_t size)
{
	MUST(at && !munmap((void *)at, size));
}

static void fill_near(uintptr_t at)
{
	MUST(at && !mprotect((void *)at, NEAR_CODE, PROT_READ | PROT_WRITE | PROT_EXEC));
	memset((void *)at, 0x0f, NEAR_CODE); /* 0f 0f 0f: no instruction */
}

static void other(const char *word)
{
	struct found f = look();

	if (!strcmp(word, "records"))
		write_records((struct agent_shared *)f.shared);
	else if (!strcmp(word, "unmap-agent"))
		unmap(f.agent, f.agent_end - f.agent);
	else if (!strcmp(word, "unmap-near"))
		unmap(f.near, NEAR_CODE);
	else if (!strcmp(word, "fill-near"))
		fill_near(f.near);
	for (int i = 0; i < PAIRS; i++)
		free(fill(malloc(100), 100, i));
	say("done\n");
}

static void report(void)
{
	say("report\n");
}

int main(void)
{
	live_serve(report, other);
	return 0;
}
