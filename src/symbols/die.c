/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/die.h"

#include "base/text.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

/* Room for a name with numbered lambdas. */
#define NUMBERED_MAX 4096

static bool step(struct die_walk *w, const Dwarf_Die *die)
{
	if (w->last && die->addr <= w->last)
		return false;
	w->last = die->addr;
	return true;
}

bool die_child(struct die_walk *w, Dwarf_Die *parent, Dwarf_Die *child)
{
	return dwarf_child(parent, child) == 0 && step(w, child);
}

bool die_sibling(struct die_walk *w, Dwarf_Die *die)
{
	return dwarf_siblingof(die, die) == 0 && step(w, die);
}

bool die_ref(Dwarf_Die *die, unsigned attr, Dwarf_Die *to)
{
	Dwarf_Attribute a;

	return dwarf_attr(die, attr, &a) && dwarf_formref_die(&a, to);
}

bool die_number(Dwarf_Die *die, unsigned attr, uint64_t *value)
{
	Dwarf_Attribute a;
	Dwarf_Word v;

	if (!dwarf_attr(die, attr, &a) || dwarf_formudata(&a, &v))
		return false;
	*value = v;
	return true;
}

bool die_flag(Dwarf_Die *die, unsigned attr)
{
	Dwarf_Attribute a;
	bool set = false;

	return dwarf_attr_integrate(die, attr, &a) && dwarf_formflag(&a, &set) == 0 && set;
}

void die_origin(Dwarf_Die *die, Dwarf_Die *origin)
{
	Dwarf_Die next;

	*origin = *die;
	for (int i = 0; i < DIE_HOPS_MAX && die_ref(origin, DW_AT_abstract_origin, &next); i++)
		*origin = next;
}

const char *die_linkage(Dwarf_Die *die)
{
	Dwarf_Attribute a;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &a) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &a))
		return dwarf_formstring(&a);
	return NULL;
}

static const char *file_of_unit(Dwarf_Die *unit, uint64_t number)
{
	Dwarf_Files *files;
	size_t n;

	if (dwarf_getsrcfiles(unit, &files, &n) || number >= n)
		return NULL;
	const char *name = dwarf_filesrc(files, number, NULL, NULL);

	return name && strcmp(name, "???") != 0 ? name : NULL;
}

const char *die_file(Dwarf_Die *die, uint64_t number)
{
	Dwarf_Die unit;

	return dwarf_diecu(die, &unit, NULL, NULL) ? file_of_unit(&unit, number) : NULL;
}

/* Not dwarf_decl_file(): that one ends the process when a split unit has no table of files. */
const char *die_decl(Dwarf_Die *die, uint32_t *line)
{
	Dwarf_Attribute a;
	Dwarf_Word file;
	Dwarf_Die unit;
	int n = 0;

	*line = dwarf_decl_line(die, &n) == 0 && n > 0 ? (uint32_t)n : 0;
	if (!dwarf_attr_integrate(die, DW_AT_decl_file, &a) || dwarf_formudata(&a, &file) ||
	    !dwarf_cu_die(a.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL))
		return NULL;
	return file_of_unit(&unit, file);
}

/*
 * libdw puts a directory of the line table before a file's name. This may be the compilation
 * directory, which may be relative itself (-ffile-prefix-map): then it must not be prepended again.
 */
static bool starts_with_folder(const char *file, const char *dir)
{
	const char *rest = text_after(file, dir);

	return rest && *rest == '/';
}

bool die_whole_path(Dwarf_Die *die, const char *file, char out[PATH_MAX])
{
	Dwarf_Die unit;
	Dwarf_Attribute a;
	const char *dir = NULL;

	if (*file != '/' && dwarf_diecu(die, &unit, NULL, NULL) &&
	    dwarf_attr(&unit, DW_AT_comp_dir, &a))
		dir = dwarf_formstring(&a);
	if (dir && starts_with_folder(file, dir))
		dir = NULL;
	int n = dir ? snprintf(out, PATH_MAX, "%s/%s", dir, file)
		    : snprintf(out, PATH_MAX, "%s", file);

	return n >= 0 && n < PATH_MAX;
}

/* Moves from @die to the last of its siblings that does not start behind @addr. */
static void go_up_to(Dwarf_Die *die, const void *addr)
{
	struct die_walk w = { die->addr };
	Dwarf_Die next = *die;

	while (die_sibling(&w, &next) && next.addr <= addr)
		*die = next;
}

