/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/padding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool has_strings(const char *name)
{
	static const char *const names[] = { ".debug_info", ".debug_types", ".debug_line",
					     ".debug_str",
					     ".debug_line_str" };

	for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* @behind: there must be a zero byte behind the end, even if the last byte is zero. */
static int pad(struct padding *p, Elf_Scn *scn, const GElf_Shdr *shdr, const char *name,
	       bool behind)
{
	/* libdw would decompress it later anyway. */
	if ((shdr->sh_flags & SHF_COMPRESSED) && elf_compress(scn, 0, 0) < 0)
		return 0;
	Elf_Data *data = elf_getdata(scn, NULL);

	if (!data || !data->d_buf || !data->d_size)
		return 0;
	bool ends = !((char *)data->d_buf)[data->d_size - 1];

	if (ends && !name && !behind)
		return 0;
	if (p->n == PADDED_MAX)
		return -E2BIG;
	size_t more = name ? strlen(name) + 1 : 0;
	char *copy = malloc(data->d_size + 1 + more + 1);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, data->d_buf, data->d_size);
	copy[data->d_size] = copy[data->d_size + 1 + more] = '\0';
	if (name) {
		memcpy(copy + data->d_size + 1, name, more);
		data->d_size += 1 + more;
	}
	/* libelf has another pointer to its own buffer, and frees that one. */
	data->d_buf = copy;
	p->copies[p->n++] = copy;
	return 0;
}

/* Are there strings given by number? libdw up to 0.188 accepts an offset that it finds that way
 * even if it is the section's end. */
static bool has_numbers(struct objfile *o)
{
	GElf_Shdr shdr;

	return objfile_section(o, ".debug_str_offsets", &shdr);
}

static bool is_pool(const char *name)
{
	return strcmp(name, ".debug_str") == 0 || strcmp(name, ".debug_line_str") == 0;
}

int padding_add(struct padding *p, struct objfile *o, const char *name)
{
	GElf_Shdr shdr;
	size_t names;
	int err = 0;

	if (!o->elf || elf_getshdrstrndx(o->elf, &names))
		return 0;
	const bool numbers = has_numbers(o);

	for (Elf_Scn *scn = elf_nextscn(o->elf, NULL); scn && !err;
	     scn = elf_nextscn(o->elf, scn)) {
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type != SHT_NOBITS) {
			const char *section = elf_strptr(o->elf, names, shdr.sh_name);

			if (has_strings(section))
				err = pad(p, scn, &shdr, is_pool(section) ? name : NULL,
					  numbers && is_pool(section));
		}
	}
	return err;
}

void padding_release(struct padding *p)
{
	while (p->n)
		free(p->copies[--p->n]);
}
