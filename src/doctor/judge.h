/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_DOCTOR_JUDGE_H
#define MPROF_DOCTOR_JUDGE_H

#include "doctor/findings.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- the machine, and who we are ---- */

enum { PARANOID_UNKNOWN = -100 }; /* kernel.perf_event_paranoid */

struct machine_facts {
	const char *kernel; /* "Linux 6.1.0" */
	int yama;	    /* see attach/permission.h */
	const char *yama_forbids,
		*yama_remedy;	   /* what keeps even run from working; NULL: nothing */
	bool can_trace; /* CAP_SYS_PTRACE */
	bool can_count; /* CAP_PERFMON, which uprobe events need, whatever perf_paranoid is */
	bool follows_inside; /* links in the file systems of containers, see proc/inside.h */
	uid_t us;
	int perf_paranoid;
	const char *fast_lacks; /* of processor and kernel, for the fast engine; NULL: nothing */
	bool debug_dir;		/* /usr/lib/debug has something */
	bool debuginfod_urls, debuginfod_library;
	const char *unconfined; /* what this kernel lacks to confine parsers; NULL: nothing */
	uint64_t available; /* bytes of memory; UINT64_MAX: nobody tells */
};

/* @status: of what makes profiling impossible */
void judge_machine(struct findings *f, const struct machine_facts *m, int status);

/* ---- a process ---- */

struct process_facts {
	unsigned long threads;
	uid_t uid;
	unsigned pid_namespaces;	/* that it is in, beside ours */
	pid_t inner;			/* its number in the innermost */
	bool other_root, other_user_ns; /* it has another /, another user namespace */
	unsigned seccomp;		/* 0, 1: strict, 2: a filter */
	bool no_new_privs;
	const char *confined; /* by a security module's profile; "": by none */
	bool can_admin;	      /* we have CAP_SYS_ADMIN */
};

void judge_process(struct findings *f, const struct process_facts *p);

/* ---- a program that is to be run ---- */

struct program_facts {
	const char *file;		   /* that is executed in the end */
	const char *script;		   /* it is the interpreter of this one; NULL: of none */
	bool setuid, setgid, capabilities; /* the file gives who runs it other rights */
	bool readable;
	bool can_trace; /* we have CAP_SYS_PTRACE: the rights hold under a tracer, too */
};

void judge_program(struct findings *f, const struct program_facts *p);

/* ---- the functions that are trapped ---- */

struct function_facts {
	const char *name;
	bool gives, frees; /* blocks */
	bool forms_part;   /* it tells of blocks at all */
	const char *left;  /* why the fast engine leaves it to traps; NULL: it sees it */
};

struct allocator_facts {
	const char *const *names; /* of allocators, by their libraries */
	size_t n_names;
	const struct function_facts *v;
	size_t n;
	bool room;		  /* for copies of instructions, behind the code of some file */
	const char *fast_refused; /* why nothing can be put into the program; NULL: it can */
};

/* That there is an allocator, room to step over breakpoints, and what the fast engine would see. */
void judge_allocator(struct findings *f, const struct allocator_facts *a);

/* ---- the files that are mapped ---- */

struct module_facts {
	const char *path;
	const char *names;	   /* as symbols_source() */
	bool unwind;		   /* it has a table by which chains are followed */
	const char *build_id;	   /* "": none */
	const char *package;	   /* that has installed it; "": none that is known */
	const char *debug_package; /* that has its debug file, and can be installed; "": none */
};

/* @v: the program first. @packages: somebody could be asked what package a file is from. */
void judge_modules(struct findings *f, const struct module_facts *v, size_t n, bool packages);

/* Of files that lack lines or types: the command that installs what can be installed, and for
 * which of them, in a sentence. False: there is nothing. */
bool names_can_be_installed(const struct module_facts *v, size_t n, struct error *sentence);

/* The same of files of which nobody has been asked: that lines and types are missing, and who says
 * what brings them. @n > 0 */
void names_are_missing(const struct module_facts *v, size_t n, struct error *sentence);

/* ---- what it will cost ---- */

struct cost_facts {
	bool asked;	       /* --count */
	double seconds;	       /* it was counted for so long; 0: it could not be */
	const char *why_not;   /* that */
	uint64_t calls, stops; /* of these functions; and what traps would have made of them */
	double stop_ns;	       /* what one costs here, at the least */
};

void judge_cost(struct findings *f, const struct cost_facts *c);

#endif
