/* SPDX-License-Identifier: BSD-2-Clause */
#include "probes/probes.h"

#include "base/array.h"
#include "base/text.h"
#include "base/text_file.h"
#include "probes/probe_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX_SIZE (1 << 20) /* bytes; a larger file is a mistake */

static const char builtin_text[] =
#include "builtin_probes.inc"
	;

void probes_release(struct probes *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i].name);
		free(p->v[i].where);
	}
	for (size_t i = 0; i < p->n_forwarders; i++)
		free(p->forwarders[i]);
	free(p->v);
	free(p->forwarders);
	idindex_release(&p->by_name);
	*p = (struct probes){ 0 };
}

/* ---- names ---- */

static uint64_t name_hash(const char *name)
{
	return hash_text(0xcbf29ce484222325ULL, name);
}

static bool name_eq(const void *owner, uint32_t id, const void *key)
{
	return !strcmp(((const struct probes *)owner)->v[id].name, key);
}

static uint64_t name_rehash(const void *owner, uint32_t id)
{
	return name_hash(((const struct probes *)owner)->v[id].name);
}

uint32_t probes_named(const struct probes *p, const char *name)
{
	/* A file may have millions of names that are megabytes long: compare no more than
	 * needed. */
	if (strnlen(name, p->longest + 1) > p->longest)
		return IDINDEX_NONE;
	return idindex_find(&p->by_name, name_hash(name), name_eq, p, name);
}

uint32_t probes_of_kind(const struct probes *p, enum probe_kind kind)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].kind == kind)
			return (uint32_t)i;
	return IDINDEX_NONE;
}

bool probes_forwards(const struct probes *p, const char *soname)
{
	for (size_t i = 0; soname && i < p->n_forwarders; i++)
		if (!strcmp(p->forwarders[i], soname))
			return true;
	return false;
}

/* ---- adding ---- */

/* Takes ownership of the strings of @probe, even on failure. */
static int add(struct probes *p, struct probe *probe)
{
	uint32_t id = (uint32_t)p->n;

	if (!probe->name || !probe->where || ARRAY_RESERVE(&p->v, &p->cap, p->n)) {
		free(probe->name);
		free(probe->where);
		return -ENOMEM;
	}
	p->v[p->n++] = *probe;
	if (probe->address || probe->kind == PROBE_REQUEST ||
	    probes_named(p, probe->name) != IDINDEX_NONE)
		return 0;
	if (strlen(probe->name) > p->longest)
		p->longest = strlen(probe->name);
	return idindex_add(&p->by_name, id, name_hash(probe->name), name_rehash, p);
}

static int add_forwarder(struct probes *p, const char *soname)
{
	if (ARRAY_RESERVE(&p->forwarders, &p->cap_forwarders, p->n_forwarders))
		return -ENOMEM;
	p->forwarders[p->n_forwarders] = strdup(soname);
	return p->forwarders[p->n_forwarders] ? (p->n_forwarders++, 0) : -ENOMEM;
}

/* Add the definition in a line. @where is copied. */
static int add_line(struct probes *p, const char *line, const char *where, bool user, bool hook,
		    struct error *e)
{
	struct probe_line parsed;
	struct error why;

	if (probe_line_parse(line, &parsed, &why))
		return error_set(e, -EINVAL, "%s: %s", where, why.text);
	if (parsed.what == LINE_EMPTY)
		return 0;
	if (parsed.what == LINE_FORWARDER)
		return add_forwarder(p, parsed.name);
	parsed.probe.name = strdup(parsed.name);
	parsed.probe.where = strdup(where);
	parsed.probe.user = user;
	parsed.probe.must_be_found = hook;
	return add(p, &parsed.probe);
}

int probes_add_text(struct probes *p, const char *text, size_t len, const char *file, bool user,
		    struct error *e)
{
	size_t at = 0;

	for (unsigned number = 1; at < len; number++) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end ? (size_t)(end - text) - at : len - at;
		char line[PROBE_LINE_MAX + 1], where[PROBE_LINE_MAX];

		snprintf(where, sizeof where, "%s:%u", file, number);
		if (n > PROBE_LINE_MAX)
			return error_set(e, -EINVAL, "%s: expected a line of at most %d "
						     "bytes", where,
					 PROBE_LINE_MAX);
		if (memchr(text + at, '\0', n))
			return error_set(e, -EINVAL, "%s: expected text, found a byte of value "
						     "0", where);
		memcpy(line, text + at, n);
		line[n] = '\0';
		int err = add_line(p, line, where, user, false, e);
		if (err)
			return err == -ENOMEM ? error_set(e, err, "%s: out of memory", where) : err;
		at += n + 1;
	}
	return 0;
}

int probes_add_file(struct probes *p, const char *path, struct error *e)
{
	ssize_t len;
	char *text = text_file_read(path, FILE_MAX_SIZE, &len);
	int err;

	if (len < 0)
		err = error_set(e, (int)len, "cannot read the probe definitions in %s: %s", path,
				text_file_why((int)len));
	else
		err = probes_add_text(p, text, (size_t)len, path, true, e);
	free(text);
	return err;
}

int probes_add_hook(struct probes *p, const char *hook, struct error *e)
{
	const char *colon = strchr(hook, ':');
	char line[PROBE_LINE_MAX + 1], where[PROBE_LINE_MAX + 16];

	snprintf(where, sizeof where, "--hook=%s", hook);
	if (!colon || colon == hook || !colon[1] || strpbrk(hook, " \t\n#") ||
	    strlen(hook) > PROBE_LINE_MAX)
		return error_set(e, -EINVAL, "%s: expected KIND:NAME or KIND:0xADDRESS, with a "
					     "kind such as "
				 "malloc, calloc, realloc or free", where);
	snprintf(line, sizeof line, "%.*s %s", (int)(colon - hook), hook, colon + 1);
	return add_line(p, line, where, true, true, e);
}

int probes_add_builtin(struct probes *p, bool client_requests, struct error *e)
{
	int err = probes_add_text(p, builtin_text, sizeof builtin_text - 1, "built-in", false, e);

	if (err || !client_requests)
		return err;
	struct probe request = { .kind = PROBE_REQUEST,
				 .name = strdup("(client request)"),
				 .where = strdup("--client-requests") };

	return add(p, &request);
}
