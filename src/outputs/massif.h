/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_MASSIF_H
#define MPROF_OUTPUTS_MASSIF_H

#include "massif/recorder.h"
#include "outputs/outputs.h"

/* The massif files of a session. */
struct massif_output;

/* Make the output of the session, if it is wanted; *out is NULL if not. 0 or -errno. */
int massif_output_new(struct massif_output **out, struct outputs *of);
void massif_output_free(struct massif_output *m);

/* True if a file of an image could not be written. Call it after session_write_files(). */
bool massif_is_unwritten(const struct massif_output *m, const struct image *i);

/* The name of its file, or of that written at the end; for free(), or NULL with a sentence in
 * @e. */
char *massif_file_name(const struct massif_output *m, const struct image *i, struct error *e);

/* Try again to write the file, to @path instead; that of another process than the first to
 * @path.PID. 0, or -errno after saying why: then its name does not change. */
int massif_save_elsewhere(struct massif_output *m, struct image *i, const char *path);

/* ---- single snapshots ---- */

enum massif_file_kind { MASSIF_SNAPSHOT, MASSIF_DETAILED_SNAPSHOT, MASSIF_ALL_SNAPSHOTS };

/* The content of such a file. */
struct massif_moment {
	struct massif_recorder *recorder;
	struct massif_snapshot one;	/* if it is a single snapshot */
	const struct massif_snapshot *snapshots;
	size_t n;
};

/* Take snapshots now, without changing the recorder's table or rhythm. 0 or -ENOMEM; @m is valid
 * until the next event. */
int massif_moment_take(const struct massif_output *o, const struct image *i,
		       enum massif_file_kind kind, struct massif_moment *m);
void massif_moment_release(struct massif_moment *m);

/* Write them to @path. 0, or -errno with a sentence in @e. */
int massif_moment_write(struct massif_output *o, const struct image *i,
			const struct massif_moment *m, const char *path, struct error *e);

#endif
