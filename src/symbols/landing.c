/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/landing.h"

#include "symbols/cfientry.h"
#include "symbols/dyntable.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

int landings_open(struct landings *l, int fd)
{
	int own = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);

	*l = (struct landings){ .o = OBJFILE_NONE };
	if (own < 0)
		return -EBADF;
	int err = objfile_open_quick(&l->o, own);
	if (err)
		return err;
	err = fdes_read(&l->fdes, &l->o);
	if (err)
		landings_close(l);
	return err;
}

void landings_close(struct landings *l)
{
	fdes_release(&l->fdes);
	objfile_close(&l->o);
}

/* Bytes of a table that have not been read yet. */
struct bytes {
	const uint8_t *p, *end;
	bool over;	/* tried to read more than there are */
};

static uint8_t byte(struct bytes *b)
{
	if (b->p < b->end)
		return *b->p++;
	b->over = true;
	return 0;
}

static uint64_t uleb(struct bytes *b)
{
	uint64_t v = 0;
	uint8_t c;

	for (unsigned shift = 0; shift < 63; shift += 7) {
		c = byte(b);
		v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return v;
	}
	b->over = true;
	return 0;
}

static uint64_t number(struct bytes *b, uint8_t encoding)
{
	uint64_t v = 0;

	if (encoding == DW_EH_PE_uleb128)
		return uleb(b);
	b->over |= encoding != DW_EH_PE_udata4;
	for (unsigned i = 0; i < 4; i++)
		v |= (uint64_t)byte(b) << 8 * i;
	return v;
}

/* The address of the function's exception table; 0: it has none. False: it cannot be read. */
static bool table_of(const struct cfi_section *s, const struct fde *f, uint64_t *table)
{
	Dwarf_CFI_Entry e;
	struct cfi_cie cie;
	uint64_t size, start, end, n;
	const uint8_t *rest;

	if (!cfi_entry_read(s, f->offset, &e, &size) || dwarf_cfi_cie_p(&e) ||
	    !cfi_cie_read(s, e.fde.CIE_pointer, &cie) ||
	    !cfi_fde_range(s, &cie, &e.fde, &start, &end, &rest))
		return false;
	*table = 0;
	if (cie.lsda < 0)
		return true;
	struct bytes b = { rest, e.fde.end, false };

	n = uleb(&b);
	if (b.over || n > (size_t)(b.end - b.p))
		return false;
	static const uint8_t none[8];
	size_t width = (cie.lsda & 0x07) == DW_EH_PE_udata4 ? 4 : 8;

	if (n < width || !memcmp(b.p, none, width))
		return n == 0 || n >= width;
	return cfi_address(s, cie.lsda, &b.p, b.p + n, table);
}

/* Finds the call in the call-site table. */
static enum landing look_up(struct bytes *b, uint64_t start, uint64_t call, uint64_t *at)
{
	/* Landing pads relative to something else than the function: no compiler writes that. */
	if (byte(b) != DW_EH_PE_omit)
		return LANDING_UNKNOWN;
	if (byte(b) != DW_EH_PE_omit)
		uleb(b); /* offset of the type table */
	uint8_t encoding = byte(b);
	uint64_t len = uleb(b);

	if (b->over || len > (size_t)(b->end - b->p))
		return LANDING_UNKNOWN;
	b->end = b->p + len;
	while (b->p < b->end) {
		uint64_t from = number(b, encoding), n = number(b, encoding);
		uint64_t pad = number(b, encoding);

		uleb(b); /* action */
		if (b->over)
			return LANDING_UNKNOWN;
		if (call - start < from || call - start - from >= n)
			continue;
		*at = start + pad;
		return pad ? LANDING_HERE : LANDING_NONE;
	}
	return LANDING_NONE;
}

/* As much of the table as there is, up to what a small function needs. */
static Elf_Data *load(Elf *elf, uint64_t table)
{
	for (uint64_t n = 4096; n; n /= 2) {
		Elf_Data *data = dyntable_loaded(elf, table, n, ELF_T_BYTE);

		if (data)
			return data;
	}
	return NULL;
}

enum landing landing_of(const struct landings *l, uint64_t call, uint64_t *at)
{
	const struct fde *f = fdes_find(&l->fdes, call);
	struct objfile o = l->o;
	GElf_Shdr shdr;
	uint64_t table;

	Elf_Scn *scn = f ? objfile_section(&o, ".eh_frame", &shdr) : NULL;
	struct cfi_section s = {
		.data = scn ? elf_rawdata(scn, NULL) : NULL,
		.ident = (const unsigned char *)elf_getident(o.elf, NULL),
		.addr = l->fdes.section,
	};

	if (!s.data || !table_of(&s, f, &table))
		return LANDING_UNKNOWN;
	if (!table)
		return LANDING_NONE;
	const Elf_Data *data = load(o.elf, table);
	if (!data)
		return LANDING_UNKNOWN;
	struct bytes b = { data->d_buf, (const uint8_t *)data->d_buf + data->d_size, false };

	return look_up(&b, f->start, call, at);
}
