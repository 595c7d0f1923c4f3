/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_SITETYPES_EVIDENCE_H
#define MPROF_SITETYPES_EVIDENCE_H

#include "sitetypes/flow.h"
#include "symbols/symbols.h"

/* What is said of a return address, from the code and the DWARF of its module. Both are untrusted;
 * what cannot be read is no evidence. */

enum { SITE_CANDIDATES_MAX = 16, SITE_NAME_MAX = 4096 };

struct site_candidate {
	char *name;
	uint64_t size;	   /* sizeof; 0: not known */
	enum flow_how how; /* the strongest evidence for it */
	uint32_t begins;   /* candidates that begin with this one: 1 << number */
	bool may_be_part;  /* all that is known of it may be of a part of something larger */
	bool may_go_on;	   /* as types_may_go_on() */
	bool is_bytes;	   /* as types_are_bytes(): the name is that of any number of them */
};

struct site_evidence {
	struct site_candidate v[SITE_CANDIDATES_MAX];
	unsigned n;
	bool too_many;	/* there are others */
	bool passes_on; /* the function returns it as a pointer to anything: its caller knows */
};

void site_evidence_release(struct site_evidence *e);

/* For the modules of a struct symbols, which outlives it. NULL: out of memory. */
struct evidence *evidence_new(struct symbols *s);
void evidence_free(struct evidence *x);

/* @address: as symbols_lookup() has it. Returns 0 or -ENOMEM. */
int evidence_at(struct evidence *x, int module, uint64_t address, struct site_evidence *out);

#endif
