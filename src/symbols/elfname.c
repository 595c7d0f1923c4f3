/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/demangle.h"
#include "base/text.h"
#include "symbols/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A flag for the function_key of a place whose function is not known: each such place is a function
 * of its own. */
#define KEY_BARE_PLACE (UINT64_C(1) << 62)

int frames_set_name(struct symbols *s, struct sym_frame *f, const char *linkage, const char *plain)
{
	char stem[NAME_MAX_LEN], readable[NAME_MAX_LEN];
	size_t len = demangle_stem(linkage, NULL);
	const char *version = strchr(linkage + (*linkage != '\0'), '@');
	int whole = version ? (int)(version - linkage) : (int)strnlen(linkage, sizeof stem);

	snprintf(stem, sizeof stem, "%.*s", whole, linkage);
	f->linkage = strpool_add(&s->names, stem, NULL);
	if (len < sizeof stem)
		stem[len] = '\0';
	if (demangle(stem, readable, sizeof readable))
		plain = readable;
	f->name = strpool_add(&s->names, plain && *plain ? plain : stem, NULL);
	return f->name && f->linkage ? 0 : -ENOMEM;
}

static int name_by_address(struct symbols *s, struct module *m, uint64_t pc, uint64_t at,
			   const struct fde *fde, struct sym_frame *f)
{
	char name[NAME_MAX_LEN];
	uint64_t start = fde ? fde->start : pc;

	snprintf(name, sizeof name, "%s+0x%" PRIx64, path_last(m->path), start);
	f->name = f->linkage = strpool_add(&s->names, name, NULL);
	f->address = start;
	f->offset = pc - start;
	f->function_key = fde ? start : at | KEY_BARE_PLACE;
	return f->name ? 0 : -ENOMEM;
}

/* The start of the function that the cold part @sym was split off from. */
static uint64_t owner_of(struct module *m, const struct elfsym *sym)
{
	bool cold;
	size_t len = demangle_stem(sym->name, &cold);
	const struct elfsym *owner = cold ? elfsyms_find_name(&m->symtab, sym->name, len) : NULL;

	return owner ? owner->start : sym->start;
}

static const struct elfsym *find_symbol(struct module *m, uint64_t at, const struct fde *fde)
{
	const struct elfsym *sym = elfsyms_find(&m->symtab, at, true);

	if (!sym)
		sym = elfsyms_find(&m->dynsym, at, true);
	if (!sym)
		sym = elfsyms_find(&m->symtab, at, false);
	if (!sym)
		sym = elfsyms_find(&m->dynsym, at, false);
	/* A symbol without a size ends where a nameless function begins behind it. */
	return sym && !sym->sized && fde && fde->start > sym->start ? NULL : sym;
}

int frames_name_by_elf(struct symbols *s, struct module *m, uint64_t pc, uint64_t at,
		       struct sym_frame *f)
{
	const struct fdes *fdes = module_fdes(m);

	if (!fdes || module_read_symbols(m))
		return -ENOMEM;
	const struct fde *fde = fdes_find(fdes, at);
	const struct elfsym *sym = find_symbol(m, at, fde);

	if (!sym)
		return name_by_address(s, m, pc, at, fde, f);
	f->address = f->function_key = owner_of(m, sym);
	f->offset = pc - sym->start;
	return frames_set_name(s, f, sym->name, NULL);
}
