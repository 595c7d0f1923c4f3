/* SPDX-License-Identifier: BSD-2-Clause */
/* A watch with a scripted engine: what the engine is offered, asked and told. The program is a copy
 * of this one that never runs. */
#include "unit/unit.h"

#include "arch/arch.h"
#include "breakpoints/engine.h"
#include "breakpoints/observer_internal.h"
#include "breakpoints/watch.h"
#include "symbols/demangle.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { OFFERS_MAX = 64, ADDRESSES_MAX = 256, STACK_BYTES = 4096 };

/* The scripted engine, and all else that a test looks at. */
struct world {
	pid_t child;
	struct task task;
	struct rules rules;
	struct watch_shared shared;
	struct watch *watch;

	/* the engine's */
	const struct engine_host *host;
	const char *no_open;	/* why it cannot begin ... */
	int no_open_err;	/* ... as -errno */
	const char *leaves;	/* a function that it does not take; "": it takes none */
	int no_arm, not_out;
	bool no_maps;		/* what is mapped cannot be read when it has begun */
	struct engine_function offers[OFFERS_MAX];
	size_t n_offers, n_armed;
	unsigned looked, armed, opened, removed, freed, told, begun, ended, cleaned;
	bool suspended, declines_at_arm;
	uint64_t to_tell;

	/* the sink's */
	uint64_t events, bytes;
	int no_memory;
	uint64_t frames[ADDRESSES_MAX];
	uint32_t files[ADDRESSES_MAX], n_frames;
	bool lost_in_code;
	char noted[1024];
	unsigned notes;
	enum unobserved why;
};

static struct world *world; /* an engine is opened with no context but its shared part */

/* ---- the engine ---- */

static struct engine *script_open(struct engine_shared *shared, struct tracer *t, struct task *task,
				  const struct engine_host *host, int *err, struct error *e)
{
	struct world *w = (struct world *)shared;

	(void)t;
	assert_ptr_equal(task, &w->task);
	w->opened++;
	w->host = host;
	if (w->no_open) {
		*err = error_set(e, w->no_open_err, "%s", w->no_open);
		return NULL;
	}
	if (w->no_maps)
		task->tid = INT_MAX;
	return (struct engine *)w;
}

static struct world *of(struct engine *e)
{
	return (struct world *)e;
}

static void script_free(struct engine *e)
{
	of(e)->freed++;
}

static enum engine_answer script_plant(struct engine *e, const struct engine_function *f,
				       const char **why)
{
	struct world *w = of(e);

	assert_true(w->n_offers < OFFERS_MAX);
	w->offers[w->n_offers++] = *f;
	*why = "a script";
	if (w->leaves && (!*w->leaves || !strcmp(f->probe->name, w->leaves)))
		return ENGINE_LEAVES;
	return ENGINE_TAKES;
}

static int script_arm(struct engine *e, bool held, struct error *why)
{
	(void)held;
	struct world *w = of(e);

	w->armed++;
	for (size_t i = 0; i < w->n_offers && w->declines_at_arm; i++)
		if (w->offers[i].probe->kind == PROBE_FREE)
			w->host->declines(w->host->ctx, &w->offers[i], "a script");
	return of(e)->no_arm ? error_set(why, of(e)->no_arm, "%s", strerror(-of(e)->no_arm)) : 0;
}

static void script_drop(struct engine *e, const char *why)
{
	struct world *w = of(e);

	for (size_t i = w->n_armed; i < w->n_offers; i++)
		w->host->declines(w->host->ctx, &w->offers[i], why);
}

static void script_modules(struct engine *e, const struct mappings *maps)
{
	of(e)->looked++;
	assert_non_null(mappings_find(maps, (taddr)malloc));
}

static uint64_t script_drain(struct engine *e, bool ended)
{
	struct world *w = of(e);
	uint64_t n = w->to_tell;

	w->told++;
	for (; w->to_tell; w->to_tell--) {
		struct alloc_event event = { .kind = AE_ALLOC, .size = 10 };
		w->host->event(w->host->ctx, &event);
	}
	w->ended += ended;
	return n;
}

