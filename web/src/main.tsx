// SPDX-License-Identifier: BSD-2-Clause
// Reads the index, shows the page, and reads each profile when it is wanted: the report first, so
// that the answer is there while the tree is still being read.

import { render } from "preact";
import { App, NOTHING, type Profile } from "./app";
import { choices } from "./data/choices";
import { read_block } from "./data/decode";
import { make_difference } from "./data/difference";
import type { Growth, IndexEntry, PageIndex, Report, TreeBlock } from "./data/schema";
import { make_tree } from "./data/tree";

const next_paint = (): Promise<void> =>
	new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

const read_report = (id: string): Promise<Report> =>
	read_block<Report>(id, "mprof.report.v1", "The report");

const read_tree = (id: string): Promise<TreeBlock> =>
	read_block<TreeBlock>(id, "mprof.tree.v1", "The tree of call chains");

type Done = (p: Profile) => void;

async function load_profile(entry: IndexEntry, done: Done): Promise<void> {
	const report = await read_report(entry.report);

	done({ ...NOTHING, report });
	await next_paint();
	done({ ...NOTHING, report, tree: make_tree(await read_tree(entry.tree)) });
}

async function load_difference(index: PageIndex, done: Done): Promise<void> {
	const [now, base] = index.profiles;
	const growth = await read_block<Growth>(
		index.growth ?? "",
		"mprof.growth.v1",
		"What has changed",
	);
	const difference = { growth, base: await read_report(base.report) };
	const report = await read_report(now.report);

	done({ ...NOTHING, report, difference });
	await next_paint();
	const tree = make_difference(await read_tree(now.tree), await read_tree(base.tree));
	done({ ...NOTHING, report, difference, tree });
}

async function load(index: PageIndex, number: number, done: Done): Promise<void> {
	let last: Profile = NOTHING;
	const keep: Done = (p) => done((last = p));
	const { entry } = choices(index)[number];

	try {
		await (entry ? load_profile(entry, keep) : load_difference(index, keep));
	} catch (e) {
		done({ ...last, error: e instanceof Error ? e.message : String(e) });
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
