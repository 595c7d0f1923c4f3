// SPDX-License-Identifier: BSD-2-Clause
// What comes from the program is text, whatever it looks like; and what is missing is said.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { VIEWS } from "../../src/state/fragment";
import { launch, open, says, texts, write_page } from "../lib/browser";
import { type Chain, report, rows_block, tree_block } from "../lib/made";

const EVIL = "</script><img src=x onerror=alert(1)><!--<script>";
const LONG = `ns::${"very_long_".repeat(500)}::f`;
const BIDI = "abc\u202egnp.exe\u0007\u200b";
const HEBREW = "\u05e9\u05dc\u05d5\u05dd(1)";
const chains: Chain[] = [
	{ path: ["main", EVIL], allocs: 3, size: 100, type: EVIL },
	{ path: ["main", LONG], allocs: 2, size: 100, frees: 1, temporary: 1, type: LONG },
	{ path: ["main", BIDI, "javascript:alert(1)"], allocs: 1, size: 100 },
	{ path: ["main", BIDI], allocs: 5, size: 100 },
	{ path: ["main", HEBREW], allocs: 4, size: 100 },
	{ path: ["__proto__", "constructor"], allocs: 1, size: 50 },
];

let browser: Browser;
before(async () => {
	browser = await launch();
	const made = report(chains, [`./${EVIL}`, EVIL, "--name=<b>"]);
	write_page("hostile", [
		{
			title: EVIL,
			report: {
				...made,
				timeline: {
					time_ns: [0, 1e6, 2e6],
					live_bytes: [0, 400, 300],
					live_blocks: [0, 4, 3],
					allocs: [0, 4, 7],
					peak: 1,
					sites: [
						{
							function: EVIL,
							file: EVIL,
							line: 3,
							bytes: [0, 300, 200],
						},
					],
					rest: [0, 100, 100],
					exact: [true, true, false],
				},
			},
			tree: tree_block(chains, EVIL, `/${EVIL}.c`),
			rows: rows_block(chains),
		},
		{
			title: "nothing",
			report: report([]),
			tree: tree_block([]),
			rows: rows_block([]),
		},
		{
			title: "damaged",
			report: { schema: "mprof.report.v1", totals: null },
			tree: tree_block([]),
			rows: rows_block([]),
		},
		{
			title: "newer",
			report: { ...made, schema: "mprof.report.v9" },
			tree: tree_block([]),
			rows: rows_block([]),
		},
	]);
});
after(() => browser.close());

test("hostile names stay text in every view", async () => {
	const w = await open(browser, "hostile");
	const evil = encodeURIComponent(EVIL);

	await says(w.page, ".wide .name", /<\/script><img src=x/); // the list of all
	for (const view of VIEWS.filter((v) => v !== "before"))
		for (const more of [
			"",
			`&function=${evil}&search=${evil}&by=bytes`,
			`&hide=${evil}&filter=img&callers=1`,
		]) {
			await w.go(`profile=1&view=${view}${more}`);
			assert.equal(
				await w.page.locator("img, b b, #app script").count(),
				0,
				view,
			);
			const wide = await w.page.evaluate(
				() => document.documentElement.scrollWidth - innerWidth,
			);
			assert.ok(wide <= 0, `${view} is ${wide} pixels too wide`);
		}
	await w.go("profile=1&view=overview");
	await says(w.page, ".says", /<\/script><img src=x/);
	assert.equal(await w.page.title(), EVIL);
	await w.close();
});

test("what cannot be seen of a name is written out, and long ones are cut", async () => {
	const w = await open(browser, "hostile", "#profile=1");
	const unseen = /[\u0000-\u0008\u007f-\u009f\u200b-\u200f\u202a-\u202e]/;

	for (const view of VIEWS.filter((v) => v !== "before")) {
		await w.go(`profile=1&view=${view}&by=bytes`);
		assert.doesNotMatch(await w.page.locator("body").innerText(), unseen, view);
		assert.doesNotMatch(await w.page.locator("#app").innerHTML(), unseen, view);
	}
	await w.go("profile=1&view=overview");
	const says_all = await texts(w.page, ".says");
	assert.ok(says_all.some((t) => t.includes("abc\\u202egnp.exe\\u0007\\u200b")));
	assert.ok(
		says_all.some((t) => t.includes(`\u2068${HEBREW.replace("(1)", "")}\u2069 keeps`)),
	);
	assert.deepEqual(
		says_all.filter((t) => t.length > 250),
		[],
	);
	await w.close();
});

test("the keyboard brings up the whole of a name that is shown in part", async () => {
	const w = await open(browser, "hostile", "#profile=1", { height: 400 });
	const link = w.page.locator(".top a", { hasText: "very_long" }).first();
	const tip = w.page.locator(".tip.focus");

	await w.page.keyboard.press("Tab");
	await link.focus(); // which scrolls to it
	await says(w.page, ".tip.focus .whole", /^ns::very_long/);
	await w.page.evaluate(() => scrollBy(0, 30));
	await w.page.evaluate(
		() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0))),
	);
	assert.equal(await tip.locator(".whole").textContent(), LONG);
	const [under, told] = [await link.boundingBox(), await tip.boundingBox()];
	assert.ok(under && told);
	assert.ok(told.y >= under.y + under.height - 1 || told.y + told.height <= under.y + 1);
	await w.page.keyboard.press("Escape");
	await tip.waitFor({ state: "detached" });
	await link.blur();
	await link.focus();
	await tip.waitFor();
	await link.blur();
	await tip.waitFor({ state: "detached" });
	await w.close();
});