static void script_thread_begins(struct engine *e, struct task *task)
{
	assert_ptr_equal(task, &of(e)->task);
	of(e)->begun++;
}

static void script_thread_ends(struct engine *e, struct task *task)
{
	(void)e, (void)task;
}

static bool script_inside(const struct engine *e, const struct task *task)
{
	(void)e, (void)task;
	return false;
}

static void script_pending(struct engine *e, const struct task *task, taddr ret_at, taddr ret)
{
	(void)e, (void)task, (void)ret_at, (void)ret;
}

static void script_suspend(struct engine *e, bool on)
{
	of(e)->suspended = on;
}

static int script_remove(struct engine *e)
{
	int err = of(e)->not_out;

	of(e)->removed++;
	of(e)->not_out = 0;
	return err;
}

static bool script_has_jump(const struct engine *e, taddr function)
{
	(void)e, (void)function;
	return false;
}

static unsigned script_undone(const struct engine *e)
{
	(void)e;
	return 0;
}

/* Code of the script's own, whose caller's address is on top of the stack. */
#define OWN_CODE ((taddr)0x7000)

static bool script_has_code(const struct engine *e, taddr pc)
{
	(void)e;
	return pc >= OWN_CODE && pc < OWN_CODE + 16;
}

static bool script_leave_code(const struct engine *e, struct arch_frame *f, bool exact,
			      bool (*read)(void *reader, taddr at, uint64_t *word), void *reader)
{
	assert_false(exact);
	if (((const struct world *)e)->lost_in_code || !read(reader, f->sp, &f->pc))
		return false;
	f->sp += sizeof(uint64_t);
	return true;
}

static void script_clean_copy(const struct engine *e, struct task *child)
{
	assert_ptr_equal(child, &((const struct world *)e)->task);
	((struct world *)e)->cleaned++;
}

static struct engine_counts script_counts(const struct engine *e)
{
	(void)e;
	return (struct engine_counts){ .records = 7 };
}

static const struct engine_ops script_ops = {
	.name = "scripted",
	.open = script_open,
	.free = script_free,
	.plant = script_plant,
	.arm = script_arm,
	.drop = script_drop,
	.modules = script_modules,
	.drain = script_drain,
	.counts = script_counts,
	.thread_begins = script_thread_begins,
	.thread_ends = script_thread_ends,
	.inside = script_inside,
	.pending = script_pending,
	.has_code = script_has_code,
	.leave_code = script_leave_code,
	.suspend = script_suspend,
	.has_jump = script_has_jump,
	.undone = script_undone,
	.remove = script_remove,
	.clean_copy = script_clean_copy,
};

/* ---- the sink ---- */

static int sink_event(void *image, const struct alloc_event *e)
{
	struct world *w = image;

	if (w->no_memory)
		return w->no_memory;
	w->events++;
	w->bytes += e->size;
	return 0;
}

static bool sink_knows(void *image, taddr ptr)
{
	(void)image;
	return ptr == 42;
}

static uint32_t sink_frame(void *image, uint32_t file, uint64_t address, bool exact, bool guessed)
{
	struct world *w = image;

	(void)exact, (void)guessed;
	assert_true(w->n_frames < ADDRESSES_MAX);
	w->files[w->n_frames] = file;
	w->frames[w->n_frames] = address;
	return w->n_frames++;
}

static uint32_t sink_node(void *image, uint32_t parent, uint32_t frame)
{
	(void)image;
	return parent * 1000 + frame;
}

static void sink_modules(void *image, const struct mappings *maps)
{
	(void)image, (void)maps;
}

static void sink_note(void *image, const char *what)
{
	struct world *w = image;

	w->notes++;
	snprintf(w->noted, sizeof w->noted, "%s", what);
}

