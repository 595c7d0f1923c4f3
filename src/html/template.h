/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_TEMPLATE_H
#define MPROF_HTML_TEMPLATE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* The page without data: one HTML file with two marks in it, made of web/. Not NUL-terminated. */
struct page_template {
	char *text;
	size_t len;
};

#define TITLE_MARK "<!--mprof:title-->"
#define DATA_MARK  "<!--mprof:data-->"

/* True if it has both marks, the title's first. */
bool template_has_marks(const struct page_template *t);

/**
 * Load the template that mprof was built with, or another one.
 * @path  NULL: the built-in one
 * Returns 0, to be released, or -errno with a sentence in @e: -ENOENT if mprof was built without
 * one; the sentence has the reason and what to do.
 */
int template_load(const char *path, struct page_template *t, struct error *e);
void template_release(struct page_template *t);

#endif
