/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_PROBES_H
#define MPROF_PROBES_PROBES_H

#include "alloc_event.h"
#include "base/error.h"
#include "base/idindex.h"
#include "program_mark.h"
#include "taddr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The functions that are trapped, as data: what each does and where its arguments are. The
 * definitions are read from text: the built-in file share/mprof/probes, the user's files
 * (--probes), and single ones (--hook).
 */
enum probe_kind {
	PROBE_NONE,	/* not about memory: a mark or a question */
	PROBE_ALLOC,	/* gives a new block */
	PROBE_REALLOC,	/* gives a block in exchange for another, or a new one for none */
	PROBE_RESIZE,	/* resizes a block in place; the result is its new size */
	PROBE_FREE,	/* takes a block back */
	PROBE_FREE_LIST, /* takes a linked list of blocks back */
	PROBE_POOL_FREE, /* takes all blocks of a pool back */
	PROBE_POOL_NEW, /* creates an empty pool; its inner calls are the allocator's own */
	PROBE_POOL_LEAVE, /* takes a pool, and its blocks stay */
	PROBE_POOL_DEFAULT, /* sets the pool from which the thread's requests that name none are
			       served */
	PROBE_LABEL,	/* requests made inside it get its label */
	PROBE_WRAPPER,	/* not trapped: removed from the inner ends of chains */
	PROBE_INTERNAL,	/* its inner calls are the allocator's own */
	PROBE_CALLBACK,	/* runs code of the program: calls inside it are not the allocator's own */
	PROBE_GIVE_UP,	/* called by operator new when it has got no memory */
	/* announcements: the call itself is the event, described by its arguments */
	PROBE_MALLOCLIKE,
	PROBE_RESIZELIKE,
	PROBE_FREELIKE,
	PROBE_REQUEST,	/* not a function: the code of a Valgrind client request */
};

#define NO_ARG 0xff	/* the function has no such argument */

struct probe {
	char *name;		/* "0x401136" if it is given by address */
	uint64_t address;	/* of the function in the program's own file; 0: it is found by
				   name */
	enum probe_kind kind;
	enum program_mark mark;		/* MARK_NONE: not a mark */
	enum program_question question;	/* ASK_NOTHING: not a question */
	uint8_t size_arg;	/* bytes, or bytes per element; all arguments are numbered from 0 */
	uint8_t count_arg;	/* number of elements */
	uint8_t string_arg;	/* instead of a size: the string that is copied, with its NUL ... */
	uint8_t limit_arg;	/* ... but of at most so many bytes of it */
	uint8_t ptr_arg;	/* the block that is freed, resized or announced */
	uint8_t align_arg;	/* alignment; only for readers of the definition */
	uint8_t out_arg;	/* where the new block's address is stored; the result is 0 on
				   success */
	uint8_t pool_arg;	/* the pool that a block comes from, or that is freed */
	uint8_t next_arg;	/* PROBE_FREE_LIST: offset of the link in a block */
	uint8_t label_arg;	/* tells what the block is for; its values: */
	uint64_t labels[3];	/* as bits: the values that mean LABEL_CONS, LABEL_FLOAT,
				   LABEL_STRUCTURE */
	uint8_t label;		/* enum alloc_label for all calls; 0: by label_arg */
	bool operator_new;	/* operator new or delete of C++, see struct probes.forwarders */
	bool frees_on_failure;	/* PROBE_REALLOC: the old block is freed even if there is no new
				   one */
	bool user;		/* a definition of the user's: searched for among names that are not
				   exported, too */
	bool must_be_found;	/* --hook */
	bool found;		/* a mapped file has it */
	bool placed;		/* and its address there is not in the middle of an instruction */
	char *where;		/* "FILE:LINE", "--hook", "built in, line N" */
};

/* Definitions in their order: if two match, the first one holds. */
struct probes {
	struct probe *v;
	size_t n, cap;
	struct idindex by_name;
	size_t longest;		/* length of the longest of these names, in bytes */
	/* Libraries, by soname, whose operators new and delete only call functions that are trapped
	 * anyway: these are not trapped, but count as part of the allocator. */
	char **forwarders;
	size_t n_forwarders, cap_forwarders;
};

void probes_release(struct probes *p);

/**
 * Add the definitions in @text, @len bytes of anything.
 * @file  its name, for messages
 * @user  they are the user's own
 * Returns 0, -ENOMEM, or -EINVAL with "FILE:LINE: what was expected" in @e. Definitions before the
 * error have been added.
 */
int probes_add_text(struct probes *p, const char *text, size_t len, const char *file, bool user,
		    struct error *e);

/* The same for the file @path, which may be a pipe. Returns -errno, with a sentence, if it cannot
 * be read. */
int probes_add_file(struct probes *p, const char *path, struct error *e);

/* Add one definition as given to --hook: "KIND:NAME" or "KIND:0xADDRESS". Returns as
 * probes_add_text(). */
int probes_add_hook(struct probes *p, const char *hook, struct error *e);

/* Add the built-in definitions, after all others; and that of client requests, if
 * @client_requests. */
int probes_add_builtin(struct probes *p, bool client_requests, struct error *e);

/* Number of the definition that holds for a function's name, or IDINDEX_NONE. */
uint32_t probes_named(const struct probes *p, const char *name);

/* Number of the definition of this kind that was added first, or IDINDEX_NONE. */
uint32_t probes_of_kind(const struct probes *p, enum probe_kind kind);

/* True if @soname (NULL: none) is that of a library in p->forwarders. */
bool probes_forwards(const struct probes *p, const char *soname);

/* What a block is for, by the definition and the value of its label argument. */
enum alloc_label probe_label(const struct probe *p, uint64_t value);

/* The word for what a definition does, as in the file. */
const char *probe_word(const struct probe *p);

#endif
