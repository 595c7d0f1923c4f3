// SPDX-License-Identifier: BSD-2-Clause
// What is known of one frame: where it is in the source, and the types of the blocks under it.

import { type Tree, place_of } from "../data/tree";
import { type FrameOptions, type Frames, path_of } from "./frames";

const PLACES = 4;
const TYPES = 6;

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

/** Whether the chain of a node goes inwards out along the keys of an inverted frame. */
function ends_with(t: Tree, node: number, keys: readonly number[], o: FrameOptions): boolean {
	let done = 0;
	let last = "";

	for (let at = node; at >= 0 && done < keys.length; at = t.parent[at]) {
		const name = t.keys[t.key[at]].name;

		if (o.hidden.has(name) || (o.collapse && name === last)) continue;
		if (t.key[at] !== keys[done]) return false;
		last = name;
		done++;
	}
	return done === keys.length;
}

/** Types of the blocks that were requested under the frame, at most a few. */
export function types(t: Tree, fr: Frames, f: number, o: FrameOptions): string[] {
	const found = new Set<string>();
	const keys = fr.frame_of ? [] : path_of(fr, f);

	if (f < 0) return [];
	for (let i = 0; i < t.types.node.length && found.size < TYPES; i++) {
		const node = t.types.node[i];
		const under = fr.frame_of
			? is_under(fr, fr.frame_of[node], f)
			: ends_with(t, node, keys, o);

		if (under) found.add(t.types.certain[i] ? t.types.name[i] : `${t.types.name[i]}?`);
	}
	return [...found];
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
