// SPDX-License-Identifier: BSD-2-Clause
// Histograms of lifetimes: buckets of powers of two.

import type { Bucket } from "./rows";

/** The bucket of the block that the part @p of all have not outlived; null: there are none. */
export function quantile(buckets: readonly Bucket[], p: number): number | null {
	const all = buckets.reduce((sum, b) => sum + b.blocks, 0);
	let sum = 0;

	for (const b of buckets) {
		sum += b.blocks;
		if (sum >= p * all && b.blocks) return b.from;
	}
	return null;
}

/** Heights from 0 to 1 for each power of two from the first to the last bucket of all. */
export function heights(buckets: readonly Bucket[], first: number, last: number): number[] {
	const list = new Array<number>(Math.max(last - first + 1, 0)).fill(0);
	const most = Math.max(...buckets.map((b) => b.blocks), 1);

	for (const b of buckets) {
		const i = power(b.from) - first;

		if (i >= 0 && i < list.length) list[i] = b.blocks / most;
	}
	return list;
}

export const power = (from: number): number => (from < 2 ? 0 : Math.round(Math.log2(from)));
