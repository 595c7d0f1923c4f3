// SPDX-License-Identifier: BSD-2-Clause
// Profiles that no program could make: small ones for the unit tests, hostile and large ones.

import { deflateSync } from "node:zlib";
import type { IndexEntry, Report, RowsBlock, TreeBlock } from "../../src/data/schema";

/** A chain from the outside in, and what was allocated at its end. */
export interface Chain {
	path: (string | [name: string, line: number])[];
	allocs: number;
	size: number;
	frees?: number;
	sizes_differ?: boolean; // size is the average then
	peak?: number;
	temporary?: number;
	runtime?: boolean; // what is kept of it is the runtime's
	type?: string;
	lost?: number; // blocks, directly
	hanging?: number; // usable bytes that are lost through them
}

interface Node {
	parent: Node | null;
	site: number;
	children: Map<number, Node>;
	chain: Chain | null;
}

/** The tree block of some chains; all functions are in one module and one file. */
export const tree_block = (chains: Chain[], module?: string, file?: string): TreeBlock =>
	planted(chains, module, file).block;

/** The same, and the node that each chain ends at. */
function planted(
	chains: Chain[],
	module = "/made/up",
	file = "/made/up.c",
): { block: TreeBlock; node: Map<Chain, number> } {
	const node = new Map<Chain, number>();
	const strings = [module, file];
	const intern = (s: string): number =>
		strings.includes(s) ? strings.indexOf(s) : strings.push(s) - 1;
	const sites: [fn: string, line: number][] = [];
	const functions: string[] = [];
	const site_of = (element: string | [string, number]): number => {
		const [fn, line] = typeof element === "string" ? [element, 1] : element;
		const i = sites.findIndex((s) => s[0] === fn && s[1] === line);

		if (!functions.includes(fn)) functions.push(fn);
		return i >= 0 ? i : sites.push([fn, line]) - 1;
	};
	const root: Node = { parent: null, site: -1, children: new Map(), chain: null };
	for (const c of chains) {
		let at = root;
		for (const element of c.path) {
			const site = site_of(element);
			const next = at.children.get(site) ?? {
				parent: at,
				site,
				children: new Map(),
				chain: null,
			};

			at.children.set(site, next);
			at = next;
		}
		at.chain = c;
	}
	const block: TreeBlock = {
		schema: "mprof.tree.v1",
		strings,
		modules: [0],
		functions: { name: functions.map(intern), module: functions.map(() => 0) },
		sites: {
			function: sites.map((s) => functions.indexOf(s[0])),
			file: sites.map(() => 1),
			line: sites.map((s) => s[1]),
			inlined: sites.map(() => 0),
			own: sites.map((s) => (s[0].startsWith("std::") ? 0 : 1)),
		},
		nodes: { up: [], site: [] },
		leaves: {
			node: [],
			allocs: [],
			bytes: [],
			size: [],
			frees: [],
			kept_blocks: [],
			kept_bytes: [],
			peak_blocks: [],
			peak_bytes: [],
			temporary: [],
			runtime_blocks: [],
			runtime_bytes: [],
		},
		types: { node: [], name: [], certain: [] },
	};
	if (chains.some((c) => c.lost !== undefined))
		block.lost = {
			lost_blocks: [],
			lost_bytes: [],
			hanging_blocks: [],
			hanging_bytes: [],
		};
	let last = 0;
	const add = (n: Node, parent: number): void => {
		const i = block.nodes.up.length;

		block.nodes.up.push(parent < 0 ? 0 : i - parent);
		block.nodes.site.push(n.site);
		if (n.chain) {
			add_leaf(block, n.chain, i - last);
			node.set(n.chain, i);
			last = i;
			if (n.chain.type) {
				block.types.node.push(i);
				block.types.name.push(intern(n.chain.type));
				block.types.certain.push(1);
			}
		}
		n.children.forEach((c) => add(c, i));
	};
	root.children.forEach((c) => add(c, -1));
	return { block, node };
}

/** Numbers the functions of trees as a page of a difference does: the same name has the same. */
export function numbered(blocks: TreeBlock[]): void {
	const names: string[] = [];

	for (const b of blocks)
		b.functions.same = b.functions.name.map((n) => {
			const at = names.indexOf(b.strings[n]);

			return at >= 0 ? at : names.push(b.strings[n]) - 1;
		});
}

function add_leaf(b: TreeBlock, c: Chain, delta: number): void {
	const frees = c.frees ?? 0;
	const peak = c.peak ?? c.allocs;

	b.leaves.node.push(delta);
	b.leaves.allocs.push(c.allocs);
	b.leaves.bytes.push(c.allocs * c.size);
	b.leaves.size.push(c.sizes_differ ? -1 : c.size);
	b.leaves.frees.push(frees);
	b.leaves.kept_blocks.push(c.allocs - frees);
	b.leaves.kept_bytes.push((c.allocs - frees) * c.size);
	b.leaves.peak_blocks.push(peak);
	b.leaves.peak_bytes.push(peak * c.size);
	b.leaves.temporary.push(c.temporary ?? 0);
	b.lost?.lost_blocks.push(c.lost ?? 0);
	b.lost?.lost_bytes.push((c.lost ?? 0) * c.size);
	b.lost?.hanging_blocks.push(c.hanging ? 1 : 0);
	b.lost?.hanging_bytes.push(c.hanging ?? 0);
	b.leaves.runtime_blocks.push(c.runtime ? c.allocs - frees : 0);
	b.leaves.runtime_bytes.push(c.runtime ? (c.allocs - frees) * c.size : 0);
}

