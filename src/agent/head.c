/* SPDX-License-Identifier: BSD-2-Clause */
/* The beginning of the blob, struct agent_head, and the entries that it names. */
#include "agent/agent_internal.h"

extern bool agent_enter(const uint64_t *sp);
ARCH_AGENT_ENTRY(agent_begin);
ARCH_AGENT_ENTRY(agent_end);
ARCH_AGENT_ENTRY(agent_free);

/* In assembly: in C the difference of two symbols is not a constant. */
__asm__(".pushsection .agent_head, \"aw\", @progbits\n"
	".balign 16\n"
	".globl agent_head\n"
	".hidden agent_head\n"
	".type agent_head, @object\n"
	".size agent_head, 40\n"
	"agent_head:\n"
	"	.quad 0x31746e656761706d\n"
	"	.quad 0\n"
	"	.long agent_enter - agent_head\n"
	"	.long agent_begin_entry - agent_head\n"
	"	.long agent_end_entry - agent_head\n"
	"	.long agent_free_entry - agent_head\n"
	"	.long __start_agent_faults - agent_head\n"
	"	.long __stop_agent_faults - agent_head\n"
	".popsection\n");

_Static_assert(sizeof(struct agent_head) == 40 &&
		       __builtin_offsetof(struct agent_head, enter) == 16,
	       "as above");
