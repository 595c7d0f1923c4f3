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
#include "cli/unattachable.h"
#include "probes/choose.h"
#include "probes/no_allocator.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct listed {
	uint64_t at;
	uint32_t file, probe;
	bool indirect;
};

struct listing {
	const struct watch_shared *shared;
	uint32_t file;	/* that is being looked at */
	taddr bias;
	struct listed *v;
	size_t n, cap;
	bool lost;
};

static void list_one(void *ctx, const struct scan_probe *p)
{
	struct listing *l = ctx;

	if (ARRAY_RESERVE(&l->v, &l->cap, l->n))
		l->lost = true;
	else
		l->v[l->n++] = (struct listed){ l->bias + p->address, l->file, p->probe,
						p->indirect };
}

static int by_address(const void *left, const void *right)
{
	const struct listed *a = left, *b = right;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static void print_row(const struct listing *l, const struct listed *row)
{
	const struct probe *p = &l->shared->rules->probes.v[row->probe];
	char path[4096 + 64], name[256], where[1024];

	printable(path, sizeof path, l->shared->files.files[row->file].path);
	printable(name, sizeof name, p->name);
	printable(where, sizeof where, p->where);
	printf("0x%012" PRIx64 "  %-12s  %-34s  %s  (%s%s)\n", row->at, probe_word(p), name, path,
	       where, row->indirect ? ", indirect: where this function says" : "");
}

/* Those that tell of memory: any C library has a clone(). */
static size_t n_telling(const struct listing *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->shared->rules->probes.v[l->v[i].probe].mark != MARK_CLONE;
	return n;
}

/* By file and address; once what was found in two parts of a file. 0 or -ENOMEM. */
static int print_listing(struct listing *l)
{
	if (l->n)
		qsort(l->v, l->n, sizeof *l->v, by_address);
	for (size_t i = 0; i < l->n; i++)
		if (!i || by_address(&l->v[i - 1], &l->v[i]))
			print_row(l, &l->v[i]);
	free(l->v);
	return l->lost ? -ENOMEM : 0;
}

/* 0 or -errno. */
static int find_in_process(struct listing *l, struct watch_shared *s, pid_t pid)
{
	struct mappings maps;
	int err = mappings_read(pid, &s->files, &maps);

	if (err)
		return err;
	uint32_t program = module_files_program(&s->files, pid);
	for (size_t i = 0; !err && i < maps.n; i++) {
		l->file = maps.maps[i].file;
		l->bias = maps.maps[i].bias;
		err = choose_probes(&s->files, &s->scans, s->rules, l->file, l->file == program,
				    list_one, l);
	}
	mappings_release(&maps);
	return err;
}

bool probes_any(const struct options *o, pid_t pid)
{
	struct watch_shared shared = { 0 };
	struct listing l = { .shared = &shared };
	struct rules rules;
	bool any = false;

	if (!load_rules(&rules, o)) {
		watch_shared_rules(&shared, &rules);
		any = !find_in_process(&l, &shared, pid) && !l.lost && n_telling(&l);
	}
	free(l.v);
	watch_shared_release(&shared);
	rules_release(&rules);
	return any;
}

/* 0 or -errno. */
static int list_process(struct watch_shared *s, pid_t pid, size_t *found)
{
	struct listing l = { .shared = s };
	int err = find_in_process(&l, s, pid);

	*found = n_telling(&l);
	int lost = print_listing(&l);
	return err ? err : lost;
}

/* The program's file is number 0, its libraries follow. 0 or -errno. */
static int list_files(struct watch_shared *s, size_t *found)
{
	struct listing l = { .shared = s };
	int err = 0;

	for (l.file = 0; !err && l.file < s->files.n; l.file++)
		err = choose_probes(&s->files, &s->scans, s->rules, l.file, l.file == 0, list_one,
				    &l);
	*found = n_telling(&l);
	int lost = print_listing(&l);
	return err ? err : lost;
}

static int list_program(struct watch_shared *s, const char *name, size_t *found)
{
	struct error e;
	int status;
	char *path = program_find_or_say(name, &status);

	if (!path)
		return status;
	int err = libraries_of(path, &s->files, &e);
	free(path);
	if (err) {
		say("%s", e.text);
		return STATUS_FAILED;
	}
	err = list_files(s, found);
	if (err)
		say("cannot list the probes of %s: %s", name, strerror(-err));
	return err ? STATUS_FAILED : 0;
}

/* @program: if it is no process, @pid 0. */
static int list(struct watch_shared *s, pid_t pid, const char *program, size_t *found)
{
	if (!pid)
		return list_program(s, program, found);
	int err = list_process(s, pid, found);
	return err || !*found ? target_say_unreadable(pid, err) : 0;
}

/* The process that is meant, or 0: it is a program. @name: what it is called in what is said. 0 or
 * a status. */
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

static void say_no_allocator(const char *name, int fd)
{
	struct advice a;
	struct error e;

	no_allocator_why(fd, &a);
	advice_sentence(&a, &e);
	say("nothing would be trapped in %s: %s", name, e.text);
}

int command_probes(int argc, char **argv)
{
	struct watch_shared shared = { 0 };
	struct options options;
	struct rules rules;
	const char *name;
	pid_t pid;
	int first = options_parse(&options, "probes", argc, argv, 2);

	if (first < 0)
		return STATUS_USAGE;
	int status = find_meant(&options, argc - first, argv + first, &pid, &name);
	if (status)
		return status;
	status = load_rules(&rules, &options);
	if (!status) {
		size_t found = 0;

		watch_shared_rules(&shared, &rules);
		status = list(&shared, pid, name, &found);
		if (!status)
			say_not_found(&rules);
		if (!status && found)
			tell_own_heaps(say_sentence, &shared.files, own_heaps_python_is_off(pid));
		if (!status && !found) {
			say_no_allocator(name, shared.files.n ? shared.files.files[0].fd : -1);
			status = STATUS_NO_ALLOCATOR;
		}
	}
	watch_shared_release(&shared);
	rules_release(&rules);
	return stream_end_stdout(status);
}
