// SPDX-License-Identifier: BSD-2-Clause
// Where an arrow leads from a frame: down to the heaviest child, up to the parent, left and right
// along its row; and where Enter leads from match to match.

import { type Frames, children } from "./frames";

/** The frame that the key leads to; @f itself at the edge. */
export function step(fr: Frames, f: number, key: string): number {
	if (key === "ArrowUp") return fr.parent[f] >= 0 ? fr.parent[f] : f;
	if (key === "ArrowDown") return children(fr, f)[0] ?? f;
	const low = fr.rows[fr.depth[f]];
	const high = fr.rows[fr.depth[f] + 1];
	const at = fr.order.subarray(low, high).indexOf(f) + low + (key === "ArrowLeft" ? -1 : 1);

	return at >= low && at < high ? fr.order[at] : f;
}

/**
 * The match behind @f, or before it, row by row and round again, among those that are seen while
 * @zoomed is as wide as the window; -1: there is none.
 */
export function next_match(
	fr: Frames,
	hits: Uint8Array | null,
	zoomed: number,
	f: number,
	back: boolean,
): number {
	const from = fr.depth[zoomed] < 0 ? 0 : zoomed;
	const end = fr.x0[from] + fr.value[from];
	const seen = fr.order.filter(
		(m) => hits?.[m] && fr.x0[m] < end && fr.x0[m] + fr.value[m] > fr.x0[from],
	);
	const at = seen.indexOf(f);

	if (!seen.length) return -1;
	if (back) return seen[at > 0 ? at - 1 : seen.length - 1];
	return seen[(at + 1) % seen.length];
}
