/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile/runtime.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* A function that identifies a request by its name. */
struct known {
	const char *name; /* the whole name; with * at its end, a prefix */
	enum runtime_kind kind;
};

/* Functions of the C library. Others also keep something, but their caller has to release it
 * (iconv_open, newlocale, fopen): if it does not, that is a leak. */
static const struct known of_libc[] = {
	{"_IO_file_doallocate", RUNTIME_STDIO}, {"_dl_*", RUNTIME_LOADER},
	{"__libc_setup_tls", RUNTIME_LOADER},	{"_nl_*", RUNTIME_LOCALE},
	{"setlocale", RUNTIME_LOCALE},		{"textdomain", RUNTIME_LOCALE},
	{"bindtextdomain", RUNTIME_LOCALE},	{"__wcsmbs_load_conv", RUNTIME_LOCALE},
	{"__gconv_read_conf", RUNTIME_LOCALE},	{"__gconv_load_cache", RUNTIME_LOCALE},
	{"tzset*", RUNTIME_TIME_ZONE},		{"__tz*", RUNTIME_TIME_ZONE},
	{"__new_exitfn", RUNTIME_EXIT},		{"__nss_*", RUNTIME_NAMES},
	{"getpwuid", RUNTIME_NAMES},		{"getpwnam", RUNTIME_NAMES},
	{"getpwent", RUNTIME_NAMES},		{"getgrgid", RUNTIME_NAMES},
	{"getgrnam", RUNTIME_NAMES},		{"getgrent", RUNTIME_NAMES},
	{"gethostbyname", RUNTIME_NAMES},	{"gethostbyname2", RUNTIME_NAMES},
	{"gethostbyaddr", RUNTIME_NAMES},	{"getservbyname", RUNTIME_NAMES},
	{"getservbyport", RUNTIME_NAMES},	{"getprotobyname", RUNTIME_NAMES},
	{"getprotobynumber", RUNTIME_NAMES},
};

const char *runtime_word(enum runtime_kind kind)
{
	static const char *const words[RUNTIME_KINDS] = {
		[RUNTIME_NONE] = "",
		[RUNTIME_EMERGENCY] = "C++ emergency pool",
		[RUNTIME_STDIO] = "stdio buffers",
		[RUNTIME_LOADER] = "loader",
		[RUNTIME_LOCALE] = "locale",
		[RUNTIME_TIME_ZONE] = "time zone",
		[RUNTIME_EXIT] = "exit handlers",
		[RUNTIME_NAMES] = "name service",
	};

	return words[kind];
}

static bool is_called(const char *name, const char *known)
{
	size_t len = strlen(known);

	return known[len - 1] == '*' ? !strncmp(name, known, len - 1) : !strcmp(name, known);
}

static const char *file_of(const struct profile_data *d, const struct pd_function *f)
{
	return f->module < d->n_modules ? path_last(d->modules[f->module].path) : "";
}

/* In musl, the loader and the C library are one file. */
static bool is_loader(const char *file)
{
	return text_begins(file, "ld-linux") || text_begins(file, "ld-2.");
}

static bool is_libc(const char *file)
{
	return text_begins(file, "libc.so") || text_begins(file, "libc-2.") ||
	       text_begins(file, "ld-musl");
}

static bool is_static(const struct profile_data *d)
{
	for (size_t i = 0; i < d->n_modules; i++)
		if (is_libc(path_last(d->modules[i].path)) ||
		    is_loader(path_last(d->modules[i].path)))
			return false;
	return true;
}

/* A static program contains its C library; in it, only names that begin with an underscore are
 * certain to be the library's. */
static bool is_in_libc(const struct profile_data *d, const struct pd_function *f)
{
	return is_libc(file_of(d, f)) ||
	       (f->module == d->program && f->name[0] == '_' && is_static(d));
}

static enum runtime_kind kind_in_libc(const struct pd_function *f)
{
	for (size_t i = 0; i < sizeof of_libc / sizeof *of_libc; i++)
		if (is_called(f->name, of_libc[i].name))
			return of_libc[i].kind;
	return RUNTIME_NONE;
}

static const struct pd_function *function_at(const struct profile_data *d, uint32_t node)
{
	return &d->functions[d->sites[d->nodes[node].site].function];
}

/* By size, which is known for gcc's libraries from 5 to 14 on 64 bits, and by caller: libstdc++
 * while the loader initializes it, or in a static program a function of that name. */
static bool is_emergency_pool(const struct profile_data *d, const struct pd_leaf *l)
{
	uint32_t at = l->node;

	if ((l->size != 72704 && l->size != 73728) || at < PD_FIRST_NODE)
		return false;
	const char *name = function_at(d, at)->name;

	if (strstr(name, "eh_alloc") || strstr(name, "::pool::pool"))
		return true;
	if (!text_begins(file_of(d, function_at(d, at)), "libstdc++.so"))
		return false;
	while (at >= PD_FIRST_NODE && text_begins(file_of(d, function_at(d, at)), "libstdc++.so"))
		at = d->nodes[at].parent;
	return at < PD_FIRST_NODE || is_loader(file_of(d, function_at(d, at)));
}

/* Goes outwards while functions are in the C library: in one without symbols only the exported
 * functions have names. */
enum runtime_kind runtime_kind_of(const struct profile_data *d, const struct pd_leaf *l)
{
	enum runtime_kind kind = RUNTIME_NONE;

	if (is_emergency_pool(d, l))
		return RUNTIME_EMERGENCY;
	if (l->node >= PD_FIRST_NODE && is_loader(file_of(d, function_at(d, l->node))))
		return RUNTIME_LOADER;
	for (uint32_t at = l->node; at >= PD_FIRST_NODE; at = d->nodes[at].parent) {
		const struct pd_function *f = function_at(d, at);

		if (!is_in_libc(d, f))
			break;
		kind = kind_in_libc(f);
		if (kind != RUNTIME_NONE)
			break;
	}
	return kind;
}

enum runtime_kind runtime_add(const struct profile_data *d, const struct pd_leaf *l,
			      struct pd_sum sums[RUNTIME_KINDS])
{
	uint64_t blocks = l->allocs - l->frees;
	enum runtime_kind kind = blocks ? runtime_kind_of(d, l) : RUNTIME_NONE;

	sums[kind].blocks += blocks;
	sums[kind].bytes += blocks * l->size;
	return kind;
}

struct pd_sum runtime_sum(const struct pd_sum sums[RUNTIME_KINDS], char *kinds, size_t size)
{
	struct pd_sum all = {0};
	size_t n = 0;

	*kinds = '\0';
	for (int k = RUNTIME_NONE + 1; k < RUNTIME_KINDS; k++) {
		all.blocks += sums[k].blocks;
		all.bytes += sums[k].bytes;
		if (sums[k].blocks && n < size)
			n += (size_t)snprintf(kinds + n, size - n, "%s%s %" PRIu64, n ? ", " : "",
					      runtime_word((enum runtime_kind)k), sums[k].bytes);
	}
	return all;
}
