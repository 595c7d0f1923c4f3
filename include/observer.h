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
 * The seam between whoever observes programs (breakpoints and process control today; a script in
 * the tests of the session) and whoever keeps account of what they do. Neither side knows how the
 * other works: the observer tells of images, by the pointers it was given for them; the session
 * asks for little, by the pointers it was given.
 *
 * An image is what a process runs between two execs. It begins, or is forked from another, is
 * observed until it is gone, and ends with its process.
 */

struct mappings;
struct module_files;
struct address_space;

/* An image under observation: the observer's. */
struct observed;

/* Why an image is not observed. */
enum unobserved {
	UNOBSERVED_UNSUPPORTED,	/* not a program of this machine */
	UNOBSERVED_GONE,	/* it has ended meanwhile */
	UNOBSERVED_NO_MEMORY,	/* of ours */
	UNOBSERVED_NO_ALLOCATOR,
	UNOBSERVED_NO_MEANS,	/* something else of ours is short */
};

/* What is known of how well an image is observed. */
/* What an engine that does not trap has done; all 0: there was none. */
struct engine_counts {
	uint64_t functions;	/* that it has seen the calls of */
	uint64_t records;	/* that it was told */
	uint64_t strangers;	/* of these, of threads that were not known by then, or had been
				   interrupted in the agent */
	uint64_t stacks;	/* of these, with a copy of the stack that was unwound */
	uint64_t parked;	/* threads that were stopped because they waited for room */
	uint64_t nodes;		/* of the call tree in the program */
};

struct observed_counts {
	uint64_t traps;		/* hits served */
	uint64_t planted;	/* breakpoints written */
	uint64_t steps;		/* instructions that had to run alone at their own place */
	/* Of the hits, those that meant nothing: entries of calls the allocator made itself,
	 * returns from no call of its, frees of no block. */
	uint64_t nested, spurious_hits, null_frees;
	uint64_t lost;		/* events that could not be counted: out of memory, or */
	uint64_t lost_unreadable; /* of these, calls whose stack could not be read */
	uint64_t lost_damaged;	/* and what the program's memory told, but made no sense */
	uint64_t unwanted;	/* requests that nobody records: what came of them was not waited
				   for */
	/* Calls after these that may have been theirs, but for all that is known of the stack were
	 * the program's. After the first one all returns are waited for. */
	uint64_t doubtful;
	bool engine_failed;	/* what sees calls without traps has made a fault, and sees none
				   since */
	bool trapped;		/* a function that tells of memory has been trapped, or none need
				   be */
	unsigned taken;		/* functions where somebody else's breakpoint stood already */
	uint64_t unwind_known, unwind_made; /* steps of unwindings: remembered, made by libunwind */
	uint64_t unwind_checked, unwind_wrong; /* chains compared with one unwound afresh, and found
						  to differ */
	struct engine_counts engine;
};

/* What observing takes. */
struct observer_effort {
	uint64_t stops;
	uint64_t followed, given_up;	/* times it went to the processor of a task, and left it to
					   others */
	uint64_t stopped_ns;	/* for so long tasks have stood still for us */
	uint64_t taken_ns;	/* so much of that was of their own processor time */
	uint64_t attach_ns;	/* for so long attaching has kept a process stopped */
};

/* What the observer tells. @image: what begins() or forked() has returned. */
struct observer_sink {
	/* Is what process @pid runs to be observed at all? */
	bool (*wanted)(void *ctx, pid_t pid);
	/* It is: its image, or NULL: out of memory. */
	void *(*begins)(void *ctx, pid_t pid);
	/* The process of @parent has made @child by fork: the child's image, or NULL: it is not
	 * wanted, or there is no memory for it, which has been said. */
	void *(*forked)(void *ctx, void *parent, pid_t child);
	/* From here on @image is observed, by way of @o, which is good until gone(). */
	void (*observed)(void *image, struct observed *o);
	/* It cannot be observed: the last that is told of @image (NULL: it had none yet).
	 * @why_not  what is wrong and what to do, for a person */
	void (*unobserved)(void *ctx, pid_t pid, void *image, enum unobserved why,
			   const char *why_not);
	/* What a person has to know of the image, which begins as if after "process N ". */
	void (*note)(void *image, const char *what);

