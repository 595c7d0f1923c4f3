// SPDX-License-Identifier: BSD-2-Clause
// Rows of tables: of leaks, of functions, of lifetimes. A row is its number; its figures are
// in columns.

import type { RowsBlock } from "./schema";

export interface Bucket {
	from: number; // nanoseconds
	blocks: number;
}

export interface Rows {
	leaks: RowsBlock["leaks"];
	functions: RowsBlock["functions"];
	lifetimes: RowsBlock["lifetimes"];
	types: (leak: number) => readonly string[];
	verdict: (leak: number) => string;
	/** The powers of two in all buckets, from the first to the last. */
	span: { first: number; last: number };
	/** How long the blocks of a row lived. */
	buckets: (lifetime: number) => Bucket[];
}

/** All row numbers of a table that has that column. */
export const all_rows = (column: readonly unknown[]): number[] => Array.from(column.keys());

export function make_rows(b: RowsBlock): Rows {
	const lists = b.types.map((list) => list.map((s) => b.strings[s] ?? "?"));
	const first = new Int32Array(b.lifetimes.buckets.length + 1);

	b.lifetimes.buckets.forEach((n, i) => (first[i + 1] = first[i] + n));
	return {
		leaks: b.leaks,
		functions: b.functions,
		lifetimes: b.lifetimes,
		types: (i) => lists[b.leaks.types[i]] ?? [],
		verdict: (i) => b.strings[b.leaks.verdict?.[i] ?? -1] ?? "",
		span: {
			first: b.buckets.power.reduce((x, y) => Math.min(x, y), 63),
			last: b.buckets.power.reduce((x, y) => Math.max(x, y), 0),
		},
		buckets: (i) => {
			const list: Bucket[] = [];

			for (let k = first[i]; k < first[i + 1]; k++) {
				const power = b.buckets.power[k];

				list.push({
					from: power ? 2 ** power : 0,
					blocks: b.buckets.blocks[k],
				});
			}
			return list;
		},
	};
}
