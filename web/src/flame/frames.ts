// SPDX-License-Identifier: BSD-2-Clause
// From the tree of call chains to the frames of a flame graph: chains are merged by function.

import type { Measure, Tree } from "../data/tree";
import { FrameTable } from "./pairs";

export interface FrameOptions {
	measure: Measure;
	inverted: boolean;
	hidden: ReadonlySet<string>; // functions that are left out, by name
	collapse: boolean; // a function that calls itself is one frame
	/** Inverted only: the part of the total below which callers are not followed. */
	cut: number;
}

/** Frames in arrays; 0 is the root, which stands for all. Parents come before children. */
export interface Frames {
	n: number;
	parent: Int32Array;
	key: Int32Array;
	node: Int32Array;
	value: Float64Array;
	self: Float64Array;
	x0: Float64Array; // where the frame begins, in units of the measure
	depth: Int32Array;
	order: Int32Array; // frames of some width, by depth and place
	rows: Int32Array; // where in order each depth begins; one more at the end
	/** Top-down only: the frame of each node of the tree. */
	frame_of: Int32Array | null;
	cut: number;
}

/** For each key: the number of its name, or -1 if it is hidden. */
export function names_of(t: Tree, hidden: ReadonlySet<string>): Int32Array {
	const ids = new Map<string, number>();
	const of = new Int32Array(t.keys.length);

	t.keys.forEach((k, i) => {
		const id = ids.get(k.name) ?? ids.size;

		ids.set(k.name, id);
		of[i] = hidden.has(k.name) ? -1 : id;
	});
	return of;
}

interface Merged {
	for: string; // what is hidden and collapsed
	table: FrameTable;
	of: Int32Array;
}

/** The last merging of each tree: it is the same for every measure, and most of the work. */
const merged = new WeakMap<Tree, Merged>();

function merge(t: Tree, o: FrameOptions): Merged {
	const wanted = JSON.stringify([...o.hidden, o.collapse]);
	const old = merged.get(t);

	if (old?.for === wanted) return old;
	const table = new FrameTable();
	const of = new Int32Array(t.n);
	const name = names_of(t, o.hidden);

	for (let i = 0; i < t.n; i++) {
		const up = t.parent[i] < 0 ? 0 : of[t.parent[i]];
		const k = t.key[i];
		const same = o.collapse && up > 0 && name[table.key[up]] === name[k];

		of[i] = name[k] < 0 || same ? up : table.child(up, k, i);
	}
	const made = { for: wanted, table, of };
	merged.set(t, made);
	return made;
}

function top_down(
	t: Tree,
	o: FrameOptions,
): { table: FrameTable; self: Float64Array; of: Int32Array } {
	const { table, of } = merge(t, o);
	const self = new Float64Array(table.n);
	const own = t.own[o.measure];
	for (let i = 0; i < own.length; i++) self[of[t.leaves[i]]] += own[i];
	return { table, self, of };
}

/** Level by level outwards from the allocating functions; what is below the cut is not followed. */
function bottom_up(t: Tree, o: FrameOptions): { table: FrameTable; self: Float64Array } {
	const table = new FrameTable();
	const name = names_of(t, o.hidden);
	const own = t.own[o.measure];
	let value = new Float64Array(1024);
	let self = new Float64Array(1024);
	// What is still to be followed: a leaf, the next node of its chain, and the frame reached.
	let leaf = Int32Array.from(own.keys()).filter((i) => own[i] > 0);
	let node = leaf.map((i) => t.leaves[i]);
	let frame = new Int32Array(leaf.length);
	const total = leaf.reduce((sum, i) => sum + own[i], 0);

	while (leaf.length) {
		let n = 0;
		for (let i = 0; i < leaf.length; i++) {
			const last = frame[i] ? name[table.key[frame[i]]] : -1;
			let at = node[i];

			while (
				at >= 0 &&
				(name[t.key[at]] < 0 || (o.collapse && name[t.key[at]] === last))
			)
				at = t.parent[at];
			if (at < 0) {
				self[frame[i]] += own[leaf[i]];
				continue;
			}
			const f = table.child(frame[i], t.key[at], at);
			if (f >= value.length) {
				value = grown(value);
				self = grown(self);
			}
			value[f] += own[leaf[i]];
			leaf[n] = leaf[i];
			node[n] = t.parent[at];
			frame[n++] = f;
		}
		let kept = 0;
		for (let i = 0; i < n; i++) {
			if (value[frame[i]] < o.cut * total) {
				self[frame[i]] += own[leaf[i]];
				continue;
			}
			leaf[kept] = leaf[i];
			node[kept] = node[i];
			frame[kept++] = frame[i];
		}
		leaf = leaf.subarray(0, kept);
		node = node.subarray(0, kept);
		frame = frame.subarray(0, kept);
	}
	return { table, self: self.slice(0, table.n) };
}

