/* SPDX-License-Identifier: BSD-2-Clause */
#include "probes/outcome.h"

bool probe_gives_block(const struct probe *p)
{
	return p->kind == PROBE_ALLOC || p->kind == PROBE_REALLOC || p->kind == PROBE_RESIZE;
}

bool probe_resizes(const struct probe *p)
{
	return p->kind == PROBE_REALLOC || p->kind == PROBE_RESIZE;
}

bool probe_announces(const struct probe *p)
{
	return p->kind == PROBE_MALLOCLIKE || p->kind == PROBE_RESIZELIKE ||
	       p->kind == PROBE_FREELIKE || p->kind == PROBE_REQUEST;
}

bool probe_depends_on_others(const struct probe *p)
{
	switch (p->kind) {
	case PROBE_POOL_FREE:
	case PROBE_POOL_NEW:
	case PROBE_POOL_LEAVE:
	case PROBE_POOL_DEFAULT:
	case PROBE_LABEL:
	case PROBE_INTERNAL:
	case PROBE_CALLBACK:
		return true;
	default:
		return false;
	}
}

bool probe_tells_of_blocks(const struct probe *p)
{
	return p->kind != PROBE_NONE && p->kind != PROBE_GIVE_UP && !probe_announces(p);
}

enum alloc_call probe_call(const struct probe *p)
{
	if (p->kind == PROBE_FREE)
		return CALL_FREE;
	if (probe_resizes(p))
		return CALL_REALLOC;
	return p->count_arg == NO_ARG ? CALL_MALLOC : CALL_CALLOC;
}

static uint64_t argument(const uint64_t arg[PROBE_ARGS], uint8_t number, uint64_t without)
{
	return number < PROBE_ARGS ? arg[number] : without;
}

struct probe_args probe_arguments(const struct probe *p, const uint64_t arg[PROBE_ARGS])
{
	struct probe_args a = {
		.count = argument(arg, p->count_arg, 1),
		.elem = argument(arg, p->size_arg, 0),
		.string = argument(arg, p->string_arg, 0),
		.limit = argument(arg, p->limit_arg, UINT64_MAX - 1),
		.ptr = argument(arg, p->ptr_arg, 0),
		.out = argument(arg, p->out_arg, 0),
		.label = probe_label(p, argument(arg, p->label_arg, 0)),
	};

	a.overflow = __builtin_mul_overflow(a.elem, a.count, &a.size);
	if (a.overflow)
		a.size = UINT64_MAX;
	return a;
}

enum alloc_event_kind probe_outcome(const struct probe *p, uint64_t size, bool overflow, taddr old,
				    taddr block)
{
	bool resized = probe_resizes(p) && old;

	if (block)
		return resized ? AE_REALLOC_MOVED : AE_ALLOC;
	if (!resized)
		return AE_FAILED;
	if (p->frees_on_failure)
		return AE_REALLOC_FREED;
	return size == 0 && !overflow && p->kind == PROBE_REALLOC ? AE_REALLOC_FREED
								  : AE_REALLOC_BACK;
}
