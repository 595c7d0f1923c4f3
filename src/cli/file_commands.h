/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_FILE_COMMANDS_H
#define MPROF_CLI_FILE_COMMANDS_H

#include "cli/serve.h"
#include "outputs/massif.h"

/* Control commands that write a file while the programs go on. @to remains owned by the caller. */

/* Write the profiles now, to @path or the names from the options; each save child answers with
 * parts. */
void save_command(struct serve *v, const char *path, const struct control_asker *to);

/* Write a massif file; the save child answers. @args: "PID [FILE]" */
void massif_command(struct serve *v, enum massif_file_kind kind, const char *args,
		    const struct control_asker *to);

/* Write heap profiles of each image whose heap profiler is on. */
void heap_command(struct serve *v, const char *reason, const struct control_asker *to);

#endif
