/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of the profiles: their names, what is mapped, writing. */
#include "heapprofile/internal.h"

#include "base/endby.h"
#include "base/memstream.h"
#include "base/overwrite.h"
#include "base/stream.h"
#include "naming/reading.h"
#include "pprof/heap_write.h"
#include "proc/file.h"
#include "proc/maps.h"
#include "proc/tasks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what is mapped ---- */

/* /proc/PID/maps of the leader is empty once only other threads are left. */
static char *read_maps(pid_t pid)
{
	struct proc_tasks tasks;
	char *text = proc_read(pid, "maps", NULL);

	proc_tasks_open(&tasks, pid);
	for (pid_t tid; !(text && *text) && (tid = proc_tasks_next(&tasks));) {
		char name[40];

		free(text);
		snprintf(name, sizeof name, "task/%d/maps", (int)tid);
		text = proc_read(pid, name, NULL);
	}
	proc_tasks_close(&tasks);
	if (text && *text)
		return text;
	free(text);
	return NULL;
}

void heap_read_map(struct heapprofile *h)
{
	char *text = read_maps(h->how.pid);

	if (!text)
		return;
	free(h->map);
	h->map = text;
}

static int is_heap(const struct proc_map *m, void *end)
{
	if (strcmp(m->path, "[heap]"))
		return 0;
	*(taddr *)end = m->end;
	return 1;
}

taddr heap_end_of_break(const struct heapprofile *h)
{
	taddr end = 0;

	if (h->map)
		proc_maps_each_in(h->map, is_heap, &end);
	return end;
}

static int overlaps(const struct proc_map *m, void *mapping)
{
	const struct mapping *with = mapping;

	return m->start < with->end && with->start < m->end;
}

/* True if something else is mapped there now. */
static bool is_taken(const char *map, struct mapping m)
{
	return map && proc_maps_each_in(map, overlaps, &m) == 1;
}

static bool is_listed(const struct stack_table *t, const struct mapping *m)
{
	for (size_t i = 0; i < t->n_elements; i++)
		if (t->elements[i] >= m->start && t->elements[i] <= m->end)
			return true;
	return false;
}

/* The map, followed by modules that were unloaded but occur in a stack. For free(); NULL: out of
 * memory. */
static char *complete_map(const struct heapprofile *h, const struct stack_table *t)
{
	char *text = NULL;
	size_t len;
	FILE *out = memstream_open(&text, &len);

	if (!out)
		return NULL;
	fputs(h->map ? h->map : "", out);
	for (size_t i = 0; i < h->n_modules; i++) {
		const struct mapping *m = &h->modules[i].m;
		const struct module_file *f = &h->how.files->files[m->file];

		if (h->modules[i].mapped || is_taken(h->map, *m) || !is_listed(t, m))
			continue;
		fprintf(out, "%08" PRIx64 "-%08" PRIx64 " r-xp %08" PRIx64 " %02x:%02x %ju    %s\n",
			m->start, m->end, m->file_offset, major(f->dev), minor(f->dev),
			(uintmax_t)f->ino, f->path);
	}
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}

/* ---- names in the file ---- */

struct asker {
	const struct heapprofile *h;
	struct namer namer;
};

/* @first: it is the first address of a stack. */
static struct profile_place place_at(const struct heapprofile *h, uint64_t address, bool first)
{
	/* The first address is within the call, the others are one byte after it. */
	const struct heap_module *m = heap_module_at(h, address - !first);

	return (struct profile_place){ .address = m ? address - m->m.bias : address,
				       .module = m ? m->m.file : PD_NONE, .exact = first };
}

static int names_of(void *ctx, uint64_t address, bool first, void (*name)(void *, const char *),
		    void *to)
{
	struct asker *a = ctx;
	const struct profile_place place = place_at(a->h, address, first);
	struct sym_frames f;
	int err = namer_look(&a->namer, &place, NULL, &f);

	for (size_t i = 0; !err && i < f.n; i++)
		name(to, f.frames[i].name);
	return err;
}

/* The same for all addresses. */
static size_t list_places(const struct heapprofile *h, const struct stack_table *t,
			  struct profile_place *to)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		for (size_t e = 0; e < t->stacks[i].n; e++)
			to[n++] = place_at(h, t->elements[t->stacks[i].first + e], e == 0);
	return n;
}

static int ask_names(struct asker *a, const struct stack_table *t,
		     const struct stack_table *mapped)
{
	const struct heapprofile_how *how = &a->h->how;
	const struct module_files *files = how->files;
	struct profile_place *places =
		calloc(t->n_elements + mapped->n_elements + 1, sizeof *places);
	struct resolve_module *modules = reading_modules(files);
	const struct namer_asks asks = { .search = how->search, .files = modules,
					 .n_files = files->n, .jit_map = -1,
					 .say = how->complain };
	int err = places && modules ? 0 : -ENOMEM;

	if (!err) {
		size_t n = list_places(a->h, t, places);

		n += list_places(a->h, mapped, places + n);
		err = namer_ask(&a->namer, &asks, places, NULL, n);
	}
	free(places);
	free(modules);
	return err;
}

