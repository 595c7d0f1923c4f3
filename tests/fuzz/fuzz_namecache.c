/* SPDX-License-Identifier: BSD-2-Clause */
/* What the cache of names says of a file. */
#include "fuzz.h"

#include "symbols/internal.h"
#include "symbols/namecache.h"
#include "symbols/namecache_file.h"

static void check_types(const struct module *m, bool bad)
{
	FUZZ_EXPECT(!bad || !m->has_types);
	FUZZ_EXPECT(m->has_types || !m->n_types);
	for (size_t i = 0; i < m->n_types; i++) {
		FUZZ_EXPECT(m->types[i].name);
		FUZZ_EXPECT(!i || m->types[i - 1].size <= m->types[i].size);
	}
}

static void check_places(const struct symbols *s)
{
	for (size_t i = 0; i < s->n_cached; i++) {
		const struct cached *c = &s->cache[i];

		FUZZ_EXPECT(c->module == 0 && c->n && !c->frames[0].inlined);
		for (size_t j = 0; j < c->n; j++) {
			const struct sym_frame *f = &c->frames[j];

			FUZZ_EXPECT(f->name && f->linkage);
			FUZZ_EXPECT(!(f->function_key & KEY_SOURCE_FUNCTION) ||
				    (f->function_key & UINT32_MAX) < s->keys.n);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cache_in in = {.bytes = fuzz_text(data, size), .size = size};
	struct symbols *s = symbols_new();

	FUZZ_EXPECT(s);
	FUZZ_EXPECT(symbols_add_module(s, "/nowhere/fuzz", -1) == 0);
	FUZZ_EXPECT(namecache_take(s, 0, &in) == 0);
	check_types(s->modules[0], in.bad);
	check_places(s);
	symbols_free(s);
	cache_close(&in);
	return 0;
}
