// SPDX-License-Identifier: BSD-2-Clause
// What a profile has not got, and why, in words.

import { base_name, clip, isolated, plural } from "../ui/format";
import { is_peak } from "./moment";
import type { Report } from "./schema";

const SHOWN = 3;

export function no_timeline(r: Report): string {
	if (r.merged)
		return (
			`No timeline: this is the sum of ${plural(r.merged, "profile")}, ` +
			"and each of them had moments of its own."
		);
	if (is_peak(r)) return "No timeline: this page is of one moment, the peak.";
	if (r.left_out) return "No timeline: what --ignore-fn left out would be in its sums.";
	if (r.unseen?.spared_timeline) return "No timeline: it was not kept, for --max-memory.";
	return (
		"No timeline: the program ended before a point was kept, " +
		"or none was to be kept (--timeline=0)."
	);
}

const value_of = (option: string): string => option.slice(option.indexOf("=") + 1);

/** What the options have changed or left out besides what is in no figure. */
function by_options(r: Report): string[] {
	const given = r.options ?? [];
	const list: string[] = [];
	const alloc = given.filter((o) => o.startsWith("--alloc-fn=")).map(value_of);
	const depth = given.find((o) => o.startsWith("--depth="));

	if (alloc.length)
		list.push(`Who calls ${listed(alloc)} counts as who requested (--alloc-fn).`);
	if (given.includes("--inlines=no"))
		list.push(
			"Functions that the compiler has inlined are not shown (--inlines=no): " +
				"what they did is their callers' doing.",
		);
	if (given.includes("--names=short"))
		list.push(
			"Names are without template arguments and parameters (--names=short): " +
				"different functions may have the same one.",
		);
	if (given.includes("--site-types=no"))
		list.push("No types at call sites (--site-types=no).");
	if (given.includes("--types=program"))
		list.push("Types of sizes are those of the program only (--types=program).");
	if (depth && value_of(depth) !== "all")
		list.push(
			`Paths of leaks have ${plural(Number(value_of(depth)), "function")} ` +
				`at most (${depth}).`,
		);
	return list;
}

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
			r.options?.includes("--types=none")
				? "No types of sizes: they were not wanted (--types=none)."
				: "No types of sizes: debugging information tells of none, " +
						"or there was none of it.",
		);
	if (!r.timeline?.time_ns.length) list.push(no_timeline(r));
	return [...list, ...by_options(r)];
}
