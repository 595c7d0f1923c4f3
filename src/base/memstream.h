/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_MEMSTREAM_H
#define MPROF_BASE_MEMSTREAM_H

#include <stdio.h>

/**
 * A stream that prints into memory, like open_memstream(3), which in glibc (2.36) drops what there
 * is no memory for and tells nobody: ferror(3) and fclose(3) are 0, and the text is cut, or NULL.
 * @text  set by fclose(3): what was printed, and a zero behind it, for free(); NULL if any of it
 *	  was lost. Before that it is NULL.
 * @len   likewise: how many bytes, without the zero
 * fclose() says if anything was lost (EOF, ENOMEM). The stream cannot be positioned: no ftell().
 * Returns NULL (errno) without memory.
 */
FILE *memstream_open(char **text, size_t *len);

#endif
