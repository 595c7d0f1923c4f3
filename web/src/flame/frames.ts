// SPDX-License-Identifier: BSD-2-Clause
// From the tree of call chains to the frames of a flame graph: chains are merged by function.

import { type Measure, type Tree, UNKNOWN } from "../data/tree";
import { FrameList, FrameTable } from "./pairs";

export interface FrameOptions {
	measure: Measure;
	inverted: boolean;
	hidden: ReadonlySet<string>; // functions that are left out, by name
	collapse: boolean; // a function that calls itself, be it through others, is one frame
	/** The part of the total below which frames have no place, and callers are not followed. */
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
	depth: Int32Array; // -1: it has no place, being inside one that is too narrow
	order: Int32Array; // frames of some width, by depth and place
	rows: Int32Array; // where in order each depth begins; one more at the end
	chains: Chains;
	/** Top-down only: the frame of each node of the tree. */
	frame_of: Int32Array | null;
	/** The frames right inside of another one, whether they have a place or not. */
	inside: (f: number) => Int32Array;
}

/** For each key: the number of its name, or -1 if it is hidden. */
function names_of(t: Tree, hidden: ReadonlySet<string>): Int32Array {
	const ids = new Map<string, number>();
	const of = new Int32Array(t.keys.length);

	t.keys.forEach((k, i) => {
		const id = ids.get(k.name) ?? ids.size;

		ids.set(k.name, id);
		of[i] = hidden.has(k.name) ? -1 : id;
	});
	return of;
}

/** The chains of a tree without what is hidden or collapsed in them, merged by function. */
export interface Chains {
	for: string; // what is hidden and collapsed
	table: FrameTable;
	of: Int32Array; // by node, where its chain ends in the table; 0: nothing is left of it
}

/** The last merging of each tree: it is the same for every measure, and most of the work. */
const merged = new WeakMap<Tree, Chains>();

/** What is not known is not the same again, however often it is met. */
const is_known = (name: string): boolean => name !== UNKNOWN && name !== "?";

/**
 * The frame further out, @up itself included, that a function of that name is, or -1: a function
 * that comes again, be it through others, goes on there.
 */
function met_before(table: FrameTable, up: number, names: Int32Array, name: number): number {
	for (let f = up; f > 0; f = table.parent[f]) if (names[table.key[f]] === name) return f;
	return -1;
}

function merge(t: Tree, o: FrameOptions): Chains {
	const wanted = JSON.stringify([...o.hidden, o.collapse]);
	const old = merged.get(t);

	if (old?.for === wanted) return old;
	const table = new FrameTable();
	const of = new Int32Array(t.n);
	const name = names_of(t, o.hidden);
	const folds = t.keys.map((k) => o.collapse && is_known(k.name));

	for (let i = 0; i < t.n; i++) {
		const up = t.parent[i] < 0 ? 0 : of[t.parent[i]];
		const k = t.key[i];
		const again = folds[k] ? met_before(table, up, name, name[k]) : -1;

		if (name[k] < 0) of[i] = up;
		else of[i] = again > 0 ? again : table.child(up, k, i);
	}
	const made = { for: wanted, table, of };
	merged.set(t, made);
	return made;
}

function top_down(t: Tree, o: FrameOptions, c: Chains): { table: FrameTable; self: Float64Array } {
	const self = new Float64Array(c.table.n);
	const own = t.own[o.measure];
	for (let i = 0; i < own.length; i++) self[c.of[t.leaves[i]]] += own[i];
	return { table: c.table, self };
}

/** What of the chains is still to be followed outwards: by leaf the next element of its chain, and
 * the frame reached. */
interface Front {
	leaf: Int32Array;
	at: Int32Array;
	frame: Int32Array;
}

/** The same in the order of frames, of which there are those from @low to before @high. */
function by_frame(f: Front, low: number, high: number): Front {
	const next = new Int32Array(high - low + 1);
	const n = f.leaf.length;
	const g = { leaf: new Int32Array(n), at: new Int32Array(n), frame: new Int32Array(n) };

	for (let i = 0; i < n; i++) next[f.frame[i] - low + 1]++;
	for (let i = 1; i < next.length; i++) next[i] += next[i - 1];
	for (let i = 0; i < n; i++) {
		const to = next[f.frame[i] - low]++;

		g.leaf[to] = f.leaf[i];
		g.at[to] = f.at[i];
		g.frame[to] = f.frame[i];
	}
	return g;
}

