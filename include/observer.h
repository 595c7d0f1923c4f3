/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OBSERVER_H
#define MPROF_OBSERVER_H

#include "alloc_event.h"
#include "page_event.h"
#include "program_mark.h"
#include "syscall_call.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The interface between an observer of programs (breakpoints and process control; a script in the
 * tests of the session) and the session, which keeps account of what they do. Neither side knows
 * how the other works: each refers to an image by the pointer that the other one has given it.
 *
 * An image is what a process runs between two execs. It begins, or is forked from another, is
 * observed until it is gone, and ends with its process.
 */

struct mappings;
struct module_files;
struct address_space;

/* The observer's part of an image under observation. */
struct observed;

/* Why an image is not observed. */
enum unobserved {
	UNOBSERVED_UNSUPPORTED,	/* not a program of this machine */
	UNOBSERVED_GONE,	/* it has ended meanwhile */
	UNOBSERVED_NO_MEMORY,	/* we have none */
	UNOBSERVED_NO_ALLOCATOR,
	UNOBSERVED_NO_MEANS,	/* we lack another resource */
};

/* What an engine that does not trap has done; all 0: there was none. */
struct engine_counts {
	uint64_t functions;	/* whose calls it has seen */
	uint64_t records;	/* that it has received */
	uint64_t strangers;	/* of these, of threads that were not known yet, or were interrupted
				   in the agent */
	uint64_t stacks;	/* of these, with a copy of the stack that was unwound */
	uint64_t parked;	/* threads that were stopped because they waited for room in the
				   ring */
	uint64_t nodes;		/* of the call tree that is in the program */
};

/* How well an image is observed. */
struct observed_counts {
	uint64_t traps;		/* hits served */
	uint64_t planted;	/* breakpoints written */
	uint64_t steps;		/* instructions that had to be single-stepped in place */
	/* Hits that are no events: entries of calls that the allocator made itself, returns that
	 * belong to no call, frees of NULL. */
	uint64_t nested, spurious_hits, null_frees;
	uint64_t lost;		/* events that could not be counted, for lack of memory or as
				   below */
	uint64_t lost_unreadable; /* of these, calls whose stack could not be read */
	uint64_t lost_damaged;	/* and records in the program's memory that made no sense */
	uint64_t unwanted;	/* requests that are not recorded: their results were not waited
				   for */
	/* Calls after unwanted ones that may have been nested in them, but by all that is known of
	 * the stack were the program's. After the first one all returns are waited for. */
	uint64_t doubtful;
	bool engine_failed;	/* the engine without traps has faulted, and sees no calls since */
	bool trapped;		/* an allocation function has been trapped, or none needs to be */
	unsigned taken;		/* functions that already had somebody else's breakpoint */
	uint64_t unwind_known, unwind_made; /* steps of the unwinder: remembered, made by
					       libunwind */
	uint64_t unwind_checked, unwind_wrong; /* chains compared with newly unwound ones, and found
						  to differ */
	struct engine_counts engine;
};

/* What observing costs. */
struct observer_effort {
	uint64_t stops;
	uint64_t followed, given_up;	/* how often the tracer moved to the processor of a task,
					   and left it to others */
	uint64_t stopped_ns;	/* how long we have kept tasks stopped */
	uint64_t taken_ns;	/* the part of that which was their own processor time */
	uint64_t attach_ns;	/* how long attaching has kept a process stopped */
};

/* What the observer reports to the session. @image: what begins() or forked() has returned. */
struct observer_sink {
	/* Is the program that process @pid runs to be observed at all? */
	bool (*wanted)(void *ctx, pid_t pid);
	/* It is wanted, and begins: its image, or NULL: out of memory. */
	void *(*begins)(void *ctx, pid_t pid);
	/* The process of @parent has created @child by fork: the child's image, or NULL: it is not
	 * wanted, or there is no memory for it, which has been reported. */
	void *(*forked)(void *ctx, void *parent, pid_t child);
	/* From here on @image is observed, by means of @o, which is valid until gone(). */
	void (*observed)(void *image, struct observed *o);
	/* It cannot be observed: the last report about @image (NULL: it had none yet).
	 * @why_not  what is wrong and what to do, for a person */
	void (*unobserved)(void *ctx, pid_t pid, void *image, enum unobserved why,
			   const char *why_not);
	/* Something that a user has to know about the image: a sentence to follow "process N ". */
	void (*note)(void *image, const char *what);

