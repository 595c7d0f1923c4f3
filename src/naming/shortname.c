/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/shortname.h"

#include "base/glob.h"
#include "base/text.h"
#include "symbols/demangle.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* No name has more nested brackets. */
#define DEPTH_MAX 256

/* A name being read from left to right, and the short one being written. */
struct shortener {
	const char *in;
	char *out;
	size_t len, size;
	int depth;	 /* of {} that are being copied */
	bool parameters; /* those of a lambda are being copied */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static void put(struct shortener *s, const char *text, size_t n)
{
	if (n >= s->size - s->len)
		n = s->size - s->len - 1;
	memcpy(s->out + s->len, text, n);
	s->len += n;
}

/*
 * The length of the operator's name at @s: "operator" and its symbol. 0: it is just a word, or an
 * operator without brackets in its name (a conversion, "operator int").
 */
static size_t operator_length(const char *s)
{
	static const char *const symbols[] = {
		"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">",
	};
	static const size_t word = sizeof "operator" - 1;

	if (!text_begins(s, "operator"))
		return 0;
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		size_t n = word + strlen(symbols[i]);

		/* "operator<<int>" is an operator< of int. */
		if (text_begins(s + word, symbols[i]) && strchr(" <([:", s[n]))
			return n;
	}
	return 0;
}

static bool at_word(const char *begin, const char *at)
{
	return at == begin || !is_word(at[-1]);
}

static char closing(char c)
{
	return c == '<' ? '>' : c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : '\0';
}

/*
 * The end of the bracket that opens at @s, behind the closing one; NULL: it is not closed. Within
 * (), < and > are not counted: demanglers put expressions with a > into parentheses.
 */
static const char *skip_bracket(const char *s)
{
	char open[DEPTH_MAX];
	const char *begin = s;
	int depth = 0;

	for (; *s; s++) {
		size_t n = at_word(begin, s) ? operator_length(s) : 0;

		if (n) {
			s += n - 1;
			continue;
		}
		if (*s == '-' && s[1] == '>') {
			s++;
			continue;
		}
		char inside = depth ? open[depth - 1] : '\0';

		if (depth && *s == inside) {
			if (!--depth)
				return s + 1;
		} else if (closing(*s) && !(*s == '<' && inside == ')')) {
			if (depth == DEPTH_MAX)
				return NULL;
			open[depth++] = closing(*s);
		}
	}
	return NULL;
}

/* Removes blanks at the end of what has been written. */
static void trim(struct shortener *s)
{
	while (s->len && s->out[s->len - 1] == ' ')
		s->len--;
}

static bool ends(const struct shortener *s, const char *with)
{
	size_t n = strlen(with);

	return s->len >= n && memcmp(s->out + s->len - n, with, n) == 0;
}

/* Skips what belongs to a list of parameters and stands behind it. */
static const char *skip_qualifiers(const char *s)
{
	static const char *const words[] = {" const", " volatile", " &&", " &", " noexcept"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);

		if (text_begins(s, words[i]) && !is_word(s[n]))
			return skip_qualifiers(s + n);
	}
	return s;
}

/* Does what has been written end in an operator's name, so that a bracket begins arguments? */
static bool after_operator(const struct shortener *s)
{
	static const char word[] = "operator";
	size_t n = s->len;

	while (n && ispunct((unsigned char)s->out[n - 1]) && !is_word(s->out[n - 1]))
		n--;
	return n < s->len && n >= sizeof word - 1 &&
	       memcmp(s->out + n - (sizeof word - 1), word, sizeof word - 1) == 0;
}

static void copy(struct shortener *s, const char *until);

/* "<Foo>::f" of Rust: the brackets can be dropped. */
static bool is_plain(const char *type, const char *end)
{
	const char *as = strstr(type, " as ");

	return is_word(*type) && (!as || as >= end) && text_begins(end, ">::");
}

/* A '<' at s->in: arguments are dropped, but the type in "<T as Trait>::f" is part of the path. */
static bool angle(struct shortener *s)
{
	const char *end = skip_bracket(s->in);
	bool begins =
		!after_operator(s) && (!s->len || ends(s, "<") || ends(s, "&") || ends(s, " as "));

	if (!end)
		return false;
	if (begins) {
		bool plain = is_plain(s->in + 1, end - 1);

		put(s, "<", !plain);
		s->in++;
		copy(s, end - 1);
		put(s, ">", !plain);
	} else {
		if (ends(s, "::")) /* Rust: f::<T> */
			s->len -= 2;
		trim(s);
	}
	s->in = end;
	return true;
}

/* The parameters of a lambda: numbers are counted for each list of them. */
static void lambda_parameters(struct shortener *s, const char *end)
{
	bool within = s->parameters;

	s->parameters = true;
	put(s, "(", 1);
	s->in++;
	copy(s, end - 1);
	put(s, ")", 1);
	s->in = end;
	s->parameters = within;
}

/* A '(' at s->in. */
static bool parenthesis(struct shortener *s)
{
	const char *end = skip_bracket(s->in);

	if (!end)
		return false;
	if (s->depth && ends(s, "{lambda")) {
		lambda_parameters(s, end);
		return true;
	}
	/* "(anonymous namespace)::f", "operator void (*)()"; (A, B) of Rust begins a type. */
	bool keep = text_begins(s->in, "(anonymous ") || s->in[1] == '*' || s->in[1] == '&' ||
		    s->parameters || !s->len || ends(s, "<") || ends(s, " as ");

	if (keep)
		put(s, s->in, (size_t)(end - s->in));
	s->in = keep ? end : skip_qualifiers(end);
	return true;
}

static bool brace(struct shortener *s)
{
	const char *end = skip_bracket(s->in);

	if (!end || s->depth == DEPTH_MAX)
		return false;
	s->depth++;
	put(s, "{", 1);
	s->in++;
	copy(s, end - 1);
	put(s, "}", 1);
	s->in = end;
	s->depth--;
	return true;
}

/* Copies up to @until, which is not inside of a bracket that opens before it. */
static void copy(struct shortener *s, const char *until)
{
	const char *begin = s->in;

	while (s->in < until) {
		size_t n = at_word(begin, s->in) ? operator_length(s->in) : 0;

		if (n) {
			put(s, s->in, n);
			s->in += n;
		} else if ((*s->in == '<' && angle(s)) || (*s->in == '(' && parenthesis(s)) ||
			   (*s->in == '{' && brace(s))) {
			continue;
		} else {
			put(s, s->in++, 1);
		}
	}
}

void shortname(const char *linkage, const char *name, char *out, size_t size)
{
	char bare[16384];
	struct shortener s = {.in = name, .out = out, .size = size};

	if (demangle_bare(linkage ? linkage : name, bare, sizeof bare))
		s.in = bare;
	copy(&s, s.in + strlen(s.in));
	trim(&s);
	out[s.len] = '\0';
	if (!s.len)
		snprintf(out, size, "%s", name);
}

bool shortname_matches(const char *pattern, const char *linkage, const char *name)
{
	char out[4096];

	if (glob_matches(pattern, name))
		return true;
	if (!strpbrk(name, "(<") || strlen(name) >= sizeof out)
		return false;
	shortname(linkage, name, out, sizeof out);
	return glob_matches(pattern, out);
}
