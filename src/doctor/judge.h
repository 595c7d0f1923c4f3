/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_DOCTOR_JUDGE_H
#define MPROF_DOCTOR_JUDGE_H

#include "doctor/findings.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- the machine, and our rights ---- */

enum { PARANOID_UNKNOWN = -100 }; /* kernel.perf_event_paranoid */

struct machine_facts {
	const char *kernel; /* "Linux 6.1.0" */
	int yama;	    /* see attach/permission.h */
	const char *yama_forbids,
		*yama_remedy;	   /* what keeps even run from working; NULL: nothing */
	bool can_trace; /* CAP_SYS_PTRACE */
	bool can_count; /* CAP_PERFMON, needed for uprobe events whatever perf_paranoid is */
	bool follows_inside; /* symbolic links in file systems of containers, see proc/inside.h */
	uid_t us;
	int perf_paranoid;
	const char *fast_lacks; /* what processor and kernel lack for the fast engine; NULL:
				   nothing */
	bool debug_dir;		/* /usr/lib/debug is not empty */
	bool debuginfod_urls, debuginfod_library;
	const char *unconfined; /* what this kernel lacks to confine parsers; NULL: nothing */
	uint64_t available; /* bytes of memory; UINT64_MAX: unknown */
};

/* @status: exit status for findings that make profiling impossible */
void judge_machine(struct findings *f, const struct machine_facts *m, int status);

/* ---- a process ---- */

struct process_facts {
	unsigned long threads;
	uid_t uid;
	unsigned pid_namespaces;	/* number of those that it is in below ours */
	pid_t inner;			/* its pid in the innermost */
	bool other_root, other_user_ns; /* its root directory or user namespace is not ours */
	unsigned seccomp;		/* 0, 1: strict, 2: a filter */
	bool no_new_privs;
	const char *confined; /* the profile of a security module that confines it; "": none */
	bool can_admin;	      /* we have CAP_SYS_ADMIN */
};

/* Findings about a running process: namespaces, seccomp, security modules. */
void judge_process(struct findings *f, const struct process_facts *p);

/* ---- a program that is to be run ---- */

struct program_facts {
	const char *file;		   /* the file that is executed in the end */
	const char *script;		   /* the script that @file is the interpreter of; NULL:
					      none */
	bool setuid, setgid, capabilities; /* executing the file changes rights */
	bool readable;
	bool can_trace; /* we have CAP_SYS_PTRACE: those rights are kept under a tracer */
};

/* Findings about a program to be run: whether it can be read, and changes rights. */
void judge_program(struct findings *f, const struct program_facts *p);

/* ---- the functions that are trapped ---- */

struct function_facts {
	const char *name;
	bool gives, frees; /* blocks */
	bool forms_part;   /* it is part of an allocator */
	const char *left;  /* why the fast engine leaves it to traps; NULL: the engine handles it */
};

struct allocator_facts {
	const char *const *names; /* of allocators, by their libraries */
	size_t n_names;
	const struct function_facts *v;
	size_t n;
	bool room;		  /* for copies of instructions, behind the code of some file */
	const char *fast_refused; /* why the agent cannot be injected into the program; NULL: it
				     can */
};

/* Findings about the allocator, room for out-of-line slots, and what the fast engine would
 * handle. */
void judge_allocator(struct findings *f, const struct allocator_facts *a);

/* ---- the files that are mapped ---- */

struct module_facts {
	const char *path;
	const char *names;	   /* as returned by symbols_source() */
	bool unwind;		   /* it has unwind tables */
	const char *build_id;	   /* "": none */
	const char *package;	   /* the package that installed it; "": unknown */
	const char *debug_package; /* an installable package that has its debug file; "": none */
};

/* @v: the program's file first. @packages: the package manager could be asked for the files'
 * packages. */
void judge_modules(struct findings *f, const struct module_facts *v, size_t n, bool packages);

/* For files that lack lines or types: the command that installs what is installable, and for which
 * of them, as a sentence. False: nothing to say. */
bool names_can_be_installed(const struct module_facts *v, size_t n, struct error *sentence);

/* The same if no package manager has been asked: that lines and types are missing, and who can tell
 * what provides them. @n > 0 */
void names_are_missing(const struct module_facts *v, size_t n, struct error *sentence);

/* ---- what it will cost ---- */

struct cost_facts {
	bool asked;	       /* --count */
	double seconds;	       /* how long calls were counted; 0: it was not possible */
	const char *why_not;   /* the reason for that */
	uint64_t calls, stops; /* of these functions; and how many stops traps would have caused */
	double stop_ns;	       /* least cost of a stop on this machine */
};

/* The finding about the slowdown, from the counted calls. */
void judge_cost(struct findings *f, const struct cost_facts *c);

#endif
