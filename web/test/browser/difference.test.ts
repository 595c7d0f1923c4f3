// SPDX-License-Identifier: BSD-2-Clause
// The page of a difference: its figures are those of the tables of `mprof report --base`.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { bytes, count, signed } from "../../src/ui/format";
import { fragment_of, launch, open, read_report, read_work, says, texts } from "../lib/browser";

let browser: Browser;
before(async () => {
	browser = await launch();
});
after(() => browser.close());

const plain = (text: string): string => text.replace(/\u00a0/g, " ");

/** What a screen reader would say nothing of. */
const BARE = "table:not(:has(caption)), th:not([scope]), canvas:not([aria-label])";

// ---- the tables ----

/** What a row of the tables tells: by how much each figure has changed. */
interface Row {
	name: string;
	allocs: number;
	bytes: number;
	frees: number;
	kept: number;
}

const ROW = /^ *((?:[-+]?\d+ +){4,5})(?:(?:\|\||\.\.\.) > )?(.*?)(?: +\(less\))? *$/;

/** The rows of the table with that title; of sizes, the name is the size. */
function table(title: string): Row[] {
	const lines = read_work("changes.txt").split("\n");
	const from = lines.findIndex((l) => l.startsWith(`--------- ${title}`));
	const to = lines.findIndex((l, i) => i > from && l.startsWith("-----"));
	const rows: Row[] = [];

	assert.ok(from >= 0, title);
	for (const line of lines.slice(from, to < 0 ? undefined : to)) {
		const m = ROW.exec(`${line} `);
		const figures = m ? m[1].trim().split(/ +/).map(Number) : [];

		if (!m || !figures.length) continue;
		const name = figures.length === 5 ? String(figures.shift()) : m[2].trim();
		const [allocs, size, frees, kept] = figures;
		rows.push({ name, allocs, bytes: size, frees, kept });
	}
	return rows;
}

/** The exact figures of a row of the page, in the order of the columns that tell a change. */
async function changes(row: Locator): Promise<number[]> {
	const titles = await row
		.locator(".grew, .shrank, .figure > span.quiet")
		.evaluateAll((list) => list.map((e) => e.getAttribute("title") ?? ""));

	return titles.map((t) => Number(t.replace(/[,+]| bytes$/g, "").replace("\u2212", "-")));
}

async function rows_of(page: Page, name: (row: Locator) => Promise<string>): Promise<Row[]> {
	const list: Row[] = [];

	for (const row of await page.locator("tbody tr").all()) {
		const [kept, blocks, size, allocs, frees] = await changes(row);

		assert.equal(blocks, allocs - frees);
		list.push({ name: await name(row), allocs, bytes: size, frees, kept });
	}
	return list;
}

const in_order = (rows: Row[]): Row[] =>
	[...rows].sort((a, b) => (a.name < b.name ? -1 : 1) || a.kept - b.kept);

/** The whole names in a cell. */
const names = async (cell: Locator): Promise<string> =>
	(
		await cell
			.locator(".name")
			.evaluateAll((l) => l.map((e) => e.getAttribute("title")))
	).join(" > ");

test("difference: growth by size is that of the table; what appeared or vanished", async () => {
	const w = await open(browser, "changes", "#view=sizes");
	const wanted = table("Growth by Size");
	const got = await rows_of(w.page, async (row) =>
		(await row.locator("td").nth(1).innerText()).replace(/,/g, ""),
	);

	assert.ok(wanted.length > 4);
	assert.deepEqual(in_order(got), in_order(wanted));
	const sizes = async (word: string): Promise<string[]> => {
		await w.go(`view=sizes&filter=${word}`);
		return texts(w.page, "tbody td:nth-child(2)");
	};
	assert.ok((await sizes("appeared")).includes("224"));
	assert.deepEqual(await sizes("vanished"), ["777"]);
	await w.go("view=overview");
	const row = w.page.locator("p.row", { hasText: "appeared" });
	const told = (await row.innerText()).match(/(?<=: |, )\d[\d,]*(?=, |\s|$)/g) ?? [];
	const numbers = told.map((n) => Number(n.replace(/,/g, "")));
	assert.ok(numbers.includes(224));
	const ascending = numbers.filter((n) => n !== 777).sort((a, b) => a - b);
	assert.deepEqual(
		numbers.filter((n) => n !== 777),
		ascending,
	);
	await w.close();
});

test("difference: growth by site has the rows of the table", async () => {
	const w = await open(browser, "changes", "#view=leaks");
	const got = await rows_of(w.page, (row) => names(row.locator("td").last()));
	const wanted = table("Growth of Memory Leaks");
	// Of longer paths the page shows the innermost four functions.
	const shown = (r: Row): Row => ({ ...r, name: r.name.split(" > ").slice(-4).join(" > ") });

	assert.ok(wanted.some((r) => r.kept > 0) && wanted.some((r) => r.kept < 0));
	assert.deepEqual(in_order(got.filter((r) => r.kept)), in_order(wanted.map(shown)));
	assert.deepEqual(
		got.map((r) => r.kept),
		got.map((r) => r.kept).sort((a, b) => b - a),
	);
	await w.close();
});

