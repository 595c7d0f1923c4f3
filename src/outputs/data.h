/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef MPROF_OUTPUTS_DATA_H
#define MPROF_OUTPUTS_DATA_H

#include "outputs/outputs.h"
#include "session/filename.h"
#include "profile/profile_data.h"

/* The data files of a session: one profile for each image. */

/* What an image's profile holds, with its names; NULL: out of memory. */
struct profile_data *data_name_image(const struct outputs *o, const struct image *i);

/* Called for each image, in their order. @d: as of data_name_image(), and the callee's. */
typedef void data_named(void *ctx, struct image *i, struct profile_data *d);

/* The same of many images, which takes less time than one after the other. */
void data_name_images(const struct outputs *o, struct image *const *v, size_t n, data_named *named,
		      void *ctx);

/* Another profile with the places of the same program: what it counts, with names, and nothing
 * else. @leaf_nodes: NULL, or as in struct resolve_how. NULL: out of memory. */
struct profile_data *data_name_profile(const struct outputs *o, const struct image *i,
				       const struct profile *p, uint32_t *leaf_nodes);

/* In the names of an image's files: mprof.data; of a child mprof.data.PID; of a process that has
 * exec'ed, what was before it mprof.data.PID.N. */
struct filename_whose data_whose(const struct outputs *o, const struct image *i);

/* Where it belongs; for free(), or NULL with a sentence. */
char *data_file_name(const struct outputs *o, const struct image *i, struct error *e);

/* @name with its directory, for nobody knows from where it will be asked for; @name is freed, or
 * handed back. NULL is NULL. */
char *data_absolute(char *name);

/* Where an image's profile belongs, absolutely; for free(), or NULL: that is not known. */
char *data_absolute_name(const struct outputs *o, const struct image *i);

/* Write the profile of an image, named before, where it belongs, and say so. 0, or -errno after
 * saying what could not be written and why. */
int data_save(struct outputs *o, struct image *i, const struct profile_data *d);

/**
 * Write one image's profile as it is now, to @path or, if that is NULL, where it belongs.
 * @written  the file's name, for free()
 * Returns 0, or -errno with a sentence in @e; nothing has been said.
 */
int data_save_as(const struct outputs *o, const struct image *i, const char *path, char **written,
		 struct error *e);

/* The same of one that has been named, by data_name_images(); @d is freed, and may be NULL. */
int data_save_named(const struct outputs *o, const struct image *i, struct profile_data *d,
		    const char *path, char **written, struct error *e);

/* As data_save_as(), as it is at this moment, to a file beside that which nobody will write again:
 * NAME.snapshot.N. */
int data_save_snapshot(const struct outputs *o, const struct image *i, char **written,
		       struct error *e);

/**
 * Another try for a profile that is not saved, to @path instead of where it belongs; of another
 * process than the first to @path.PID. 0 or -errno, as data_save(): it stays where it belongs.
 */
int data_save_elsewhere(struct outputs *o, struct image *i, const char *path);

/* Write profiles to files that are nowhere: no disk is needed to print a report from them. Each
 * image is told the descriptor, or 0: it could not be made. */
void data_save_in_memory(const struct outputs *o, struct image *const *v, size_t n);

#endif
