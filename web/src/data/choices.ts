// SPDX-License-Identifier: BSD-2-Clause
// What can be looked at in a page: its profiles, and first, if there is one, their difference; or,
// if they are of several processes, the list of them all.

import { isolated, plural, time } from "../ui/format";
import type { IndexEntry, PageIndex } from "./schema";

export interface Choice {
	title: string;
	of: "all" | "difference" | "profile";
	entry: IndexEntry | null; // of a profile
}

/** Moments of one process; a sum is of none. */
const is_same = (p: IndexEntry, q: IndexEntry): boolean => p.pid !== 0 && p.title === q.title;

/** Of one process there may be several: how far each of them goes tells them apart. */
function title_among(all: readonly IndexEntry[], p: IndexEntry): string {
	const alone = all.filter((q) => is_same(p, q)).length < 2;

	return alone || p.until_ns === undefined
		? p.title
		: `${isolated(p.title)}, ${time(p.until_ns)}`;
}

/** Of each process the profile that goes furthest, in the order they came in. */
export function last_of_each(all: readonly IndexEntry[]): IndexEntry[] {
	const end = (p: IndexEntry): number => p.until_ns ?? Infinity;

	return all.filter(
		(p, i) =>
			!all.some(
				(q, k) =>
					k !== i &&
					is_same(p, q) &&
					(end(q) > end(p) || (end(q) === end(p) && k < i)),
			),
	);
}

/** "3 processes", or what they are. */
export function title_of_all(index: PageIndex): string {
	const last = last_of_each(index.profiles);
	const sums = last.some((p) => p.pid === 0);
	const all = sums
		? plural(last.length, "profile")
		: `${last.length} process${last.length === 1 ? "" : "es"}`;
	const more = index.profiles.length - last.length;

	return more ? `${all}, ${plural(more, "moment")} of them besides` : all;
}

export function choices(index: PageIndex): Choice[] {
	const profiles = index.profiles.map((p): Choice => {
		return { title: title_among(index.profiles, p), of: "profile", entry: p };
	});

	const names = ["Now", "Before"];

	if (index.growth)
		return [
			{ title: "Difference", of: "difference", entry: null },
			...profiles.map((c, i) => ({
				...c,
				title: `${names[i] ?? ""}: ${isolated(index.profiles[i].title)}`,
			})),
		];
	if (last_of_each(index.profiles).length < 2) return profiles;
	return [{ title: `All ${title_of_all(index)}`, of: "all", entry: null }, ...profiles];
}

/** Another profile of the same process, which ends at a moment of this one. */
export interface Snapshot {
	profile: number; // of the choices
	ns: number;
}

/** Of a choice, in the order of time. */
export function snapshots(index: PageIndex, number: number): Snapshot[] {
	const all = choices(index);
	const mine = index.growth ? null : all[number]?.entry;
	const end = mine?.until_ns ?? 0;
	const list: Snapshot[] = [];

	all.forEach(({ entry }, profile) => {
		const ns = entry?.until_ns ?? end;

		if (mine && entry && is_same(mine, entry) && ns < end) list.push({ profile, ns });
	});
	return list.sort((a, b) => a.ns - b.ns);
}