static void sink_unobserved(void *ctx, pid_t tgid, void *image, enum unobserved why,
			    const char *why_not)
{
	struct world *w = ctx;

	assert_int_equal(tgid, w->child);
	assert_ptr_equal(image, w);
	w->why = why;
	snprintf(w->noted, sizeof w->noted, "%s", why_not);
}

static bool sink_expect(void *image, const struct alloc_expected *v, unsigned n)
{
	return n == 1 && sink_knows(image, v->ptr);
}

static const struct observer_sink sink = {
	.note = sink_note,
	.event = sink_event,
	.knows = sink_knows,
	.expect = sink_expect,
	.frame = sink_frame,
	.node = sink_node,
	.modules = sink_modules,
	.unobserved = sink_unobserved,
};

/* ---- the program ---- */

static int begin(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct error e;
	int wstatus;

	assert_non_null(w);
	assert_int_equal(probes_add_builtin(&w->rules.probes, false, &e), 0);
	watch_shared_rules(&w->shared, &w->rules);
	w->shared.engine = &script_ops;
	w->shared.engine_shared = (struct engine_shared *)w;
	*state = world = w;
	w->child = fork();
	if (!w->child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(w->child, &wstatus, WUNTRACED), w->child);
	w->task = (struct task){ .tid = w->child, .tgid = w->child, .state = TASK_HELD };
	w->task.space = address_space_new(w->child);
	assert_non_null(w->task.space);
	w->task.space->pid = w->child;
	return 0;
}

static int end(void **state)
{
	struct world *w = *state;

	watch_free(w->watch);
	kill(w->child, SIGKILL);
	waitpid(w->child, NULL, 0);
	address_space_free(w->task.space);
	watch_shared_release(&w->shared);
	probes_release(&w->rules.probes);
	free(w);
	return 0;
}

static void watch_it(struct world *w)
{
	int err = 0;

	w->watch = watch_new(&w->shared, &w->task, &sink, w, &err);
	assert_non_null(w->watch);
	assert_int_equal(err, 0);
}

__attribute__((noinline, used)) static void *a_function_to_hook(size_t n)
{
	static volatile size_t asked;

	asked = n;
	return asked ? &world : NULL;
}

static const struct engine_function *offered(const struct world *w, const void *at)
{
	for (size_t i = 0; i < w->n_offers; i++)
		if (w->offers[i].at == (taddr)at)
			return &w->offers[i];
	return NULL;
}

/* Does the program hold the same as we do where @at is? */
static bool is_untouched(const struct world *w, const void *at)
{
	uint8_t there[16];

	assert_int_equal(address_space_read(w->task.space, (taddr)at, there, sizeof there),
			 sizeof there);
	return !memcmp(there, at, sizeof there);
}

/* ---- the tests ---- */

static void functions_about_memory_are_offered_and_not_trapped(void **state)
{
	struct world *w = *state;

	watch_it(w);
	assert_null(watch_refusal(w->watch));
	const struct engine_function *f = offered(w, malloc);
	assert_non_null(f);
	assert_string_equal(f->probe->name, "malloc");
	assert_true(f->size > 16);
	assert_non_null(offered(w, free));
	assert_non_null(offered(w, realloc));
	assert_true(is_untouched(w, malloc));
	assert_true(is_untouched(w, free));
	assert_int_equal(w->opened, 1);
	assert_int_equal(w->armed, 1);
	assert_int_equal(w->begun, 1);
	assert_true(watch_can_see(w->watch));
	assert_true(watch_counts(w->watch).trapped);
}

static void each_function_is_offered_once(void **state)
{
	struct world *w = *state;

	watch_it(w);
	for (size_t i = 0; i < w->n_offers; i++)
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(w->offers[i].at, w->offers[j].at);
	size_t n = w->n_offers;
	watch_remapped(w->watch, w->child);
	assert_int_equal(w->n_offers, n);
}

