/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_ELFFILE_H
#define MPROF_ELFFILE_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * What a file may cost. A section is as large as its header says, if the file is, and a file of
 * some kilobytes may have a hole of terabytes. The largest programs there are (a browser with all
 * its symbols) have 100 MB of symbols, 200 MB of their names, and 50 MB of unwinding tables.
 */
#define ELFFILE_SYMBOLS_MIB 512	/* symbols, names and relocations, all of a file together */
#define ELFFILE_PIECE_MIB 128	/* any other piece, such as an unwinding table */
#define ELFFILE_PIECE ((uint64_t)ELFFILE_PIECE_MIB << 20)

/**
 * Open for reading. A file with so many headers that their number is not in the ELF header, as no
 * program has, is none for us. Notes, unwinding tables and PT_DYNAMIC are not there if they are
 * larger than ELFFILE_PIECE.
 * @fd  of a regular file; stays the caller's, and open
 * Returns what elf_end() takes, or NULL: it is no ELF file.
 */
Elf *elffile_open(int fd);

/**
 * The same while a program waits for us: nor are there more symbols and names than
 * ELFFILE_SYMBOLS_MIB, nor names without an end.
 * @cut  set if something has been left out, else cleared; may be NULL
 */
Elf *elffile_open_quick(int fd, bool *cut);

/* As elf_getdata_rawchunk(), which looks at the file's size, too. NULL also for more than
 * ELFFILE_PIECE. */
Elf_Data *elffile_piece(Elf *elf, uint64_t offset, uint64_t size, Elf_Type type);

#endif
