/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_BROWSER_H
#define MPROF_CLI_BROWSER_H

/* A place of its own for a page that nobody has named, in XDG_RUNTIME_DIR, TMPDIR or /tmp; for
 * free(), or NULL: a sentence has been printed. */
char *browser_new_page(void);

/* That page was not written: the place goes. */
void browser_no_page(const char *path);

/**
 * Show a page: by a program of $BROWSER (several are separated by ":", and each may have arguments
 * and a %s where the page stands), or else by xdg-open; no shell reads any of it. Over ssh, and if
 * there is none of these, its path is printed.
 * Returns when that program has ended; an exit status.
 */
int browser_show(const char *path);

#endif
