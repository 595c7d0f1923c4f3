/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/keep.h"

#include "cli/commands.h"
#include "outputs/write.h"
#include "session/signals.h"

#include <errno.h>

int keep_try_again(struct serve *v)
{
	unwritten_forget(&v->outputs.unwritten, v->lasting);
	return output_session(&v->outputs);
}

/* Wait for a client or a signal. False: the session has been told to end once more. */
static bool wait_for_a_word(struct serve *v)
{
	while (output_unsaved(v->session) && !v->given_up && !v->n_waiting && !serve_told()) {
		signals_wait();
		serve_commands(v);
	}
	return !serve_told();
}

int keep_until_saved(struct serve *v)
{
	bool stay = true;

	v->kept = KEPT_FIRST;
	/* The first signal to end may have been sent without knowing that something is unsaved. */
	signals_obeyed();
	serve_commands(v);
	serve_answer_detached(v);
	v->kept = KEPT_AGAIN;
	while (stay && output_unsaved(v->session) && !v->given_up) {
		stay = wait_for_a_word(v);
		if (v->n_waiting || !stay)
			keep_try_again(v);
		if (stay && output_unsaved(v->session))
			serve_answer_detached(v);
	}
	v->kept = NOT_KEPT;
	return output_unsaved(v->session) ? -EIO : 0;
}
