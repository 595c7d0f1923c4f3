/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/demangle.h"

#include <ctype.h>
#include <setjmp.h>
#include <string.h>

#include <libiberty/demangle.h>

struct sink {
	char *out;
	size_t len, size;
	jmp_buf overflow;
};

/*
 * A few hundred bytes of mangled name can stand for gigabytes (each substitution twice the one
 * before), and libiberty has no other way to be stopped than not to return to it. It holds no
 * memory of its own in between: that is what its callback interface is for.
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
	bool v3 = strncmp(linkage, "_Z", 2) == 0 || strncmp(linkage, "_GLOBAL_", 8) == 0;

	if (!v3 && strncmp(linkage, "_R", 2) != 0)
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

/* ".constprop.0" and its like at @s: its length, or 0. */
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

/* Nothing but suffixes from the '.' at @s up to @end? */
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
