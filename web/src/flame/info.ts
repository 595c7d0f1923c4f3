// SPDX-License-Identifier: BSD-2-Clause
// What is known of one frame: where it is in the source, and the types of the blocks under it.

import { type Measure, type Tree, place_of, typed } from "../data/tree";
import { type Frames, path_of } from "./frames";

const PLACES = 4;

/** file:line of the calls in that frame. In the inverted graph, one of them. */
export function places(t: Tree, fr: Frames, f: number): string[] {
	const sites = new Set<number>();

	if (f <= 0) return [];
	sites.add(t.site[fr.node[f]]);
	if (fr.frame_of)
		for (let i = fr.node[f] + 1; i < t.n && sites.size < PLACES; i++)
			if (fr.frame_of[i] === f && t.key[i] === fr.key[f]) sites.add(t.site[i]);
	const list = [...sites].map((s) => place_of(t, s)).filter((p): p is string => p !== null);
	return [...new Set(list)];
}

function is_under(fr: Frames, frame: number, f: number): boolean {
	while (frame > f)
		// parents come before children
		frame = fr.parent[frame];
	return frame === f;
}

/** Whether a chain goes, from its inner end outwards, along the keys of an inverted frame. */
function ends_with(fr: Frames, node: number, keys: readonly number[]): boolean {
	const { of, table } = fr.chains;
	let at = of[node];

	for (const k of keys) {
		if (at <= 0 || table.key[at] !== k) return false;
		at = table.parent[at];
	}
	return true;
}

/** Those of the tree's types that are of blocks under the frame which the measure counts. */
function types_under(t: Tree, fr: Frames, f: number, counted: Float64Array): number[] {
	const of = fr.frame_of;
	const keys = of ? [] : path_of(fr, f);
	const list: number[] = [];

	if (f < 0) return [];
	t.types.node.forEach((node, i) => {
		if (!(counted[i] > 0)) return;
		if (of ? is_under(fr, of[node], f) : ends_with(fr, node, keys)) list.push(i);
	});
	return list;
}

/**
 * Types of the blocks under the frame that the measure counts, those of the most first. What is
 * known is a type of each place that requests, so that one with several is given all it requests.
 */
export function types(t: Tree, fr: Frames, f: number, m: Measure): string[] {
	const sums = new Map<string, number>();
	const counted = typed(t, m);

	for (const i of types_under(t, fr, f, counted)) {
		const name = t.types.certain[i] ? t.types.name[i] : `${t.types.name[i]}?`;

		sums.set(name, (sums.get(name) ?? 0) + counted[i]);
	}
	return [...sums].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

/** How much of what is under the frame a place has requested of which a type is known. */
export function of_known_type(t: Tree, fr: Frames, f: number, m: Measure): number {
	const counted = typed(t, m);

	// Several types of a place stand together.
	return types_under(t, fr, f, counted).reduce(
		(sum, i, k, list) =>
			k && t.types.node[list[k - 1]] === t.types.node[i] ? sum : sum + counted[i],
		0,
	);
}

/** The path of a frame as text, one function a line, from the outside in. */
export function path_text(t: Tree, fr: Frames, f: number): string {
	const lines: string[] = [];

	for (let at = f; at > 0; at = fr.parent[at]) {
		const k = t.keys[fr.key[at]];
		const place = place_of(t, t.site[fr.node[at]]);

		lines.push(k.name + (k.inlined ? " (inlined)" : "") + (place ? `  ${place}` : ""));
	}
	if (fr.frame_of) lines.reverse();
	return lines.join("\n");
}
