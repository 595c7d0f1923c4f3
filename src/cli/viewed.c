/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/viewed.h"

#include "cli/fn_names.h"
#include "cli/progress.h"
#include "cli/rename.h"
#include "outputs/unseen.h"
#include "profile/datafile.h"

static bool peak_is_known(const struct profile_data *d)
{
	for (size_t i = 0; i < d->n_leaves; i++)
		if (d->leaves[i].at_peak)
			return true;
	return false;
}

/* Check that the file has what the options ask for. False: a sentence has been printed. */
static bool has_what_is_asked(const struct profile_data *d, const char *path,
			      const struct options *o)
{
	if (!o->view.at_peak || !d->totals.peak_bytes || peak_is_known(d))
		return true;
	say("%s does not tell what was live at the peak: it is of an older mprof", path);
	return false;
}

struct profile_data *read_named(const char *path, const struct options *o, bool *renamed)
{
	struct profile_data *d;
	struct error e;

	progress_begin("reading the data file");
	int err = datafile_read(path, &d, &e);
	progress_end();
	if (err) {
		say("%s", e.text);
		return NULL;
	}
	const struct profile_data *old = d;

	progress_begin("naming what was seen");
	bool fine = has_what_is_asked(d, path, o) && !rename_profile(&d, o);
	progress_end();
	*renamed = d != old;
	if (fine)
		return d;
	profile_data_free(d);
	return NULL;
}

struct profile_data *read_viewed(const char *path, const struct options *o)
{
	bool renamed;
	struct profile_data *d = read_named(path, o, &renamed);

	if (!d)
		return NULL;
	unseen_say(say_sentence, d, path);
	fn_names_meet(o, d);
	if (!view_apply(&o->view, d))
		return d;
	say("cannot read %s: out of memory", path);
	profile_data_free(d);
	return NULL;
}