static void what_is_mapped_is_told_when_it_has_changed(void **state)
{
	struct world *w = *state;

	watch_it(w);
	assert_int_equal(w->looked, 1);
	watch_remapped(w->watch, w->child);
	assert_int_equal(w->looked, 1);
	assert_int_equal(w->armed, 1);
}

/* What is said of the functions of this name: with a sanitizer there are two, its own and the C
 * library's. */
static const char *trapped_sentence(const struct world *w, const char *name)
{
	static char text[256];
	size_t n = 0;

	for (size_t i = 0; i < w->n_offers; i++)
		n += !strcmp(w->offers[i].probe->name, name);
	if (n == 2)
		snprintf(text, sizeof text,
			 "has 2 functions that are watched by traps: %s, %s (a script)", name,
			 name);
	else
		snprintf(text, sizeof text,
			 "has 1 function that is watched by traps: %s (a script)", name);
	return text;
}

static void what_it_does_not_take_is_trapped_and_named_once(void **state)
{
	struct world *w = *state;

	w->leaves = "realloc";
	watch_it(w);
	assert_null(watch_refusal(w->watch));
	assert_false(is_untouched(w, realloc));
	assert_true(is_untouched(w, malloc));
	assert_string_equal(w->noted, trapped_sentence(w, "realloc"));
	watch_remapped(w->watch, w->child);
	assert_int_equal(w->notes, 1);
	assert_int_equal(watch_clean(w->watch), 0);
	assert_true(is_untouched(w, realloc));
}

static void what_the_user_has_defined_is_offered_and_left_as_all_else(void **state)
{
	struct world *w = *state;
	struct error e;
	char hook[64];

	snprintf(hook, sizeof hook, "malloc:%s", "a_function_to_hook");
	assert_int_equal(probes_add_hook(&w->rules.probes, hook, &e), 0);
	w->leaves = "a_function_to_hook";
	watch_it(w);
	assert_null(watch_refusal(w->watch));
	assert_non_null(strstr(w->noted, "watched by traps: a_function_to_hook (a script)"));
	assert_false(is_untouched(w, a_function_to_hook));
}

static void an_engine_that_sees_nothing_is_refused_with_its_reason(void **state)
{
	struct world *w = *state;

	w->leaves = "";
	watch_it(w);
	assert_non_null(strstr(watch_refusal(w->watch), "() cannot be seen without a trap: "));
	assert_int_equal(w->notes, 0);
	assert_int_equal(watch_clean(w->watch), 0);
	assert_true(is_untouched(w, realloc));
}

static void an_engine_that_cannot_begin_is_refused_with_its_reason(void **state)
{
	struct world *w = *state;

	w->no_open = "there is no room";
	w->no_open_err = -ENOMEM;
	watch_it(w);
	assert_int_equal(watch_refused(w->watch), -ENOMEM);
	assert_string_equal(watch_refusal(w->watch), "there is no room");
	assert_int_equal(w->n_offers, 0);
	assert_int_equal(watch_clean(w->watch), 0);
	assert_true(is_untouched(w, malloc));
}

/* As the observer does it. */
static void begin_and_refuse(struct world *w, int err)
{
	struct trap_observer o = { .shared = w->shared, .sink = &sink, .ctx = w };
	struct observed *of = calloc(1, sizeof *of);

	assert_non_null(of);
	w->no_open = "it says so";
	w->no_open_err = err;
	watch_it(w);
	*of = (struct observed){ .watch = w->watch, .image = w };
	w->task.space->user = of;
	assert_false(observer_refuse_engine(&o, &w->task, w));
	assert_null(w->task.space->user);
	w->watch = NULL; /* forgotten */
}