	/* 0, or -ENOMEM: the event could not be counted. */
	int (*event)(void *image, const struct alloc_event *e);
	/* Is a request of so many bytes to be recorded? */
	bool (*wants)(void *image, uint64_t size);
	/* Is it a block whose allocation was reported, and whose free was not? */
	bool (*knows)(void *image, taddr ptr);
	/* Events like these will come soon: prefetch what they are about. False: that is not needed
	 * for now, all of it is in the processor's caches. */
	bool (*expect)(void *image, const struct alloc_expected *v, unsigned n);
	/* The number of a place: @address relative to the load bias of module file @file, or
	 * absolute if that is NO_FILE. @exact, @guessed: as in struct profile_place. UINT32_MAX:
	 * out of memory. */
	uint32_t (*frame)(void *image, uint32_t file, uint64_t address, bool exact, bool guessed);
	/* The node of the call tree that a place leads to, as profile_node_below(). UINT32_MAX: out
	 * of memory. */
	uint32_t (*node)(void *image, uint32_t parent, uint32_t frame);
	/* How many frames of a chain are kept, the innermost ones; 0: all. If not all are, an
	 * engine that grows nodes of its own grows them below the root of truncated chains. Never
	 * increases. */
	unsigned (*depth)(void *image);
	/* The program called one of the functions of mprof.h, with @arg. */
	void (*mark)(void *image, struct task_ref task, enum program_mark mark, uint64_t arg);
	/* The program called a function that may be answered in its place, with its first two
	 * arguments. True: it returns *result at once; false: it runs. */
	bool (*ask)(void *image, struct task_ref task, enum program_question what,
		    const uint64_t arg[2], uint64_t *result);
	/* What is mapped for execution has changed. */
	void (*modules)(void *image, const struct mappings *maps);
	/* A thread has been created and has not run yet, or has ended. */
	void (*thread)(void *image, pid_t tid, bool begins);
	/* A system call has returned. True: pages() is to be called if it has changed what is
	 * mapped. */
	bool (*call)(void *image, const struct syscall_call *c);
	/* What the call before has changed, and its call chain. */
	void (*pages)(void *image, const struct page_event *e, const struct alloc_chain *chain);
	/* The process's memory is about to become inaccessible. */
	void (*leaving)(void *image);
	/* A thread gets a signal. True: it was meant for us, and must not be delivered. */
	bool (*signal)(void *image, pid_t tid, int sig);
	/* There are no more events of the image; its counts are final. */
	void (*gone)(void *image, const struct observed_counts *counts);

	/* A process has ended; @wstatus as waitpid gave it. */
	void (*ended)(void *ctx, pid_t pid, int wstatus);
	/* A child of our own that was never traced has ended. */
	void (*reaped)(void *ctx, pid_t pid, int wstatus);
};

/* What the session calls; @o is an observed image of this observer. */
struct observer;

struct observer_ops {
	/* Observe the programs, until none is left or *@stop is not 0; whoever sets that has to
	 * interrupt the wait. 0, or -errno: it cannot continue. */
	int (*run)(struct observer *observer, const volatile sig_atomic_t *stop);
	/* Detach from all programs, which are left as they would be without us. */
	void (*let_go)(struct observer *observer);
	/* Stop all tasks at places where we could detach from them; let them run again. */
	void (*hold)(struct observer *observer);
	void (*let_run)(struct observer *observer);
	/* While they run: process the records that they have written so far. */
	void (*hear)(struct observer *observer);
	/* Observe only the marks of an image, until resume(). To be called while all are held, or
	 * at the very beginning of the image. Returns of calls that its tasks are in will not be
	 * seen. */
	void (*suspend)(struct observer *observer, struct observed *o);
	/* To be called while all are held, or in mark(). */
	void (*resume)(struct observer *observer, struct observed *o);
	struct observed_counts (*counts)(const struct observed *o);
	/* What is mapped for execution; valid until the next event. */
	const struct mappings *(*mappings)(const struct observed *o);
	/* The number of the program's own file, or NO_FILE. */
	uint32_t (*program)(const struct observed *o);
	/* Does its memory still exist? Records that were written without a stop may be processed
	 * when the process has executed another program, or has ended. */
	bool (*has_memory)(const struct observed *o);
	/* As read(2) and write(2), of a program's memory. */
	ssize_t (*read)(const struct address_space *s, taddr at, void *buf, size_t len);
	ssize_t (*write)(const struct address_space *s, taddr at, const void *buf, size_t len);
	/* How many tasks are observed. */
	unsigned (*tasks)(struct observer *observer);
	struct observer_effort (*effort)(const struct observer *observer);
};

/* The first member of every observer. */
struct observer {
	const struct observer_ops *ops;
	const struct module_files *files;	/* that programs have mapped for execution, so
						   far */
};

#endif
