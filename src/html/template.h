/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_HTML_TEMPLATE_H
#define MPROF_HTML_TEMPLATE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* The page without data: one file of HTML with two marks in it, made from web/. Not terminated. */
struct page_template {
	char *text;
	size_t len;
};

#define TITLE_MARK "<!--mprof:title-->"
#define DATA_MARK  "<!--mprof:data-->"

/* Are both marks in it, the title's first? */
bool template_has_marks(const struct page_template *t);

/**
 * The template that mprof was built with, or another one.
 * @path  NULL: the one in mprof itself
 * Returns 0, to be released, or -errno with a sentence in @e: -ENOENT if mprof was built without
 * one, for which the sentence has the reason and what to do.
 */
int template_load(const char *path, struct page_template *t, struct error *e);
void template_release(struct page_template *t);

#endif
