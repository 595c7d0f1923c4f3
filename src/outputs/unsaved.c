/* SPDX-License-Identifier: BSD-2-Clause */
#include "outputs/unsaved.h"

#include "base/array.h"
#include "outputs/data.h"
#include "outputs/massif.h"

#include <errno.h>
#include <stdlib.h>

bool unsaved_is(const struct outputs *o, const struct unsaved_file *f)
{
	return f->kind == UNSAVED_PROFILE ? !f->image->saved
					  : o->massif && massif_is_unwritten(o->massif, f->image);
}

int unsaved_list(const struct outputs *o, struct unsaved *u)
{
	*u = (struct unsaved){ 0 };
	for (struct image *i = o->session->images; i; i = i->next) {
		for (unsigned k = UNSAVED_PROFILE; k <= UNSAVED_MASSIF; k++) {
			struct unsaved_file f = { i, k };

			if (!unsaved_is(o, &f))
				continue;
			if (ARRAY_RESERVE(&u->files, &u->cap, u->n))
				return -ENOMEM;
			u->files[u->n++] = f;
		}
	}
	return 0;
}

void unsaved_release(struct unsaved *u)
{
	free(u->files);
	*u = (struct unsaved){ 0 };
}

char *unsaved_name(const struct outputs *o, const struct unsaved_file *f)
{
	struct error e;

	return f->kind == UNSAVED_PROFILE
		       ? data_absolute_name(o, f->image)
		       : data_absolute(massif_file_name(o->massif, f->image, &e));
}

const char *unsaved_kind_name(enum unsaved_kind kind)
{
	return kind == UNSAVED_PROFILE ? "profile" : "massif file";
}

static int save(struct outputs *o, const struct unsaved_file *f, const char *path,
		const char *massif)
{
	return f->kind == UNSAVED_PROFILE ? data_save_elsewhere(o, f->image, path)
					  : massif_save_elsewhere(o->massif, f->image, massif);
}

int unsaved_save_elsewhere(struct outputs *o, const char *path)
{
	struct unsaved u;
	int err = unsaved_list(o, &u);
	bool profiles = false;
	char *beside = NULL;

	for (size_t i = 0; i < u.n; i++)
		profiles |= u.files[i].kind == UNSAVED_PROFILE;
	if (!err && asprintf(&beside, "%s.massif", path) < 0) {
		beside = NULL;
		err = -ENOMEM;
	}
	if (err)
		unwritten_say(o, "cannot write %s: out of memory", path);
	for (size_t i = 0; beside && i < u.n; i++) {
		int e = save(o, &u.files[i], path, profiles ? beside : path);

		err = err ? err : e;
	}
	free(beside);
	unsaved_release(&u);
	return err;
}
