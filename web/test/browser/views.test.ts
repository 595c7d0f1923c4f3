// SPDX-License-Identifier: BSD-2-Clause
// Every view of real profiles: it opens, and its figures are those of the report in JSON.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { classes_sum } from "../../src/data/schema";
import { doubts, seen_by } from "../../src/data/sentences";
import { place_text } from "../../src/data/tree";
import { bytes, count, plural, time } from "../../src/ui/format";
import {
	type Arc,
	type Watched,
	type WholeReport,
	data_files,
	launch,
	open,
	read_report,
	says,
	texts,
} from "../lib/browser";

let browser: Browser;
before(async () => {
	browser = await launch();
});
after(() => browser.close());

const plain = (text: string): string => text.replace(/\u00a0/g, " ");

/** A column of the table, by its number from 1. */
const column = (page: Page, n: number): Promise<string[]> =>
	texts(page, `tbody tr td:nth-child(${n})`);

const titled = (page: Page, title: string): Promise<string[]> =>
	texts(page, `tbody td[data-title="${title}"]`);

/** The call chains of the rows, as the titles of their cells have them. */
const chains = (page: Page): Promise<(string | null)[]> =>
	page
		.locator("tbody .chain")
		.evaluateAll((list) => list.map((e) => e.getAttribute("title")));

const path_text = (path: WholeReport["leaks"][0]["path"]): string =>
	path
		.map((e) => `${e.function}  ${place_text(e.file, e.line) ?? ""}`)
		.map((line) => line.trimEnd())
		.join("\n");

const exact = (page: Page): Promise<string[]> =>
	page
		.locator(".fact dd[title]")
		.evaluateAll((list) => list.map((e) => e.getAttribute("title") ?? ""));

/** A profile of a page, and the data file it is of. */
interface Case {
	page: string;
	profile: number;
	data: string;
}

const first = (page: string): Case => ({ page, profile: 0, data: `${page}.data` });
const CASES: Case[] = [
	first("widgets"),
	first("names"),
	first("loses"),
	...data_files("forks.").map((data, i) => ({ page: "forks", profile: i + 1, data })),
	{ page: "changes", profile: 1, data: "changes-2.data" },
	{ page: "changes", profile: 2, data: "changes-1.data" },
];

