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
 * The functions that are trapped, as data: what each does and where it has its arguments. They are
 * read from text: the built-in file share/mprof/probes, the user's (--probes), single ones
 * (--hook).
 */
enum probe_kind {
	PROBE_NONE,	/* not about memory: a mark or a question */
	PROBE_ALLOC,	/* gives a new block */
	PROBE_REALLOC,	/* gives a block for another, or a new one for none */
	PROBE_RESIZE,	/* resizes a block where it is; the result is its size then */
	PROBE_FREE,	/* takes a block */
	PROBE_FREE_LIST, /* takes blocks that are linked */
	PROBE_POOL_FREE, /* takes all blocks that were given from a pool */
	PROBE_POOL_NEW, /* gives a pool, with no blocks; its inner calls are its own business */
	PROBE_POOL_LEAVE, /* takes a pool, and its blocks stay */
	PROBE_POOL_DEFAULT, /* what the thread requests of this library without naming a pool comes
			       from it */
	PROBE_LABEL,	/* requests made inside of it have its label */
	PROBE_WRAPPER,	/* not trapped: left out of the inner ends of chains */
	PROBE_INTERNAL,	/* its inner calls are the allocator's own business */
	PROBE_CALLBACK,	/* runs the program's own code, whose calls are no business of the
			   allocator's */
	PROBE_GIVE_UP,	/* operator new calls it when it has got no memory */
	/* announcements: the call itself is the event, its arguments tell all */
	PROBE_MALLOCLIKE,
	PROBE_RESIZELIKE,
	PROBE_FREELIKE,
	PROBE_REQUEST,	/* no function: the place of a Valgrind client request */
};

#define NO_ARG 0xff	/* the function has no such argument */

struct probe {
	char *name;		/* "0x401136" if it has an address */
	uint64_t address;	/* of the function in the program's own file; 0: it is told by its
				   name */
	enum probe_kind kind;
	enum program_mark mark;		/* MARK_NONE: it is none */
	enum program_question question;	/* ASK_NOTHING: it is none */
	uint8_t size_arg;	/* bytes, or bytes an element; all arguments from 0 */
	uint8_t count_arg;	/* number of elements */
	uint8_t string_arg;	/* instead of a size: the string that is copied, its end included
				   ... */
	uint8_t limit_arg;	/* ... but not more bytes of it than this */
	uint8_t ptr_arg;	/* the block that is freed, resized or announced */
	uint8_t align_arg;	/* alignment, for whoever reads the definition */
	uint8_t out_arg;	/* where the new block's address is stored; the result is 0 on
				   success */
	uint8_t pool_arg;	/* the pool a block comes from, or that is freed */
	uint8_t next_arg;	/* PROBE_FREE_LIST: offset of the link in a block */
	uint8_t label_arg;	/* what the block is for; its values are: */
	uint64_t labels[3];	/* as bits, those that mean LABEL_CONS, LABEL_FLOAT,
				   LABEL_STRUCTURE */
	uint8_t label;		/* enum alloc_label, whatever the arguments are; 0: as label_arg
				   says */
	bool operator_new;	/* of C++: new or delete, see struct probes.forwarders */
	bool frees_on_failure;	/* PROBE_REALLOC: the old block is gone even if there is no new
				   one */
	bool user;		/* not built in: looked for among names that are not exported,
				   too */
	bool must_be_found;	/* --hook */
	bool found;		/* a file that was mapped has it */
	bool placed;		/* and its address is not in the middle of an instruction there */
	char *where;		/* "FILE:LINE", "--hook", "built in, line N" */
};

/* Definitions in the order in which they hold: where two match, the first does. */
struct probes {
	struct probe *v;
	size_t n, cap;
	struct idindex by_name;
	size_t longest;		/* of these names, in bytes */
	/* Libraries, by soname, whose operators new and delete only call functions that are trapped
	 * anyway: they are not trapped, but are part of the allocator. */
	char **forwarders;
	size_t n_forwarders, cap_forwarders;
};

void probes_release(struct probes *p);

/**
 * Add the definitions in @text, @len bytes, which need not be text at all.
 * @file  its name, for messages
 * @user  they are the user's own
 * Returns 0, -ENOMEM, or -EINVAL with "FILE:LINE: what was expected" in @e. Definitions before the
 * error have been added.
 */
int probes_add_text(struct probes *p, const char *text, size_t len, const char *file, bool user,
		    struct error *e);

/* The same for the file @path, which may be a pipe without a name. Returns -errno, with a sentence,
 * if it cannot be read. */
int probes_add_file(struct probes *p, const char *path, struct error *e);

/* One definition as --hook gives it: "KIND:NAME" or "KIND:0xADDRESS". Returns as above. */
int probes_add_hook(struct probes *p, const char *hook, struct error *e);

/* Those that come with mprof, to be added last; and the place of client requests, unless
 * @client_requests is false. */
int probes_add_builtin(struct probes *p, bool client_requests, struct error *e);

/* Number of the definition that holds for a function's name, or IDINDEX_NONE. */
uint32_t probes_named(const struct probes *p, const char *name);

/* Number of the definition of this kind that was added first, or IDINDEX_NONE. */
uint32_t probes_of_kind(const struct probes *p, enum probe_kind kind);

/* Is @soname (NULL: it has none) that of a forwarder? */
bool probes_forwards(const struct probes *p, const char *soname);

/* What a definition says that a block is for, by the value of its argument for that. */
enum alloc_label probe_label(const struct probe *p, uint64_t value);

/* The word for what a definition does, as in the file. */
const char *probe_word(const struct probe *p);

#endif
