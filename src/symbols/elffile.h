/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ELFFILE_H
#define MPROF_ELFFILE_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Limits for memory. A section may be as large as the file, and a file of some kilobytes may have a
 * hole of terabytes. The largest programs there are (a browser with all its symbols) have 100 MB of
 * symbols, 200 MB of their names, and 50 MB of unwinding tables.
 */
#define ELFFILE_SYMBOLS_MIB 512	/* symbols, names and relocations of a file together */
#define ELFFILE_PIECE_MIB 128	/* any other piece, such as an unwinding table */
#define ELFFILE_PIECE ((uint64_t)ELFFILE_PIECE_MIB << 20)

/**
 * Open for reading. A file with so many headers that their number is not in the ELF header, which
 * no program has, is refused. Notes, unwinding tables and PT_DYNAMIC are hidden if they are larger
 * than ELFFILE_PIECE.
 * @fd  of a regular file; stays the caller's, and open
 * Returns an Elf for elf_end(), or NULL: it is no ELF file, or elffile_lacked_memory().
 */
Elf *elffile_open(int fd);

/**
 * The same while a program waits for us: symbols and names above ELFFILE_SYMBOLS_MIB are hidden,
 * too, as are string tables that do not end with 0.
 * @cut  set to whether something was hidden; may be NULL
 */
Elf *elffile_open_quick(int fd, bool *cut);

/**
 * Why libelf gave nothing: true if its last error in this thread was lack of memory. Its functions
 * give nothing for damaged files, too. Opening a file forgets errors from before, and so does this;
 * of several errors since then it knows the last.
 */
bool elffile_lacked_memory(void);

/* As elf_getdata_rawchunk(), which checks the file's size. NULL also for more than
 * ELFFILE_PIECE. */
Elf_Data *elffile_piece(Elf *elf, uint64_t offset, uint64_t size, Elf_Type type);

#endif
