/* SPDX-License-Identifier: BSD-2-Clause */
/* mprof probes PID|PROGRAM: what would be trapped, where and why. */
#include "cli/probes.h"

#include "base/array.h"
#include "base/printable.h"
#include "cli/libraries.h"
#include "cli/load_rules.h"
#include "cli/meant.h"
#include "outputs/own_heaps.h"
#include "cli/program.h"
#include "cli/stream.h"
#include "cli/trapped.h"
#include "cli/unattachable.h"
#include "probes/no_allocator.h"
#include "proc/tasks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The functions found in files, and their addresses in a process. */
struct listing {
	struct module_files files;
	struct rules rules;
	struct trapped trapped;
	struct trapped_function *v;
	size_t n, cap;
	pid_t tid; /* a thread that has not ended, to read /proc: the leader may have */
};

static void release(struct listing *l)
{
	free(l->v);
	trapped_release(&l->trapped);
	module_files_release(&l->files);
	rules_release(&l->rules);
}

/* Add a file's functions, at @bias. 0 or -ENOMEM. */
static int list_file(struct listing *l, uint32_t file, taddr bias)
{
	for (size_t i = 0; i < l->trapped.n; i++) {
		if (l->trapped.v[i].file != file)
			continue;
		if (ARRAY_RESERVE(&l->v, &l->cap, l->n))
			return -ENOMEM;
		l->v[l->n] = l->trapped.v[i];
		l->v[l->n++].at += bias;
	}
	return 0;
}

static int by_address(const void *left, const void *right)
{
	const struct trapped_function *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static void print_row(const struct listing *l, const struct trapped_function *row)
{
	const struct probe *p = &l->rules.probes.v[row->probe];
	char path[4096 + 64], name[256], where[1024];

	printable(path, sizeof path, l->files.files[row->file].path);
	printable(name, sizeof name, p->name);
	printable(where, sizeof where, p->where);
	printf("0x%012" PRIx64 "  %-12s  %-34s  %s  (%s%s)\n", row->at, probe_word(p), name, path,
	       where, row->indirect ? ", indirect: where this function says" : "");
}

/* The number of functions of allocators: any C library has clone(), which is none. */
static size_t n_telling(const struct listing *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->rules.probes.v[l->v[i].probe].mark != MARK_CLONE;
	return n;
}

/* Sorted by file and address; duplicates, from two parts of a file, are dropped. */
static void print_listing(struct listing *l)
{
	if (l->n)
		qsort(l->v, l->n, sizeof *l->v, by_address);
	for (size_t i = 0; i < l->n; i++)
		if (!i || by_address(&l->v[i - 1], &l->v[i]))
			print_row(l, &l->v[i]);
}

/* 0 or -errno. */
static int list_process(struct listing *l, pid_t pid)
{
	const pid_t living = proc_tasks_living(pid);
	struct mappings maps;

	l->tid = living ? living : pid;
	int err = mappings_read(l->tid, &l->files, &maps);

	if (err)
		return err;
	err = trapped_read(&l->trapped, &l->files, mappings_program(&maps, &l->files, l->tid),
			   &l->rules, say_sentence);
	for (size_t i = 0; !err && i < maps.n; i++)
		err = list_file(l, maps.maps[i].file, maps.maps[i].bias);
	mappings_release(&maps);
	return err;
}

bool probes_any(const struct options *o, pid_t pid)
{
	struct listing l = { 0 };
	bool any = !load_rules(&l.rules, o) && !list_process(&l, pid) && n_telling(&l);

	release(&l);
	return any;
}

/* File number 0 is the program, its libraries follow. 0 or -errno. */
static int list_files(struct listing *l)
{
	int err = trapped_read(&l->trapped, &l->files, 0, &l->rules, say_sentence);

	for (uint32_t i = 0; !err && i < l->files.n; i++)
		err = list_file(l, i, 0);
	return err;
}

static int list_program(struct listing *l, const char *name)
{
	struct error e;
	int status;
	char *path = program_find_or_say(name, &status);

	if (!path)
		return status;
	int err = libraries_of(path, &l->files, &e);
	free(path);
	if (err) {
		say("%s", e.text);
		return STATUS_FAILED;
	}
	err = list_files(l);
	if (err)
		say("cannot list the probes of %s: %s", name, strerror(-err));
	return err ? STATUS_FAILED : 0;
}

/* @program: used if @pid is 0. */
static int list(struct listing *l, pid_t pid, const char *program)
{
	if (!pid)
		return list_program(l, program);
	int err = list_process(l, pid);
	return err || !n_telling(l) ? target_say_unreadable(pid, err) : 0;
}

/* Find the process; *pid 0: it is a program. *name: its name in messages. 0 or a status. */
static int find_meant(const struct options *o, int argc, char **argv, pid_t *pid, const char **name)
{
	*pid = 0;
	*name = argc ? argv[0] : o->pids[0];
	if (argc + !!o->pids[0] != 1) {
		say("probes: of which program? Usage: mprof probes [options] PID|PROGRAM");
		return STATUS_USAGE;
	}
	if (argc) {
		parse_pid(argv[0], pid);
		return 0;
	}
	return meant_process(o, NULL, 0, pid);
}

static void say_no_allocator(const struct listing *l, const char *name)
{
	/* the program's own file is the first */
	const struct module_files program = { .files = l->files.files, .n = l->files.n > 0 };
	struct ownheap heap = { 0 };
	struct advice a;
	struct error e;

	if (ownheaps_read(&program, &heap, say_elsewhere))
		heap.unread = true;
	heap.unread |= l->trapped.unread;
	no_allocator_why(&heap, &l->files, &a);
	advice_sentence(&a, &e);
	say("nothing would be trapped in %s: %s", name, e.text);
}

/* 0 or a status. */
static int tell_the_rest(const struct listing *l, const char *name)
{
	say_not_found(&l->rules);
	if (!n_telling(l)) {
		say_no_allocator(l, name);
		return STATUS_NO_ALLOCATOR;
	}
	tell_own_heaps(say_sentence, &l->files, own_heaps_python_is_off(l->tid));
	return 0;
}

int command_probes(int argc, char **argv)
{
	struct listing l = { 0 };
	struct options options;
	const char *name;
	pid_t pid;
	int first = options_parse(&options, "probes", argc, argv, 2);

	if (first < 0)
		return STATUS_USAGE;
	int status = find_meant(&options, argc - first, argv + first, &pid, &name);
	if (status)
		return status;
	status = load_rules(&l.rules, &options);
	if (!status)
		status = list(&l, pid, name);
	print_listing(&l);
	status = stream_end_stdout(status);
	if (!status)
		status = tell_the_rest(&l, name);
	release(&l);
	return status;
}
