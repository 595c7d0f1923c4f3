/* SPDX-License-Identifier: BSD-2-Clause */
#include "heapwalk/classes.h"

#include "base/addrtable.h"
#include "base/array.h"
#include "base/search.h"

#include <stdlib.h>

enum {
	NAME_LONGEST = 16384,	 /* of a mangled name */
	NAMES_MAX = 64 << 20,	 /* of all names, and of text that turns out to be none */
	CACHED_PAGES = 256,	 /* of read-only memory */
	VTABLE_BEFORE = 16,	 /* in front of the functions: offset to top and type information */
	SLACK = 40,		 /* a block may have so many bytes more than were requested ... */
	SLACK_MAPPED = 2 * 4096, /* ... or so many if it has a mapping of its own */
};

/* What the first word of a block is. Classes have the numbers from FIRST_CLASS on. */
enum { NO_CLASS, NOT_READ, FIRST_CLASS };

struct verdict {
	taddr vtable;
	uint64_t what;
};

struct cached_page {
	taddr at; /* 0: none */
	size_t size;
	uint8_t bytes[STILL_PAGE];
};

struct classes_search {
	struct heap_classes *out;
	const struct still *still;
	const struct heap_blocks *blocks;
	const struct heap_class_source *from;
	struct still_reader reader;
	const struct still_area **areas; /* read-only areas of files, in order */
	size_t n_areas, cap_areas;
	const struct still_area *last;
	struct addrtable verdicts;
	struct cached_page *pages;
	size_t names; /* bytes of names that were read */
	bool unread;  /* some of the memory for the last question could not be read */
};

void heap_classes_release(struct heap_classes *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].mangled);
	free(c->v);
	*c = (struct heap_classes){0};
}

/* ---- read-only memory ---- */

static int find_areas(struct classes_search *x)
{
	for (size_t i = 0; i < x->still->n_areas; i++) {
		const struct still_area *a = &x->still->areas[i];

		if (a->kind != STILL_FILE || !a->readable || a->writable)
			continue;
		if (ARRAY_RESERVE(&x->areas, &x->cap_areas, x->n_areas))
			return -ENOMEM;
		x->areas[x->n_areas++] = a;
	}
	return 0;
}

static bool is_constant(struct classes_search *x, taddr at)
{
	if (!x->last || at < x->last->start || at >= x->last->end) {
		size_t i = SEARCH_FIRST(x->n_areas, k, x->areas[k]->end > at);

		if (i == x->n_areas || at < x->areas[i]->start)
			return false;
		x->last = x->areas[i];
	}
	return true;
}

static bool is_code(const struct classes_search *x, taddr at)
{
	const struct still_area *a = still_area_at(x->still, at);

	return a && a->executable;
}

/* The page that contains @at. */
static const struct cached_page *page_of(struct classes_search *x, taddr at)
{
	taddr start = at / STILL_PAGE * STILL_PAGE;
	struct cached_page *p = &x->pages[start / STILL_PAGE % CACHED_PAGES];

	if (p->at != start) {
		p->at = start;
		p->size = x->from->read(x->from->ctx, start, p->bytes, STILL_PAGE);
	}
	return p;
}

/* Read a word of read-only memory. False: it is not read-only, or could not be read. */
static bool constant_word(struct classes_search *x, taddr at, uint64_t *value)
{
	if (at % sizeof *value || !is_constant(x, at))
		return false;
	const struct cached_page *p = page_of(x, at);
	size_t offset = at % STILL_PAGE;

	if (p->size < offset + sizeof *value) {
		x->unread = true;
		return false;
	}
	memcpy(value, p->bytes + offset, sizeof *value);
	return true;
}

/* ---- names ---- */

static bool may_begin_type(char c)
{
	return (c >= '0' && c <= '9') || (c && strchr("NSZQ", c));
}

static bool is_plain(char c)
{
	return (unsigned char)c > ' ' && c != 0x7f;
}

/* May a type's name have this character at @n? The name of a local type begins with a '*'. */
static bool may_be_in_name(const char *name, size_t n)
{
	return n == (name[0] == '*') ? may_begin_type(name[n]) : is_plain(name[n]);
}

/* Read a text that could be a type's name. Returns its length; 0: it is not one, or not all of it
 * could be read. */
static size_t constant_name(struct classes_search *x, taddr at, char to[NAME_LONGEST + 1])
{
	for (size_t n = 0; n <= NAME_LONGEST; n++) {
		if (!is_constant(x, at + n))
			return 0;
		const struct cached_page *p = page_of(x, at + n);

		if (p->size <= (at + n) % STILL_PAGE) {
			x->unread = true;
			return 0;
		}
		to[n] = (char)p->bytes[(at + n) % STILL_PAGE];
		if (!to[n] && n > (to[0] == '*'))
			return n;
		/* Most candidates are no names; and every byte that is read counts. */
		if (!may_be_in_name(to, n))
			return 0;
		if (++x->names > NAMES_MAX) {
			x->out->too_many = true;
			return 0;
		}
	}
	return 0;
}

/* ---- what is a class ---- */

/* The name in the type information at @at, for free(). NULL: that is no type information, or
 * -ENOMEM in *err. */
static char *name_at(struct classes_search *x, taddr at, int *err)
{
	char text[NAME_LONGEST + 1];
	uint64_t own_class, name;

	if (x->out->too_many)
		return NULL;
	if (!constant_word(x, at, &own_class) || !constant_word(x, at + 8, &name) ||
	    own_class % 8 || !still_area_at(x->still, own_class))
		return NULL;
	if (!constant_name(x, name, text))
		return NULL;
	const char *begin = text + (*text == '*');
	if (!x->from->is_type(x->from->ctx, begin))
		return NULL;
	char *copy = strdup(begin);
	if (!copy)
		*err = -ENOMEM;
	return copy;
}

