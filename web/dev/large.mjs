#!/usr/bin/env node
// SPDX-License-Identifier: BSD-2-Clause
// large.mjs TEMPLATE OUT [NODES]: a page of a made-up tree, a million nodes unless told, to see how
// large it is and how long it takes. The same in every run.
import { readFileSync, writeFileSync } from "node:fs";
import { deflateSync } from "node:zlib";

const [template, out, wanted = "1000000"] = process.argv.slice(2);
const NODES = Number(wanted);
const FUNCTIONS = 4000;
const SITES = 20000;
const DEPTH = 40;

let seed = 1;
const random = (n) => {
	seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
	return Math.floor((seed / 0x80000000) * n);
};

const strings = ["/usr/bin/large", "/usr/lib/liblarge.so.1"];
const intern = (text) => strings.push(text) - 1;
const functions = Array.from({ length: FUNCTIONS }, (_, i) =>
	intern(
		`large::module_${i % 60}::Class_${i % 700}<int, std::string>::` +
			`method_${i}(int, std::string const&)`,
	),
);
const files = Array.from({ length: 300 }, (_, i) =>
	intern(`/home/large/src/module_${i % 60}/file_${i}.cc`),
);
const sites = Array.from({ length: SITES }, () => ({
	fn: random(FUNCTIONS),
	line: 1 + random(3000),
}));
const nodes = { up: [], site: [] };
const leaves = {
	node: [],
	allocs: [],
	bytes: [],
	frees: [],
	kept_blocks: [],
	kept_bytes: [],
	peak_blocks: [],
	peak_bytes: [],
	temporary: [],
};
const path = [];
let last = 0;
for (let i = 0; i < NODES; i++) {
	const depth =
		i === 0
			? 0
			: Math.min(random(10) < 7 ? path.length : 1 + random(path.length), DEPTH);

	path.length = Math.max(depth, i ? 1 : 0);
	nodes.up.push(path.length ? i - path[path.length - 1] : 0);
	nodes.site.push(i ? random(SITES) : 0);
	path.push(i);
	if (random(10) < 4) {
		const allocs = 1 + random(1000);
		const size = 16 << random(8);
		const frees = random(3) ? allocs : random(allocs);
		const peak = allocs - random(frees + 1);
		const values = {
			node: i - last,
			allocs,
			bytes: allocs * size,
			frees,
			kept_blocks: allocs - frees,
			kept_bytes: (allocs - frees) * size,
			peak_blocks: peak,
			peak_bytes: peak * size,
			temporary: random(frees + 1),
		};

		for (const [name, v] of Object.entries(values)) leaves[name].push(v);
		last = i;
	}
}
const tree = {
	schema: "mprof.tree.v1",
	strings,
	modules: [0, 1],
	functions: { name: functions, module: functions.map((_, i) => i % 2) },
	sites: {
		function: sites.map((s) => s.fn),
		file: sites.map((s) => files[s.fn % files.length]),
		line: sites.map((s) => s.line),
		inlined: sites.map((_, i) => (i % 5 ? 0 : 1)),
	},
	nodes,
	leaves,
	types: { node: [], name: [], certain: [] },
};
const sum = (name) => leaves[name].reduce((a, b) => a + b, 0);
const report = {
	schema: "mprof.report.v1",
	command: ["/usr/bin/large", "--nodes", wanted],
	pid: 1,
	totals: {
		allocs: sum("allocs"),
		alloc_bytes: sum("bytes"),
		frees: sum("frees"),
		kept_objects: sum("kept_blocks"),
		free_bytes: sum("bytes") - sum("kept_bytes"),
		kept_bytes: sum("kept_bytes"),
		peak_bytes: sum("peak_bytes"),
		failed_allocs: 0,
		unknown_frees: 0,
		inherited_frees: 0,
		truncated_chains: 0,
	},
	bins: [],
	leaks: [],
	direct: [],
	callgraph: [],
	lifetimes: [],
	timeline: null,
};
const block = (id, value) =>
	`<script type="application/x-mprof" id="${id}">` +
	`${deflateSync(JSON.stringify(value)).toString("base64")}</script>\n`;
const index = {
	schema: "mprof.page.v1",
	version: "development",
	profiles: [{ title: "large", report: "mprof-report-0", tree: "mprof-tree-0" }],
};

writeFileSync(
	out,
	readFileSync(template, "utf8")
		.replace(
			"<!--mprof:data-->",
			() =>
				block("mprof-index", index) +
				block("mprof-report-0", report) +
				block("mprof-tree-0", tree),
		)
		.replace("<!--mprof:title-->", "large"),
);
