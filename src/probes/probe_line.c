/* SPDX-License-Identifier: BSD-2-Clause */
#include "probes/probe_line.h"

#include "base/text.h"
#include "probes/outcome.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY(...) { __VA_ARGS__, MARK_NONE, ASK_NOTHING }
#define MARK(word, mark, ptr, roles) \
	{ \
		word, PROBE_NONE, 0, 0, ptr, 0, false, roles, mark, ASK_NOTHING \
	}
#define ASK(word, question, size, ptr) \
	{ \
		word, PROBE_NONE, size, 0, ptr, 0, false, "", MARK_NONE, question \
	}

/* What a kind does, and its default arguments (numbered from 1; 0: none). */
static const struct kind {
	const char *word;
	enum probe_kind kind;
	uint8_t size, count, ptr, pool;
	bool operator_new;
	const char *roles; /* the roles that it may have, each followed by a blank */
	enum program_mark mark;
	enum program_question question;
} kinds[] = {
	MEMORY("malloc", PROBE_ALLOC, 1, 0, 0, 0, false, "size count align out pool label "),
	MEMORY("strdup", PROBE_ALLOC, 0, 0, 0, 0, false, "string limit pool label "),
	MEMORY("calloc", PROBE_ALLOC, 2, 1, 0, 0, false, "size count align out pool label "),
	MEMORY("realloc", PROBE_REALLOC, 2, 0, 1, 0, false, "ptr size count align pool label "),
	MEMORY("resize", PROBE_RESIZE, 2, 0, 1, 0, false, "ptr size count "),
	MEMORY("free", PROBE_FREE, 0, 0, 1, 0, false, "ptr size align "),
	MEMORY("new", PROBE_ALLOC, 1, 0, 0, 0, true, "size count align pool "),
	MEMORY("delete", PROBE_FREE, 0, 0, 1, 0, true, "ptr size align "),
	MEMORY("free-list", PROBE_FREE_LIST, 0, 0, 1, 0, false, "ptr next "),
	MEMORY("pool-free", PROBE_POOL_FREE, 0, 0, 0, 1, false, "pool "),
	MEMORY("pool-new", PROBE_POOL_NEW, 0, 0, 0, 0, false, ""),
	MEMORY("pool-leave", PROBE_POOL_LEAVE, 0, 0, 0, 1, false, "pool "),
	MEMORY("pool-default", PROBE_POOL_DEFAULT, 0, 0, 0, 1, false, "pool "),
	MEMORY("label", PROBE_LABEL, 0, 0, 0, 0, false, "label "),
	MEMORY("wrapper", PROBE_WRAPPER, 0, 0, 0, 0, false, ""),
	MEMORY("internal", PROBE_INTERNAL, 0, 0, 0, 0, false, ""),
	MEMORY("callback", PROBE_CALLBACK, 0, 0, 0, 0, false, ""),
	MEMORY("give-up", PROBE_GIVE_UP, 0, 0, 0, 0, false, ""),
	MEMORY("malloclike", PROBE_MALLOCLIKE, 2, 0, 1, 0, false, "ptr size count "),
	MEMORY("resizelike", PROBE_RESIZELIKE, 2, 0, 1, 0, false, "ptr size count "),
	MEMORY("freelike", PROBE_FREELIKE, 0, 0, 1, 0, false, "ptr "),
	MARK("autosave", MARK_AUTOSAVE, 1, "ptr "),
	MARK("stop", MARK_STOP, 1, ""),
	MARK("restart", MARK_RESTART, 1, "ptr "),
	MARK("suspend", MARK_SUSPEND, 0, ""),
	MARK("resume", MARK_RESUME, 0, ""),
	MARK("stamp", MARK_STAMP, 0, ""),
	MARK("clone", MARK_CLONE, 3, ""), /* the argument with the flags */
	ASK("heap-start", ASK_HEAP_START, 0, 1),
	ASK("heap-stop", ASK_HEAP_STOP, 0, 0),
	ASK("heap-dump", ASK_HEAP_DUMP, 0, 1),
	ASK("heap-running", ASK_HEAP_RUNNING, 0, 0),
	ASK("heap-size", ASK_HEAP_SIZE, 0, 0),
	ASK("heap-text", ASK_HEAP_TEXT, 2, 1),
};

#define N_KINDS (sizeof kinds / sizeof *kinds)

const char *probe_word(const struct probe *p)
{
	if (p->kind == PROBE_REQUEST)
		return "request";
	if (p->kind == PROBE_ALLOC && !p->operator_new && p->count_arg != NO_ARG)
		return "calloc";
	if (p->kind == PROBE_ALLOC && p->string_arg != NO_ARG)
		return "strdup";
	for (size_t i = 0; i < N_KINDS; i++)
		if (kinds[i].kind == p->kind && kinds[i].operator_new == p->operator_new &&
		    kinds[i].mark == p->mark && kinds[i].question == p->question)
			return kinds[i].word;
	return "?";
}

static const struct kind *find_kind(const char *word)
{
	for (size_t i = 0; i < N_KINDS; i++)
		if (!strcmp(kinds[i].word, word))
			return &kinds[i];
	return NULL;
}

