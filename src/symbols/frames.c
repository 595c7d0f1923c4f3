/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/array.h"
#include "base/text.h"
#include "symbols/die.h"
#include "symbols/internal.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INLINE_DEPTH_MAX 256

/* One lookup. */
struct search {
	struct symbols *s;
	struct module *m;
	uint64_t pc, at;		/* at: the address whose line and function are searched */
	struct cu_hit hit;
	Dwarf_Die inlined[INLINE_DEPTH_MAX];	/* outermost first */
	size_t n_inlined;
};

/* The beginning of the last part of the path that ends at @end; NULL if that is ".." or there is
 * none. */
static char *last_part(char *path, char *end)
{
	char *p = end;

	if (p > path && p[-1] == '/')
		p--;
	char *stop = p;

	while (p > path && p[-1] != '/')
		p--;
	return p == stop || (stop - p == 2 && p[0] == '.' && p[1] == '.') ? NULL : p;
}

/* Takes ".", ".." and double slashes out of a path, without looking at the file system. */
static void normalize(char *path)
{
	char *out = path, *part;

	for (const char *in = path; *in;) {
		size_t len = strcspn(in, "/");
		bool slash = in[len] == '/';

		if (len == 2 && in[0] == '.' && in[1] == '.' && (part = last_part(path, out))) {
			out = part;
		} else if (len ? !(len == 1 && *in == '.') : in == path) {
			memmove(out, in, len);
			out += len;
			if (slash)
				*out++ = '/';
		}
		in += len + slash;
	}
	*out = '\0';
}

/*
 * gcc gives all lambdas of a function the same name, "main()::<lambda(int)>", and so the instances
 * of a template for them, too. These differ in where their argument is declared.
 */
static void add_arguments(Dwarf_Die *die, char *text, size_t size)
{
	struct die_walk w = { 0 };
	Dwarf_Die child, type, next;
	size_t len = 0;

	if (!die_child(&w, die, &child))
		return;
	do {
		uint64_t line = 0, column = 0;

		if (dwarf_tag(&child) != DW_TAG_template_type_parameter ||
		    !die_ref(&child, DW_AT_type, &type))
			continue;
		/* skip pointers, references and const */
		for (int i = 0; i < DIE_HOPS_MAX && die_ref(&type, DW_AT_type, &next); i++)
			type = next;
		die_number(&type, DW_AT_decl_line, &line);
		die_number(&type, DW_AT_decl_column, &column);
		int n = snprintf(text + len, size - len, "\n%u:%u", (unsigned)line,
				 (unsigned)column);
		len += n > 0 ? (size_t)n : 0;
	} while (len < size / 2 && die_sibling(&w, &child));
}

/*
 * The same source function has many DIEs: one in each unit that includes its header. What they
 * have in common is the name and the place in the source, which different units may spell
 * differently ("../include/list.h").
 */
static int source_key(struct symbols *s, Dwarf_Die *die, bool is_c, uint64_t *key)
{
	const char *name = die_linkage(die);
	char path[PATH_MAX] = "", text[NAME_MAX_LEN + PATH_MAX], arguments[256] = "";
	char scoped[NAME_MAX_LEN];
	Dwarf_Die scope;
	uint32_t line, number;
	const char *file = die_decl(die, &line);

	if (!name) {
		/* Several in one line may have the same name in different scopes. */
		name = !is_c && die_function_name(die, scoped, sizeof scoped) ? scoped :
										dwarf_diename(die);
		add_arguments(die, arguments, sizeof arguments);
	}
	/* Where gcc's operator() of a lambda is, only the lambda says. */
	if (!file && die_scope(die, &scope))
		file = die_decl(&scope, &line);
	if (file && die_whole_path(die, file, path))
		normalize(path);
	snprintf(text, sizeof text, "%.*s\n%s\n%u%s", NAME_MAX_LEN - 512, name ? name : "", path,
		 line, arguments);
	if (!strpool_add(&s->keys, text, &number))
		return -ENOMEM;
	*key = number | KEY_SOURCE_FUNCTION;
	return 0;
}

