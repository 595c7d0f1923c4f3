// SPDX-License-Identifier: BSD-2-Clause
// What each frame of a difference was and is.

import type { Tree } from "../data/tree";
import type { FrameOptions, Frames } from "./frames";
import { FrameTable } from "./pairs";

/** Both figures of each frame. */
export interface Changes {
	before: Float64Array;
	now: Float64Array;
}

/** The frames of each leaf, from the outside in: all that are there of its chain. */
type Walk = (leaf: number, visit: (frame: number) => void) => void;

function outwards(fr: Frames, frame: number, visit: (frame: number) => void): void {
	for (let f = frame; f >= 0; f = f > 0 ? fr.parent[f] : -1) visit(f);
}

/** The inverted frames that a leaf is in: those of its callers as far as they were followed. */
function inverted_walk(t: Tree, fr: Frames): Walk {
	const made = new FrameTable();
	const { of, table } = fr.chains;

	for (let f = 1; f < fr.n; f++) made.child(fr.parent[f], fr.key[f], fr.node[f]);
	return (leaf, visit) => {
		let f = 0;

		visit(f);
		for (let at = of[t.leaves[leaf]]; at > 0; at = table.parent[at]) {
			f = made.find(f, table.key[at]);
			if (f < 0) return;
			visit(f);
		}
	};
}

/** Null: the tree is not of a difference. */
export function changes_of(t: Tree, fr: Frames, o: FrameOptions): Changes | null {
	if (!t.change) return null;
	const of = fr.frame_of;
	const walk: Walk = of
		? (leaf, visit) => outwards(fr, of[t.leaves[leaf]], visit)
		: inverted_walk(t, fr);
	const { before, now } = t.change;
	const made = { before: new Float64Array(fr.n), now: new Float64Array(fr.n) };

	for (let i = 0; i < t.leaves.length; i++) {
		const b = before[o.measure][i];
		const n = now[o.measure][i];

		if (!b && !n) continue;
		walk(i, (f) => {
			made.before[f] += b;
			made.now[f] += n;
		});
	}
	return made;
}

/** -1: all of its width is gone; 0: as it was; 1: all of it is new. */
export function part_of(c: Changes, fr: Frames, f: number): number {
	return fr.value[f] > 0 ? (c.now[f] - c.before[f]) / fr.value[f] : 0;
}