/* ---- arguments ---- */

struct args {
	/* numbered from 1; 0: none */
	uint8_t size, count, ptr, align, out, pool, next, string, limit, label;
};

static const struct role {
	const char *word;
	size_t offset;
} roles[] = {
	{ "size", offsetof(struct args, size) },   { "count", offsetof(struct args, count) },
	{ "ptr", offsetof(struct args, ptr) },	   { "align", offsetof(struct args, align) },
	{ "out", offsetof(struct args, out) },	   { "pool", offsetof(struct args, pool) },
	{ "next", offsetof(struct args, next) },   { "string", offsetof(struct args, string) },
	{ "limit", offsetof(struct args, limit) }, { "label", offsetof(struct args, label) },
};

#define N_ROLES (sizeof roles / sizeof *roles)

static uint8_t *role_of(struct args *a, size_t i)
{
	return (uint8_t *)a + roles[i].offset;
}

/* True if the first @len bytes of @word are one of the words in @list, each of which ends with a
 * blank. */
static bool in_list(const char *list, const char *word, size_t len)
{
	for (const char *at = list; *at; at = strchr(at, ' ') + 1)
		if (strcspn(at, " ") == len && !strncmp(at, word, len))
			return true;
	return false;
}

/* "size=2"; *said has a bit for each role that the line has set. */
static int set_role(struct args *a, unsigned *said, const struct kind *k, const char *token,
		    struct error *e)
{
	size_t len = strcspn(token, "=");

	if (!in_list(k->roles, token, len))
		return error_set(e, -EINVAL,
				 "expected %s%sof a function of kind %s, not "
				 "\"%s\"",
				 k->roles,
				 *k->roles ? "(an argument, as in ptr=1) " : "no argument ",
				 k->word, token);
	const char *value = token[len] ? token + len + 1 : "";
	if (value[0] < '1' || value[0] > '0' + PROBE_ARGS || value[1])
		return error_set(e, -EINVAL, "expected the number of an argument, 1 to %d, in "
					     "\"%s\"", PROBE_ARGS,
				 token);
	for (size_t i = 0; i < N_ROLES; i++) {
		if (strlen(roles[i].word) != len || strncmp(roles[i].word, token, len))
			continue;
		if (*said & 1U << i)
			return error_set(e, -EINVAL, "expected %s= only once, found it again in "
						     "\"%s\"",
					 roles[i].word, token);
		*said |= 1U << i;
		*role_of(a, i) = (uint8_t)(value[0] - '0');
	}
	return 0;
}

/* ---- labels ---- */

static const char label_letters[] = "cfso"; /* in the order of enum alloc_label, from LABEL_CONS */

enum alloc_label probe_label(const struct probe *p, uint64_t value)
{
	if (p->label)
		return p->label;
	if (p->label_arg == NO_ARG)
		return LABEL_NONE;
	for (unsigned i = 0; value < 64 && i < sizeof p->labels / sizeof *p->labels; i++)
		if (p->labels[i] >> value & 1)
			return LABEL_CONS + i;
	return LABEL_OTHER;
}

/* "7" or "7-9": 0, or -EINVAL. *text is moved past it. */
static int read_range(const char **text, unsigned *first, unsigned *last)
{
	char *end;

	*first = *last = 64;
	if (**text >= '0' && **text <= '9') {
		*first = *last = (unsigned)strtoul(*text, &end, 10);
		*text = end;
		if (*end == '-' && end[1] >= '0' && end[1] <= '9') {
			*last = (unsigned)strtoul(end + 1, &end, 10);
			*text = end;
		}
	}
	return *last < 64 && *first <= *last ? 0 : -EINVAL;
}

/* "f=5,7-9": the values of the label argument that mean f. */
static int set_values(struct probe *p, const char *token, struct error *e)
{
	size_t which = (size_t)(strchr(label_letters, token[0]) - label_letters);
	const char *at = token + 2;
	unsigned first, last;

	do {
		if (read_range(&at, &first, &last) || (*at && *at != ','))
			return error_set(e, -EINVAL, "expected numbers from 0 to 63, as in "
						     "f=5,7-9, not \"%s\"",
					 token);
		for (; first <= last; first++)
			p->labels[which] |= UINT64_C(1) << first;
	} while (*at++ == ',');
	return 0;
}

/* "is=c", "c=1". False: not about labels. */
static bool set_label(struct probe *p, const struct kind *k, const char *token, struct error *e,
		      int *err)
{
	bool may = in_list(k->roles, "label", strlen("label"));
	const char *is = text_after(token, "is=");

	if (may && is) {
		const char *letter = is[0] && !is[1] ? strchr(label_letters, is[0]) : NULL;

		*err = letter ? 0 : error_set(e, -EINVAL, "expected is=c, f, s or o, not "
							  "\"%s\"", token);
		p->label = letter ? (uint8_t)(LABEL_CONS + (letter - label_letters)) : 0;
		return true;
	}
	if (!may || !token[0] || token[1] != '=' || !memchr("cfs", token[0], 3))
		return false;
	*err = set_values(p, token, e);
	return true;
}

