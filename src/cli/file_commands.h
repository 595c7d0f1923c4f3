/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_CLI_FILE_COMMANDS_H
#define MPROF_CLI_FILE_COMMANDS_H

#include "cli/serve.h"
#include "outputs/massif.h"

/* Commands of the control socket that write a file, while the programs go on. @to stays the
 * caller's. */

/* Write the profiles now, to @path or where the options say; each writer answers a part. */
void save_command(struct serve *v, const char *path, const struct control_asker *to);

/* A massif file, whose writer answers. @args: "PID [FILE]" */
void massif_command(struct serve *v, enum massif_file_kind kind, const char *args,
		    const struct control_asker *to);

/* Heap profiles, of each image that has them on. */
void heap_command(struct serve *v, const char *reason, const struct control_asker *to);

#endif
