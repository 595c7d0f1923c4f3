// SPDX-License-Identifier: BSD-2-Clause
// Pages of another moment than the end, of a part, of a sum, and of a program that was attached to:
// every view has the words for that.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { CHANGE_VIEWS, VIEWS } from "../../src/state/fragment";
import { bytes, count, plural, time } from "../../src/ui/format";
import { data_files, fragment_of, launch, open, read_report, says, texts } from "../lib/browser";

let browser: Browser;
before(async () => {
	browser = await launch();
});
after(() => browser.close());

const plain = (text: string): string => text.replace(/\u00a0/g, " ");

/** All that the page says, the titles that come up over it included. */
const all_words = async (page: Page): Promise<string> =>
	plain(
		await page.evaluate(() => {
			const titles = [...document.querySelectorAll("[title], [aria-label]")].map(
				(e) => `${e.getAttribute("title")} ${e.getAttribute("aria-label")}`,
			);

			return `${document.body.innerText}\n${titles.join("\n")}`;
		}),
	);

/** What is only so in the end. */
const OF_THE_END =
	/\bkept\b|\bkeeps?\b|at the end|\bfreed\b|temporary|Freed|of all\b|\ballocated\b/i;

test("of the peak every view says so, and nothing of the end", async () => {
	const w = await open(browser, "peak");
	const report = read_report("widgets.data");
	const peak = report.peak ?? assert.fail();
	const since = `${plain(time(peak.time_ns))} after the start`;

	await says(w.page, ".answer", new RegExp(`live at the peak, ${since}\\.`));
	assert.deepEqual(await texts(w.page, ".fact"), [
		`Live at the peak\n${plain(bytes(peak.live_bytes))}\n` +
			`${plural(peak.live_blocks, "block")}, ${since}`,
	]);
	await says(w.page, ".exact", /^Exact. Every block that was live at the peak is here/);
	await says(w.page, ".lacking", /No timeline: this page is of one moment, the peak/);
	assert.ok(!(await texts(w.page, "nav a")).includes("Timeline"));
	assert.deepEqual(await texts(w.page, ".top h2"), ["Have the most at the peak"]);
	for (const view of VIEWS.filter((v) => !["before", "lifetimes", "timeline"].includes(v))) {
		await w.go(`view=${view}`);
		const words = await all_words(w.page);

		assert.doesNotMatch(words, OF_THE_END, view);
	}
	await w.go("view=lifetimes");
	await says(w.page, ".empty", /^Of one moment, the peak, there are no lifetimes/);
	await w.close();
});

test("of what has changed at the peak every view says so, and nothing of the end", async () => {
	const w = await open(browser, "changes-peak");

	await says(w.page, ".totals", /Live at the peak/);
	assert.equal(await w.page.locator(".totals tbody tr").count(), 1);
	for (const view of CHANGE_VIEWS) {
		await w.go(`view=${view}`);
		// It has a function of that name.
		const words = (await all_words(w.page)).replace(/\bkeep\b/g, "");

		assert.doesNotMatch(words, OF_THE_END, view);
	}
	await w.close();
});

test("what --ignore-fn left out is told with how much, and the peak is that of all", async () => {
	const w = await open(browser, "ignored");
	const all = read_report("widgets.data").totals;
	const left = Number(
		(await w.page.locator(".fact dd[title]").nth(2).getAttribute("title"))?.replace(
			/\D/g,
			"",
		),
	);

	await says(w.page, ".exact", /^Read with care:Left out by --ignore-fn=make_widget: /);
	await says(w.page, ".exact", new RegExp(`of ${plain(bytes(all.alloc_bytes - left))}`));
	await says(w.page, ".facts", new RegExp(`Peak of all${plain(bytes(all.peak_bytes))}`));
	await says(w.page, ".lacking", /No timeline: what --ignore-fn left out/);
	await w.close();
});

test("a sum of profiles is called that, and says why there is no timeline", async () => {
	const w = await open(browser, "merged");
	const sum = read_report("merged.data");

	assert.equal(sum.merged, 2);
	await says(w.page, "h1", /^sum of 2 profiles$/);
	await says(w.page, ".facts-line", /^merged of 2 profiles · seen by/);
	assert.doesNotMatch(await all_words(w.page), /pid 0|no timeline: the program/i);
	await says(w.page, ".facts", /Peak.*the highest of any one/);
	await w.go("view=timeline");
	await says(w.page, ".empty", /^No timeline: this is the sum of 2 profiles/);
	await w.close();
});