size_t die_path(Dwarf_Die *die, Dwarf_Die *path, size_t max)
{
	Dwarf_Die down[DIE_DEPTH_MAX], at, child;
	size_t n = 0;

	if (!dwarf_diecu(die, &at, NULL, NULL))
		return 0;
	while (at.addr != die->addr) {
		if (n == DIE_DEPTH_MAX || n == max || dwarf_child(&at, &child) ||
		    child.addr <= at.addr || child.addr > die->addr)
			return 0;
		go_up_to(&child, die->addr);
		down[n++] = at = child;
	}
	for (size_t i = 0; i < n; i++)
		path[i] = down[n - 1 - i];
	return n;
}

bool die_is_structure(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool die_is_scope(int tag)
{
	return tag == DW_TAG_namespace || die_is_structure(tag);
}

bool die_is_code(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_inlined_subroutine;
}

size_t die_append_scope(Dwarf_Die *scope, char *out, size_t size, size_t len)
{
	const char *name = dwarf_diename(scope);

	if (!name && dwarf_tag(scope) == DW_TAG_namespace)
		name = "(anonymous namespace)";
	if (!name || !*name || len >= size)
		return len;
	int n = snprintf(out + len, size - len, "%s::", name);

	return n < 0 || (size_t)n >= size - len ? size : len + (size_t)n;
}

/* ---- structures without names ---- */

/* Is it the type of a lambda? Its operator() has been made by the compiler. */
static bool is_closure(Dwarf_Die *type)
{
	struct die_walk w = { 0 };
	Dwarf_Die child;

	if (!die_child(&w, type, &child))
		return false;
	do {
		const char *name = dwarf_diename(&child);

		if (dwarf_tag(&child) == DW_TAG_subprogram && name &&
		    text_begins(name, "operator()") && die_flag(&child, DW_AT_artificial))
			return true;
	} while (die_sibling(&w, &child));
	return false;
}

/* A structure without a name. */
struct nameless {
	const void *addr;
	bool closure;
	uint64_t line, column;
};

static struct nameless nameless_of(Dwarf_Die *type)
{
	struct nameless n = { .addr = type->addr, .closure = is_closure(type) };

	die_number(type, DW_AT_decl_line, &n.line);
	die_number(type, DW_AT_decl_column, &n.column);
	return n;
}

/* Of two of one kind: is @a the first one in the source? */
static bool is_before(const struct nameless *a, const struct nameless *b)
{
	if (a->line != b->line)
		return a->line < b->line;
	return a->column != b->column ? a->column < b->column : a->addr < b->addr;
}

/* How many of the same kind are before @n in @scope, and in the blocks of it? */
static unsigned count_before(struct die_walk *w, Dwarf_Die *scope, const struct nameless *n,
			     int depth)
{
	Dwarf_Die at;
	unsigned count = 0;

	if (depth == DIE_DEPTH_MAX || !die_child(w, scope, &at))
		return 0;
	do {
		int tag = dwarf_tag(&at);

		if (tag == DW_TAG_lexical_block) {
			count += count_before(w, &at, n, depth + 1);
		} else if (die_is_structure(tag) && !dwarf_diename(&at)) {
			struct nameless other = nameless_of(&at);

			count += other.closure == n->closure && is_before(&other, n);
		}
	} while (die_sibling(w, &at));
	return count;
}

/* Its number among those of its kind in the function that path[@i] is in, or in whatever else; 0:
 * not known. */
static unsigned number_of(Dwarf_Die *path, size_t n, size_t i, const struct nameless *type)
{
	struct die_walk w = { 0 };
	Dwarf_Die scope;
	size_t outer = i + 1;

	while (outer < n && dwarf_tag(&path[outer]) == DW_TAG_lexical_block)
		outer++;
	if (outer < n)
		scope = path[outer];
	else if (!dwarf_diecu(&path[i], &scope, NULL, NULL))
		return 0;
	return count_before(&w, &scope, type, 0) + 1;
}

/* "{lambda#2}": the second one of the function. */
static void number_nameless(Dwarf_Die *path, size_t n, size_t i, char *out, size_t size)
{
	struct nameless type = nameless_of(&path[i]);

	snprintf(out, size, "{%s#%u}", type.closure ? "lambda" : "unnamed type",
		 number_of(path, n, i, &type));
}

/* The scope path[@i] of a function: as die_append_scope(), but with functions and nameless scopes,
 * too. */
static size_t append_any_scope(Dwarf_Die *path, size_t n, size_t i, char *out, size_t size,
			       size_t len)
{
	int tag = dwarf_tag(&path[i]);
	const char *name = dwarf_diename(&path[i]);
	char number[64];

	if (die_is_scope(tag) && (name || tag == DW_TAG_namespace))
		return die_append_scope(&path[i], out, size, len);
	if (!die_is_scope(tag) && (tag != DW_TAG_subprogram || !name))
		return len;
	if (!name)
		number_nameless(path, n, i, number, sizeof number);
	int more = len < size ? snprintf(out + len, size - len, "%s::", name ? name : number) : -1;

	return more < 0 || (size_t)more >= size - len ? size : len + (size_t)more;
}

/* ---- names with their scopes ---- */

/* The number of the lambda that a template's argument is, or points to; 0: it is none. */
static unsigned lambda_of_argument(Dwarf_Die *argument)
{
	Dwarf_Die type, next, path[DIE_DEPTH_MAX];

	if (dwarf_tag(argument) != DW_TAG_template_type_parameter ||
	    !die_ref(argument, DW_AT_type, &type))
		return 0;
	for (int i = 0; i < DIE_HOPS_MAX && die_ref(&type, DW_AT_type, &next); i++)
		type = next;
	if (!die_is_structure(dwarf_tag(&type)) || dwarf_diename(&type))
		return 0;
	struct nameless n = nameless_of(&type);
	size_t depth = n.closure ? die_path(&type, path, DIE_DEPTH_MAX) : 0;

	return depth ? number_of(path, depth, 0, &n) : 0;
}

static const char *next_lambda(const char *name)
{
	return strstr(name, "<lambda(");
}

/* Behind the ")>" of the lambda's parameters that begin at @s; NULL: there is none. */
static const char *end_of_lambda(const char *s)
{
	int depth = 0;

	for (; *s; s++) {
		depth += (*s == '(') - (*s == ')');
		if (*s == ')' && !depth)
			return s[1] == '>' ? s + 2 : NULL;
	}
	return NULL;
}

/*
 * gcc's "call<main()::<lambda(int)> >" may be any of main()'s lambdas: write
 * "call<main()::{lambda(int)#2}>", by the arguments of the template. Returns @name itself if these
 * are not the lambdas in it.
 */
static const char *number_arguments(Dwarf_Die *die, const char *name, char *out, size_t size)
{
	struct die_walk w = { 0 };
	const char *lambda = name ? next_lambda(name) : NULL, *rest = name;
	Dwarf_Die child;
	size_t len = 0;

	if (!lambda || strlen(name) >= size / 2 || !die_child(&w, die, &child))
		return name;
	do {
		unsigned number = lambda_of_argument(&child);
		const char *end = lambda && number ? end_of_lambda(lambda) : NULL;

		if (!number)
			continue;
		if (!end)
			return name;
		int n = snprintf(out + len, size - len, "%.*s{%.*s#%u}", (int)(lambda - rest), rest,
				 (int)(end - lambda) - 2, lambda + 1, number);
		if (n < 0 || (size_t)n >= size - len)
			return name;
		len += (size_t)n;
		rest = text_begins(end, " >") ? end + 1 : end;
		lambda = next_lambda(rest);
	} while (die_sibling(&w, &child));
	if (lambda || strlen(rest) >= size - len)
		return name;
	memcpy(out + len, rest, strlen(rest) + 1);
	return out;
}

/* @whole: include enclosing functions. */
static bool name_with_scopes(Dwarf_Die *die, bool whole, char *out, size_t size)
{
	Dwarf_Die path[DIE_DEPTH_MAX], at = *die, next;
	char numbered[NUMBERED_MAX];
	const char *name = dwarf_diename(die);
	size_t len = 0;

	if (whole)
		name = number_arguments(die, name, numbered, sizeof numbered);
	for (int i = 0; i < DIE_HOPS_MAX && die_ref(&at, DW_AT_specification, &next); i++)
		at = next;
	if (!name || !*name)
		return false;
	size_t n_path = die_path(&at, path, DIE_DEPTH_MAX);

	for (size_t i = n_path; i-- > 1;) {
		int tag = dwarf_tag(&path[i]);

		if (whole)
			len = append_any_scope(path, n_path, i, out, size, len);
		else if (die_is_code(tag))
			len = 0;
		else if (die_is_scope(tag))
			len = die_append_scope(&path[i], out, size, len);
	}
	if (len >= size)
		return false;
	int n = snprintf(out + len, size - len, "%s", name);

	return n >= 0 && (size_t)n < size - len;
}

bool die_scoped_name(Dwarf_Die *die, char *out, size_t size)
{
	return name_with_scopes(die, false, out, size);
}

bool die_function_name(Dwarf_Die *die, char *out, size_t size)
{
	return name_with_scopes(die, true, out, size);
}

bool die_scope(Dwarf_Die *die, Dwarf_Die *scope)
{
	Dwarf_Die path[DIE_DEPTH_MAX];

	if (die_path(die, path, DIE_DEPTH_MAX) < 2)
		return false;
	*scope = path[1];
	return true;
}

bool die_unit_is_c(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return true;
	default:
		return false;
	}
}
