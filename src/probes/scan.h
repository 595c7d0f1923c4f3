/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_PROBES_SCAN_H
#define MPROF_PROBES_SCAN_H

#include "proc/modules.h"
#include "probes/locals.h"
#include "probes/probes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a module file has that concerns breakpoints; addresses are without the load bias. */
struct scan_probe {
	uint64_t address;
	uint64_t size;		/* of the function, in bytes; 0: unknown */
	uint32_t probe;		/* number of its definition */
	bool indirect;		/* an ifunc: the address is that of its resolver */
	bool forwards;		/* an operator of C++ that only calls functions observed
				   themselves */
	const char *no_forwarder; /* why another operator is no forwarder, as a phrase; or NULL */
	bool sought, resolved;	/* if indirect: the resolver is trapped; the function's address is
				   known */
};

/* A word that the dynamic linker fills with the address of a function that a definition is
 * about. */
struct got_entry {
	uint64_t address;
	uint64_t unbound;	/* its value without the bias until it is bound */
	uint64_t resolver;	/* resolver, if it is for an ifunc of the file itself; 0: ... */
	uint32_t probe;		/* ... it is for a function with this definition's name, in any
				   file */
};

enum scan_range_kind {
	RANGE_WRAPPER,		/* part of the allocator, removed from chains: operator new */
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
	bool done, lost;		/* lost: there was not enough memory for all of it */
	bool cut, told_cut;		/* some of its tables are too large to be read; told_cut:
					   this has been reported */
	bool dynamic;			/* its symbols came from .dynsym */
	bool program;			/* has an interpreter, as programs do */
	bool forwarder;			/* its operators new and delete are not trapped */
	char *soname;			/* NULL: none */
	struct scan_probe *probes;
	size_t n_probes, cap_probes;
	struct scan_range *ranges;
	size_t n_ranges, cap_ranges;
	struct locals locals;		/* while it is being scanned */
	bool indirect;			/* some of its probes are ifuncs */
	bool got_entries_read;		/* scan_got_entries() has been called */
	struct got_entry *got_entries;
	size_t n_got_entries, cap_got_entries;
	uint64_t code_start, code_end;	/* of its executable segments */
	uint64_t rendezvous;		/* _dl_debug_state; 0: none */
	uint64_t slack_start, slack_end; /* unused bytes behind the code in its last page */
};

/* By module file number; a file is scanned once however often it is mapped. */
struct scans {
	struct probes *probes;	/* definitions to search for; not owned */
	struct scan *of;
	size_t n;
};

void scans_release(struct scans *s);

/**
 * Scan module file @number for functions that definitions are about. Symbols come from .dynsym, or
 * by way of the dynamic section if the file has no section headers; from .symtab if the file has no
 * .dynsym of its own (a static program): then of local functions only those that the linker has
 * made local. A function is a symbol of that type, an ifunc, or a global label in code. Beside
 * .dynsym, .symtab is searched for what need not be exported: the functions of mprof.h, those that
 * the user named, and a program's own (malloc by another name). A file that cannot be read has
 * nothing in it. Definitions that occur are marked as found.
 * Returns the scan, which @s owns; NULL: out of memory.
 */
const struct scan *scan_file(struct scans *s, const struct module_files *files, uint32_t number);

/* True if tables of file @number have been left out, the first time that this is asked. @what: a
 * sentence about the process that has mapped it, to follow "process N ". */
bool scan_cut_is_news(struct scans *s, const struct module_files *files, uint32_t number,
		      struct error *what);

/* True for a library with pools, labels or callbacks: the fast engine leaves all its functions to
 * traps. */
bool scan_depends(const struct scan *s, const struct probes *probes);

/* The reason in words. */
#define SCAN_DEPENDS "a library with pools, labels or callbacks"

/* True if there is room behind its code for a copy of an instruction. */
bool scan_has_room(const struct scan *s);

/* The same with its GOT entries, which are needed only if a file has an ifunc. */
const struct scan *scan_got_entries(struct scans *s, const struct module_files *files,
				    uint32_t number);

/* Note for the ifuncs of a file with this definition: scan_sought(): the resolver is trapped;
 * scan_resolved(): the functions' addresses are known. */
void scan_sought(struct scans *s, uint32_t file, uint32_t probe);
void scan_resolved(struct scans *s, uint32_t file, uint32_t probe);

#endif
