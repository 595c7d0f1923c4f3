// SPDX-License-Identifier: BSD-2-Clause
// Two trees of call chains as one: what a difference is drawn of.

import { FrameTable } from "../flame/pairs";
import type { TreeBlock } from "./schema";
import { FIGURES, type Figure, type Key, type Tree, make_tree } from "./tree";

/** A tree, and what each of its functions is numbered in both profiles; -1 is not known. */
interface Side {
	tree: Tree;
	same: Int32Array; // by node
}

function read_side(b: TreeBlock, at_peak: boolean): Side {
	const tree = make_tree(b, at_peak);
	const same = tree.site.map((s) =>
		s < 0 ? -1 : (b.functions.same?.[b.sites.function[s]] ?? -1),
	);

	return { tree, same };
}

/**
 * The functions of both, and for each side the places of its own among them. Whether a call of it
 * was inlined does not make it another one: that changes from build to build.
 */
function join_keys(sides: readonly Side[]): { keys: Key[]; of: Int32Array[] } {
	const keys: Key[] = [];
	const numbered = new Map<number, number>();
	const of = sides.map(({ tree, same }) => {
		const to = new Int32Array(tree.keys.length).fill(-1);

		for (let i = 0; i < tree.n; i++) {
			const k = tree.key[i];
			const number = same[i] < 0 && tree.site[i] >= 0 ? null : same[i];
			const known = (number === null ? undefined : numbered.get(number)) ?? to[k];
			const at = known >= 0 ? known : keys.push({ ...tree.keys[k] }) - 1;

			if (!tree.keys[k].inlined) keys[at].inlined = false;
			if (to[k] < 0) to[k] = at;
			if (number !== null) numbered.set(number, at);
		}
		return to;
	});

	return { keys, of };
}

const joined = <T extends Int32Array | Float64Array>(a: T, b: T, map: (v: number) => number): T => {
	const all = new (a.constructor as new (n: number) => T)(a.length + b.length);

	all.set(a);
	all.set(b.map(map) as T, a.length);
	return all;
};

/** The nodes of both, those of the newer one first. */
function join_nodes(sides: readonly Side[]): Omit<Tree, "own" | "change"> {
	const [a, b] = sides.map((s) => s.tree);
	const { keys, of } = join_keys(sides);
	const or_none = (n: number) => (v: number) => (v < 0 ? -1 : v + n);

	return {
		n: a.n + b.n,
		parent: joined(a.parent, b.parent, or_none(a.n)),
		site: joined(a.site, b.site, or_none(a.site_file.length)),
		key: joined(
			a.key.map((k) => of[0][k]),
			b.key,
			(k) => of[1][k],
		),
		keys,
		site_file: [...a.site_file, ...b.site_file],
		site_line: [...a.site_line, ...b.site_line],
		site_own: [...a.site_own, ...b.site_own],
		site_fn: joined(a.site_fn, b.site_fn, or_none(a.functions.length)),
		functions: [...a.functions, ...b.functions],
		leaves: joined(a.leaves, b.leaves, (v) => v + a.n),
		size: joined(a.size, b.size, (v) => v),
		at_peak: a.at_peak,
		types: {
			node: joined(a.types.node, b.types.node, (v) => v + a.n),
			name: [...a.types.name, ...b.types.name],
			certain: [...a.types.certain, ...b.types.certain],
		},
	};
}

/** For each leaf the number of its chain: that of the other profile through the same functions has
 * it, too. */
function chains_of(t: Pick<Tree, "n" | "parent" | "key" | "leaves">): Int32Array {
	const table = new FrameTable();
	const of = new Int32Array(t.n);

	for (let i = 0; i < t.n; i++)
		of[i] = table.child(t.parent[i] < 0 ? 0 : of[t.parent[i]], t.key[i], i);
	return t.leaves.map((node) => of[node]);
}

/** Of each chain the larger side, so that what is gone has a width, too. */
function larger(before: Float64Array, now: Float64Array, chain: Int32Array): Float64Array {
	const growth = new Float64Array(chain.reduce((most, c) => Math.max(most, c), 0) + 1);

	chain.forEach((c, i) => (growth[c] += now[i] - before[i]));
	return now.map((v, i) => (growth[chain[i]] < 0 ? before[i] : v));
}

/** The tree of both. Its figures are, chain by chain, those of the larger side. */
export function make_difference(now: TreeBlock, base: TreeBlock, at_peak = false): Tree {
	const sides = [read_side(now, at_peak), read_side(base, at_peak)];
	const nodes = join_nodes(sides);
	const chain = chains_of(nodes);
	const [a, b] = sides.map((s) => s.tree.own);
	const own = {} as Record<Figure, Float64Array>;
	const change = { before: { ...own }, now: { ...own } };

	for (const f of FIGURES) {
		const none = (list: Float64Array): Float64Array => new Float64Array(list.length);

		change.now[f] = joined(a[f], none(b[f]), (v) => v);
		change.before[f] = joined(none(a[f]), b[f], (v) => v);
		own[f] = larger(change.before[f], change.now[f], chain);
	}
	return { ...nodes, own, change };
}
