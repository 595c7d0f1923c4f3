/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_DATA_H
#define MPROF_OUTPUTS_DATA_H

#include "outputs/outputs.h"
#include "session/filename.h"
#include "profile/profile_data.h"

/* The data files of a session: one profile for each image. */

/* The finished profile of an image, with names; for profile_data_free(). NULL: out of memory. */
struct profile_data *data_name_image(const struct outputs *o, const struct image *i);

/* Called for each image, in order. @d: as from data_name_image(), owned by the callee. */
typedef void data_named(void *ctx, struct image *i, struct profile_data *d);

/* Like data_name_image() for many images, which takes less time than one after the other. */
void data_name_images(const struct outputs *o, struct image *const *v, size_t n, data_named *named,
		      void *ctx);

/* Name another profile with the places of the same program: only what it counts, with names.
 * @leaf_nodes: NULL, or as in struct resolve_how. NULL: out of memory. */
struct profile_data *data_name_profile(const struct outputs *o, const struct image *i,
				       const struct profile *p, uint32_t *leaf_nodes);

/* What tells the files of an image apart: mprof.data; of a child process mprof.data.PID; of the
 * images before an exec mprof.data.PID.N. */
struct filename_whose data_whose(const struct outputs *o, const struct image *i);

/* The name of an image's data file; for free(), or NULL with a sentence in @e. */
char *data_file_name(const struct outputs *o, const struct image *i, struct error *e);

/* Make @name absolute, since a client's working directory may be another. Frees @name, or returns
 * it unchanged. NULL: returns NULL. */
char *data_absolute(char *name);

/* The absolute name of an image's data file; for free(), or NULL: not known. */
char *data_absolute_name(const struct outputs *o, const struct image *i);

/* Write the named profile @d of an image to its data file, and say so. 0, or -errno after saying
 * what could not be written and why. */
int data_save(struct outputs *o, struct image *i, const struct profile_data *d);

/**
 * Write an image's profile, as it is now, to @path or, if that is NULL, to its data file.
 * @written  set to the file's name, for free()
 * Returns 0, or -errno with a sentence in @e; nothing has been said.
 */
int data_save_as(const struct outputs *o, const struct image *i, const char *path, char **written,
		 struct error *e);

/* The same for a profile named by data_name_images(); @d is freed, and may be NULL. */
int data_save_named(const struct outputs *o, const struct image *i, struct profile_data *d,
		    const char *path, char **written, struct error *e);

/* Like data_save_as(), to a file NAME.snapshot.N beside the data file, which is never written
 * again. */
int data_save_snapshot(const struct outputs *o, const struct image *i, char **written,
		       struct error *e);

/**
 * Try again to write a profile that is not saved, to @path instead of its data file; that of
 * another process than the first to @path.PID. 0 or -errno, as data_save(): then its name does not
 * change.
 */
int data_save_elsewhere(struct outputs *o, struct image *i, const char *path);

/* Write profiles to memory files (memfd_create(2)), from which a report can be printed without a
 * disk. image.memory is set to the descriptor, or 0 on failure. */
void data_save_in_memory(const struct outputs *o, struct image *const *v, size_t n);

#endif