test("difference: growth by function has the rows of the table", async () => {
	const w = await open(browser, "changes", "#view=direct");
	const got = await rows_of(w.page, (row) => names(row.locator("td").nth(1)));

	assert.deepEqual(in_order(got), in_order(table("Growth of Direct Allocation")));
	await w.close();
});

test("difference: the overview has the totals of both reports, and their change", async () => {
	const [base, now] = ["changes-1.data", "changes-2.data"].map((f) => read_report(f).totals);
	const w = await open(browser, "changes");
	const exact = await w.page
		.locator(".totals tbody td > [title]")
		.evaluateAll((l) =>
			l.map((e) => (e.getAttribute("title") ?? "").replace("\u2212", "-")),
		);
	const keys = ["kept_bytes", "peak_bytes", "alloc_bytes", "free_bytes"] as const;

	assert.deepEqual(
		exact,
		keys.flatMap((k) => [
			`${count(base[k])} bytes`,
			`${count(now[k])} bytes`,
			`${signed(count(now[k] - base[k]), now[k] - base[k])} bytes`.replace(
				"\u2212",
				"-",
			),
		]),
	);
	await says(w.page, ".totals", new RegExp(`${count(base.kept_objects)} blocks`));
	await says(w.page, ".totals", new RegExp(`${count(now.kept_objects)} blocks`));
	await says(
		w.page,
		".top",
		/^Keep more than before.*appears keeps .* in 300 blocks; before, nothing/,
	);
	await says(w.page, ".top:nth-child(2)", /vanishes keeps nothing any more/);
	await w.close();
});

test("difference: more stands beside less, and rows are by their growth", async () => {
	const w = await open(browser, "changes");

	assert.deepEqual(await texts(w.page, ".top h2"), [
		"Keep more than before",
		"Keep less than before",
		"Allocate more than before",
		"Allocate less than before",
	]);
	await says(w.page, ".top:nth-child(4)", /vanishes allocates nothing any more/);
	const boxes = await w.page
		.locator(".top")
		.evaluateAll((l) => l.map((e) => e.getBoundingClientRect().toJSON() as DOMRect));
	assert.ok(
		boxes[0].y === boxes[1].y && boxes[2].y === boxes[3].y && boxes[2].y > boxes[0].y,
	);
	for (const view of ["leaks", "sizes", "direct"]) {
		await w.go(`view=${view}`);
		const rows = await rows_of(w.page, () => Promise.resolve(""));
		const order = [...rows].sort((a, b) => b.kept - a.kept || b.bytes - a.bytes);

		assert.deepEqual(rows, order, view);
		assert.ok(rows.length > 3);
	}
	await w.close();
});

test("difference: each measure has the totals of both reports, both ways", async () => {
	const reports = ["changes-1.data", "changes-2.data"].map(read_report);
	const w = await open(browser, "changes", "#view=flame");
	const wanted: [string, (r: (typeof reports)[0]) => number, (n: number) => string][] = [
		["kept_bytes", (r) => r.totals.kept_bytes, bytes],
		["peak_bytes", (r) => r.totals.peak_bytes, bytes],
		["bytes", (r) => r.totals.alloc_bytes, bytes],
		["allocs", (r) => r.totals.allocs, count],
	];

	for (const [measure, of, text] of wanted)
		for (const callers of ["", "&callers=1"]) {
			const [base, now] = reports.map(of);

			await w.go(`view=flame&by=${measure}${callers}`);
			await says(
				w.page,
				".details",
				new RegExp(
					plain(
						`all\\${signed(text(now - base), now - base)}` +
							`${text(now)} .*before ${text(base)}`,
					),
				),
			);
		}
	await w.close();
});