/*
 * Is it defined in a header? Then other units may have inlined it, and only the linker knows that
 * this copy was kept for all of them.
 */
static bool is_from_header(Dwarf_Die *func, Dwarf_Die *unit)
{
	uint32_t line;
	const char *file, *main = dwarf_diename(unit);
	char path[PATH_MAX], main_path[PATH_MAX];

	if (!die_flag(func, DW_AT_external) || !main)
		return false;
	file = die_decl(func, &line);
	if (!file || !die_whole_path(func, file, path) || !die_whole_path(unit, main, main_path))
		return false;
	normalize(path);
	normalize(main_path);
	return strcmp(path, main_path) != 0;
}

/* Has @die code here? -1: a block of declarations, without code itself, but its children may. */
static int covers(Dwarf_Die *die, uint64_t at)
{
	if (dwarf_haspc(die, at) > 0)
		return 1;
	if (dwarf_tag(die) != DW_TAG_lexical_block)
		return 0;
	return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges) ? 0 : -1;
}

/* Finds the child of @parent that contains the address, also below blocks without code. */
static bool find_child(struct die_walk *w, Dwarf_Die *parent, uint64_t at, Dwarf_Die *found,
		       int depth)
{
	Dwarf_Die die;

	if (depth > DIE_DEPTH_MAX || !die_child(w, parent, &die))
		return false;
	do {
		int tag = dwarf_tag(&die), c;

		if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block &&
		    tag != DW_TAG_try_block && tag != DW_TAG_catch_block)
			continue;
		c = covers(&die, at);
		if (c > 0) {
			*found = die;
			return true;
		}
		if (c < 0 && find_child(w, &die, at, found, depth + 1))
			return true;
	} while (die_sibling(w, &die));
	return false;
}

static void find_inlined(struct search *x)
{
	struct die_walk w = { 0 };
	Dwarf_Die at = x->hit.func->die, child;

	while (x->n_inlined < INLINE_DEPTH_MAX && find_child(&w, &at, x->at, &child, 0)) {
		if (dwarf_tag(&child) == DW_TAG_inlined_subroutine)
			x->inlined[x->n_inlined++] = child;
		at = child;
	}
}

static int set_file(struct search *x, Dwarf_Die *die, const char *file, struct sym_frame *f)
{
	char path[PATH_MAX];

	if (!file || !*file || !die_whole_path(die, file, path))
		return 0;
	f->file = strpool_add(&x->s->names, path, NULL);
	return f->file ? 0 : -ENOMEM;
}

/* The line of the innermost frame is that of the line table. */
static int set_line(struct search *x, struct sym_frame *f)
{
	Dwarf_Line *line = dwarf_getsrc_die(&x->hit.cu->die, x->at);
	int n = 0;

	if (!line)
		return 0;
	if (dwarf_lineno(line, &n) == 0 && n > 0)
		f->line = (uint32_t)n;
	return set_file(x, &x->hit.cu->die, dwarf_linesrc(line, NULL, NULL), f);
}

/* The line of an outer frame is where the function inlined into it is called. */
static int set_call(struct search *x, Dwarf_Die *inlined, struct sym_frame *f)
{
	uint64_t file, line;

	if (die_number(inlined, DW_AT_call_line, &line) && line <= UINT32_MAX)
		f->line = (uint32_t)line;
	if (!die_number(inlined, DW_AT_call_file, &file))
		return 0;
	return set_file(x, inlined, die_file(inlined, file), f);
}

/*
 * gcc writes no linkage name for what is not visible outside of its file, as in an unnamed
 * namespace; the symbol table may still have the whole name with the parameters.
 */
