/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/minidebug.h"

#include "base/writeall.h"

#include <errno.h>
#include <lzma.h>
#include <sys/mman.h>
#include <unistd.h>

/* The symbols of the largest program take some megabytes; a few bytes can unpack to terabytes. */
#define UNPACKED_MAX ((uint64_t)256 << 20)
#define DECODER_MEMORY ((uint64_t)128 << 20)

/* Decompresses into a memfd, which is closed like any other file. */
static bool unpack(lzma_stream *z, int fd)
{
	uint8_t out[65536];
	lzma_ret r = LZMA_OK;

	while (r == LZMA_OK) {
		z->next_out = out;
		z->avail_out = sizeof out;
		r = lzma_code(z, LZMA_FINISH);
		if (z->total_out > UNPACKED_MAX || write_all(fd, out, sizeof out - z->avail_out))
			return false;
	}
	return r == LZMA_STREAM_END;
}

int minidebug_open(struct objfile *main, struct objfile *mini)
{
	GElf_Shdr shdr;
	Elf_Scn *scn = objfile_section(main, ".gnu_debugdata", &shdr);
	Elf_Data *data = scn && shdr.sh_type != SHT_NOBITS ? elf_rawdata(scn, NULL) : NULL;
	lzma_stream z = LZMA_STREAM_INIT;

	*mini = OBJFILE_NONE;
	if (!data || !data->d_buf || lzma_stream_decoder(&z, DECODER_MEMORY, 0) != LZMA_OK)
		return -ENOENT;
	z.next_in = data->d_buf;
	z.avail_in = data->d_size;
	int fd = memfd_create("mprof-debugdata", MFD_CLOEXEC);
	bool done = fd >= 0 && unpack(&z, fd);

	lzma_end(&z);
	if (done)
		return objfile_open(mini, fd) ? -ENOENT : 0;
	if (fd >= 0)
		close(fd);
	return -ENOENT;
}
