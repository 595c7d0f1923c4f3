// SPDX-License-Identifier: BSD-2-Clause
// The tree of call chains in typed arrays. Nodes are in depth-first order, parents first.

import type { TreeBlock } from "./schema";

const REQUESTED = ["kept_bytes", "peak_bytes", "bytes", "allocs", "temporary"] as const;
/** What the flame graph can show; see measures_of(). */
export const MEASURES = ["lost_bytes", ...REQUESTED] as const;
export type Measure = (typeof MEASURES)[number];
const LOST = ["lost_blocks", "lost_bytes", "hanging_blocks", "hanging_bytes"] as const;
export type Figure =
	| Measure
	| "frees"
	| "kept_blocks"
	| "peak_blocks"
	| "runtime_blocks"
	| "runtime_bytes"
	| (typeof LOST)[number];

/** A function as people know it: the same name in the same module, inlined or not. */
export interface Key {
	name: string;
	module: string | null;
	inlined: boolean;
}

export interface Tree {
	n: number;
	parent: Int32Array; // -1: a root
	site: Int32Array; // -1: not known, such as the callers of a truncated chain
	key: Int32Array; // index into keys
	keys: Key[];
	site_file: (string | null)[];
	site_line: number[];
	site_own: boolean[]; // of the program's own code
	site_fn: Int32Array; // index into functions
	functions: string[];
	leaves: Int32Array; // nodes that allocate themselves, in ascending order
	own: Record<Figure, Float64Array>; // figures of the leaves, in their order
	size: Float64Array; // of each block of a leaf; -1: there are several
	at_peak: boolean; // all of it is what was live then
	types: { node: Int32Array; name: string[]; certain: boolean[] };
	/** Of a difference: both figures of each leaf, of which own has the larger one. */
	change?: Record<"before" | "now", Record<Figure, Float64Array>>;
}

/** The name of what is above truncated chains. */
export const UNKNOWN = "… (chain not known further out)";

const OF_LEAVES = [
	...REQUESTED,
	"frees",
	"kept_blocks",
	"peak_blocks",
	"runtime_blocks",
	"runtime_bytes",
] as const;

export const FIGURES: Figure[] = [...OF_LEAVES, ...LOST];

const at = <T>(list: readonly T[], i: number): T | null =>
	i >= 0 && i < list.length ? list[i] : null;

/** Numbers each (name, module, inlined); what comes of the same three is the same function. */
function make_keys(b: TreeBlock): { keys: Key[]; of_site: Int32Array } {
	const keys: Key[] = [{ name: UNKNOWN, module: null, inlined: false }];
	const ids = new Map<string, number>();
	const of_site = new Int32Array(b.sites.function.length);

	for (let i = 0; i < of_site.length; i++) {
		const f = b.sites.function[i];
		const name = at(b.functions.name, f) ?? -1;
		const module = at(b.modules, at(b.functions.module, f) ?? -1) ?? -1;
		const inlined = b.sites.inlined[i] !== 0;
		const id = `${name} ${module} ${inlined}`;
		let key = ids.get(id);

		if (key === undefined) {
			key = keys.length;
			ids.set(id, key);
			keys.push({
				name: at(b.strings, name) ?? "?",
				module: at(b.strings, module),
				inlined,
			});
		}
		of_site[i] = key;
	}
	return { keys, of_site };
}

