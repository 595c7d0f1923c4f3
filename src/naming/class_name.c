/* SPDX-License-Identifier: BSD-2-Clause */
#include "naming/class_name.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* The C++ library's class names: GNU's, and LLVM's with its inline namespace. */
static const char *const counted[] = {
	"std::_Sp_counted_ptr_inplace<",
	"std::__1::__shared_ptr_emplace<",
};

/* The length of the first template argument, which begins at @s; 0: it does not end. */
static size_t first_argument(const char *s)
{
	unsigned depth = 0;

	for (size_t i = 0; s[i]; i++) {
		/* The > of "->" is no bracket. */
		bool arrow = s[i] == '>' && i && s[i - 1] == '-';

		if (!depth && (s[i] == ',' || (s[i] == '>' && !arrow)))
			return i;
		if (strchr("<([{", s[i]))
			depth++;
		else if (strchr(")]}", s[i]) || (s[i] == '>' && !arrow))
			depth -= depth > 0;
	}
	return 0;
}

void class_name(const char *name, char *out, size_t size)
{
	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
		const char *from = name + strlen(counted[i]);
		size_t n = text_begins(name, counted[i]) ? first_argument(from) : 0;

		if (!n)
			continue;
		snprintf(out, size, "%.*s (make_shared)", (int)n, from);
		return;
	}
	snprintf(out, size, "%s", name);
}
