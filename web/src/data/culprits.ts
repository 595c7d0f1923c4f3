// SPDX-License-Identifier: BSD-2-Clause
// The call sites of the program's own code that everything below them is charged to.

import { FrameTable } from "../flame/pairs";
import { type Figure, type Tree, place_of } from "./tree";

export interface Culprit {
	name: string;
	place: string | null;
	through: string | null; // the function that allocates, if it is another one
	at: Spot;
	types: string[];
	allocs: number;
	bytes: number;
	frees: number;
	kept_blocks: number;
	kept_bytes: number;
	temporary: number;
	lost_blocks: number; // directly
	lost_bytes: number;
	hanging_bytes: number; // lost through these; usable
	size: number | null; // of each block; null: there are several
}

/** Where it is in the flame graph: the frame that has the most of it. */
export interface Spot {
	inverted: boolean;
	zoom: number[]; // keys from the outermost frame on
	whole: boolean; // all of it is in that frame
}

const charges = new WeakMap<Tree, Int32Array>();

/** For each node the innermost node of own code at or above it, or -1. */
export function charge(t: Tree): Int32Array {
	const of = charges.get(t) ?? find_charges(t);

	charges.set(t, of);
	return of;
}

function find_charges(t: Tree): Int32Array {
	const of = new Int32Array(t.n);

	for (let i = 0; i < t.n; i++) {
		const up = t.parent[i];

		of[i] = t.site_own[t.site[i]] ? i : up >= 0 ? of[up] : -1;
	}
	return of;
}

/** The next node of own code outwards, or -1. */
function outwards(t: Tree, of_node: Int32Array, node: number): number {
	const up = t.parent[node];

	return up < 0 ? -1 : of_node[up];
}

/** The figure of a leaf; of what is kept, without what the runtime keeps on purpose. */
function programs(t: Tree, f: Figure, leaf: number): number {
	const all = t.own[f][leaf];

	if (f === "kept_bytes") return all - t.own.runtime_bytes[leaf];
	return f === "kept_blocks" ? all - t.own.runtime_blocks[leaf] : all;
}

function sum_up(t: Tree, node: number, leaves: readonly number[]): Culprit {
	const name = t.keys[t.key[node]].name;
	const sum = (f: Figure): number => leaves.reduce((s, i) => s + programs(t, f, i), 0);

	return {
		name,
		place: place_of(t, t.site[node]),
		through: null,
		at: { inverted: false, zoom: [], whole: false },
		types: [],
		allocs: sum("allocs"),
		bytes: sum("bytes"),
		frees: sum("frees"),
		kept_blocks: sum("kept_blocks"),
		kept_bytes: sum("kept_bytes"),
		temporary: sum("temporary"),
		lost_blocks: sum("lost_blocks"),
		lost_bytes: sum("lost_bytes"),
		hanging_bytes: sum("hanging_bytes"),
		size: size_of(t, leaves),
	};
}

/** Of the blocks of all these leaves, if it is one. */
function size_of(t: Tree, leaves: readonly number[]): number | null {
	const size = t.size[leaves[0]] ?? -1;

	return size >= 0 && leaves.every((i) => t.size[i] === size) ? size : null;
}

/** Leaves (by their index) that are charged to the same place; nodes has it in each chain. */
interface Group {
	leaves: number[];
	nodes: number[];
}

/** A number for each function and place, by site; sites that people cannot tell apart share it. */
function number_places(t: Tree): Int32Array {
	const ids = new Map<string, number>();
	const of_site = new Int32Array(t.site_file.length).fill(-1);

	for (let i = 0; i < t.n; i++) {
		const s = t.site[i];

		if (s < 0 || of_site[s] >= 0) continue;
		const text = `${t.keys[t.key[i]].name}\0${place_of(t, s) ?? ""}`;
		const id = ids.get(text) ?? ids.size;

		ids.set(text, id);
		of_site[s] = id;
	}
	return of_site;
}

interface Known {
	t: Tree;
	of_node: Int32Array;
	place: Int32Array;
}

