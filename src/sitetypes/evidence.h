/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SITETYPES_EVIDENCE_H
#define MPROF_SITETYPES_EVIDENCE_H

#include "sitetypes/flow.h"
#include "symbols/symbols.h"

/* What is known of the value that a call returned, by its return address: from the code and the
 * DWARF of its module. Both are untrusted; what cannot be read is no evidence. */

enum { SITE_CANDIDATES_MAX = 16, SITE_NAME_MAX = 4096 };

struct site_candidate {
	char *name;
	uint64_t size;	   /* sizeof; 0: not known */
	enum flow_how how; /* the strongest evidence for it */
	uint32_t begins;   /* candidates that begin with this one: 1 << index */
	bool may_be_part;  /* all evidence for it may be for a part of something larger */
	bool may_go_on;	   /* as types_may_go_on() */
	bool is_bytes;	   /* as types_are_bytes(): the name stands for any number of them */
	bool ends_open;	   /* as types_ends_open(): what is behind one is no second one */
};

struct site_evidence {
	struct site_candidate v[SITE_CANDIDATES_MAX];
	unsigned n;
	bool too_many;	/* there were more candidates */
	bool passes_on; /* the function returns the value as void *: its caller may know the type */
};

void site_evidence_release(struct site_evidence *e);

/* Evidence for the modules of a struct symbols, which must outlive it. NULL: out of memory. */
struct evidence *evidence_new(struct symbols *s);
void evidence_free(struct evidence *x);

/* @address: a return address, as for symbols_lookup(). *out is the caller's, for
 * site_evidence_release(). 0 or -ENOMEM. */
int evidence_at(struct evidence *x, int module, uint64_t address, struct site_evidence *out);

#endif
