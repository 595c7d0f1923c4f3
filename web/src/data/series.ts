// SPDX-License-Identifier: BSD-2-Clause
// Series for the timeline's two plots.

import type { Timeline } from "./schema";

export interface Layer {
	name: string;
	place: string | null;
	bytes: number[];
	is_site: boolean; // not the rest
}

const SHOWN = 10;

/** The sites of the most bytes at any time, and then all others with the rest as one. */
export function layers(t: Timeline): Layer[] {
	const most = (b: readonly number[]): number => b.reduce((a, v) => Math.max(a, v), 0);
	const sites = [...t.sites].sort((a, b) => most(b.bytes) - most(a.bytes));
	const rest = t.rest.slice();

	for (const s of sites.slice(SHOWN)) s.bytes.forEach((v, i) => (rest[i] += v));
	const list = sites.slice(0, SHOWN).map((s) => ({
		name: s.function,
		bytes: s.bytes,
		is_site: true,
		place: s.file === null ? null : s.line ? `${s.file}:${s.line}` : s.file,
	}));
	return [
		...list,
		{
			name: sites.length ? "the rest" : "all",
			place: null,
			bytes: rest,
			is_site: false,
		},
	];
}

/** Whether sites may have held more at a point than what is known of them: that is in the rest. */
export const is_least = (t: Timeline, at: number): boolean =>
	t.sites.length > 0 && t.rest[at] > 0 && !t.exact?.[at];

/** The layers by what they held at a point, as places in @list; the rest is last. */
export function at_moment(list: readonly Layer[], at: number): number[] {
	const order = list.map((_, i) => i);

	return order.sort(
		(a, b) =>
			Number(list[b].is_site) - Number(list[a].is_site) ||
			list[b].bytes[at] - list[a].bytes[at] ||
			a - b,
	);
}

/** Sums from the last layer up, so that the first is on top: the upper edge of each layer. */
export function stacked(list: readonly Layer[]): number[][] {
	const edges: number[][] = new Array<number[]>(list.length);
	let below: number[] = list.length ? list[0].bytes.map(() => 0) : [];

	for (let i = list.length - 1; i >= 0; i--) {
		below = list[i].bytes.map((v, j) => v + below[j]);
		edges[i] = below;
	}
	return edges;
}

/** Some times what the fast engine's clock may be wrong by: a millisecond. */
const least_span_ns = 1e7;

/**
 * Requests per second until each point since the one before, or since the last one that is far
 * enough away for a time to be told; null where there is none.
 */
export function rates(t: Timeline): (number | null)[] | null {
	const allocs = t.allocs;
	let from = 0;

	if (!allocs) return null;
	return t.time_ns.map((time, i) => {
		while (from + 1 < i && time - t.time_ns[from + 1] >= least_span_ns) from++;
		const ns = time - t.time_ns[from];

		return ns >= least_span_ns ? ((allocs[i] - allocs[from]) * 1e9) / ns : null;
	});
}
