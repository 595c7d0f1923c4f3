/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/apart.h"

#include "base/text.h"
#include "control/control.h"
#include "outputs/settings.h"
#include "session/filename.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Which other names an output may use. */
enum further {
	NO_FURTHER,
	NUMBERED,	/* NAME.PID, NAME.N, NAME.PID.N: other processes, and programs after an
			   exec */
	SNAPSHOTS,	/* the same, and .snapshot.N appended to each */
	NUMBERED_PAGES,	/* NAME.N.html and so on, of NAME.html */
	HEAP_PROFILES,	/* NAME.NNNN.heap, NAME_PID.NNNN.heap; and NAME.*.heap is deleted first */
};

struct output {
	const char *option;
	enum further further;
	char *name;	/* as given, with sequences expanded */
	char *where;	/* absolute, links resolved; NULL: not a regular file, which cannot be
			   destroyed */
	bool is_there;
	dev_t dev;
	ino_t ino;
};

/* ---- where a name leads ---- */

/* The directory's real path and the last component of the name; the name itself if the directory
 * does not exist. For free(). */
static char *in_real_directory(const char *name)
{
	const char *last = path_last(name);
	char *dir = last == name ? strdup(".") : strndup(name, (size_t)(last - name));
	char *real = dir ? realpath(dir, NULL) : NULL, *where = NULL;

	if (!real)
		where = strdup(name);
	else if (asprintf(&where, "%s/%s", strcmp(real, "/") ? real : "", last) < 0)
		where = NULL;
	free(real);
	free(dir);
	return where;
}

/* The file that a dangling symbolic link would create; NULL: it is no such link. For free(). */
static char *behind_link(const char *where)
{
	char target[PATH_MAX], *name = NULL;
	ssize_t n = readlink(where, target, sizeof target - 1);

	if (n <= 0)
		return NULL;
	target[n] = '\0';
	if (target[0] == '/')
		return in_real_directory(target);
	if (asprintf(&name, "%.*s%s", (int)(path_last(where) - where), where, target) < 0)
		return NULL;
	char *real = in_real_directory(name);
	free(name);
	return real;
}

static void resolve(struct output *out)
{
	struct stat st;

	if (out->further == HEAP_PROFILES) {
		out->where = in_real_directory(out->name);
		return;
	}
	out->is_there = !stat(out->name, &st);
	if (out->is_there && !S_ISREG(st.st_mode))
		return;
	if (out->is_there) {
		out->dev = st.st_dev;
		out->ino = st.st_ino;
		out->where = realpath(out->name, NULL);
		return;
	}
	out->where = in_real_directory(out->name);
	/* The kernel follows as many links. */
	for (int i = 0; i < 40 && out->where; i++) {
		char *next = behind_link(out->where);

		if (!next)
			return;
		free(out->where);
		out->where = next;
	}
}

/* ---- names that an output may use ---- */

static const char *skip_digits(const char *s)
{
	while (isdigit((unsigned char)*s))
		s++;
	return s;
}

/* ".12", ".12.3" */
static bool is_number(const char *s)
{
	for (int i = 0; i < 2 && *s == '.' && isdigit((unsigned char)s[1]); i++)
		s = skip_digits(s + 1);
	return !*s;
}

/* ".12.snapshot.3" */
static bool is_snapshot(const char *s)
{
	const char *ending = strstr(s, SNAPSHOT_ENDING);

	if (!ending)
		return is_number(s);
	char *number = strndup(s, (size_t)(ending - s));
	bool is = number && is_number(number) && is_number(ending + strlen(SNAPSHOT_ENDING) - 1);
	free(number);
	return is;
}

/* ".0001.heap", "_12.0001.heap", and whatever else is deleted first */
static bool is_heap_profile(const char *s)
{
	static const char suffix[] = ".heap";

	if (*s == '_')
		s = skip_digits(s + 1);
	return *s == '.' && strlen(s) > strlen(suffix) &&
	       !strcmp(s + strlen(s) - strlen(suffix), suffix);
}

/* True if @name is "NAME.12.html" and @page is "NAME.html". */
static bool is_page_beside(const char *page, const char *name)
{
	size_t stem = filename_stem(page, PAGE_ENDING), len = strlen(name);
	size_t ending = strlen(page) - stem;

	if (len <= stem + ending || strncmp(page, name, stem) ||
	    strcmp(page + stem, name + len - ending))
		return false;
	char *number = strndup(name + stem, len - stem - ending);
	bool is = number && is_number(number);
	free(number);
	return is;
}