/* Is this the vtable address that objects of a class begin with? *mangled: the class's name, if it
 * has one. */
static bool is_vtable(struct classes_search *x, taddr at, char **mangled, int *err)
{
	uint64_t first, to_top, info;

	*mangled = NULL;
	if (!constant_word(x, at, &first) || !constant_word(x, at - VTABLE_BEFORE, &to_top) ||
	    !constant_word(x, at - 8, &info) || to_top)
		return false;
	/* The first function may be missing, if it is not to be called. */
	if (first ? !is_code(x, first) : !info)
		return false;
	if (info)
		*mangled = name_at(x, info, err);
	return *mangled || !info;
}

static int add_class(struct heap_classes *c, taddr vtable, char *mangled)
{
	if (ARRAY_RESERVE(&c->v, &c->cap, c->n)) {
		free(mangled);
		return -ENOMEM;
	}
	c->v[c->n++] = (struct heap_class){.vtable = vtable, .mangled = mangled};
	return 0;
}

/* Is a word the address of a vtable? *what: a class, NO_CLASS or NOT_READ. 0 or -ENOMEM. */
static int judge(struct classes_search *x, taddr at, uint64_t *what)
{
	bool known;
	char *mangled;
	int err = 0;

	*what = NO_CLASS;
	if (!at || at % 8 || !is_constant(x, at))
		return 0;
	struct verdict *v = addrtable_put(&x->verdicts, at, sizeof *v, &known);
	if (!v)
		return -ENOMEM;
	if (!known) {
		x->unread = false;
		bool is = is_vtable(x, at, &mangled, &err);
		v->what = is ? FIRST_CLASS + x->out->n : x->unread ? NOT_READ : NO_CLASS;
		if (is && !err)
			err = add_class(x->out, at, mangled);
	}
	*what = v->what;
	return err;
}

/* ---- blocks ---- */

/* Are there @n objects of this class in the block from @first on, at equal distances? The last one
 * has to end where the block does. */
static bool is_array(struct classes_search *x, taddr first, uint64_t room, uint64_t n,
		     uint64_t slack, taddr vtable)
{
	if (n < 2 || n > room / 8)
		return false;
	for (uint64_t each = room / n / 8 * 8; each >= 8 && each * n + slack > room; each -= 8) {
		uint64_t i = 1;

		while (i < n && still_word_or_0(&x->reader, first + i * each) == vtable)
			i++;
		if (i == n)
			return true;
	}
	return false;
}

static void count(struct classes_search *x, uint64_t what, enum heap_class_form form,
		  uint64_t usable)
{
	struct heap_sum *s = &x->out->v[what - FIRST_CLASS].forms[form];

	s->n++;
	s->bytes += usable;
}

/* Judge a block that is no object itself, but may begin with a number of objects and then have
 * these: @before bytes are in front of the first object, of which the last word is the number. */
static int judge_behind(struct classes_search *x, taddr block, uint64_t usable, uint64_t before,
			uint64_t slack, bool *done)
{
	uint64_t vtable, what, n = still_word_or_0(&x->reader, block + before - 8);

	if (usable < before + 8 || !n || n > usable / 8 ||
	    !still_word(&x->reader, block + before, &vtable))
		return 0;
	int err = judge(x, vtable, &what);
	/* Without a name it could be anything. */
	if (err || what < FIRST_CLASS || !x->out->v[what - FIRST_CLASS].mangled)
		return err;
	*done = true;
	if (is_array(x, block + before, usable - before, n, slack, vtable))
		count(x, what, HEAP_CLASS_ARRAY, usable);
	else if (n == 1 && before == 8)
		count(x, what, HEAP_CLASS_BEHIND, usable);
	else
		*done = false;
	return 0;
}

static int judge_block(struct classes_search *x, taddr block, uint64_t usable, uint64_t slack)
{
	uint64_t word, what;
	bool done = false;

	if (!still_word(&x->reader, block, &word))
		return 0;
	int err = judge(x, word, &what);
	if (err)
		return err;
	if (what >= FIRST_CLASS) {
		count(x, what, HEAP_CLASS_OBJECT, usable);
		return 0;
	}
	x->out->unread += what == NOT_READ;
	err = judge_behind(x, block, usable, 8, slack, &done);
	return err || done ? err : judge_behind(x, block, usable, 16, slack, &done);
}

/* How much larger than requested a block may be: allocators without headers have size classes. */
static uint64_t slack_of(const struct heap_blocks *b, uint64_t usable)
{
	return b->cut.header ? SLACK : SLACK + usable / 4;
}

static int judge_live(void *ctx, const struct heap_block *block)
{
	struct classes_search *x = ctx;

	return judge_block(x, block->at, block->usable,
			   block->mapped ? SLACK_MAPPED : slack_of(x->blocks, block->usable));
}

int heap_classes_find(struct heap_classes *c, const struct heap_walk *w, const struct still *s,
		      const struct heap_class_source *from)
{
	struct classes_search x = {.out = c,
				   .still = s,
				   .blocks = &w->blocks,
				   .from = from,
				   .reader = still_reader(s)};

	*c = (struct heap_classes){0};
	x.pages = calloc(CACHED_PAGES, sizeof *x.pages);
	int err = x.pages ? find_areas(&x) : -ENOMEM;
	if (!err && x.n_areas)
		err = heap_blocks_each_live(&w->blocks, judge_live, &x);
	addrtable_release(&x.verdicts);
	free(x.areas);
	free(x.pages);
	if (err)
		heap_classes_release(c);
	return err;
}