test("the page may run no other script, make no markup, and ask for nothing", async () => {
	const w = await open(browser, "hostile");
	const policy = (await w.page.locator("meta[http-equiv]").getAttribute("content")) ?? "";

	for (const part of [
		"default-src 'none'",
		"script-src 'sha256-",
		"style-src 'sha256-",
		"base-uri 'none'",
		"form-action 'none'",
		"require-trusted-types-for 'script'",
	])
		assert.ok(policy.includes(part), part);
	assert.ok(!policy.includes("unsafe"));
	const refused = await w.page.evaluate(() => {
		try {
			document.body.innerHTML += "<i></i>";
			return false;
		} catch {
			return true;
		}
	});
	assert.ok(refused);
	await w.page.close(); // what is refused stands in the console
});

test("the keyboard and the pointer go over hostile frames", async () => {
	const w = await open(browser, "hostile", "#profile=1&view=flame&by=bytes");
	const box = await w.page.locator(".frames canvas").boundingBox();

	assert.ok(box);
	for (let x = 5; x < box.width; x += 40) await w.page.mouse.move(box.x + x, box.y + 50);
	await w.page.focus(".frames canvas");
	for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "Enter", "Escape"])
		await w.page.keyboard.press(key);
	await w.picture("hostile");
	await w.close();
});

test("the timeline tells of the peak, of what is pointed at, and leads to the end", async () => {
	const w = await open(browser, "hostile", "#profile=1&view=timeline");
	const plot = await w.page.locator(".plot.upper .u-over").boundingBox();

	assert.ok(plot);
	await says(w.page, ".moment caption", /, the peak: 400 B in 4 blocks$/);
	await says(w.page, ".moment tbody", /^(?!.*at least).*300 B.*the rest(?!,)/);
	// The line stands at the moment that is told of, not at the pointer.
	await w.page.mouse.move(plot.x + plot.width * 0.9, plot.y + 50);
	await says(w.page, ".moment caption", /, the end: 300 B in 3 blocks/);
	const line = await w.page.locator(".plot.upper .u-cursor-x").boundingBox();
	assert.ok(line && Math.abs(line.x - plot.x - plot.width) < 3);
	await says(
		w.page,
		".moment tbody",
		/at least 200 B.*the rest, and what is missing above.*100 B/,
	);
	await w.page.mouse.click(plot.x + plot.width - 3, plot.y + 50);
	await says(w.page, ".details b", /kept/);
	await w.close();
});

test("keys go along the timeline, and Enter to the tree of a moment", async () => {
	const w = await open(browser, "hostile", "#profile=1&view=timeline");
	const at = (text: RegExp): Promise<void> => says(w.page, ".moment caption", text);

	await w.page.getByRole("slider").focus();
	await at(/, the peak: 400 B/);
	await w.page.keyboard.press("ArrowRight");
	await at(/, the end: 300 B/);
	assert.equal(await w.page.getByRole("slider").getAttribute("aria-valuenow"), "2");
	const line = await w.page.locator(".plot.upper .u-cursor-x").boundingBox();
	const plot = await w.page.locator(".plot.upper .u-over").boundingBox();
	assert.ok(line && plot && Math.abs(line.x - plot.x - plot.width) < 3);
	await w.page.keyboard.press("Home");
	await at(/^0 s: 0 B/);
	await w.page.keyboard.press("Enter");
	assert.equal(await w.page.locator(".moment").count(), 1);
	await w.page.keyboard.press("Escape");
	await at(/, the peak: 400 B/);
	await w.page.keyboard.press("End");
	await w.page.keyboard.press("Enter");
	await says(w.page, ".details b", /kept/);
	await w.close();
});

test("a name in the timeline has the width of the table", async () => {
	const w = await open(browser, "hostile", "#profile=1&view=timeline");
	const cell = await w.page.locator(".moment tbody td").first().boundingBox();
	const table = await w.page.locator(".moment").boundingBox();

	assert.ok(cell && table && cell.width > 0.95 * table.width);
	await w.close();
});

test("a profile in which nothing was allocated has a page that says so", async () => {
	const w = await open(browser, "hostile", "#profile=2");

	await says(w.page, ".top", /Nothing is kept/);
	await w.go("profile=2&view=flame");
	await says(w.page, ".empty", /nothing was allocated/);
	await w.go("profile=2&view=timeline");
	await says(w.page, ".empty", /^No timeline: /);
	for (const view of ["leaks", "sizes", "direct", "callgraph", "lifetimes"]) {
		await w.go(`profile=2&view=${view}`);
		await says(w.page, ".empty", /\S/);
	}
	await w.close();
});

test("a report of a newer schema is an error in words", async () => {
	const w = await open(browser, "hostile");

	await w.go("profile=4");
	await says(w.page, "[role=alert]", /The report in this page is not mprof\.report\.v1/);
	await w.close();
});