/* True if @a may write the file of @b under one of its other names. */
static bool may_take(const struct output *a, const struct output *b)
{
	if (a->further == NUMBERED_PAGES)
		return is_page_beside(a->where, b->where);
	const char *rest = text_after(b->where, a->where);

	return rest && *rest && ((a->further == NUMBERED && is_number(rest)) ||
				 (a->further == SNAPSHOTS && is_snapshot(rest)) ||
				 (a->further == HEAP_PROFILES && is_heap_profile(rest)));
}

static bool are_same(const struct output *a, const struct output *b)
{
	/* The name of heap profiles is only a prefix. */
	if ((a->further == HEAP_PROFILES) != (b->further == HEAP_PROFILES))
		return false;
	return !strcmp(a->where, b->where) ||
	       (a->is_there && b->is_there && a->dev == b->dev && a->ino == b->ino);
}

static const char *between(const struct output *a)
{
	return a->option[1] == '-' ? "=" : " ";
}

/* Returns false with a sentence in @e if they may be the same file. */
static bool are_apart(const struct output *a, const struct output *b, struct error *e)
{
	if (!a->where || !b->where || a->option == b->option)
		return true;
	if (are_same(a, b) && !strcmp(a->name, b->name))
		error_set(e, 0, "%s and %s both name %s: give one of them another name", a->option,
			  b->option, a->name);
	else if (are_same(a, b))
		error_set(e, 0, "%s%s%s and %s%s%s are the same file: give one of them another "
				"name",
			  a->option, between(a), a->name, b->option, between(b), b->name);
	else if (may_take(b, a))
		return are_apart(b, a, e);
	else if (may_take(a, b))
		error_set(e, 0, "%s%s%s is a name that %s%s%s may need for a further file: give "
				"one of them another name",
			  b->option, between(b), b->name, a->option, between(a), a->name);
	else
		return true;
	return false;
}

/* ---- all of them ---- */

/* The files named by options, for process @pid. */
struct outputs_named {
	struct output of[12];
	size_t n;
	pid_t pid;
};

/* Add a file; takes ownership of @name. */
static void add_output(struct outputs_named *to, const char *option, char *name,
		       enum further further)
{
	struct output *out = &to->of[to->n++];

	*out = (struct output){ .option = option, .name = name, .further = further };
	resolve(out);
}

/* Add a file; @nth: value of %n, 0: none. False: the name cannot be expanded, with a sentence in
 * @e. */
static bool add(struct outputs_named *to, const char *option, const char *pattern, unsigned nth,
		enum further further, struct error *e)
{
	struct error why;

	if (!pattern)
		return true;
	char *name = filename_expand_nth(pattern, to->pid, nth, &why);
	if (!name) {
		error_set(e, 0, "%s: %s", option, why.text);
		return false;
	}
	add_output(to, option, name, further);
	return true;
}

/* Add @name, which is allocated. False: it is NULL, without memory for it. */
static bool add_name(struct outputs_named *to, const char *option, char *name, struct error *e)
{
	if (name)
		add_output(to, option, name, NO_FURTHER);
	else
		error_set(e, 0, "%s: file name: out of memory", option);
	return name;
}

/* The first heap profile may be a symbolic link that exists already. */
static bool add_first_profile(struct outputs_named *to, struct error *e)
{
	const struct output *profiles = to->n ? &to->of[to->n - 1] : NULL;
	char *name;

	if (!profiles)
		return true;
	if (asprintf(&name, "%s.0001.heap", profiles->name) < 0)
		name = NULL;
	return add_name(to, profiles->option, name, e);
}

/* Add a name without sequences, if there is one. */
static bool add_plain(struct outputs_named *to, const char *option, const char *name,
		      struct error *e)
{
	return !name || add_name(to, option, strdup(name), e);
}

/* A page of all profiles has no other names. */
static enum further further_pages(const char *html)
{
	return html && filename_has_pid(html) ? NUMBERED_PAGES : NO_FURTHER;
}

/* Add all files. */
static bool add_all(struct outputs_named *to, const struct options *o, struct error *e)
{
	return add(to, "--heap-profile", o->heap.prefix, 0, HEAP_PROFILES, e) &&
	       add_first_profile(to, e) &&
	       add_plain(to, "--junit", o->gate.junit, e) &&
	       add_plain(to, "--sarif", o->gate.sarif, e) &&
	       add(to, "--data", o->data, 0, o->n_snapshots ? SNAPSHOTS : NUMBERED, e) &&
	       add(to, "--html", o->html, 0, further_pages(o->html), e) &&
	       add(to, "--massif-out-file", o->massif.file, 1, NUMBERED, e) &&
	       add(to, "--mma-log-file", o->mma.log_file, 0, NUMBERED, e) &&
	       add(to, "--mma-stats-file", o->mma.stats_file, 0, NO_FURTHER, e) &&
	       add(to, "-o", o->output, 0, NO_FURTHER, e);
}

