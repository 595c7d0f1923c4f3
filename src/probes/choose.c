/* SPDX-License-Identifier: BSD-2-Clause */
#include "probes/choose.h"

#include "probes/place.h"

#include <errno.h>

/* True if the definition with this number is the first for its address. */
static bool is_first(const struct probes *probes, uint32_t number)
{
	for (uint32_t i = 0; i < number; i++)
		if (probes->v[i].address == probes->v[number].address)
			return false;
	return true;
}

static bool is_told_by_address(const struct probes *probes, uint64_t address)
{
	for (size_t i = 0; i < probes->n; i++)
		if (probes->v[i].address == address)
			return true;
	return false;
}

/* True if all requests of a forwarder are observed in the functions that it calls. Not with
 * --malloc-lib, which may exclude those. */
static bool is_seen_below(const struct rules *rules, const struct scan_probe *p)
{
	return p->forwards && !rules->n_libs;
}

int choose_probes(const struct module_files *files, struct scans *scans, struct rules *rules,
		  uint32_t file, bool program, void (*each)(void *ctx, const struct scan_probe *p),
		  void *ctx)
{
	const struct scan *scan = scan_file(scans, files, file);
	struct probes *probes = &rules->probes;

	if (!scan)
		return -ENOMEM;
	bool allowed = rules_allow(rules, files->files[file].path, scan->soname, program);
	for (size_t i = 0; i < scan->n_probes; i++) {
		const struct scan_probe *p = &scan->probes[i];

		if (program && is_told_by_address(probes, p->address))
			continue;
		if (is_seen_below(rules, p))
			continue;
		if (allowed || !rules_restrict(&probes->v[p->probe]))
			each(ctx, p);
	}
	for (uint32_t i = 0; program && i < probes->n; i++) {
		struct probe *p = &probes->v[i];

		if (!p->address || p->address < scan->code_start || p->address >= scan->code_end ||
		    (!allowed && rules_restrict(p)))
			continue;
		p->found = true;
		bool placed = place_may_be_instruction(files->files[file].fd, p->address);
		p->placed |= placed;
		if (placed && is_first(probes, i))
			each(ctx, &(struct scan_probe){ .address = p->address, .probe = i });
	}
	return 0;
}
