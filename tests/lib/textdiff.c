/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * textdiff PID: compares every executable mapping of a file in a process with that file, whole
 * pages, so that the bytes behind a segment's end count, too. Prints where they differ; exits with
 * 0 if they are equal. If the program unloads code meanwhile, it is compared again.
 * textdiff -f PID: the same without the bytes behind a segment's end, which are in no function.
 * textdiff -m PID: prints the mappings that allocations neither make nor move (files, and all that
 * are executable), without what always differs, to be compared with an earlier output.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct mapping {
	unsigned long start, end, offset, inode;
	char perms[8], name[512];
};

static int parse(const char *line, struct mapping *m)
{
	int at = 0;

	m->name[0] = '\0';
	if (sscanf(line, "%lx-%lx %7s %lx %*s %lu %n", &m->start, &m->end, m->perms, &m->offset,
		   &m->inode, &at) < 5)
		return -1;
	snprintf(m->name, sizeof m->name, "%.*s", (int)strcspn(line + at, "\n"), line + at);
	return 0;
}

static int open_file(int pid, const struct mapping *m)
{
	char path[128];

	snprintf(path, sizeof path, "/proc/%d/map_files/%lx-%lx", pid, m->start, m->end);
	return open(path, O_RDONLY | O_CLOEXEC);
}

enum { SAME, DIFFERENT, CANNOT, GONE };

static int functions_only;

/* Where the executable segment of the file ends that has what is at this offset; 0: none has it. */
static unsigned long segment_end(int fd, unsigned long offset)
{
	Elf64_Ehdr e;
	Elf64_Phdr p;

	if (pread(fd, &e, sizeof e, 0) != (ssize_t)sizeof e)
		return 0;
	for (unsigned i = 0; i < e.e_phnum; i++) {
		if (pread(fd, &p, sizeof p, (off_t)(e.e_phoff + i * sizeof p)) != (ssize_t)sizeof p)
			return 0;
		if (p.p_type == PT_LOAD && p.p_flags & PF_X && offset >= (p.p_offset & ~4095ul) &&
		    offset < p.p_offset + p.p_filesz)
			return p.p_offset + p.p_filesz;
	}
	return 0;
}

static int compare(int pid, int mem, const struct mapping *m, FILE *out)
{
	int fd = open_file(pid, m), differ = 0;

	if (fd < 0 && errno == ENOENT)
		return GONE;
	if (fd < 0) {
		fprintf(out, "%s: cannot open: %s\n", m->name, strerror(errno));
		return CANNOT;
	}
	unsigned long code_end = functions_only ? segment_end(fd, m->offset) : ~0ul;

	if (!code_end)
		fprintf(out, "%s: no segment at %#lx\n", m->name, m->offset);
	differ = !code_end;
	for (unsigned long at = m->start; at < m->end; at += 4096) {
		unsigned char now[4096], file[4096] = { 0 };

		if (pread(mem, now, sizeof now, (off_t)at) != (ssize_t)sizeof now)
			continue; /* behind the file's end there is nothing to read */
		if (pread(fd, file, sizeof file, (off_t)(m->offset + at - m->start)) <= 0)
			continue;
		for (size_t i = 0; i < sizeof now; i++)
			if (now[i] != file[i] && m->offset + at - m->start + i < code_end &&
			    differ++ < 20)
				fprintf(out, "%s+%#lx (%#lx): %02x, in the file %02x\n", m->name,
					m->offset + at - m->start + i, at + i, now[i], file[i]);
	}
	close(fd);
	if (!differ)
		return SAME;
	/* Or is it something else that has been found at this address? */
	fd = open_file(pid, m);
	if (fd < 0)
		return GONE;
	close(fd);
	return DIFFERENT;
}

/* All mappings there are: listed, or compared. */
static int look(int pid, int mem, FILE *maps, int list, FILE *out)
{
	char line[1024];
	int worst = SAME, n = 0;

	while (fgets(line, sizeof line, maps)) {
		struct mapping m;

		if (parse(line, &m))
			continue;
		if (list) {
			if (m.inode || m.perms[2] == 'x')
				fprintf(out, "%lx-%lx %s %lx %s\n", m.start, m.end, m.perms,
					m.offset, m.name);
		} else if (m.perms[2] == 'x' && m.inode) {
			int one = compare(pid, mem, &m, out);

			worst = one > worst ? one : worst;
			n++;
		}
	}
	if (list || n)
		return worst;
	fprintf(out, "process %d has no executable mapping of a file\n", pid);
	return CANNOT;
}

int main(int argc, char **argv)
{
	functions_only = argc > 2 && !strcmp(argv[1], "-f");
	int list = argc > 2 && !strcmp(argv[1], "-m"), pid = atoi(argv[argc - 1]);
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/mem", pid);
	int mem = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof path, "/proc/%d/maps", pid);
	for (int tries = 0; tries < 1000; tries++) {
		FILE *maps = fopen(path, "re");
		char *text;
		size_t len;

		if (mem < 0 || !maps) {
			printf("no memory of process %d: %s\n", pid, strerror(errno));
			return CANNOT;
		}
		FILE *out = open_memstream(&text, &len);
		int found = out ? look(pid, mem, maps, list, out) : CANNOT;
		fclose(maps);
		if (out && !fclose(out) && found != GONE) {
			fputs(text, stdout);
			return found;
		}
	}
	printf("the mappings of process %d do not stand still\n", pid);
	return GONE;
}