/* Check that every argument has one role only, and that the roles that the kind requires are
 * there. */
static int check_args(struct args *a, const struct kind *k, const struct probe *p, struct error *e)
{
	for (size_t i = 0; i < N_ROLES; i++)
		for (size_t j = 0; j < i; j++)
			if (*role_of(a, i) && *role_of(a, i) == *role_of(a, j))
				return error_set(e, -EINVAL,
						 "expected different arguments for %s and %s: both "
						 "are %d",
						 roles[j].word, roles[i].word, *role_of(a, i));
	if (k->kind == PROBE_FREE_LIST && !a->next)
		return error_set(e, -EINVAL, "expected next=N: which argument tells the link's "
					     "offset");
	if (k->kind == PROBE_LABEL && !a->label && !p->label)
		return error_set(e, -EINVAL, "expected label=N (which argument tells it) or "
					     "is=LETTER");
	if (a->label && p->label)
		return error_set(e, -EINVAL, "expected label=N or is=LETTER, not both");
	if ((p->labels[0] & p->labels[1]) | (p->labels[0] & p->labels[2]) |
	    (p->labels[1] & p->labels[2]))
		return error_set(e, -EINVAL, "expected each value in one of c=, f= and s= only");
	if (!a->label && (p->labels[0] | p->labels[1] | p->labels[2]))
		return error_set(e, -EINVAL, "expected label=N: which argument has these values");
	return 0;
}

static uint8_t arg(uint8_t from_one)
{
	return from_one ? (uint8_t)(from_one - 1) : NO_ARG;
}

/* ---- lines ---- */

/* "0x401136": an address in the program's file, for programs without symbols. */
static int set_address(struct probe *p, const char *name, struct error *e)
{
	const char *digits = text_after(name, "0x");
	char *end;

	if (!digits)
		return 0;
	errno = 0;
	p->address = strtoull(digits, &end, 16);
	if (errno || *end || !p->address ||
	    strspn(digits, "0123456789abcdefABCDEF") != strlen(digits))
		return error_set(e, -EINVAL, "expected a name or an address as nm(1) shows it, not "
					     "\"%s\"",
				 name);
	return 0;
}

static char *next_token(char **rest)
{
	char *token;

	do
		token = strsep(rest, " \t\r");
	while (token && !*token);
	return token;
}

static int parse_rest(char *rest, const struct kind *k, struct probe *p, struct error *e)
{
	struct args a = { .size = k->size, .count = k->count, .ptr = k->ptr, .pool = k->pool };
	unsigned said = 0;
	char *token;
	int err = 0;

	if (!strcmp(k->word, "strdup"))
		a.string = 1;
	while (!err && (token = next_token(&rest))) {
		if (k->kind == PROBE_REALLOC && !strcmp(token, "frees-on-failure"))
			p->frees_on_failure = true;
		else if (!set_label(p, k, token, e, &err))
			err = set_role(&a, &said, k, token, e);
	}
	if (!err)
		err = check_args(&a, k, p, e);
	/* the size of a block is known when it is freed, even by a sized free */
	p->size_arg = k->kind == PROBE_FREE ? NO_ARG : arg(a.size);
	p->count_arg = arg(a.count);
	p->string_arg = arg(a.string);
	p->limit_arg = arg(a.limit);
	p->ptr_arg = arg(a.ptr);
	p->align_arg = arg(a.align);
	p->out_arg = arg(a.out);
	p->pool_arg = arg(a.pool);
	p->next_arg = arg(a.next);
	p->label_arg = arg(a.label);
	return err;
}

int probe_line_parse(const char *line, struct probe_line *out, struct error *e)
{
	char text[PROBE_LINE_MAX + 1], *rest = text;

	*out = (struct probe_line){ .what = LINE_EMPTY };
	if (strlen(line) > PROBE_LINE_MAX)
		return error_set(e, -EINVAL, "expected a line of at most %d bytes", PROBE_LINE_MAX);
	strcpy(text, line);
	text[strcspn(text, "#")] = '\0';
	const char *word = next_token(&rest);
	if (!word)
		return 0;
	bool forwarder = !strcmp(word, "forwarder");
	const struct kind *k = forwarder ? NULL : find_kind(word);
	if (!forwarder && !k)
		return error_set(e, -EINVAL, "expected a kind such as malloc, calloc, realloc, "
					     "free, new or "
				 "delete, not \"%s\"", word);
	const char *name = next_token(&rest);
	if (!name)
		return error_set(e, -EINVAL, "expected a name behind \"%s\"", word);
	strcpy(out->name, name);
	out->what = forwarder ? LINE_FORWARDER : LINE_PROBE;
	if (forwarder) {
		const char *more = next_token(&rest);

		return more ? error_set(e, -EINVAL, "expected the end of the line, not "
						    "\"%s\"", more) : 0;
	}
	out->probe.kind = k->kind;
	out->probe.mark = k->mark;
	out->probe.question = k->question;
	out->probe.operator_new = k->operator_new;
	int err = set_address(&out->probe, name, e);
	return err ? err : parse_rest(rest, k, &out->probe, e);
}
