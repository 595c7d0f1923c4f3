/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc/modules.h"

#include "base/array.h"
#include "base/preadall.h"
#include "base/regular.h"
#include "base/search.h"
#include "base/text.h"
#include "proc/file.h"
#include "proc/inside.h"
#include "proc/maps.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void module_files_release(struct module_files *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->files[i].path);
		if (f->files[i].fd >= 0)
			close(f->files[i].fd);
	}
	free(f->files);
	*f = (struct module_files){ 0 };
}

bool module_file_is_gone(const struct module_file *f)
{
	static const char deleted[] = " (deleted)";
	const size_t n = strlen(f->path), end = sizeof deleted - 1;

	/* The maps call memory that never had a name deleted, too. */
	return f->fd < 0 && f->ino && n > end && !strcmp(f->path + n - end, deleted) &&
	       !text_begins(f->path, "/memfd:") && !text_begins(f->path, "/SYSV") &&
	       !text_begins(f->path, "/dev/");
}

int module_file_fd(const struct module_file *f)
{
	struct stat st;

	if (f->fd < 0 || fstat(f->fd, &st))
		return f->fd;
	return st.st_size == f->size && st.st_mtim.tv_sec == f->written.tv_sec &&
			       st.st_mtim.tv_nsec == f->written.tv_nsec
		       ? f->fd : -1;
}

void mappings_release(struct mappings *m)
{
	free(m->maps);
	*m = (struct mappings){ 0 };
}

/* A mapping of ours, and one of the program's: are they of the same file? */
struct comparing {
	taddr here;
	const struct proc_map *there;
};

/* 1: they are; 2: they are not. */
static int compare_here(const struct proc_map *m, void *ctx)
{
	const struct comparing *c = ctx;

	if (m->start != c->here)
		return 0;
	return m->dev == c->there->dev && m->ino == c->there->ino ? 1 : 2;
}

/* For a file on Btrfs, or in an overlay of several file systems, stat(2) reports another device
 * than /proc/PID/maps. But the maps of all processes agree. */
static bool maps_the_same(int fd, const struct proc_map *m)
{
	void *here = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);

	if (here == MAP_FAILED)
		return false;
	struct comparing c = { (taddr)(uintptr_t)here, m };
	bool same = proc_maps_each(getpid(), compare_here, &c) == 1;
	munmap(here, 1);
	return same;
}

static bool is_mapped(int fd, const struct proc_map *m)
{
	struct stat st;

	if (!fstat(fd, &st) && st.st_ino == m->ino && st.st_dev == m->dev)
		return true;
	return maps_the_same(fd, m);
}

/* Returns @fd if it is the file that is mapped; else closes it. -ENOENT: it is another file; or the
 * -errno that @fd is. */
static int if_mapped(int fd, const struct proc_map *m)
{
	if (fd >= 0 && !is_mapped(fd, m)) {
		close(fd);
		fd = -ENOENT;
	}
	return fd;
}

static bool is_without_files(int err)
{
	return err == -EMFILE || err == -ENFILE;
}

static int open_mapped(pid_t tid, const struct proc_map *m)
{
	char path[PROC_PATH], name[48];

	snprintf(name, sizeof name, "map_files/%" PRIx64 "-%" PRIx64, m->start, m->end);
	int fd = regular_open(AT_FDCWD, proc_path(path, tid, name), 0);
	if (fd >= 0 || is_without_files(fd))
		return fd;
	fd = if_mapped(proc_open_inside(tid, m->path, 0), m);
	if (fd >= 0 || is_without_files(fd))
		return fd;
	/* Whoever may trace a program can read its own file this way, even if it was deleted. */
	return if_mapped(regular_open(AT_FDCWD, proc_path(path, tid, "exe"), 0), m);
}

/* @fd: the open file, which @files takes over, or -1. */
static int add_file(struct module_files *files, const struct proc_map *m, int fd, uint32_t *number)
{
	char *path = strdup(m->path);
	struct stat st = { 0 };

	if (fd >= 0)
		fstat(fd, &st);
	if (!path || ARRAY_RESERVE(&files->files, &files->cap, files->n)) {
		free(path);
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	*number = (uint32_t)files->n;
	files->files[files->n++] =
		(struct module_file){ .dev = m->dev, .ino = m->ino, .path = path, .fd = fd,
				      .written = st.st_mtim, .size = st.st_size };
	return 0;
}

static bool is_file_of(const struct module_file *f, const struct proc_map *m)
{
	/* Without an inode (vdso) it is identified by its name. */
	return f->dev == m->dev && f->ino == m->ino && (m->ino || !strcmp(f->path, m->path));
}

static bool has_file(const struct mappings *m, size_t number)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->maps[i].file == number)
			return true;
	return false;
}