function grown(a: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
	const b = new Float64Array(2 * a.length);

	b.set(a);
	return b;
}

/** Children of each frame, heaviest first: those of f are list[first[f]] to list[first[f + 1]]. */
function children_of(
	n: number,
	parent: Int32Array,
	value: Float64Array,
): { first: Int32Array; list: Int32Array } {
	const first = new Int32Array(n + 2);
	const list = new Int32Array(Math.max(n - 1, 0));

	for (let f = 1; f < n; f++) first[parent[f] + 2]++;
	for (let f = 2; f < n + 2; f++) first[f] += first[f - 1];
	for (let f = 1; f < n; f++) list[first[parent[f] + 1]++] = f;
	for (let f = 0; f < n; f++)
		if (first[f + 1] - first[f] > 1)
			list.subarray(first[f], first[f + 1]).sort(
				(a, b) => value[b] - value[a] || a - b,
			);
	return { first, list };
}

/** Makes the frames and lays them out. */
export function make_frames(t: Tree, o: FrameOptions): Frames {
	const made = o.inverted ? { ...bottom_up(t, o), of: null } : top_down(t, o);
	const n = made.table.n;
	const parent = made.table.parent.subarray(0, n);
	const value = made.self.slice();

	for (let f = n - 1; f > 0; f--) value[parent[f]] += value[f];
	const { first, list } = children_of(n, parent, value);
	const x0 = new Float64Array(n);
	const depth = new Int32Array(n);
	const order = new Int32Array(n);
	const rows: number[] = [0];
	let end = 1;
	for (let i = 0; i < end; i++) {
		const f = order[i];
		let x = x0[f];

		if (depth[f] === rows.length) rows.push(i);
		for (let c = first[f]; c < first[f + 1] && value[list[c]] > 0; c++) {
			const child = list[c];

			x0[child] = x;
			x += value[child];
			depth[child] = depth[f] + 1;
			order[end++] = child;
		}
	}
	rows.push(end);
	return {
		n,
		parent,
		key: made.table.key.subarray(0, n),
		node: made.table.node.subarray(0, n),
		value,
		self: made.self,
		x0,
		depth,
		order: order.subarray(0, end),
		rows: Int32Array.from(rows),
		frame_of: made.of,
		cut: o.inverted ? o.cut : 0,
	};
}

/** The first place in a row (from @low to @high in order) whose frame ends right of @x. */
export function first_right_of(fr: Frames, low: number, high: number, x: number): number {
	while (low < high) {
		const mid = (low + high) >> 1;
		const f = fr.order[mid];

		if (fr.x0[f] + fr.value[f] > x) high = mid;
		else low = mid + 1;
	}
	return low;
}

/** The frame at a depth and a place, or -1. */
export function frame_at(fr: Frames, depth: number, x: number): number {
	if (depth < 0 || depth + 1 >= fr.rows.length) return -1;
	const i = first_right_of(fr, fr.rows[depth], fr.rows[depth + 1], x);
	const f = i < fr.rows[depth + 1] ? fr.order[i] : -1;

	return f >= 0 && fr.x0[f] <= x ? f : -1;
}

/** Children with some width, heaviest first. */
export function children(fr: Frames, f: number): number[] {
	const d = fr.depth[f] + 1;
	const list: number[] = [];

	if (d + 1 >= fr.rows.length) return list;
	for (
		let i = first_right_of(fr, fr.rows[d], fr.rows[d + 1], fr.x0[f]);
		i < fr.rows[d + 1];
		i++
	) {
		if (fr.parent[fr.order[i]] !== f) break;
		list.push(fr.order[i]);
	}
	return list;
}

/** Keys from the outermost frame to @f, the root left out. */
export function path_of(fr: Frames, f: number): number[] {
	const path: number[] = [];

	for (let at = f; at > 0; at = fr.parent[at]) path.push(fr.key[at]);
	return path.reverse();
}

/** Follows keys from the root as far as there are frames. */
export function find_path(fr: Frames, keys: readonly number[]): number {
	let f = 0;

	for (const k of keys) {
		const next = children(fr, f).find((c) => fr.key[c] === k);

		if (next === undefined) break;
		f = next;
	}
	return f;
}

/** The same by names, where it does not matter whether a function was inlined. */
export function find_names(t: Tree, fr: Frames, names: readonly string[]): number {
	let f = 0;

	for (const name of names) {
		const next = children(fr, f).find((c) => t.keys[fr.key[c]].name === name);

		if (next === undefined) break;
		f = next;
	}
	return f;
}