/** Turns the block into arrays. Indices that lead nowhere mean "not known", never a failure. */
export function make_tree(b: TreeBlock, at_peak = false): Tree {
	const n = b.nodes.up.length;
	const parent = new Int32Array(n);
	const site = new Int32Array(n);
	const key = new Int32Array(n);
	const { keys, of_site } = make_keys(b);

	for (let i = 0; i < n; i++) {
		const up = b.nodes.up[i];
		const s = b.nodes.site[i];

		parent[i] = up > 0 && up <= i ? i - up : -1;
		site[i] = s >= 0 && s < of_site.length ? s : -1;
		key[i] = site[i] < 0 ? 0 : of_site[site[i]];
	}
	const leaves = new Int32Array(b.leaves.node.length);
	for (let i = 0, node = 0; i < leaves.length; i++) {
		node += b.leaves.node[i];
		leaves[i] = Math.min(Math.max(node, 0), Math.max(n - 1, 0));
	}
	const own = {} as Record<Figure, Float64Array>;
	for (const f of OF_LEAVES) own[f] = Float64Array.from(b.leaves[f]);
	for (const f of LOST)
		own[f] = b.lost ? Float64Array.from(b.lost[f]) : new Float64Array(leaves.length);
	return {
		n,
		parent,
		site,
		key,
		keys,
		leaves,
		own,
		size: Float64Array.from(b.leaves.size),
		at_peak,
		site_file: b.sites.file.map((f) => at(b.strings, f)),
		site_line: b.sites.line,
		site_own: b.sites.own.map((o) => o !== 0),
		site_fn: Int32Array.from(b.sites.function),
		functions: b.functions.name.map((f) => at(b.strings, f) ?? "?"),
		types: {
			node: Int32Array.from(b.types.node),
			name: b.types.name.map((t) => at(b.strings, t) ?? "?"),
			certain: b.types.certain.map((c) => c !== 0),
		},
	};
}

/** file:line, or null; a line of 0 is not known either. */
export const place_text = (file: string | null, line: number | null): string | null =>
	file !== null && line ? `${file}:${line}` : file;

/** The same of a site. */
export const place_of = (t: Tree, site: number): string | null =>
	place_text(at(t.site_file, site), t.site_line[site]);

export function total_of(t: Tree, m: Figure): number {
	return t.own[m].reduce((sum, v) => sum + v, 0);
}

/** The measures that mean something of this profile: what is lost is known of few. */
export const measures_of = (t: Tree): Measure[] =>
	MEASURES.filter((m) =>
		t.at_peak ? m === "peak_bytes" : m !== "lost_bytes" || total_of(t, m) > 0,
	);

/** The wanted one, or that of the start: a link may come from another profile. */
export function measure_of(wanted: Measure, t: Tree): Measure {
	if (measures_of(t).includes(wanted)) return wanted;
	return t.at_peak ? "peak_bytes" : "kept_bytes";
}

const sums = new WeakMap<Tree, Map<Figure, Float64Array>>();

/** For each node what was requested there and at all nodes below it. */
export function sums_of(t: Tree, f: Figure): Float64Array {
	const known = sums.get(t) ?? new Map<Figure, Float64Array>();
	let sum = known.get(f);

	sums.set(t, known);
	if (!sum) {
		known.set(f, (sum = new Float64Array(t.n)));
		for (let i = 0; i < t.leaves.length; i++) sum[t.leaves[i]] += t.own[f][i];
		for (let i = t.n - 1; i > 0; i--) if (t.parent[i] >= 0) sum[t.parent[i]] += sum[i];
	}
	return sum;
}

const counts = new WeakMap<Tree, Map<Measure, Float64Array>>();

/** What is counted of each entry of the types, at the node that requests it; of a difference on
 * either side. */
export function typed(t: Tree, m: Measure): Float64Array {
	const known = counts.get(t) ?? new Map<Measure, Float64Array>();
	let of = known.get(m);

	counts.set(t, known);
	if (!of) known.set(m, (of = count_typed(t, m)));
	return of;
}

function count_typed(t: Tree, m: Measure): Float64Array {
	const sides = t.change ? [t.change.before[m], t.change.now[m]] : [t.own[m]];
	let leaf = 0;

	// Types stand in the order of nodes, as leaves do.
	return Float64Array.from(t.types.node, (node) => {
		while (leaf < t.leaves.length && t.leaves[leaf] < node) leaf++;
		return t.leaves[leaf] === node ? sides.reduce((sum, s) => sum + s[leaf], 0) : 0;
	});
}