/* The most versions of a file that are opened: it may be written to all the time. */
enum { WRITTEN_MAX = 64 };

static int file_number(pid_t tid, struct module_files *files, const struct mappings *was,
		       const struct proc_map *m, uint32_t *number)
{
	bool unreadable = false;
	unsigned written = 0;

	for (size_t i = 0; i < files->n; i++) {
		const struct module_file *f = &files->files[i];

		if (!is_file_of(f, m))
			continue;
		*number = (uint32_t)i;
		if (!m->ino)
			return 0;
		if (f->fd < 0)
			unreadable = true;
		else if (has_file(was, i) || module_file_fd(f) >= 0 || ++written == WRITTEN_MAX)
			return 0;
	}
	int fd = m->ino ? open_mapped(tid, m) : -1;
	/* We have no more descriptors: not to be mistaken for a file without contents. */
	if (is_without_files(fd))
		return fd;

	/* During an exec no file can be opened through the process, but afterwards it can: the file
	 * then gets a new number, because its old one has been found to be unreadable. */
	if (unreadable && fd < 0)
		return 0;
	return add_file(files, m, fd < 0 ? -1 : fd, number);
}

static bool read_program_headers(int fd, Elf64_Ehdr *eh, Elf64_Phdr *ph, size_t max)
{
	if (fd < 0 || pread_all(fd, eh, sizeof *eh, 0) != sizeof *eh ||
	    memcmp(eh->e_ident, ELFMAG, SELFMAG) || eh->e_ident[EI_CLASS] != ELFCLASS64 ||
	    eh->e_phentsize != sizeof *ph || eh->e_phnum > max)
		return false;
	ssize_t size = (ssize_t)(eh->e_phnum * sizeof *ph);

	return pread_all(fd, ph, (size_t)size, (off_t)eh->e_phoff) == size;
}

static void set_read_only_part(struct mapping *m, const Elf64_Phdr *ph, unsigned n)
{
	taddr low = UINT64_MAX, high = 0, writable = UINT64_MAX;

	for (unsigned i = 0; i < n; i++) {
		if (ph[i].p_type != PT_LOAD)
			continue;
		taddr end = ph[i].p_vaddr + ph[i].p_memsz;

		if (ph[i].p_flags & PF_W) {
			writable = ph[i].p_vaddr < writable ? ph[i].p_vaddr : writable;
		} else {
			low = ph[i].p_vaddr < low ? ph[i].p_vaddr : low;
			high = end > high ? end : high;
		}
	}
	if (writable < high)
		low = high = 0;
	/* The last page is mapped as a whole, and writable segments begin in another one. */
	m->image_start = m->bias + (low & ~4095ULL);
	m->image_end = m->bias + ((high + 4095) & ~4095ULL);
}

/*
 * The load bias of the segment that is mapped from the mapping's file offset on: it is the
 * mapping's address less the segment's. Never "start of the first executable mapping": modern link
 * editors place read-only segments before the executable one. A page of the file may be in two
 * segments, which are mapped one behind the other: all of a module have one bias.
 * @before  the mapping of the same file before this one, NULL: none
 */
static bool place_image(int fd, const struct mapping *before, struct mapping *m)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph[64];
	bool found = false;

	if (!read_program_headers(fd, &eh, ph, sizeof ph / sizeof *ph))
		return false;
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		if (ph[i].p_type != PT_LOAD || !(ph[i].p_flags & PF_X) ||
		    m->file_offset < (ph[i].p_offset & ~4095ULL) ||
		    m->file_offset >= ph[i].p_offset + ph[i].p_filesz)
			continue;
		taddr bias = m->start - m->file_offset + ph[i].p_offset - ph[i].p_vaddr;

		if (!found || (before && bias == before->bias))
			m->bias = bias;
		found = true;
	}
	set_read_only_part(m, ph, eh.e_phnum);
	return found;
}

