/* SPDX-License-Identifier: BSD-2-Clause */
#include "proc/arguments.h"

#include "base/texts.h"
#include "proc/file.h"

#include <stdlib.h>
#include <string.h>

char **proc_arguments(pid_t pid)
{
	size_t len, n = 0;
	char *text = proc_read(pid, "cmdline", &len);

	for (size_t i = 0; text && i < len; i++)
		n += !text[i];
	char **args = calloc(n + 1, sizeof *args);
	size_t at = 0;
	for (size_t i = 0; args && i < n; i++) {
		args[i] = strdup(text + at);
		at += strlen(text + at) + 1;
		if (args[i])
			continue;
		/* Only some of the arguments would be another command. */
		texts_free(args);
		args = NULL;
	}
	free(text);
	return args;
}