	/* 0, or -ENOMEM: the event could not be counted. */
	int (*event)(void *image, const struct alloc_event *e);
	/* Does anybody record a request of so many bytes? */
	bool (*wants)(void *image, uint64_t size);
	/* Is it a block whose allocation was told and whose free was not? */
	bool (*knows)(void *image, taddr ptr);
	/* Events are to come soon. False: they need not be told of, what they are about is at hand
	 * for now. */
	bool (*expect)(void *image, const struct alloc_expected *v, unsigned n);
	/* The number of a place: @address relative to the load bias of module file @file, or
	 * absolute if that is NO_FILE. @exact, @guessed: as in struct profile_place. UINT32_MAX:
	 * out of memory. */
	uint32_t (*frame)(void *image, uint32_t file, uint64_t address, bool exact, bool guessed);
	/* The node of the call tree that a place leads to, as profile_node_below(). UINT32_MAX: out
	 * of memory. */
	uint32_t (*node)(void *image, uint32_t parent, uint32_t frame);
	/* So many frames of a chain are kept, the innermost; 0: all. An engine that grows nodes of
	 * its own grows them below the root of truncated chains then. It only ever becomes less. */
	unsigned (*depth)(void *image);
	/* The program called one of the functions of mprof.h, with @arg. */
	void (*mark)(void *image, struct task_ref task, enum program_mark mark, uint64_t arg);
	/* The program called a function that may be answered in its place, with its first two
	 * arguments. True: it returns *result at once; false: it runs. */
	bool (*ask)(void *image, struct task_ref task, enum program_question what,
		    const uint64_t arg[2], uint64_t *result);
	/* What is mapped for execution has changed. */
	void (*modules)(void *image, const struct mappings *maps);
	/* A thread has been made and has not run yet, or has ended. */
	void (*thread)(void *image, pid_t tid, bool begins);
	/* A system call has returned. True: if it has changed what is mapped, pages() is to be
	 * told. */
	bool (*call)(void *image, const struct syscall_call *c);
	/* Of the call before: by whom. */
	void (*pages)(void *image, const struct page_event *e, const struct alloc_chain *chain);
	/* The process's memory is about to go out of reach. */
	void (*leaving)(void *image);
	/* A thread gets a signal. True: it was meant for us, and the program shall not see it. */
	bool (*signal)(void *image, pid_t tid, int sig);
	/* Nothing more will come of the image; its observer's counts are final. */
	void (*gone)(void *image, const struct observed_counts *counts);

	/* A process has ended; @wstatus as waitpid gave it. */
	void (*ended)(void *ctx, pid_t pid, int wstatus);
	/* A child of our own that was never traced has ended. */
	void (*reaped)(void *ctx, pid_t pid, int wstatus);
};

/* What the session asks; @o is an observed image of this observer. */
struct observer;

struct observer_ops {
	/* Serve what the programs do, until none is observed any more or *@stop is not 0; whoever
	 * sets that sees to it that sleeping ends. 0, or -errno: it cannot go on. */
	int (*run)(struct observer *observer, const volatile sig_atomic_t *stop);
	/* Leave all programs as they would be without us. */
	void (*let_go)(struct observer *observer);
	/* Stop all tasks where the programs can be left alone; let them go on. */
	void (*hold)(struct observer *observer);
	void (*let_run)(struct observer *observer);
	/* While they run: hear what they have told by now, and was not heard yet. */
	void (*hear)(struct observer *observer);
	/* See nothing of an image but its marks, until resume(). While all are held, or at the very
	 * beginning of it. Calls that its tasks are in will not be seen to return. */
	void (*suspend)(struct observer *observer, struct observed *o);
	/* While all are held, or in mark(). */
	void (*resume)(struct observer *observer, struct observed *o);
	struct observed_counts (*counts)(const struct observed *o);
	/* What is mapped for execution; valid until the next event. */
	const struct mappings *(*mappings)(const struct observed *o);
	/* The number of the program's own file, or NO_FILE. */
	uint32_t (*program)(const struct observed *o);
	/* Is its memory there still? What was told without a stop may be heard when the process has
	 * executed another program, or has ended. */
	bool (*has_memory)(const struct observed *o);
	/* As read(2) and write(2), of a program's memory. */
	ssize_t (*read)(const struct address_space *s, taddr at, void *buf, size_t len);
	ssize_t (*write)(const struct address_space *s, taddr at, const void *buf, size_t len);
	/* How many tasks are observed. */
	unsigned (*tasks)(struct observer *observer);
	struct observer_effort (*effort)(const struct observer *observer);
};

/* The first member of whoever observes. */
struct observer {
	const struct observer_ops *ops;
	const struct module_files *files;	/* that programs have mapped for execution, so
						   far */
};

#endif