static const struct mapping *last_of(const struct mappings *m, uint32_t file)
{
	size_t i = m->n;

	while (i && m->maps[i - 1].file != file)
		i--;
	return i ? &m->maps[i - 1] : NULL;
}

static int add_mapping(pid_t tid, struct module_files *files, const struct mappings *was,
		       const struct proc_map *m, struct mappings *out)
{
	struct mapping map = { .start = m->start, .end = m->end, .file_offset = m->offset };
	int err = file_number(tid, files, was, m, &map.file);

	if (!err)
		err = ARRAY_RESERVE(&out->maps, &out->cap, out->n);
	if (err)
		return err;
	/* If we cannot read the file, or it is no ELF file, addresses are relative to its start. */
	if (!place_image(files->files[map.file].fd, last_of(out, map.file), &map)) {
		map.bias = m->start - m->offset;
		map.image_start = m->start;
		map.image_end = m->end;
	}
	out->maps[out->n++] = map;
	return 0;
}

struct reading {
	pid_t tid;
	struct module_files *files;
	const struct mappings *was;
	struct mappings *out;
};

static int read_mapping(const struct proc_map *m, void *ctx)
{
	struct reading *r = ctx;

	if (!m->executable || (!m->ino && strcmp(m->path, "[vdso]") != 0))
		return 0;
	return add_mapping(r->tid, r->files, r->was, m, r->out);
}

int mappings_read(pid_t tid, struct module_files *files, struct mappings *out)
{
	return mappings_read_again(tid, files, &(const struct mappings){ 0 }, out);
}

int mappings_read_again(pid_t tid, struct module_files *files, const struct mappings *was,
			struct mappings *out)
{
	struct reading r = { tid, files, was, out };

	*out = (struct mappings){ 0 };
	int err = proc_maps_each(tid, read_mapping, &r);
	/* If a task has ended and not been waited for, its maps file exists and is empty. */
	if (!err && !out->n)
		err = -ESRCH;
	if (err)
		mappings_release(out);
	return err;
}

static int read_code(const struct proc_map *m, void *ctx)
{
	struct code_ranges *c = ctx;

	if (!m->executable)
		return 0;
	if (ARRAY_RESERVE(&c->v, &c->cap, c->n))
		return -ENOMEM;
	c->v[c->n++] = (struct code_range){ m->start, m->end };
	return 0;
}

int code_ranges_read(pid_t tid, struct code_ranges *c)
{
	c->n = 0;
	return proc_maps_each(tid, read_code, c);
}

bool code_ranges_have(const struct code_ranges *c, taddr pc)
{
	size_t i = SEARCH_FIRST(c->n, i, c->v[i].end > pc);

	return i < c->n && c->v[i].start <= pc;
}

void code_ranges_release(struct code_ranges *c)
{
	free(c->v);
	*c = (struct code_ranges){ 0 };
}

const struct mapping *mappings_find(const struct mappings *m, taddr pc)
{
	size_t i = SEARCH_FIRST(m->n, i, m->maps[i].end > pc);

	return i < m->n && m->maps[i].start <= pc ? &m->maps[i] : NULL;
}

const struct mapping *mappings_of_data(const struct mappings *m, const struct module_files *files,
				       taddr at, const char *path)
{
	size_t i = SEARCH_FIRST(m->n, k, m->maps[k].start > at);
	const struct mapping *last = i ? &m->maps[i - 1] : NULL;

	return last && !strcmp(files->files[last->file].path, path) ? last : NULL;
}

uint32_t mappings_program(const struct mappings *m, const struct module_files *f, pid_t tid)
{
	char path[PROC_PATH];
	struct stat st;

	if (stat(proc_path(path, tid, "exe"), &st))
		return NO_FILE;
	for (size_t i = 0; i < m->n; i++)
		if (f->files[m->maps[i].file].ino == st.st_ino)
			return m->maps[i].file;
	return NO_FILE;
}

int mappings_copy(struct mappings *to, const struct mappings *from)
{
	*to = (struct mappings){ .maps = malloc(from->n * sizeof *to->maps + 1) };
	if (!to->maps)
		return -ENOMEM;
	if (from->n)
		memcpy(to->maps, from->maps, from->n * sizeof *to->maps);
	to->n = to->cap = from->n;
	return 0;
}
