// SPDX-License-Identifier: BSD-2-Clause
// What can be looked at in a page: its profiles, and first, if there is one, their difference.

import { isolated, time } from "../ui/format";
import type { IndexEntry, PageIndex } from "./schema";

export interface Choice {
	title: string;
	entry: IndexEntry | null; // null: the difference
}

/** Of one process there may be several: how far each of them goes tells them apart. */
function title_among(all: readonly IndexEntry[], p: IndexEntry): string {
	const alone = all.filter((q) => q.title === p.title).length < 2;

	return alone || p.until_ns === undefined
		? p.title
		: `${isolated(p.title)}, ${time(p.until_ns)}`;
}

export function choices(index: PageIndex): Choice[] {
	if (!index.growth)
		return index.profiles.map((p) => ({
			title: title_among(index.profiles, p),
			entry: p,
		}));
	const names = ["Now", "Before"];

	return [
		{ title: "Difference", entry: null },
		...index.profiles.map((p, i) => ({
			title: `${names[i] ?? ""}: ${isolated(p.title)}`,
			entry: p,
		})),
	];
}

/** Another profile of the same process, which ends at a moment of this one. */
export interface Snapshot {
	profile: number;
	ns: number;
}

/** In the order of time. */
export function snapshots(index: PageIndex, number: number): Snapshot[] {
	const mine = index.growth ? undefined : index.profiles[number];
	const end = mine?.until_ns ?? 0;
	const list: Snapshot[] = [];

	index.profiles.forEach((p, profile) => {
		const ns = p.until_ns ?? end;

		if (p.title === mine?.title && ns < end) list.push({ profile, ns });
	});
	return list.sort((a, b) => a.ns - b.ns);
}