static void a_program_that_has_ended_is_no_fault_of_its_engine(void **state)
{
	struct world *w = *state;

	begin_and_refuse(w, -EPERM);
	assert_int_equal(w->why, UNOBSERVED_NO_MEANS);
	assert_string_equal(w->noted, "the scripted engine cannot be used: it says so; use "
				      "--engine=trap");
	begin_and_refuse(w, -ESRCH);
	assert_int_equal(w->why, UNOBSERVED_GONE);
	assert_string_equal(w->noted, ENGINE_GONE);
}

static void an_engine_that_cannot_write_its_code_is_refused(void **state)
{
	struct world *w = *state;

	w->no_arm = -EIO;
	watch_it(w);
	assert_non_null(strstr(watch_refusal(w->watch), strerror(EIO)));
	assert_int_equal(watch_refused(w->watch), -EIO);
}

static void an_engine_is_taken_out_when_nothing_can_be_watched(void **state)
{
	struct world *w = *state;
	int err = 0;

	w->no_maps = true;
	assert_null(watch_new(&w->shared, &w->task, &sink, w, &err));
	assert_true(err < 0);
	assert_int_equal(w->opened, 1);
	assert_int_equal(w->removed, 1);
	assert_int_equal(w->freed, 1);
}

static void what_it_declines_later_is_trapped_and_named(void **state)
{
	struct world *w = *state;

	watch_it(w);
	assert_int_equal(w->notes, 0);
	assert_true(is_untouched(w, realloc));
	/* The last function that was offered cannot be written. */
	w->n_armed = w->n_offers - 1;
	w->no_arm = -EIO;
	watch_arm_held(w->watch);
	assert_null(watch_refusal(w->watch));
	const struct engine_function *last = &w->offers[w->n_armed];
	assert_false(is_untouched(w, (void *)last->at));
	/* Of a sanitizer it is an operator of C++. */
	char name[256];
	bool mangled = demangle(last->probe->name, name, sizeof name);
	assert_non_null(strstr(w->noted, mangled ? name : last->probe->name));
	assert_non_null(strstr(w->noted, "(code that cannot be changed)"));
	/* What is not its own is not declined. */
	w->host->declines(w->host->ctx, last, "a script");
	assert_int_equal(w->notes, 1);
	assert_int_equal(watch_clean(w->watch), 0);
	assert_true(is_untouched(w, (void *)last->at));
}

/* All free functions are declined before it has begun. */
static void an_engine_that_declines_too_much_is_refused(void **state)
{
	struct world *w = *state;

	w->declines_at_arm = true;
	watch_it(w);
	assert_non_null(strstr(watch_refusal(w->watch), "() cannot be seen without a trap: "
							"a script"));
	assert_int_equal(w->notes, 0);
}

static void what_it_has_seen_is_told_when_somebody_wants_to_catch_up(void **state)
{
	struct world *w = *state;

	watch_it(w);
	w->to_tell = 3;
	assert_int_equal(watch_catch_up(w->watch, false), 3);
	assert_int_equal(w->events, 3);
	assert_int_equal(w->bytes, 30);
	assert_int_equal(watch_catch_up(w->watch, true), 0);
	assert_int_equal(w->ended, 1);
}

static void an_event_that_could_not_be_counted_is_lost(void **state)
{
	struct world *w = *state;

	watch_it(w);
	w->to_tell = 2;
	w->no_memory = -ENOMEM;
	watch_catch_up(w->watch, false);
	assert_int_equal(w->events, 0);
	assert_int_equal(watch_counts(w->watch).lost, 2);
}

static void it_asks_for_blocks_places_and_nodes(void **state)
{
	struct world *w = *state;
	bool hidden = true;

	watch_it(w);
	assert_true(w->host->expect(w->host->ctx, &(struct alloc_expected){ .ptr = 42 }, 1));
	assert_false(w->host->expect(w->host->ctx, &(struct alloc_expected){ .ptr = 43 }, 1));
	uint32_t place = w->host->place(w->host->ctx, w->child, (taddr)begin + 4, false, false,
					&hidden);
	assert_false(hidden);
	assert_int_equal(w->files[place], watch_program(w->watch));
	assert_int_equal(w->host->place(w->host->ctx, w->child, (taddr)begin + 4, false, false,
					&hidden), place);
	assert_int_equal(w->host->node(w->host->ctx, 7, place), 7000 + place);
	assert_false(w->host->by_allocator(w->host->ctx, (taddr)free, (taddr)begin + 4));
}

