/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_SCAN_H
#define MPROF_PROBES_SCAN_H

#include "proc/modules.h"
#include "probes/probes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a module file holds that concerns breakpoints; addresses are relative to the load bias. */
struct scan_probe {
	uint64_t address;
	uint64_t size;		/* of the function, in bytes; 0: nothing tells */
	uint32_t probe;		/* its definition's number */
	bool indirect;		/* an ifunc: at the address is what returns the function's */
	bool forwards;		/* an operator of C++ that only calls what is observed itself */
	const char *no_forwarder; /* of another operator: why it is none, as a phrase; or NULL */
	bool sought, resolved;	/* of an indirect one: it is trapped; where the function is has been
				   told */
};

/* A word that the dynamic linker fills with the address of a function that a definition is
 * about. */
struct got_entry {
	uint64_t address;
	uint64_t unbound;	/* what it holds, less the bias, as long as nobody has */
	uint64_t resolver;	/* of a function of the file itself that is an ifunc; 0: */
	uint32_t probe;		/* ... of one with this definition's name, wherever that is */
};

enum scan_range_kind {
	RANGE_WRAPPER,		/* part of the allocator, not of a chain: operator new */
	RANGE_HOUSEKEEPING,	/* frees what the program has freed already: end of a glibc
				   thread */
	RANGE_LEAVES,		/* does not return: throws */
	RANGE_ENDS,		/* does not return: ends the program */
};

struct scan_range {
	uint64_t start, end;
	enum scan_range_kind kind;
};

struct scan {
	bool done, lost;		/* lost: there was no memory for all of it */
	bool cut, told_cut;		/* some of its tables are too large to be read */
	bool dynamic;			/* its allocator symbols came from .dynsym */
	bool program;			/* asks for an interpreter, as programs do */
	bool forwarder;			/* its operators new and delete are not trapped */
	char *soname;			/* NULL: none */
	struct scan_probe *probes;
	size_t n_probes, cap_probes;
	struct scan_range *ranges;
	size_t n_ranges, cap_ranges;
	bool indirect;			/* some of its probes are */
	bool got_entries_read;		/* scan_got_entries() has */
	struct got_entry *got_entries;
	size_t n_got_entries, cap_got_entries;
	uint64_t code_start, code_end;	/* of its executable segments */
	uint64_t rendezvous;		/* _dl_debug_state; 0: none */
	uint64_t slack_start, slack_end; /* behind the code in its last page, unused */
};

/* By module file number; a file is looked at once however often it is mapped. */
struct scans {
	struct probes *probes;	/* what is looked for; not owned */
	struct scan *of;
	size_t n;
};

void scans_release(struct scans *s);

/**
 * Look at module file @number. Names are looked for in .dynsym, or where the dynamic linker finds
 * them if the file has no section headers; in .symtab if the file has no .dynsym of its own (a
 * static program). A function is a symbol of that type, an ifunc, or a label in code that others
 * can see. Beside .dynsym, .symtab is asked for what need not be exported: the functions of
 * mprof.h, those that the user named, and what a program has for itself (malloc by another name). A
 * file that cannot be read has nothing in it. Definitions that occur are marked as found.
 * Returns NULL: out of memory.
 */
const struct scan *scan_file(struct scans *s, const struct module_files *files, uint32_t number);

/* Have tables of file @number been left out, and is it the first time that this is asked? @what: of
 * whoever has mapped it, as if after "process N ". */
bool scan_cut_is_news(struct scans *s, const struct module_files *files, uint32_t number,
		      struct error *what);

/* Is it of a library with pools, labels or callbacks, all whose functions an engine leaves to
 * traps? */
bool scan_depends(const struct scan *s, const struct probes *probes);

/* The same as a phrase. */
#define SCAN_DEPENDS "a library with pools, labels or callbacks"

/* Is there room behind its code for a copy of an instruction? */
bool scan_has_room(const struct scan *s);

/* The same with its GOT entries, which are only of use if there is an ifunc somewhere. */
const struct scan *scan_got_entries(struct scans *s, const struct module_files *files,
				    uint32_t number);

/* Of the ifuncs of a file for this definition: the resolver is trapped; it is known where they
 * are. */
void scan_sought(struct scans *s, uint32_t file, uint32_t probe);
void scan_resolved(struct scans *s, uint32_t file, uint32_t probe);

#endif