for (const { page: name, profile, data } of CASES) {
	const report = read_report(data);
	const t = report.totals;
	let opened: Promise<Watched> | null = null;
	/** One page for all tests of the profile: opening is what takes time. */
	const view = async (fragment: string): Promise<Watched> => {
		const wanted = `profile=${profile}&${fragment}`;
		const w = await (opened ??= open(browser, name, `#${wanted}`));

		await w.go(wanted);
		return w;
	};

	test(`${data}: the overview has the totals of the report`, async () => {
		const w = await view("");

		assert.deepEqual(
			await exact(w.page),
			[t.kept_bytes, t.peak_bytes, t.alloc_bytes, t.free_bytes].map(
				(n) => `${count(n)} bytes`,
			),
		);
		await says(w.page, ".facts", new RegExp(`${count(t.kept_objects)} block`));
		const took = plain(time(report.duration_ns ?? -1));

		await says(
			w.page,
			".facts-line",
			new RegExp(`pid ${report.pid} · ${took} · ${seen_by(report)}$`),
		);
		assert.equal(
			await w.page.locator(".exact.fine").count(),
			doubts(report).length ? 0 : 1,
		);
	});

	test(`${data}: the table of leaks has the rows of the report`, async () => {
		const w = await view("view=leaks");
		const rows = [...report.leaks].sort((a, b) => b.kept_bytes - a.kept_bytes);

		assert.deepEqual(
			await column(w.page, 1),
			rows.map((l) => plain(bytes(l.kept_bytes))).slice(0, 100),
		);
		assert.deepEqual(
			await column(w.page, 2),
			rows.map((l) => count(l.allocs - l.frees)).slice(0, 100),
		);
		assert.deepEqual(
			await chains(w.page),
			rows.map((l) => path_text(l.path)).slice(0, 100),
		);
	});

	test(`${data}: the table of sizes has the rows of the report`, async () => {
		const w = await view("view=sizes&sort=size");
		const rows = [...report.bins].sort((a, b) => a.size - b.size).slice(0, 100);

		assert.deepEqual(
			await titled(w.page, "Size"),
			rows.map((b) => count(b.size)),
		);
		assert.deepEqual(
			await titled(w.page, "Blocks"),
			rows.map((b) => count(b.allocs)),
		);
		assert.deepEqual(
			await titled(w.page, "Kept"),
			rows.map((b) => plain(bytes(b.kept_bytes))),
		);
	});

	test(`${data}: the table of direct allocation has the rows of the report`, async () => {
		const w = await view("view=direct");
		const rows = [...report.direct]
			.sort((a, b) => classes_sum(b.bytes) - classes_sum(a.bytes))
			.slice(0, 100);

		assert.deepEqual(
			await column(w.page, 1),
			rows.map((d) => plain(bytes(classes_sum(d.bytes)))),
		);
		assert.deepEqual(
			await column(w.page, 2),
			rows.map((d) => count(d.calls)),
		);
	});

	test(`${data}: the call graph has the callers and callees of the report`, async () => {
		const node =
			report.callgraph.find((n) => n.callees.length > 1) ??
			report.callgraph.find((n) => n.callees.length);

		assert.ok(node);
		const w = await view(
			`view=callgraph&function=${encodeURIComponent(node.function)}`,
		);
		const titles = (side: number): Promise<(string | null)[]> =>
			w.page
				.locator(".side")
				.nth(side)
				.locator("li .name")
				.evaluateAll((list) => list.map((e) => e.getAttribute("title")));

		assert.deepEqual(
			(await titles(0)).sort(),
			node.callers.map((c) => c.function).sort(),
		);
		assert.deepEqual(
			(await titles(1)).sort(),
			node.callees.map((c) => c.function).sort(),
		);
		const figures = (side: number): Promise<string[]> =>
			w.page
				.locator(".side")
				.nth(side)
				.locator("li .row")
				.evaluateAll((list) => list.map((e) => e.textContent ?? ""));
		const figure = (a: Arc): string =>
			`${bytes(classes_sum(a.bytes))} in ${plural(a.calls, "block")}`;
		const arcs = (list: Arc[]): string[] => list.map(figure).sort();

		assert.deepEqual((await figures(0)).sort(), arcs(node.callers));
		assert.deepEqual((await figures(1)).sort(), arcs(node.callees));
		await w.page.locator(".side").nth(1).locator("a").first().click();
		await says(w.page, ".middle h2", /\S/);
		assert.notEqual(
			await w.page.locator(".middle .name").getAttribute("title"),
			node.function,
		);
	});

	test(`${data}: the table of functions has the rows of the call graph`, async () => {
		const w = await view("view=callgraph&sort=-called");
		const rows = [...report.callgraph]
			.sort((a, b) => b.called - a.called)
			.slice(0, 100);

		for (const [n, value] of [
			[1, (f) => bytes(f.total_bytes)],
			[2, (f) => bytes(classes_sum(f.self_bytes))],
			[3, (f) => count(f.called)],
		] as [number, (f: (typeof rows)[0]) => string][])
			assert.deepEqual(
				await column(w.page, n),
				rows.map((f) => plain(value(f))),
			);
	});

	test(`${data}: the table of lifetimes has the rows of the report`, async () => {
		const w = await view("view=lifetimes&sort=-frees");
		const rows = [...report.lifetimes].sort((a, b) => b.frees - a.frees).slice(0, 100);

		assert.deepEqual(
			await column(w.page, 2),
			rows.map((l) => count(l.frees)),
		);
		assert.deepEqual(
			await column(w.page, 1),
			rows.map((l) => count(l.temporary)),
		);
		assert.deepEqual(
			await chains(w.page),
			rows.map((l) => path_text(l.path)),
		);
	});

	test(`${data}: each measure of the flame graph has its total, both ways`, async () => {
		const w = await view("view=flame");
		const temporary = report.lifetimes.reduce((s, l) => s + l.temporary, 0);
		const wanted: [string, string][] = [
			["kept_bytes", bytes(t.kept_bytes)],
			["peak_bytes", bytes(t.peak_bytes)],
			["bytes", bytes(t.alloc_bytes)],
			["allocs", count(t.allocs)],
			["temporary", count(temporary)],
		];

		for (const [measure, text] of wanted)
			for (const callers of ["", "&callers=1"]) {
				await view(`view=flame&by=${measure}${callers}`);
				await says(w.page, ".details b", new RegExp(`^${plain(text)} `));
			}
	});

	test(`${data}: the timeline shows the peak of the report`, async () => {
		const w = await view("view=timeline");

		if (!report.timeline) {
			await says(w.page, "main", /No timeline|the peak/);
			return;
		}
		await says(w.page, ".moment caption", new RegExp(plain(bytes(t.peak_bytes))));
		assert.equal(await w.page.locator(".plot.upper canvas").count(), 1);
		await w.page.getByText("Flame graph of the peak").click();
		await says(w.page, ".details b", /at the peak/);
	});

	test(`${data}: no view has asked for anything or complained`, async () => {
		await (await view("")).close();
	});
}

test("widgets: the first sentence names who keeps it all", async () => {
	const w = await open(browser, "widgets");
	const leak = read_report("widgets.data").leaks[0];

	await says(
		w.page,
		".says",
		new RegExp(
			`^make_red_widget keeps ${plain(bytes(leak.kept_bytes))} in ` +
				`${count(leak.allocs)} blocks, none of it ever freed$`,
		),
	);
	await says(w.page, ".top li .place", /widgets\.c:\d+/);
	await says(w.page, ".top li .type", /^widget$/);
	await w.close();
});

test("a page of several profiles has a choice, which the address keeps", async () => {
	const w = await open(browser, "both");

	await w.page.locator(".choice select").selectOption("2");
	await says(w.page, "h1", /^names$/);
	assert.match(w.page.url(), /profile=2/);
	await w.page.goBack();
	await says(w.page, "h1", /^2 processes$/);
	await w.close();
});

test("direct allocation names types that are seen, and counts what has the size", async () => {
	const w = await open(browser, "names", "#view=direct");
	const row = w.page.locator("tbody tr", { hasText: "__new_allocator<int>::allocate" });

	assert.deepEqual(await row.locator(".type").allInnerTexts(), ["int[]"]);
	assert.match(await row.locator(".more").innerText(), /^and \d+ more$/);
	await w.close();
});