function group(k: Known, leaves: readonly number[], node_of: (i: number) => number): Group[] {
	const by_site = new Map<number, Group>();

	leaves.forEach((leaf, i) => {
		const node = node_of(i);
		const id = k.t.site[node] < 0 ? -1 : k.place[k.t.site[node]];
		let g = by_site.get(id);

		if (!g) by_site.set(id, (g = { leaves: [], nodes: [] }));
		g.leaves.push(leaf);
		g.nodes.push(node);
	});
	return [...by_site.values()];
}

const KEEPS = 0.95; // of its blocks: such a caller keeps what it asks for
const MIXED = 0.9;
const CALLERS_MAX = 6;

const kept_part = (c: Culprit): number => (c.allocs ? c.kept_blocks / c.allocs : 0);

/**
 * If some callers of a function keep what it makes and others free it, the function is not the
 * cause: those callers are. Goes outwards as long as that parts the kept from the freed.
 */
function refine(k: Known, g: Group, left: number): Group[] {
	const { t, of_node } = k;
	const whole = sum_up(t, g.nodes[0], g.leaves);

	if (!left || !whole.kept_blocks || kept_part(whole) >= MIXED) return [g];
	const callers = g.nodes.map((n) => outwards(t, of_node, n));
	if (callers.some((n) => n < 0)) return [g];
	const parts = group(k, g.leaves, (i) => callers[i]).flatMap((part) =>
		refine(k, part, left - 1),
	);
	const keeping = parts
		.map((part) => sum_up(t, part.nodes[0], part.leaves))
		.filter((c) => kept_part(c) >= KEEPS)
		.reduce((sum, c) => sum + c.kept_bytes, 0);
	return keeping >= MIXED * whole.kept_bytes ? parts : [g];
}

export type Order = "lost_bytes" | "kept_bytes" | "bytes" | "temporary";

/** What the leaves are charged to, before it is asked whether their callers are the cause. */
interface Charges extends Known {
	of_leaf: Int32Array; // the number of a place, by leaf; 0 is that of no place
	n: number;
	list: Int32Array; // leaves, by place
	first: Int32Array; // of each place in list, and one more
}

const charged = new WeakMap<Tree, Charges>();

const charged_node = (k: Known, leaf: number): number => {
	const node = k.t.leaves[leaf];

	return k.of_node[node] < 0 ? node : k.of_node[node];
};

/** A counting sort: the leaves of each place together, in their order. */
function by_place(of_leaf: Int32Array, n: number): { list: Int32Array; first: Int32Array } {
	const first = new Int32Array(n + 1);
	const list = new Int32Array(of_leaf.length);

	for (const id of of_leaf) first[id + 1]++;
	for (let id = 0; id < n; id++) first[id + 1] += first[id];
	const next = first.slice();
	of_leaf.forEach((id, leaf) => (list[next[id]++] = leaf));
	return { list, first };
}

function charges_of(t: Tree): Charges {
	let c = charged.get(t);

	if (!c) {
		const k = { t, of_node: charge(t), place: number_places(t) };
		const of_leaf = t.leaves.map((_, i) => {
			const site = t.site[charged_node(k, i)];

			return site < 0 ? 0 : k.place[site] + 1;
		});

		const n = of_leaf.reduce((m, id) => Math.max(m, id), 0) + 1;

		c = { ...k, of_leaf, n, ...by_place(of_leaf, n) };
		charged.set(t, c);
	}
	return c;
}

/** The causes among what is charged to one place. */
function causes(c: Charges, id: number): Group[] {
	const leaves = Array.from(c.list.subarray(c.first[id], c.first[id + 1]));

	return refine(c, { leaves, nodes: leaves.map((i) => charged_node(c, i)) }, CALLERS_MAX);
}

const heavier =
	(by: Order) =>
	(a: { c: Culprit }, b: { c: Culprit }): number =>
		b.c[by] - a.c[by] || b.c.allocs - a.c.allocs || a.c.name.localeCompare(b.c.name);

/**
 * The first @n by that figure; none without any: sites of own code, or the callers that decide
 * what is kept. A cause is no heavier than the place it is part of, so only the heaviest places
 * need be looked into.
 */
