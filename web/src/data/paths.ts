// SPDX-License-Identifier: BSD-2-Clause
// Call chains that rows tell of: a node of the tree, and how many of the chain's functions are
// meant.

import { charge } from "./culprits";
import type { OwnPlace } from "./schema";
import { type Tree, place_of } from "./tree";

/** The nodes of the innermost @depth functions of a chain, from the outside in. */
export function chain_of(t: Tree, node: number, depth = Infinity): number[] {
	const nodes: number[] = [];

	for (let at = node; at >= 0 && nodes.length < depth; at = t.parent[at]) {
		// What is not known is no function, unless there is nothing else.
		if (t.site[at] < 0 && nodes.length) break;
		nodes.push(at);
	}
	return nodes.reverse();
}

export const name_of = (t: Tree, node: number): string =>
	node >= 0 && node < t.n ? t.keys[t.key[node]].name : "?";

/** The innermost @depth functions of a chain, from the outside in. */
export const elements_of = (t: Tree, node: number, depth = Infinity): OwnPlace[] =>
	chain_of(t, node, depth).map((n) => {
		const { name, module, inlined } = t.keys[t.key[n]];
		const site = t.site[n];

		return {
			function: name,
			file: t.site_file[site] ?? null,
			line: t.site_line[site] ?? null,
			module,
			inlined,
			own: t.site_own[site],
		};
	});

export const place_at = (t: Tree, node: number): string | null =>
	node >= 0 && node < t.n ? place_of(t, t.site[node]) : null;

/** The node of a chain that a person would look at first: the innermost one of own code. */
export function blamed(t: Tree, node: number, depth = Infinity): number {
	const own = node >= 0 ? charge(t)[node] : -1;
	let at = node;

	if (own < 0 || depth === Infinity) return own < 0 ? node : own;
	for (let i = 1; i < depth && at !== own; i++) at = t.parent[at];
	return at === own ? own : node;
}

/** Names from the function that allocates outwards: a path of the inverted graph. */
export const inwards = (t: Tree, node: number, depth = Infinity): string[] =>
	chain_of(t, node, depth)
		.reverse()
		.map((n) => name_of(t, n));

/** The order of chains by the names of their functions, the innermost first. */
export function compare_chains(t: Tree, a: number, b: number): number {
	for (; a >= 0 && b >= 0 && a !== b; a = t.parent[a], b = t.parent[b]) {
		const x = name_of(t, a);
		const y = name_of(t, b);

		if (x !== y) return x < y ? -1 : 1;
	}
	return a === b ? 0 : a < b ? -1 : 1;
}

/** For each site whether its function or place has @word, which is in lower case. */
function sites_with(t: Tree, word: string): Uint8Array {
	const names = t.functions.map((f) => f.toLowerCase().includes(word));

	return Uint8Array.from(t.site_file, (_, s) =>
		names[t.site_fn[s]] || (place_of(t, s) ?? "").toLowerCase().includes(word) ? 1 : 0,
	);
}

export type Meets = (node: number, depth: number) => boolean;

/** Whether any of the innermost functions of a chain has @word, in lower case. */
export function chains_with(t: Tree, word: string): Meets {
	const hit = sites_with(t, word);
	const above = new Uint8Array(t.n);

	for (let i = 0; i < t.n; i++) {
		const up = t.parent[i];

		above[i] = (t.site[i] >= 0 && hit[t.site[i]]) || (up >= 0 && above[up]) ? 1 : 0;
	}
	return (node, depth) => {
		if (depth === Infinity || !above[node]) return above[node] === 1;
		for (let i = 0; i < depth && node >= 0; i++, node = t.parent[node])
			if (t.site[node] >= 0 && hit[t.site[node]]) return true;
		return false;
	};
}
