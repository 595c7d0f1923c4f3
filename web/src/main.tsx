// SPDX-License-Identifier: BSD-2-Clause
// Reads the index, shows the page, and reads each profile when it is wanted: the report first, so
// that the answer is there while the tree is still being read.

import { render } from "preact";
import { App, type Profile } from "./app";
import { read_block } from "./data/decode";
import type { PageIndex, Report, TreeBlock } from "./data/schema";
import { make_tree } from "./data/tree";

const next_paint = (): Promise<void> =>
	new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

async function load(index: PageIndex, number: number, done: (p: Profile) => void): Promise<void> {
	const entry = index.profiles[number];
	let report: Report | null = null;

	try {
		report = await read_block<Report>(entry.report, "mprof.report.v1", "The report");
		done({ report, tree: null, error: null });
		await next_paint();
		const block = await read_block<TreeBlock>(
			entry.tree,
			"mprof.tree.v1",
			"The tree of call chains",
		);
		done({ report, tree: make_tree(block), error: null });
	} catch (e) {
		done({ report, tree: null, error: e instanceof Error ? e.message : String(e) });
	}
}

async function start(): Promise<void> {
	const root = document.getElementById("app");

	if (!root) return;
	root.textContent = "";
	try {
		const index = await read_block<PageIndex>(
			"mprof-index",
			"mprof.page.v1",
			"The list of profiles",
		);

		render(<App index={index} load={(n, done) => void load(index, n, done)} />, root);
	} catch (e) {
		root.textContent = e instanceof Error ? e.message : String(e);
	}
}

// The data stands before the script in the page, so it is there already.
void start();