/* What lies between variables is read on purpose. */
static __attribute__((no_sanitize("address"), noinline)) void copy_words(uint64_t *to, taddr from,
									 size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = ((const volatile uint64_t *)from)[i];
}

static void take_copy(struct stack_copy *c, uint8_t bytes[STACK_BYTES])
{
	ucontext_t here;

	assert_int_equal(getcontext(&here), 0);
	const greg_t *r = here.uc_mcontext.gregs;
	*c = (struct stack_copy){ .pc = (taddr)r[REG_RIP], .sp = (taddr)r[REG_RSP],
				  .bytes = bytes, .len = STACK_BYTES };
	const int kept[ARCH_KEPT_REGS] = { REG_RBX, REG_RBP, REG_R12, REG_R13, REG_R14, REG_R15 };
	for (unsigned i = 0; i < ARCH_KEPT_REGS; i++)
		c->kept[i] = (uint64_t)r[kept[i]];
	copy_words((uint64_t *)(void *)bytes, c->sp, STACK_BYTES / sizeof(uint64_t));
}

static __attribute__((noinline)) taddr call_it(struct stack_copy *c, uint8_t bytes[STACK_BYTES])
{
	take_copy(c, bytes);
	return (taddr)__builtin_return_address(0);
}

static bool is_nested_as_seen(struct world *w, const struct stack_copy *copy,
			      const struct engine_seen *seen)
{
	const struct engine_call call = { .tid = w->child, .stack = copy, .seen = *seen };
	enum alloc_label label = LABEL_CONS;
	bool nested = w->host->is_nested(w->host->ctx, &call, &label);

	assert_int_equal(label, LABEL_NONE);
	return nested;
}

static bool is_nested(struct world *w, const struct stack_copy *copy)
{
	return is_nested_as_seen(w, copy, &(struct engine_seen){ .whole = false });
}

static void a_chain_is_unwound_from_a_copy_of_the_stack(void **state)
{
	struct world *w = *state;
	static uint8_t bytes[STACK_BYTES] __attribute__((aligned(8)));
	struct stack_copy copy;
	struct alloc_chain chain = { 0 };

	watch_it(w);
	taddr caller = call_it(&copy, bytes);
	assert_int_equal(w->host->unwind(w->host->ctx, w->child, &copy, &chain), 0);
	assert_true(chain.n > 3);
	const struct mapping *m = mappings_find(watch_mappings(w->watch), caller);
	bool found = false;
	for (size_t i = 0; i < 3; i++)
		found |= w->frames[chain.frames[i]] + m->bias == caller;
	assert_true(found);
}

static void code_of_the_engines_own_is_no_caller(void **state)
{
	struct world *w = *state;
	static uint8_t bytes[STACK_BYTES + 8] __attribute__((aligned(8)));
	struct alloc_chain chain = { 0 };
	struct stack_copy copy;
	uint32_t frames[64];

	watch_it(w);
	call_it(&copy, bytes + 8);
	assert_int_equal(w->host->unwind(w->host->ctx, w->child, &copy, &chain), 0);
	assert_false(is_nested(w, &copy));
	assert_in_range(chain.n, 3, 64);
	const size_t n = chain.n;
	const enum chain_end end = chain.truncated;
	memcpy(frames, chain.frames, n * sizeof *frames);
	/* The same, called by way of it. */
	memcpy(bytes, &copy.pc, sizeof copy.pc);
	copy.bytes = bytes;
	copy.len += 8;
	copy.sp -= 8;
	copy.pc = OWN_CODE + 4;
	assert_int_equal(w->host->unwind(w->host->ctx, w->child, &copy, &chain), 0);
	assert_true(is_nested(w, &copy));
	assert_int_equal(chain.n, n);
	assert_memory_equal(chain.frames, frames, n * sizeof *frames);
	assert_int_equal(chain.truncated, end);
	w->lost_in_code = true;
	assert_int_equal(w->host->unwind(w->host->ctx, w->child, &copy, &chain), 0);
	assert_true(is_nested(w, &copy));
	assert_int_equal(chain.truncated, CHAIN_UNREADABLE);
}