static int write_named(struct heapprofile *h, FILE *out, const struct stack_table *t,
		       const struct stack_table *mapped, const char *map)
{
	struct asker a = { .h = h };
	const struct module_files *files = h->how.files;
	char exe[PROC_PATH], binary[4096] = "";
	int err = ask_names(&a, t, mapped);

	if (readlink(proc_path(exe, h->how.pid, "exe"), binary, sizeof binary - 1) < 0)
		snprintf(binary, sizeof binary, "%s", files->n ? files->files[0].path : "?");
	struct heap_names names = { binary, names_of, &a };
	if (!err)
		err = heap_write(out, t, mapped, map, &names);
	namer_release(&a.namer);
	return err;
}

int heap_write_text(struct heapprofile *h, FILE *out)
{
	struct stack_table t, mapped = { 0 };
	int err = heap_contexts(h, &t);

	if (err)
		return err;
	err = heap_mapped_contexts(h, &mapped);
	char *map = err ? NULL : complete_map(h, &t);
	if (!map)
		err = -ENOMEM;
	else if (h->how.options->symbols)
		err = write_named(h, out, &t, &mapped, map);
	else
		err = heap_write(out, &t, &mapped, map, NULL);
	free(map);
	stack_table_release(&t);
	stack_table_release(&mapped);
	return err;
}

/* ---- file names ---- */

int heap_set_prefix(struct heapprofile *h, const char *prefix, struct error *e)
{
	const char *pattern = h->how.options->prefix;
	char *name;

	if (!prefix && !pattern)
		return error_set(e, -EINVAL, "process %d: heap profiles have no name: none was "
					     "given with "
				 "--heap-profile", (int)h->how.pid);
	if (!prefix)
		name = h->how.name(pattern, h->how.pid, h->how.first, e);
	else if (!(name = strdup(prefix)))
		error_set(e, -ENOMEM, "process %d: no heap profiles: out of "
				      "memory", (int)h->how.pid);
	if (!name)
		return -EINVAL;
	free(h->prefix);
	h->prefix = name;
	return 0;
}

/* True for PREFIX.NUMBER.heap and nothing else. */
static bool is_ours(const char *name, const char *base)
{
	static const char suffix[] = ".heap";
	size_t n = strlen(name), b = strlen(base);

	return n >= b + 1 + strlen(suffix) && !strncmp(name, base, b) && name[b] == '.' &&
	       !strcmp(name + n - strlen(suffix), suffix);
}

void heap_cleanup(const struct heapprofile *h)
{
	const char *slash = strrchr(h->prefix, '/'), *base = slash ? slash + 1 : h->prefix;
	char *dir = slash ? strndup(h->prefix, (size_t)(base - h->prefix)) : strdup(".");
	DIR *d = dir ? opendir(dir) : NULL;

	for (struct dirent *entry; d && (entry = readdir(d));)
		if (is_ours(entry->d_name, base) && unlinkat(dirfd(d), entry->d_name, 0)) {
			struct error e;

			error_set(&e, 0, "cannot delete the old heap profile %s%s: %s",
				  slash ? dir : "", entry->d_name, strerror(errno));
			h->how.complain(e.text);
		}
	if (d)
		closedir(d);
	free(dir);
}

/* ---- writing ---- */

static int write_to(struct heapprofile *h, int fd)
{
	FILE *out = fdopen(fd, "w");

	if (!out) {
		int err = -errno;
		close(fd);
		return err;
	}
	int err = heap_write_text(h, out), lost = stream_close(out);
	return err ? err : lost;
}

/* Names are read in a confined process. A forked child serves its requests, which are untrusted:
 * the tracer itself is to have nothing to do with them. */
static int write_apart(struct heapprofile *h, int fd, struct error *why)
{
	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0) {
		int err = -errno;
		close(fd);
		return err;
	}
	if (pid == 0) {
		endby_signal(SIGTERM);
		endby_signal(SIGHUP);
		_exit(-write_to(h, fd) & 0x7f);
	}
	close(fd);
	int wstatus = h->how.await(h->how.ctx, pid);

	if (WIFEXITED(wstatus))
		return -WEXITSTATUS(wstatus);
	return error_set(why, -EIO, "the process that writes it ended with signal %d (%s)",
			 WTERMSIG(wstatus), strsignal(WTERMSIG(wstatus)));
}

int heap_write_file(struct heapprofile *h, char **path, struct error *e)
{
	char *name;

	if (asprintf(&name, "%s.%04u.heap", h->prefix, h->number + 1) < 0)
		return error_set(e, -ENOMEM, "cannot write a heap profile: out of memory");
	h->number++;
	/* The program waits for it. */
	int fd = overwrite_open_now(name, h->how.foreign);
	struct error why = { "" };
	int err = fd;

	if (fd >= 0)
		err = h->how.options->symbols ? write_apart(h, fd, &why) : write_to(h, fd);
	if (!err) {
		*path = name;
		return 0;
	}
	error_set(e, err, "cannot write the heap profile %s: %s", name,
		  *why.text ? why.text : overwrite_why(err));
	free(name);
	return err;
}
