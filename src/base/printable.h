/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_BASE_PRINTABLE_H
#define MPROF_BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * Length in bytes, 1 to 4, of the UTF-8 character that @s begins with; 0 if the bytes there are
 * not valid UTF-8 (also overlong forms, surrogates and values above U+10FFFF) or at the end of @s.
 * Source: RFC 3629, section 4.
 */
size_t printable_utf8(const char *s);

/* The code point of the character at @s, which has @n bytes by printable_utf8(). */
uint32_t printable_decode(const char *s, size_t n);

/* Is a character invisible, or does it change the direction or the line of the text around it?
 * These are what printable() writes in octal. */
bool printable_unseen(uint32_t c);

/**
 * Make @s harmless for a terminal, and visibly different from any other: every byte of a control
 * character (below U+0020, U+007F to U+009F), of one that changes the direction of what follows
 * (U+202A to U+202E, U+2066 to U+2069), of one that is invisible (U+00AD, U+200B, U+FEFF, tags and
 * others) and every byte that is not valid UTF-8 becomes \ooo, its value in octal. All other UTF-8
 * is left as it is.
 * @out  the caller's, @cap bytes; always terminated if @cap > 0; cut between two characters,
 *       never within one, if it is too small (4 * strlen(@s) + 1 is always enough)
 * Returns the length of the whole result, as snprintf(3) does.
 */
size_t printable(char *out, size_t cap, const char *s);

/* Write the first character of @s, which is not empty, to @out in the same way. Returns the rest of
 * @s. */
const char *printable_put(FILE *out, const char *s);

/* printable() into new memory, for free(); NULL: out of memory. */
char *printable_copy(const char *s);

#endif
