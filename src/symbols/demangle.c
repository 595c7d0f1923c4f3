/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/demangle.h"

#include "base/text.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

struct sink {
	char *out;
	size_t len, size;
	jmp_buf overflow;
};

/*
 * A few hundred bytes of mangled name can stand for gigabytes (each substitution doubles the one
 * before), and the only way to stop libiberty is not to return to it. Its callback interface
 * allocates no memory, so nothing leaks.
 */
static void put(const char *s, size_t n, void *ctx)
{
	struct sink *k = ctx;

	if (n >= k->size - k->len)
		longjmp(k->overflow, 1);
	memcpy(k->out + k->len, s, n);
	k->len += n;
}

static bool run(const char *linkage, struct sink *k)
{
	static const int how = DMGL_PARAMS | DMGL_ANSI;
	bool v3 = text_begins(linkage, "_Z") || text_begins(linkage, "_GLOBAL_");

	if (!v3 && !text_begins(linkage, "_R"))
		return false;
	if (rust_demangle_callback(linkage, how, put, k))
		return true;
	k->len = 0;
	return v3 && cplus_demangle_v3_callback(linkage, how, put, k);
}

bool demangle(const char *linkage, char *out, size_t size)
{
	struct sink k = { .out = out, .size = size };

	if (setjmp(k.overflow)) /* NOLINT(cert-err52-cpp): see put() */
		return false;
	if (!run(linkage, &k) || !k.len)
		return false;
	out[k.len] = '\0';
	return true;
}

/* ---- without types ---- */

/* Far more components than any name has around its own words. */
#define BARE_STEPS_MAX 20000

/*
 * Takes the types out of a name: only its own words are visited, and the functions and classes
 * that it is in. Names may share parts, but no part is ever below itself.
 */
static struct demangle_component *bare(struct demangle_component *c, int *steps)
{
	while (c && ++*steps < BARE_STEPS_MAX) {
		switch (c->type) {
		case DEMANGLE_COMPONENT_TEMPLATE:
		case DEMANGLE_COMPONENT_TYPED_NAME:
		case DEMANGLE_COMPONENT_CLONE:
		case DEMANGLE_COMPONENT_CONST_THIS:
		case DEMANGLE_COMPONENT_VOLATILE_THIS:
		case DEMANGLE_COMPONENT_RESTRICT_THIS:
		case DEMANGLE_COMPONENT_REFERENCE_THIS:
		case DEMANGLE_COMPONENT_RVALUE_REFERENCE_THIS:
			c = c->u.s_binary.left;
			continue;
		case DEMANGLE_COMPONENT_QUAL_NAME:
		case DEMANGLE_COMPONENT_LOCAL_NAME:
			if (*steps > BARE_STEPS_MAX / 2)
				return c;	/* deeper than any name that people write */
			c->u.s_binary.left = bare(c->u.s_binary.left, steps);
			c->u.s_binary.right = bare(c->u.s_binary.right, steps);
			return c;
		case DEMANGLE_COMPONENT_TAGGED_NAME:
		case DEMANGLE_COMPONENT_THUNK:
		case DEMANGLE_COMPONENT_VIRTUAL_THUNK:
		case DEMANGLE_COMPONENT_COVARIANT_THUNK:
			c->u.s_binary.left = bare(c->u.s_binary.left, steps);
			return c;
		default:
			return c;
		}
	}
	return c;
}

static void ignore(const char *s, size_t n, void *ctx)
{
	(void)s, (void)n, (void)ctx;
}

bool demangle_bare(const char *linkage, char *out, size_t size)
{
	char stem[16384];
	void *volatile memory = NULL;
	struct sink k = { .out = out, .size = size };
	bool done = false;

	if (!text_begins(linkage, "_Z"))
		return false;
	int n = snprintf(stem, sizeof stem, "%.*s", (int)demangle_stem(linkage, NULL), linkage);
	/* Rust's names look like C++ ones, except for the hash at their end. */
	if (n < 0 || (size_t)n >= sizeof stem ||
	    rust_demangle_callback(stem, DMGL_ANSI, ignore, NULL))
		return false;
	if (!setjmp(k.overflow)) { /* NOLINT(cert-err52-cpp): see put() */
		void *mem = NULL;
		int steps = 0;
		struct demangle_component *c =
			cplus_demangle_v3_components(stem, DMGL_PARAMS | DMGL_ANSI, &mem);

		memory = mem;
		done = c && cplus_demangle_print_callback(DMGL_ANSI, bare(c, &steps), put, &k) &&
		       k.len;
	}
	free(memory);
	if (done)
		out[k.len] = '\0';
	return done;
}

/* ---- what compilers append ---- */

/* The length of a suffix like ".constprop.0" at @s, or 0. */
static size_t suffix(const char *s, bool *cold)
{
	static const char *const words[] = {
		"cold", "constprop", "part", "isra", "lto_priv", "llvm", "localalias", "clone",
		"unlikely", "hot", "warm", "simdclone", "resolver", "__uniq",
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = 1 + strlen(words[i]);

		if (strncmp(s + 1, words[i], n - 1) != 0 || (s[n] && s[n] != '.'))
			continue;
		if (s[n] == '.' && isdigit((unsigned char)s[n + 1]))
			n += 1 + strspn(s + n + 1, "0123456789");
		if (i == 0)
			*cold = true;
		return n;
	}
	return 0;
}

/* Is there nothing but suffixes from the '.' at @s up to @end? */
static bool only_suffixes(const char *s, const char *end, bool *cold)
{
	while (s < end && *s == '.') {
		size_t n = suffix(s, cold);

		if (!n)
			return false;
		s += n;
	}
	return s == end;
}

size_t demangle_stem(const char *symbol, bool *cold)
{
	const char *end = strchr(symbol, '@');
	bool is_cold = false;

	if (!end || end == symbol)
		end = symbol + strlen(symbol);
	if (cold)
		*cold = false;
	if (!isalpha((unsigned char)*symbol) && *symbol != '_')
		return (size_t)(end - symbol);
	for (const char *dot = symbol; dot && dot < end; dot = strchr(dot + 1, '.')) {
		is_cold = false;
		if (*dot != '.' || !only_suffixes(dot, end, &is_cold))
			continue;
		if (cold)
			*cold = is_cold;
		return (size_t)(dot - symbol);
	}
	return (size_t)(end - symbol);
}
