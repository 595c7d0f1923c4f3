// SPDX-License-Identifier: BSD-2-Clause
// What can be looked at in a page: its profiles, and first, if there is one, their difference.

import type { IndexEntry, PageIndex } from "./schema";

export interface Choice {
	title: string;
	entry: IndexEntry | null; // null: the difference
}

export function choices(index: PageIndex): Choice[] {
	if (!index.growth) return index.profiles.map((p) => ({ title: p.title, entry: p }));
	const names = ["Now", "Before"];

	return [
		{ title: "Difference", entry: null },
		...index.profiles.map((p, i) => ({
			title: `${names[i] ?? ""}: ${p.title}`,
			entry: p,
		})),
	];
}
