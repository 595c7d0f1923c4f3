/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures that a session tells to who looks at it. */
#include "fuzz.h"

#include "top/figures.h"

static void check_figures(const struct figures *f)
{
	const struct profile *p = &f->profile;

	FUZZ_EXPECT(f->head.program == PD_NONE || f->head.program < f->n_files);
	for (size_t i = 0; i < p->n_places; i++)
		FUZZ_EXPECT(p->places[i].module == PD_NONE || p->places[i].module < f->n_files);
	for (size_t i = PD_FIRST_NODE; i < p->n_nodes; i++)
		FUZZ_EXPECT(p->nodes[i].parent < i && p->nodes[i].frame < p->n_places);
	for (size_t i = 0; i < p->n_leaves; i++)
		FUZZ_EXPECT(p->leaves[i].node < p->n_nodes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	json_t *json = json_loads(text, 0, NULL);
	struct figures f;
	const int err = json ? figures_read(json, &f) : -EINVAL;

	FUZZ_EXPECT(!err || err == -EINVAL);
	if (!err) {
		check_figures(&f);
		figures_release(&f);
	}
	json_decref(json);
	free(text);
	return 0;
}