export function heaviest(t: Tree, by: Order, n: number): Culprit[] {
	const c = charges_of(t);
	const sum = new Float64Array(c.n);
	let found: { c: Culprit; g: Group }[] = [];

	c.of_leaf.forEach((id, i) => (sum[id] += programs(t, by, i)));
	const places = Int32Array.from(sum.keys())
		.filter((id) => sum[id] > 0)
		.sort((a, b) => sum[b] - sum[a] || a - b);
	for (const id of places) {
		if (found.length >= n && found[n - 1].c[by] > sum[id]) break;
		for (const g of causes(c, id))
			found.push({ c: sum_up(t, g.nodes[0], g.leaves), g });
		found = found
			.filter((f) => f.c[by] > 0)
			.sort(heavier(by))
			.slice(0, n);
	}
	for (const f of found) {
		f.c.types = types_at(t, f.g.leaves);
		f.c.through = through(t, f, by);
		f.c.at = spot_of(t, f.g, by);
	}
	return found.map((f) => f.c);
}

/** The function that allocates more than half of it, if it is another one. */
function through(t: Tree, { c, g }: { c: Culprit; g: Group }, by: Order): string | null {
	const weights = new Map<string, number>();

	for (const leaf of g.leaves) {
		const { name } = t.keys[t.key[t.leaves[leaf]]];

		weights.set(name, (weights.get(name) ?? 0) + programs(t, by, leaf));
	}
	const found = [...weights].find(([, weight]) => weight > c[by] / 2)?.[0];

	return found === undefined || found === c.name ? null : found;
}

/** The frames that a group is in, and how much of it is in each. */
class Spots {
	private table = new FrameTable();
	private sums = new Map<number, number>();

	add(keys: Iterable<number>, n: number): void {
		let f = 0;

		for (const k of keys) f = this.table.child(f, k, -1);
		this.sums.set(f, (this.sums.get(f) ?? 0) + n);
	}

	most(): { zoom: number[]; sum: number } {
		const [frame, sum] = [...this.sums].reduce((a, b) => (b[1] > a[1] ? b : a), [0, 0]);
		const zoom: number[] = [];

		for (let f = frame; f > 0; f = this.table.parent[f]) zoom.push(this.table.key[f]);
		return { zoom: zoom.reverse(), sum };
	}
}

/** Keys from @from outwards to @to, itself included; to the end of the chain if that is -1. */
function keys_between(t: Tree, from: number, to: number): number[] {
	const keys: number[] = [];

	for (let at = from; at >= 0; at = t.parent[at]) {
		keys.push(t.key[at]);
		if (at === to) break;
	}
	return keys;
}

/**
 * From main, or, where that has more of it in one frame, from the allocators: what is called from
 * many places is in one frame there.
 */
function spot_of(t: Tree, g: Group, by: Order): Spot {
	const [from_main, inverted] = [new Spots(), new Spots()];
	const of_node = new Map<number, number>();
	let whole = 0;

	g.leaves.forEach((leaf, i) => {
		const n = programs(t, by, leaf);

		whole += n;
		of_node.set(g.nodes[i], (of_node.get(g.nodes[i]) ?? 0) + n);
		inverted.add(keys_between(t, t.leaves[leaf], g.nodes[i]), n);
	});
	for (const [node, n] of of_node) from_main.add(keys_between(t, node, -1).reverse(), n);
	const [a, b] = [from_main.most(), inverted.most()];
	const best = b.sum > a.sum ? b : a;
	return { inverted: best === b, zoom: best.zoom, whole: best.sum >= whole };
}

/** The first type of each node: types stand in the order of nodes. */
function types_from(t: Tree, node: number): number {
	let low = 0;
	let high = t.types.node.length;

	while (low < high) {
		const mid = (low + high) >> 1;

		if (t.types.node[mid] < node) low = mid + 1;
		else high = mid;
	}
	return low;
}

function types_at(t: Tree, leaves: readonly number[]): string[] {
	const names = new Set<string>();

	for (const leaf of leaves)
		for (let i = types_from(t, t.leaves[leaf]); t.types.node[i] === t.leaves[leaf]; i++)
			names.add(t.types.name[i]);
	return [...names];
}