static void release(struct outputs_named *named)
{
	for (size_t i = 0; i < named->n; i++) {
		free(named->of[i].name);
		free(named->of[i].where);
	}
}

/* Also releases them. */
static bool say_unless_apart(struct outputs_named *all)
{
	struct error e;
	bool apart = true;

	for (size_t i = 0; apart && i < all->n; i++)
		for (size_t k = i + 1; apart && k < all->n; k++)
			apart = are_apart(&all->of[i], &all->of[k], &e);
	if (!apart)
		say("%s", e.text);
	release(all);
	return apart;
}

/* False: an output would write over @path, which is @what; a sentence has been printed. */
static bool spare(const struct options *o, const char *path, const char *what)
{
	struct outputs_named all = { .pid = getpid() };
	struct output file = { .name = (char *)path };
	struct error e;
	const struct output *over = NULL;

	resolve(&file);
	const bool known = add_all(&all, o, &e);
	for (size_t i = 0; file.where && !over && i < all.n; i++)
		if (all.of[i].where && are_same(&all.of[i], &file))
			over = &all.of[i];
	if (over)
		say("%s%s%s would write over %s: give it another name", over->option,
		    between(over), over->name, what);
	else if (!known)
		say("%s", e.text);
	release(&all);
	free(file.where);
	return known && !over;
}

static bool spare_all(const struct options *o, const char *const *files)
{
	struct error what;
	bool spared = true;

	for (; spared && *files; files++) {
		error_set(&what, 0, "%s, which is read", *files);
		spared = spare(o, *files, what.text);
	}
	return spared;
}

bool outputs_apart(const struct options *o)
{
	struct outputs_named all = { .pid = getpid() };
	struct error e;

	if (add_all(&all, o, &e))
		return say_unless_apart(&all) && spare_all(o, o->probes.files) &&
		       spare_all(o, o->gate.suppressions);
	say("%s", e.text);
	release(&all);
	return false;
}

bool printed_apart(const struct options *o, pid_t pid)
{
	struct outputs_named all = { .pid = pid };
	struct error e;

	if (add_plain(&all, "-o", o->output, &e) &&
	    add_plain(&all, "--junit", o->gate.junit, &e) &&
	    add_plain(&all, "--sarif", o->gate.sarif, &e) &&
	    add(&all, "--html", o->html, 0, further_pages(o->html), &e))
		return say_unless_apart(&all);
	say("%s", e.text);
	release(&all);
	return false;
}

bool outputs_spare_program(const struct options *o, const char *path)
{
	return spare(o, path, "the program that is to run");
}

bool outputs_write(const struct options *o, pid_t pid, const char *file)
{
	struct outputs_named all = { .pid = pid };
	struct output other = { .option = "", .name = (char *)file };
	struct error e;
	/* Without memory for their names, they might. */
	bool apart = add_all(&all, o, &e);

	resolve(&other);
	for (size_t i = 0; apart && i < all.n; i++)
		apart = are_apart(&all.of[i], &other, &e);
	release(&all);
	free(other.where);
	return !apart;
}

/* ---- other sessions ---- */

static bool is_free(const struct output *out)
{
	pid_t pid = out->where && out->where[0] == '/' ? control_writing(out->where) : 0;

	if (pid)
		say("%s%s%s: the session of process %d writes that file; give this one another "
		    "name",
		    out->option, between(out), out->name, (int)pid);
	return !pid;
}

bool outputs_are_free(const struct options *o)
{
	struct outputs_named all = { .pid = getpid() };
	struct error e;
	bool free_all = add_all(&all, o, &e);

	if (!free_all)
		say("%s", e.text);
	for (size_t i = 0; free_all && i < all.n; i++)
		free_all = is_free(&all.of[i]);
	release(&all);
	return free_all;
}

static bool spares(const char *option, const char *output, char *const files[], size_t n)
{
	struct stat out, in;

	if (!output || stat(output, &out) || !S_ISREG(out.st_mode))
		return true;
	for (size_t i = 0; i < n && files[i]; i++) {
		if (stat(files[i], &in) || in.st_dev != out.st_dev || in.st_ino != out.st_ino)
			continue;
		say("%s%s would write over %s, which is read: give it another "
		    "name", option, output, files[i]);
		return false;
	}
	return true;
}

static bool printed_spare(const struct options *o, char *const files[], size_t n)
{
	return spares("-o ", o->output, files, n) && spares("--junit=", o->gate.junit, files, n) &&
	       spares("--sarif=", o->gate.sarif, files, n);
}

bool output_spares(const struct options *o, char *const files[], size_t n)
{
	char *from[] = { (char *)o->symbols_from };

	return printed_spare(o, files, n) && printed_spare(o, from, 1);
}