test("difference: functions have in the flame graph what the graph of growth has", async () => {
	const w = await open(browser, "changes", "#view=flame&by=bytes");
	const rows = table("Growth in the Allocation Call Graph").filter(
		(r) => /^(?:grows|shrinks|appears|vanishes)\(/.test(r.name) && r.bytes,
	);

	assert.equal(rows.length, 4);
	for (const r of rows) {
		await w.go(`view=flame&by=bytes&path=main&path=${encodeURIComponent(r.name)}`);
		await says(w.page, ".details .name", new RegExp(`^${r.name.split("(")[0]}$`));
		await says(
			w.page,
			".details b",
			new RegExp(
				`^${plain(signed(bytes(r.bytes), r.bytes)).replace("+", "\\+")}$`,
			),
		);
	}
	await w.close();
});

/** Pixels that are clearly of a colour. */
const coloured = (page: Page, colour: "red" | "blue"): Promise<number> =>
	page.locator(".frames canvas").evaluate((c, wanted) => {
		const from = c as HTMLCanvasElement;
		const copy = new OffscreenCanvas(from.width, from.height);
		const g = copy.getContext("2d", { willReadFrequently: true });
		g?.drawImage(from, 0, 0);
		const d = g?.getImageData(0, 0, copy.width, copy.height).data ?? [];
		let n = 0;

		for (let i = 0; i < d.length; i += 4) {
			const more = wanted === "red" ? d[i] - d[i + 2] : d[i + 2] - d[i];

			n += more > 60 ? 1 : 0;
		}
		return n;
	}, colour);

test("difference: growth is red and shrinkage blue, in both themes, with a legend", async () => {
	for (const dark of [false, true]) {
		const w = await open(browser, "changes", "#view=flame", { dark });

		await w.page.waitForFunction(() => document.querySelector("canvas")?.width);
		assert.ok((await coloured(w.page, "red")) > 5000);
		assert.ok((await coloured(w.page, "blue")) > 5000);
		await says(w.page, ".legend", /all gone.*as before.*all new.*whichever is more/);
		await w.go("view=flame&colour=function&search=no-such-name");
		await says(w.page, ".matches", /no match/);
		await w.close();
	}
});

test("difference: hovering says what was, what is, and the change", async () => {
	const w = await open(browser, "changes", "#view=flame&search=vanishes");
	const box = await w.page.locator(".frames canvas").boundingBox();

	assert.ok(box);
	await says(w.page, ".matches", /^1 frame of 1 function$/);
	for (let x = 5; x < box.width; x += 20) {
		await w.page.mouse.move(box.x + x, box.y + 50);
		if (/vanishes/.test((await texts(w.page, ".tip .whole")).join())) break;
	}
	await says(w.page, ".tip", /vanishes.*\u221238\.9 kB.*0 B kept, before 38\.9 kB.*all gone/);
	await w.close();
});

test("difference: rows lead to their chains and back; keys go along the frames", async () => {
	const w = await open(browser, "changes", "#view=leaks");

	await w.page.locator("tbody a").first().click();
	await says(w.page, ".details", /main.*\+67\.2 kB67\.2 kB kept, before 0 B.*all new/);
	await w.page.getByRole("link", { name: "Growth", exact: true }).click();
	await says(w.page, "tbody", /appears/);
	await w.go("view=flame");
	await w.page.focus(".frames canvas");
	await w.page.keyboard.press("ArrowDown");
	await says(w.page, ".details .name", /^main$/);
	await w.page.keyboard.press("ArrowDown");
	await says(w.page, ".details .name", /^appears$/);
	await w.page.keyboard.press("Enter");
	await w.page.waitForFunction(() => location.hash.includes("zoom="));
	await w.page.keyboard.press("Escape");
	await says(w.page, ".details .name", /^main$/);
	assert.equal(await w.page.getByText("Call graph").count(), 0);
	await w.close();
});

test("difference: both profiles are there; a view that it has not is its overview", async () => {
	const w = await open(browser, "changes", "#view=timeline");
	const list = await texts(w.page, ".choice option");

	assert.match(
		list.join("|"),
		/^Difference\|Now: changes \(pid \d+\)\|Before: changes \(pid \d+\)$/,
	);
	assert.equal(await w.page.locator(".totals").count(), 1);
	assert.equal((await texts(w.page, "nav a")).length, 5);
	await w.page.locator(".choice select").selectOption("2");
	await says(w.page, "nav", /Timeline/);
	assert.equal((await fragment_of(w.page)).get("profile"), "2");
	await says(w.page, ".facts-line", new RegExp(`^pid ${read_report("changes-1.data").pid} `));
	await w.close();
});

test("difference: views have headings and captions, and fit a narrow window", async () => {
	for (const dark of [false, true])
		for (const width of [360, 1280]) {
			const w = await open(browser, "changes", "", { width, height: 800, dark });

			for (const view of ["overview", "flame", "leaks", "sizes", "direct"]) {
				await w.go(`view=${view}`);
				const wide = await w.page.evaluate(
					() => document.documentElement.scrollWidth - innerWidth,
				);
				const bare = await w.page.locator(BARE).count();

				assert.ok(
					wide <= 0,
					`${view} is ${wide} pixels too wide at ${width}`,
				);
				assert.equal(bare, 0);
				assert.equal(await w.page.locator("main > h2").count(), 1);
				await w.picture(
					`difference-${view}-${width}-${dark ? "dark" : "light"}`,
				);
			}
			await w.close();
		}
});

test("a page of a forked program has a choice of processes with their figures", async () => {
	const w = await open(browser, "forks");
	const [all, ...list] = await texts(w.page, ".choice option");

	assert.equal(all, "All 3 processes");
	assert.equal(list.length, 3);
	for (const [i, title] of list.entries()) {
		await w.page.locator(".choice select").selectOption(String(i + 1));
		const pid = /\(pid (\d+)\)$/.exec(title)?.[1] ?? "";
		const file = i ? `forks.data.${pid}` : "forks.data";
		const report = read_report(file);

		assert.equal(report.pid, Number(pid));
		await says(w.page, ".facts-line", new RegExp(`^pid ${pid} `));
		await says(
			w.page,
			".facts",
			new RegExp(`^Kept at the end${plain(bytes(report.totals.kept_bytes))}`),
		);
		await w.page.waitForSelector("main[data-ready]");
	}
	await w.close();
});