/** Level by level outwards from the allocating functions; what is below the cut is not followed. */
function bottom_up(
	t: Tree,
	o: FrameOptions,
	chains: Chains,
): { table: FrameList; self: Float64Array } {
	const table = new FrameList();
	const { parent, key, node } = chains.table;
	const own = t.own[o.measure];
	const child = new Int32Array(t.keys.length); // of the frame at hand, by key
	const leaf = Int32Array.from(own.keys()).filter((i) => own[i] > 0);
	const total = leaf.reduce((sum, i) => sum + own[i], 0);
	let front: Front = {
		leaf,
		at: leaf.map((i) => chains.of[t.leaves[i]]),
		frame: new Int32Array(leaf.length),
	};
	let value = new Float64Array(1024);
	let self = new Float64Array(1024);
	let low = 0;

	while (front.leaf.length) {
		const high = table.n;
		const f = by_frame(front, low, high);
		let n = 0;
		for (let i = 0; i < f.leaf.length; i++) {
			const up = f.frame[i];
			const at = f.at[i];

			if (at <= 0) {
				self[up] += own[f.leaf[i]];
				continue;
			}
			const k = key[at];
			let c = child[k];
			// What was noted for a frame before this one is of no use.
			if (c < high || table.parent[c] !== up)
				c = child[k] = table.add(up, k, node[at]);
			if (c >= value.length) {
				value = grown(value);
				self = grown(self);
			}
			value[c] += own[f.leaf[i]];
			f.leaf[n] = f.leaf[i];
			f.at[n] = parent[at];
			f.frame[n++] = c;
		}
		let kept = 0;
		for (let i = 0; i < n; i++) {
			if (value[f.frame[i]] < o.cut * total) {
				self[f.frame[i]] += own[f.leaf[i]];
				continue;
			}
			f.leaf[kept] = f.leaf[i];
			f.at[kept] = f.at[i];
			f.frame[kept++] = f.frame[i];
		}
		low = high;
		front = {
			leaf: f.leaf.subarray(0, kept),
			at: f.at.subarray(0, kept),
			frame: f.frame.subarray(0, kept),
		};
	}
	return { table, self: self.slice(0, table.n) };
}

function grown(a: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
	const b = new Float64Array(2 * a.length);

	b.set(a);
	return b;
}

/** Children of each frame: those of f are list[first[f]] to list[first[f + 1]], in no order. */
function children_of(n: number, parent: Int32Array): { first: Int32Array; list: Int32Array } {
	const first = new Int32Array(n + 2);
	const list = new Int32Array(Math.max(n - 1, 0));

	for (let f = 1; f < n; f++) first[parent[f] + 2]++;
	for (let f = 2; f < n + 2; f++) first[f] += first[f - 1];
	for (let f = 1; f < n; f++) list[first[parent[f] + 1]++] = f;
	return { first, list };
}

/**
 * Makes the frames and gives those a place that can be seen, and what is right inside of them; the
 * heaviest ones first.
 */
export function make_frames(t: Tree, o: FrameOptions): Frames {
	const chains = merge(t, o);
	const made = (o.inverted ? bottom_up : top_down)(t, o, chains);
	const n = made.table.n;
	const parent = made.table.parent.subarray(0, n);
	const value = made.self.slice();

	for (let f = n - 1; f > 0; f--) value[parent[f]] += value[f];
	const { first, list } = children_of(n, parent);
	const inside = (f: number): Int32Array => list.subarray(first[f], first[f + 1]);
	const x0 = new Float64Array(n);
	const depth = new Int32Array(n).fill(-1, 1);
	const order = new Int32Array(n);
	const rows: number[] = [0];
	let end = 1;
	for (let i = 0; i < end; i++) {
		const f = order[i];
		let x = x0[f];

		if (depth[f] === rows.length) rows.push(i);
		if (value[f] < o.cut * value[0]) continue;
		for (const child of inside(f).sort((a, b) => value[b] - value[a] || a - b)) {
			if (!(value[child] > 0)) break;
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
		chains,
		frame_of: o.inverted ? null : chains.of,
		inside,
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

/** The heaviest frame right inside of @f that is meant, or -1. */
function heaviest_inside(fr: Frames, f: number, meant: (key: number) => boolean): number {
	let best = -1;

	for (const c of fr.inside(f))
		if (fr.value[c] > (best < 0 ? 0 : fr.value[best]) && meant(fr.key[c])) best = c;
	return best;
}

function follow(fr: Frames, steps: ((key: number) => boolean)[]): number {
	let f = 0;

	for (const meant of steps) {
		const next = heaviest_inside(fr, f, meant);

		if (next < 0) break;
		f = next;
	}
	return f;
}

/** Follows keys from the root as far as there are frames. */
export const find_path = (fr: Frames, keys: readonly number[]): number =>
	follow(
		fr,
		keys.map((k) => (key: number) => key === k),
	);

/** The same by names, where it does not matter whether a function was inlined. */
export const find_names = (t: Tree, fr: Frames, names: readonly string[]): number =>
	follow(
		fr,
		names.map((name) => (key: number) => t.keys[key].name === name),
	);