static void what_is_not_in_a_copy_of_the_stack_is_not_read_from_the_stack_of_today(void **state)
{
	struct world *w = *state;
	static uint8_t bytes[STACK_BYTES] __attribute__((aligned(8)));
	struct stack_copy copy;
	struct alloc_chain chain = { 0 };

	watch_it(w);
	call_it(&copy, bytes);
	copy.len = 0;
	assert_int_equal(w->host->unwind(w->host->ctx, w->child, &copy, &chain), 0);
	assert_int_equal(chain.n, 1);
	assert_int_equal(chain.truncated, CHAIN_UNREADABLE);
}

/* As in a library without call frame information. */
static void where_the_chain_is_cut_a_call_that_has_not_been_seen_to_end_decides(void **state)
{
	struct world *w = *state;
	static uint8_t bytes[STACK_BYTES] __attribute__((aligned(8)));
	const struct engine_seen pending = { .pending = true };
	struct stack_copy copy;

	watch_it(w);
	call_it(&copy, bytes);
	/* The stack, which is there, says that nothing has called it. */
	assert_false(is_nested(w, &copy));
	copy.len = 0;
	assert_false(is_nested(w, &copy));
	assert_true(is_nested_as_seen(w, &copy, &pending));
}

static void it_is_suspended_and_taken_out_with_the_breakpoints(void **state)
{
	struct world *w = *state;

	watch_it(w);
	watch_suspend(w->watch);
	assert_true(w->suspended);
	watch_resume(w->watch, w->child);
	assert_false(w->suspended);
	w->not_out = -EAGAIN;
	assert_int_equal(watch_clean(w->watch), -EAGAIN);
	assert_int_equal(watch_clean(w->watch), 0);
	watch_clean_copy(w->watch, &w->task);
	assert_int_equal(w->cleaned, 1);
	watch_free(w->watch);
	w->watch = NULL;
	assert_int_equal(w->freed, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(functions_about_memory_are_offered_and_not_trapped),
		TEST(each_function_is_offered_once),
		TEST(what_is_mapped_is_told_when_it_has_changed),
		TEST(what_it_does_not_take_is_trapped_and_named_once),
		TEST(what_the_user_has_defined_is_offered_and_left_as_all_else),
		TEST(an_engine_that_sees_nothing_is_refused_with_its_reason),
		TEST(an_engine_that_cannot_begin_is_refused_with_its_reason),
		TEST(an_engine_that_cannot_write_its_code_is_refused),
		TEST(a_program_that_has_ended_is_no_fault_of_its_engine),
		TEST(an_engine_is_taken_out_when_nothing_can_be_watched),
		TEST(what_it_declines_later_is_trapped_and_named),
		TEST(an_engine_that_declines_too_much_is_refused),
		TEST(what_it_has_seen_is_told_when_somebody_wants_to_catch_up),
		TEST(an_event_that_could_not_be_counted_is_lost),
		TEST(it_asks_for_blocks_places_and_nodes),
		TEST(a_chain_is_unwound_from_a_copy_of_the_stack),
		TEST(code_of_the_engines_own_is_no_caller),
		TEST(what_is_not_in_a_copy_of_the_stack_is_not_read_from_the_stack_of_today),
		TEST(where_the_chain_is_cut_a_call_that_has_not_been_seen_to_end_decides),
		TEST(it_is_suspended_and_taken_out_with_the_breakpoints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