const name_of = (e: string | [string, number]): string => (typeof e === "string" ? e : e[0]);

const frees_of = (c: Chain): number => c.frees ?? 0;

/** The rows block of the same chains. */
export function rows_block(chains: Chain[]): RowsBlock {
	const { block, node } = planted(chains);
	const freed = chains.filter(frees_of);
	const none = block.functions.name.map(() => 0);
	const at = (c: Chain): number => node.get(c) ?? -1;

	return {
		schema: "mprof.rows.v1",
		strings: chains.map((c) => c.type ?? "none"),
		types: chains.map((c, i) => (c.type ? [i] : [])),
		leaks: {
			node: chains.map(at),
			depth: chains.map((c) => c.path.length),
			truncated: chains.map(() => 0),
			kept_bytes: chains.map((c) => (c.allocs - frees_of(c)) * c.size),
			allocs: chains.map((c) => c.allocs),
			frees: chains.map(frees_of),
			types: chains.map((_, i) => i),
		},
		functions: {
			function: block.functions.name.map((_, i) => i),
			cycle: none,
			self_bytes: none,
			total_bytes: none,
			called: none,
			recursive: none,
		},
		lifetimes: {
			node: freed.map(at),
			frees: freed.map(frees_of),
			temporary: freed.map((c) => c.temporary ?? 0),
			buckets: freed.map(() => 1),
		},
		buckets: { power: freed.map(() => 10), blocks: freed.map(frees_of) },
	};
}

/** A report of the same chains. */
export function report(chains: Chain[], command = ["./made"]): Report {
	const sum = (f: (c: Chain) => number): number => chains.reduce((s, c) => s + f(c), 0);
	const frees = (c: Chain): number => c.frees ?? 0;
	const names = [...new Set(chains.map((c) => name_of(c.path[c.path.length - 1])))];
	const all = { s: 0, m: 0, l: 0 };

	return {
		schema: "mprof.report.v1",
		command,
		pid: 1,
		engines: ["trap"],
		totals: {
			allocs: sum((c) => c.allocs),
			alloc_bytes: sum((c) => c.allocs * c.size),
			frees: sum(frees),
			free_bytes: sum((c) => frees(c) * c.size),
			kept_objects: sum((c) => c.allocs - frees(c)),
			kept_bytes: sum((c) => (c.allocs - frees(c)) * c.size),
			peak_bytes: sum((c) => c.allocs * c.size),
			failed_allocs: 0,
			unknown_frees: 0,
			inherited_frees: 0,
			truncated_chains: 0,
		},
		modules: [],
		bins: chains.map((c) => ({
			size: c.size,
			allocs: c.allocs,
			bytes: c.allocs * c.size,
			frees: frees(c),
			kept_bytes: (c.allocs - frees(c)) * c.size,
			types: c.type ? [c.type] : [],
		})),
		direct: names.map((n) => ({
			function: n,
			bytes: { ...all, x: 1 },
			kept: { ...all, x: 1 },
			calls: 1,
			types: [],
		})),
		timeline: null,
		runtime: chains
			.filter((c) => c.runtime)
			.map((c) => ({
				kind: name_of(c.path[c.path.length - 1]),
				blocks: c.allocs - frees(c),
				bytes: (c.allocs - frees(c)) * c.size,
			})),
	};
}

export const pack = (value: unknown): string =>
	deflateSync(JSON.stringify(value)).toString("base64");

const block = (id: string, value: unknown): string =>
	`<script type="application/x-mprof" id="${id}">${pack(value)}</script>\n`;

const escape = (text: string): string => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

const NONE = { allocs: 0, alloc_bytes: 0, kept_objects: 0, kept_bytes: 0, peak_bytes: 0 };

/** An entry of the list of profiles, with a process number if there is one in the title. */
export const entry = (title: string, i: number, until_ns?: number): IndexEntry => ({
	title,
	program: title.replace(/ \(pid \d+\)$/, ""),
	arguments: "",
	pid: Number(/\(pid (\d+)\)$/.exec(title)?.[1] ?? 0),
	totals: NONE,
	report: `mprof-report-${i}`,
	tree: `mprof-tree-${i}`,
	rows: `mprof-rows-${i}`,
	...(until_ns !== undefined && { until_ns }),
});

export interface MadeProfile {
	title: string;
	report: unknown;
	tree: unknown;
	rows: unknown;
}

/** The page of some profiles, as the C side makes it. */
export function page(template: string, profiles: MadeProfile[]): string {
	const index = {
		schema: "mprof.page.v1",
		version: "test",
		profiles: profiles.map((p, i) => entry(p.title, i)),
	};
	const blocks = profiles.map(
		(p, i) =>
			block(`mprof-report-${i}`, p.report) +
			block(`mprof-tree-${i}`, p.tree) +
			block(`mprof-rows-${i}`, p.rows),
	);

	return template
		.replace("<!--mprof:data-->", () => block("mprof-index", index) + blocks.join(""))
		.replace("<!--mprof:title-->", () => escape(profiles[0].title));
}
