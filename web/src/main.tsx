// SPDX-License-Identifier: BSD-2-Clause
// Reads the index, shows the page, and reads each profile when it is wanted: the report first, so
// that the answer is there while the rest is still being read, then the tree, then the rows.

import { render } from "preact";
import { App, type Profile } from "./app";
import { read_block } from "./data/decode";
import { make_rows } from "./data/rows";
import type { PageIndex, Report, RowsBlock, TreeBlock } from "./data/schema";
import { make_tree } from "./data/tree";

const next_paint = (): Promise<void> =>
	new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

async function load(index: PageIndex, number: number, done: (p: Profile) => void): Promise<void> {
	const entry = index.profiles[number];
	let p: Profile = { report: null, tree: null, rows: null, error: null };
	const show = (more: Partial<Profile>): Promise<void> => {
		done((p = { ...p, ...more }));
		return next_paint();
	};

	try {
		const report = read_block<Report>(entry.report, "mprof.report.v1", "The report");
		await show({ report: await report });
		const tree = await read_block<TreeBlock>(
			entry.tree,
			"mprof.tree.v1",
			"The tree of call chains",
		);
		await show({ tree: make_tree(tree) });
		const rows = await read_block<RowsBlock>(
			entry.rows,
			"mprof.rows.v1",
			"The table of call chains",
		);
		await show({ rows: make_rows(rows) });
	} catch (e) {
		await show({ error: e instanceof Error ? e.message : String(e) });
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
