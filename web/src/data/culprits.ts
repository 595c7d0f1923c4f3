// SPDX-License-Identifier: BSD-2-Clause
// The call sites of the program's own code that everything below them is charged to.

import { is_own } from "./own_code";
import { type Tree, place_of } from "./tree";

export interface Culprit {
	name: string;
	place: string | null;
	through: string | null;	// the function that allocates, if it is another one
	types: string[];
	allocs: number;
	bytes: number;
	frees: number;
	kept_blocks: number;
	kept_bytes: number;
	temporary: number;
	path: string[];		// names, from the function that allocates outwards to the culprit
}

/** For each node the innermost node of own code at or above it; itself if there is none. */
function charge(t: Tree): Int32Array {
	const of = new Int32Array(t.n);
	const own = t.site_file.map(() => 0);

	for (let i = 0; i < t.n; i++) {
		const s = t.site[i];

		if (s >= 0 && !own[s])
			own[s] = is_own(t.keys[t.key[i]].name, t.site_file[s]) ? 1 : 2;
		const up = t.parent[i];
		of[i] = s >= 0 && own[s] === 1 ? i : up >= 0 ? of[up] : -1;
	}
	return of;
}

function start(t: Tree, leaf: number, node: number): Culprit {
	const path: string[] = [];
	const name = t.keys[t.key[node]].name;

	for (let at = leaf; at !== node; at = t.parent[at])
		path.push(t.keys[t.key[at]].name);
	path.push(name);
	return {
		name, place: place_of(t, t.site[node]), path,
		through: leaf === node ? null : t.keys[t.key[leaf]].name,
		types: [], allocs: 0, bytes: 0, frees: 0, kept_blocks: 0, kept_bytes: 0, temporary: 0,
	};
}

/** Adds up what each site of own code asks for, itself or through others' code. */
export function culprits(t: Tree): Culprit[] {
	const of_node = charge(t);
	const by_site = new Map<string, Culprit>();
	const of_leaf = new Map<number, Culprit>();

	t.leaves.forEach((leaf, i) => {
		const node = of_node[leaf] < 0 ? leaf : of_node[leaf];
		const id = `${t.keys[t.key[node]].name}\0${place_of(t, t.site[node]) ?? ""}`;
		let c = by_site.get(id);

		if (!c)
			by_site.set(id, c = start(t, leaf, node));
		c.allocs += t.own.allocs[i];
		c.bytes += t.own.bytes[i];
		c.frees += t.own.frees[i];
		c.kept_blocks += t.own.kept_blocks[i];
		c.kept_bytes += t.own.kept_bytes[i];
		c.temporary += t.own.temporary[i];
		of_leaf.set(leaf, c);
	});
	t.types.node.forEach((node, i) => {
		const c = of_leaf.get(node);

		if (c && !c.types.includes(t.types.name[i]))
			c.types.push(t.types.name[i]);
	});
	return [...by_site.values()];
}

export type Order = "kept_bytes" | "bytes" | "temporary";

/** The first @n by that figure; none without any. */
export function heaviest(list: readonly Culprit[], by: Order, n: number): Culprit[] {
	return list.filter((c) => c[by] > 0)
		.sort((a, b) => b[by] - a[by] || b.allocs - a.allocs || a.name.localeCompare(b.name))
		.slice(0, n);
}
