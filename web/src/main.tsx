// SPDX-License-Identifier: BSD-2-Clause
// Reads the index, shows the page, and reads each profile when it is wanted: the report first, so
// that the answer is there while the rest is still being read, then the tree, then the rows.

import { render } from "preact";
import { App, NOTHING, type Profile } from "./app";
import { choices } from "./data/choices";
import { read_block } from "./data/decode";
import { make_difference } from "./data/difference";
import { is_peak } from "./data/moment";
import { make_rows } from "./data/rows";
import type { Growth, IndexEntry, PageIndex, Report, RowsBlock, TreeBlock } from "./data/schema";
import { make_tree } from "./data/tree";
import { set_full_names } from "./ui/format";
import { meet_names } from "./ui/names";

const next_paint = (): Promise<void> =>
	new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

const read_report = (id: string): Promise<Report> =>
	read_block<Report>(id, "mprof.report.v1", "The report");

const read_tree = (id: string): Promise<TreeBlock> =>
	read_block<TreeBlock>(id, "mprof.tree.v1", "The tree of call chains");

const read_rows = (id: string): Promise<RowsBlock> =>
	read_block<RowsBlock>(id, "mprof.rows.v1", "The table of call chains");

/** Shows what has been read besides what is there already. */
type Show = (more: Partial<Profile>) => Promise<void>;

async function load_profile(entry: IndexEntry, show: Show): Promise<void> {
	const report = await read_report(entry.report);

	set_full_names(report.options?.includes("--names=full") ?? false);
	meet_names(report.direct.map((d) => d.function));
	await show({ report });
	const tree = make_tree(await read_tree(entry.tree), is_peak(report));

	meet_names(tree.functions);
	await show({ tree });
	await show({ rows: make_rows(await read_rows(entry.rows)) });
}

async function load_difference(index: PageIndex, show: Show): Promise<void> {
	const [now, base] = index.profiles;
	const growth = await read_block<Growth>(
		index.growth ?? "",
		"mprof.growth.v1",
		"What has changed",
	);
	const difference = { growth, base: await read_report(base.report) };

	const report = await read_report(now.report);

	set_full_names(report.options?.includes("--names=full") ?? false);
	meet_names(growth.direct.map((d) => d.function));
	meet_names(growth.paths.flatMap((p) => p.path.map((e) => e.function ?? "?")));
	await show({ report, difference });
	const tree = make_difference(
		await read_tree(now.tree),
		await read_tree(base.tree),
		is_peak(report),
	);

	meet_names(tree.functions);
	await show({ tree });
}

async function load(index: PageIndex, number: number, done: (p: Profile) => void): Promise<void> {
	const { entry, of } = choices(index)[number];
	let p = NOTHING;
	const show: Show = (more) => {
		done((p = { ...p, ...more }));
		return next_paint();
	};

	try {
		if (of === "all") await show({});
		else await (entry ? load_profile(entry, show) : load_difference(index, show));
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
