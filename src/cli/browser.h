/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_BROWSER_H
#define MPROF_CLI_BROWSER_H

/* Make a folder for a page without a name, in XDG_RUNTIME_DIR, TMPDIR or /tmp, and return the
 * page's path; for free(), or NULL: a sentence has been printed. */
char *browser_new_page(void);

/* The page was not written: remove its folder. */
void browser_no_page(const char *path);

/**
 * Show a page: by a program of $BROWSER (several are separated by ":", and each may have arguments
 * and a %s for the page), or else by xdg-open; no shell is involved. Over ssh, and if there is no
 * browser, the path is printed.
 * Returns an exit status when the program has ended.
 */
int browser_show(const char *path);

#endif