test("a program that was attached to has times since then, and what was there before", async () => {
	const w = await open(browser, "attached");
	const report = read_report("attached.data");
	const b = report.before ?? assert.fail();

	assert.ok(b.blocks >= 44 && report.from === "attach");
	await says(w.page, ".facts-line", /since mprof attached/);
	await says(
		w.page,
		".before",
		new RegExp(
			`^Before mprof attached there were ${plural(b.blocks, "block")} of ` +
				`${plain(bytes(b.bytes))} usable`,
		),
	);
	assert.doesNotMatch(await all_words(w.page), /after the start/);
	await says(
		w.page,
		".top",
		/Lose the most31 blocks, 100.% of the blocks lost directly, of which it is not/,
	);
	await w.page.locator(".before a").click();
	await says(w.page, "main h2", /^From before$/);
	const rows = await texts(w.page, 'tbody td[data-title="Blocks"]');
	assert.equal(
		rows.reduce((sum, n) => sum + Number(n.replace(/,/g, "")), 0),
		b.blocks,
	);
	await w.close();
});

test("only a profile with blocks from before has a view of them", async () => {
	const w = await open(browser, "widgets", "#view=before");

	await w.page.waitForSelector('main[data-view="overview"]');
	assert.ok(!(await texts(w.page, "nav a")).includes("From before"));
	await w.close();
});

test("a page of several processes opens with all; the choice is in the address", async () => {
	const w = await open(browser, "forks");
	const files = data_files("forks.");
	const reports = files.map(read_report);
	const sum = (of: (r: (typeof reports)[0]) => number): number =>
		reports.reduce((n, r) => n + of(r), 0);
	const titled = (title: string): Promise<string[]> =>
		texts(w.page, `tbody td[data-title="${title}"]`);

	await says(w.page, "h1", /^3 processes$/);
	assert.deepEqual(
		await titled("Process"),
		reports.map((r) => String(r.pid)),
	);
	assert.deepEqual(await titled("Program"), ["forks", "forks", "forks"]);
	for (const [title, of] of [
		["Allocated", (r) => r.totals.alloc_bytes],
		["Kept", (r) => r.totals.kept_bytes],
		["Peak", (r) => r.totals.peak_bytes],
	] as [string, (r: (typeof reports)[0]) => number][])
		assert.deepEqual(
			await titled(title),
			reports.map((r) => plain(bytes(of(r)))),
		);
	assert.deepEqual(
		await w.page
			.locator(".fact dd[title]")
			.evaluateAll((list) => list.map((e) => e.getAttribute("title"))),
		[
			sum((r) => r.totals.kept_bytes),
			Math.max(...reports.map((r) => r.totals.peak_bytes)),
			sum((r) => r.totals.alloc_bytes),
		].map((n) => `${count(n)} bytes`),
	);
	await w.page.locator("tbody a").nth(1).click();
	await says(w.page, ".facts-line", new RegExp(`^pid ${reports[1].pid} `));
	assert.equal((await fragment_of(w.page)).get("profile"), "2");
	await w.page.goBack();
	await says(w.page, "h1", /^3 processes$/);
	await w.close();
});

/** Names that are shown, by what they are. */
const names = (page: Page): Promise<[shown: string, whole: string][]> =>
	page.locator(".name").evaluateAll((list) =>
		list.map((e): [string, string] => [
			[...e.childNodes]
				.filter((n) => n.nodeType === Node.TEXT_NODE)
				.map((n) => n.textContent)
				.join("")
				.trim(),
			e.getAttribute("title") ?? "",
		]),
	);

test("no two names look the same, and with --names=full they are whole", async () => {
	for (const [page, view] of [
		["names", "callgraph"],
		["names", "direct"],
		["whole-names", "callgraph"],
	]) {
		const w = await open(browser, page, `#view=${view}`);
		const of = new Map<string, string>();

		for (const [shown, whole] of await names(w.page)) {
			assert.equal(of.get(shown) ?? whole, whole, shown);
			of.set(shown, whole);
			if (page === "whole-names") assert.equal(shown, whole);
		}
		assert.ok(of.size > 5);
		await w.close();
	}
});