static const char *mangled_symbol(struct search *x, uint64_t entry)
{
	const struct elfsym *sym;

	if (!entry || die_unit_is_c(&x->hit.cu->die) || module_read_symbols(x->m))
		return NULL;
	sym = elfsyms_find(&x->m->symtab, entry, true);
	return sym && sym->start == entry && text_begins(sym->name, "_Z") ? sym->name : NULL;
}

/* @entry: of the function's own code; 0: inlined. Returns 1 (named), 0 (the DWARF has no name) or
 * -ENOMEM. */
static int set_name(struct search *x, Dwarf_Die *die, uint64_t entry, struct sym_frame *f)
{
	const char *linkage = die_linkage(die), *name = dwarf_diename(die);
	char scoped[NAME_MAX_LEN];

	if (!linkage)
		linkage = mangled_symbol(x, entry);
	/* A static function that was inlined everywhere has no other name. */
	if (!linkage && !die_unit_is_c(&x->hit.cu->die) &&
	    die_function_name(die, scoped, sizeof scoped))
		name = scoped;
	if (!linkage)
		linkage = dwarf_diename(die);
	if (!linkage || !*linkage)
		return 0;
	int err = frames_set_name(x->s, f, linkage, name);

	return err ? err : 1;
}

static int physical_frame(struct search *x, struct sym_frame *f)
{
	const struct func *func = x->hit.func;
	Dwarf_Die die, origin, unit;

	if (!func)
		return frames_name_by_elf(x->s, x->m, x->pc, x->at, f);
	die = func->die;
	int named = set_name(x, &die, func->entry, f);

	if (named < 0)
		return named;
	if (!named)
		return frames_name_by_elf(x->s, x->m, x->pc, x->at, f);
	f->address = f->function_key = func->entry;
	/* A part that was split off is anywhere, often before the entry: count from its start. */
	f->offset = x->pc - x->hit.part;
	die_origin(&die, &origin);
	unit = x->hit.cu->die;
	if (origin.addr == die.addr && !is_from_header(&die, &unit))
		return 0;
	return source_key(x->s, &origin, die_unit_is_c(&unit), &f->function_key);
}

static int inlined_frame(struct search *x, size_t i, const struct sym_frame *physical,
			 struct sym_frame *f)
{
	Dwarf_Die origin;

	*f = (struct sym_frame){ .inlined = true, .offset = physical->offset };
	die_origin(&x->inlined[i], &origin);
	int named = set_name(x, &origin, 0, f);

	if (named < 0)
		return named;
	if (!named)
		f->name = f->linkage = strpool_add(&x->s->names, "(inlined function)", NULL);
	f->address = cu_entry_of(x->hit.cu, origin.addr);
	if (!f->name)
		return -ENOMEM;
	return source_key(x->s, &origin, die_unit_is_c(&x->hit.cu->die), &f->function_key);
}

static int fill(struct search *x, struct sym_frame *v)
{
	int err = physical_frame(x, &v[0]);

	for (size_t i = 0; !err && i < x->n_inlined; i++) {
		err = inlined_frame(x, i, &v[0], &v[i + 1]);
		if (!err)
			err = set_call(x, &x->inlined[i], &v[i]);
	}
	return err || !x->hit.cu ? err : set_line(x, &v[x->n_inlined]);
}

int frames_find(struct symbols *s, struct module *m, uint64_t pc, bool is_return,
		struct sym_frame **frames, size_t *n)
{
	struct search x = { .s = s, .m = m, .pc = pc, .at = is_return && pc ? pc - 1 : pc };
	struct cus *cus = module_cus(m);

	if (!cus || cus_find(cus, &m->main, x.at, &x.hit))
		return -ENOMEM;
	if (x.hit.func)
		find_inlined(&x);
	struct sym_frame *v = calloc(x.n_inlined + 1, sizeof *v);

	if (!v)
		return -ENOMEM;
	int err = fill(&x, v);

	if (err) {
		free(v);
		return err;
	}
	*frames = v;
	*n = x.n_inlined + 1;
	return 0;
}
