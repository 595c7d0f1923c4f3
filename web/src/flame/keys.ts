// SPDX-License-Identifier: BSD-2-Clause
// Where an arrow leads from a frame: down to the heaviest child, up to the parent, left and right
// along its row.

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
