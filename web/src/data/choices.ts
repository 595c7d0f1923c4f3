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

/** There may be thousands. */
function grouped<T>(list: readonly T[], key: (item: T) => string): Map<string, T[]> {
	const groups = new Map<string, T[]>();

	for (const item of list) {
		const group = groups.get(key(item));

		if (group) group.push(item);
		else groups.set(key(item), [item]);
	}
	return groups;
}

/** Moments of one process; a sum is of none, and numbers of processes are used again. */
const is_same = (p: IndexEntry, q: IndexEntry): boolean =>
	p.pid !== 0 && p.title === q.title && p.started_ns === q.started_ns;

/** Of one process there may be several: how far each of them goes tells them apart. */
function title_among(alike: number, p: IndexEntry): string {
	return p.pid === 0 || alike < 2 || p.until_ns === undefined
		? p.title
		: `${isolated(p.title)}, ${time(p.until_ns)}`;
}

/** Of each process the profile that goes furthest, in the order they came in. */
export function last_of_each(all: readonly IndexEntry[]): IndexEntry[] {
	const end = (p: IndexEntry): number => p.until_ns ?? Infinity;
	const last: IndexEntry[] = [];
	const titled = grouped(all, (p) => p.title);

	for (const p of all) {
		const moments = (titled.get(p.title) ?? []).filter((q) => q === p || is_same(p, q));
		const furthest = moments.reduce((a, b) => (end(b) > end(a) ? b : a));

		if (furthest === p) last.push(p);
	}
	return last;
}

/** "3 processes", or what they are, "3 of 5 processes". */
export function title_of_all(index: PageIndex): string {
	const last = last_of_each(index.profiles);
	// Sums are of no process, and one that has executed other programs has several.
	const processes = new Set(last.map((p) => p.pid || null));
	const is_each = processes.size === last.length && !processes.has(null);
	const n = last.length + (index.missing ?? 0);
	const whole = is_each ? `${n} process${n === 1 ? "" : "es"}` : plural(n, "profile");
	const all = index.missing ? `${last.length} of ${whole}` : whole;
	const more = index.profiles.length - last.length;

	return more ? `${all}, ${plural(more, "moment")} of them besides` : all;
}

export function choices(index: PageIndex): Choice[] {
	const titled = grouped(index.profiles, (p) => p.title);
	const profiles = index.profiles.map((p): Choice => {
		const title = title_among(titled.get(p.title)?.length ?? 0, p);

		return { title, of: "profile", entry: p };
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
	if (last_of_each(index.profiles).length < 2 && !index.missing) return profiles;
	return [
		{
			title: `${index.missing ? "" : "All "}${title_of_all(index)}`,
			of: "all",
			entry: null,
		},
		...profiles,
	];
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
