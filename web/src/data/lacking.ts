// SPDX-License-Identifier: BSD-2-Clause
// What a profile has not got, and why, in words.

import { base_name, clip, isolated } from "../ui/format";
import type { Report } from "./schema";

const SHOWN = 3;

export const NO_TIMELINE =
	"No timeline: the program ended before a point was kept, or none was to be kept " +
	"(--timeline=0), or functions were left out of the report, and would be in its sums.";

export const has_types = (r: Report): boolean => r.bins.some((b) => b.types.length > 0);

function listed(names: readonly string[]): string {
	const more = names.length - SHOWN;
	const all = [...names.slice(0, SHOWN), ...(more > 0 ? [`${more} more`] : [])];
	const last = all.pop();

	return all.length ? `${all.join(", ")} and ${last}` : `${last}`;
}

/** One sentence for each of names, types and timeline that is not there. */
export function lacking(r: Report): string[] {
	const nameless = r.modules
		.filter((m) => /^(\.dynsym|none)/.test(m.names))
		.map((m) => isolated(clip(base_name(m.path), 60)));
	const list: string[] = [];

	if (nameless.length)
		list.push(
			`Only exported functions of ${listed(nameless)} have names: ` +
				"there was no debugging information and no table of symbols.",
		);
	if (!has_types(r) && r.bins.length)
		list.push(
			"No types of sizes: debugging information tells of none that has one, or " +
				"there was none of it, or types were not wanted (--types=none).",
		);
	if (!r.timeline?.time_ns.length) list.push(NO_TIMELINE);
	return list;
}
