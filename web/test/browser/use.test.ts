// SPDX-License-Identifier: BSD-2-Clause
// What a reader does: search, zoom, sort, filter, links, keys; and how it looks.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { inflateSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import type { PageIndex } from "../../src/data/schema";
import { bytes } from "../../src/ui/format";
import { fragment_of, launch, open, read_report, read_work, says, texts } from "../lib/browser";
import { pack } from "../lib/made";

let browser: Browser;
before(async () => {
	browser = await launch();
});
after(() => browser.close());

const ROW = 20;
const WORK = process.env.WORK ?? ".";

/** Clicks the flame graph at a part of its width, in a row from 0. */
async function click(page: Page, part: number, row: number): Promise<void> {
	const box = await page.locator(".frames canvas").boundingBox();

	assert.ok(box);
	await page.mouse.click(box.x + part * box.width, box.y + (row + 0.5) * ROW);
}

test("a click zooms, the address keeps it, and going back zooms out", async () => {
	const w = await open(browser, "widgets", "#view=flame&by=bytes");

	await click(w.page, 0.25, 2);
	await says(w.page, ".details .name", /^make_red_widget$/);
	const zoom = (await fragment_of(w.page)).get("zoom");
	assert.ok(zoom);
	const again = await open(browser, "widgets", `#view=flame&by=bytes&zoom=${zoom}`);
	await says(again.page, ".details .name", /^make_red_widget$/);
	await again.close();
	await w.page.goBack();
	await says(w.page, ".details b", /^2\.0 MB allocated$/);
	assert.equal((await fragment_of(w.page)).get("zoom"), null);
	await w.close();
});

test("hovering tells the frame, its place and its types", async () => {
	const w = await open(browser, "widgets", "#view=flame&by=bytes");
	const box = await w.page.locator(".frames canvas").boundingBox();

	assert.ok(box);
	await w.page.mouse.move(box.x + 20, box.y + 3.5 * ROW);
	await says(w.page, ".tip", /make_widget.*1\.0 MB allocated.*widgets\.c:\d+.*widget/);
	await w.close();
});

test("what is told of a frame goes when what is under the pointer moves", async () => {
	const w = await open(browser, "names", "#view=flame&by=bytes", { height: 500 });
	const box = await w.page.locator(".frames canvas").boundingBox();
	const told = async (): Promise<string> => (await texts(w.page, ".tip .whole")).join();

	assert.ok(box);
	await w.page.mouse.move(box.x + 20, box.y + 1.5 * ROW);
	await says(w.page, ".tip", /allocated/);
	const before = await told();
	await w.page.evaluate(() => document.querySelector(".frames")?.scrollBy(0, 60));
	await w.page.evaluate(() => scrollBy(0, 60));
	await w.page.waitForFunction(
		(b) => (document.querySelector(".tip .whole")?.textContent ?? "") !== b,
		before,
	);
	await w.page.mouse.move(box.x + 25, box.y + 1.5 * ROW);
	await says(w.page, ".tip", /allocated/);
	await w.page.locator(".frames canvas").press("ArrowDown");
	assert.equal(await w.page.locator(".tip").count(), 0);
	await w.close();
});

test("the graph has the room that the window leaves, and no more", async () => {
	const w = await open(browser, "widgets", "#view=flame&by=bytes");
	const heights: number[] = [];

	for (const [width, height] of [
		[1280, 700],
		[1280, 1300],
		[820, 1300],
	]) {
		await w.page.setViewportSize({ width, height });
		const [page, footer] = await w.page.evaluate(() => [
			document.documentElement.scrollHeight,
			document.querySelector("footer")?.getBoundingClientRect().bottom,
		]);

		assert.deepEqual([page, footer], [height, height]);
		heights.push((await w.page.locator(".frames canvas").boundingBox())?.height ?? 0);
	}
	assert.equal(heights[1] - heights[0], 600);
	// What takes a row more above it takes that from the graph.
	await click(w.page, 0.25, 2);
	const before = (await w.page.locator("footer").boundingBox())?.y;
	await w.page.getByRole("button", { name: "Leave out" }).click();
	await says(w.page, ".left-out", /make_red_widget/);
	assert.equal((await w.page.locator("footer").boundingBox())?.y, before);
	const after = (await w.page.locator(".frames canvas").boundingBox())?.height ?? 0;
	assert.ok(after < heights[2] && after > heights[2] - 100);
	// In a low window there is enough of it, and the page scrolls.
	await w.page.setViewportSize({ width: 1280, height: 300 });
	assert.equal((await w.page.locator(".frames canvas").boundingBox())?.height, 12 * ROW);
	await w.close();
});

test("Ctrl and the wheel zoom where the pointer is, Shift moves, Escape goes back", async () => {
	const w = await open(browser, "widgets", "#view=flame&by=bytes");
	const box = await w.page.locator(".frames canvas").boundingBox();
	const there = async (part: number, name: RegExp): Promise<void> => {
		assert.ok(box);
		await w.page.mouse.move(box.x + part * box.width, box.y + 1.5 * ROW);
		await w.page.mouse.move(box.x + part * box.width, box.y + 2.5 * ROW);
		await says(w.page, ".tip .whole", name);
	};
	const turn = async (key: string, by: number): Promise<void> => {
		await w.page.keyboard.down(key);
		await w.page.mouse.wheel(0, by);
		await w.page.keyboard.up(key);
		// What is told is that of before until it is drawn.
		await w.page.waitForFunction(() => !document.querySelector(".tip"));
	};

	await there(0.9, /^make_blue_widget$/);
	await there(0.25, /^make_red_widget$/);
	for (let n = 0; n < 4; n++) await turn("Control", -100);
	await there(0.25, /^make_red_widget$/);
	await there(0.9, /^make_red_widget$/);
	assert.equal(await w.page.evaluate(() => devicePixelRatio), 1);
	for (let n = 0; n < 30; n++) await turn("Shift", 400);
	await there(0.25, /^make_blue_widget$/);
	assert.equal((await fragment_of(w.page)).get("zoom"), null);
	await w.page.focus(".frames canvas");
	await w.page.keyboard.press("Escape");
	await there(0.25, /^make_red_widget$/);
	await there(0.9, /^make_blue_widget$/);
	// A click goes to a frame from wherever that was.
	for (let n = 0; n < 2; n++) await turn("Control", -100);
	await click(w.page, 0.9, 2);
	await says(w.page, ".details .name", /^make_blue_widget$/);
	await there(0.02, /^make_blue_widget$/);
	for (let n = 0; n < 9; n++) await turn("Control", 100);
	await there(0.02, /^make_red_widget$/);
	await w.close();
});

test("the wheel by itself scrolls the page over the graph", async () => {
	const w = await open(browser, "widgets", "#view=flame&by=bytes", { height: 400 });
	const box = await w.page.locator(".frames canvas").boundingBox();

	assert.ok(box);
	await w.page.mouse.move(box.x + 20, box.y + 20);
	await w.page.mouse.wheel(0, 100);
	await w.page.waitForFunction(() => scrollY > 0);
	await w.close();
});

test("a search counts and colours what it finds", async () => {
	const w = await open(browser, "widgets", "#view=flame&by=bytes");
	const pink = (): Promise<number> =>
		w.page.locator(".frames canvas").evaluate((c) => {
			const from = c as HTMLCanvasElement;
			const copy = new OffscreenCanvas(from.width, from.height);
			const g = copy.getContext("2d", { willReadFrequently: true });
			g?.drawImage(from, 0, 0);
			const d = g?.getImageData(0, 0, copy.width, copy.height).data ?? [];
			let n = 0;

			for (let i = 0; i < d.length; i += 4)
				n += d[i] > 200 && d[i + 1] < 160 && d[i + 2] > 160 ? 1 : 0;
			return n;
		});

	assert.equal(await pink(), 0);
	await w.page.keyboard.press("/");
	await w.page.keyboard.type("RED");
	await says(w.page, ".matches", /^1 frame of 1 function, 50\.2 %$/);
	await w.page.waitForFunction(() => location.hash.includes("search=RED"));
	assert.ok((await pink()) > 5000);
	await w.page.keyboard.press("Escape");
	await says(w.page, ".matches", /^$/);
	assert.equal((await fragment_of(w.page)).get("search"), null);
	await w.page.fill(".search", "no such function");
	await says(w.page, ".matches", /^no match$/);
	await w.close();
});

test("what a search has found moves nothing", async () => {
	for (const width of [700, 800, 900, 1000, 1100, 1200]) {
		const w = await open(browser, "widgets", "#view=flame&by=bytes");
		const top = async (): Promise<number | undefined> =>
			(await w.page.locator(".frames").boundingBox())?.y;

		await w.page.setViewportSize({ width, height: 800 });
		const before = await top();
		await w.page.fill(".search", "_widget");
		await says(w.page, ".matches", /^4 frames of 3 functions/);
		assert.equal(await top(), before, `${width}`);
		await w.close();
	}
});

test("Enter in the search goes from match to match", async () => {
	const w = await open(browser, "widgets", "#view=flame&by=bytes");

	await w.page.fill(".search", "_widget");
	await says(w.page, ".matches", /^4 frames of 3 functions/);
	const seen: string[] = [];
	for (const key of ["Enter", "Enter", "Enter", "Shift+Enter"]) {
		await w.page.locator(".search").press(key);
		seen.push((await texts(w.page, ".details .name")).join());
	}
	assert.deepEqual(seen, [
		"make_red_widget",
		"make_blue_widget",
		"make_widget",
		"make_blue_widget",
	]);
	await w.close();
});

test("arrows go along the frames, Enter zooms, Escape goes back", async () => {
	const w = await open(browser, "widgets", "#view=flame&by=bytes");
	const at = (name: string): Promise<void> =>
		says(w.page, ".details .name", new RegExp(`^${name}$`));

	await w.page.focus(".frames canvas");
	await w.page.keyboard.press("ArrowDown");
	await at("main");
	await w.page.keyboard.press("ArrowDown");
	await at("make_red_widget");
	await w.page.keyboard.press("ArrowRight");
	await at("make_blue_widget");
	await w.page.keyboard.press("Enter");
	await w.page.waitForFunction(() => location.hash.includes("zoom="));
	await w.page.keyboard.press("Escape");
	await at("main");
	await w.page.keyboard.press("Escape");
	await at("all");
	assert.equal((await fragment_of(w.page)).get("zoom"), null);
	await w.close();
});

test("a function is left out and comes back; recursion collapses", async () => {
	const w = await open(browser, "widgets", "#view=flame&by=bytes");

	await click(w.page, 0.25, 2);
	await w.page.getByRole("button", { name: "Leave out" }).click();
	await says(w.page, ".left-out", /make_red_widget/);
	await w.page.fill(".search", "red");
	await says(w.page, ".matches", /^no match$/);
	await w.page.locator(".left-out button").click();
	await says(w.page, ".matches", /^1 frame/);
	await w.go("view=flame&by=bytes&fold=1");
	assert.ok(await w.page.locator(".check input").isChecked());
	await w.close();
});

test("a path copies as text", async () => {
	const w = await open(browser, "widgets", "#view=flame&by=bytes");

	await w.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
	await click(w.page, 0.25, 3);
	await w.page.getByRole("button", { name: "Copy path" }).click();
	await says(w.page, ".actions", /Copied/);
	const text = await w.page.evaluate(() => navigator.clipboard.readText());
	assert.match(
		text,
		/^main  \S+widgets\.c:\d+\nmake_red_widget  \S+:\d+\nmake_widget  \S+:\d+$/,
	);
	await w.close();
});

test("an entry of the overview leads to its frame, zoomed, and back leads back", async () => {
	const w = await open(browser, "widgets");

	await w.page.locator(".top a").first().click();
	await says(w.page, ".details .name", /^make_red_widget$/);
	await says(w.page, ".details b", /^1\.0 MB kept$/);
	assert.ok((await fragment_of(w.page)).get("zoom"));
	assert.equal((await fragment_of(w.page)).get("search"), null);
	await w.page.goBack();
	await says(w.page, ".top", /^Keep the most/);
	await w.page.goForward();
	await says(w.page, ".details .name", /^make_red_widget$/);
	await w.close();
});

test("every entry of the overview leads to a frame of that function", async () => {
	const w = await open(browser, "names");
	const entries = await w.page
		.locator(".top li a")
		.evaluateAll((l) =>
			l.map((e) => [
				e.getAttribute("href") ?? "",
				e.querySelector(".says")?.getAttribute("title") ?? "",
			]),
		);

	assert.ok(entries.length > 5);
	for (const [href, name] of entries) {
		await w.go(href.slice(1));
		await w.page.waitForFunction(
			(wanted) =>
				document.querySelector(".details .name")?.getAttribute("title") ===
				wanted,
			name,
		);
	}
	await w.close();
});

test("a row of the table of leaks leads to its chain, and the frame back to the row", async () => {
	const w = await open(browser, "widgets", "#view=leaks");

	await w.page.locator("tbody a").first().click();
	await says(w.page, ".details b", /^1\.0 MB kept$/);
	await w.page.waitForFunction(
		() => location.hash.includes("zoom=") && !location.hash.includes("path="),
	);
	await says(w.page, ".details .name", /^main$/);
	await w.page.getByRole("link", { name: "Leaks", exact: true }).last().click();
	await says(w.page, "tbody", /make_red_widget/);
	await w.close();
});

test("a table is sorted by its heads and filtered by words; links keep both", async () => {
	const w = await open(browser, "names", "#view=sizes");
	const sizes = async (): Promise<number[]> =>
		(await texts(w.page, "tbody td:first-child")).map((s) =>
			Number(s.replace(/,/g, "")),
		);
	const sorted = (list: number[]): number[] => [...list].sort((a, b) => a - b);

	await w.page.getByRole("button", { name: "Size", exact: true }).click();
	const down = await sizes();
	assert.deepEqual(down, sorted(down).reverse());
	await w.page.getByRole("button", { name: "Size", exact: true }).click();
	await w.page.waitForSelector('th[aria-sort="ascending"]');
	const up = await sizes();
	assert.deepEqual(up, sorted(up));
	await w.page.keyboard.press("/");
	await w.page.keyboard.type("Node");
	await w.page.waitForFunction(() => location.hash.includes("filter=Node"));
	const few = await texts(w.page, "tbody tr");
	const types = await w.page
		.locator("tbody .types")
		.evaluateAll((list) => list.map((e) => e.getAttribute("title") ?? ""));
	assert.ok(few.length > 0 && few.length < up.length && types.length === few.length);
	assert.ok(
		types.every((t) => t.toLowerCase().includes("node")),
		types.join(),
	);
	const again = await open(browser, "names", `#${String(await fragment_of(w.page))}`);
	assert.deepEqual(await texts(again.page, "tbody tr"), few);
	await again.close();
	await w.close();
});

test("what is typed into a filter leaves the rows that have it, and says how many", async () => {
	const w = await open(browser, "names");

	for (const [view, word] of [
		["leaks", "leak"],
		["sizes", "node"],
		["direct", "allocator"],
		["callgraph", "vector"],
		["lifetimes", "recurse"],
	]) {
		await w.go(`view=${view}`);
		const all = await w.page.locator("tbody tr").count();
		const rows = (await texts(w.page, "[role=status]")).join();

		await w.page.fill(".filter", word);
		await says(w.page, "[role=status]", /^[\d,]+ of [\d,]+ rows?$/);
		const left = await w.page
			.locator(".wide tbody tr")
			.evaluateAll((list) => list.map((e) => e.innerHTML.toLowerCase()));
		const said = (await texts(w.page, "[role=status]")).join();
		assert.ok(
			left.length > 0 && left.length < all,
			`${view}: ${left.length} of ${all}`,
		);
		assert.ok(
			left.every((t) => t.includes(word)),
			view,
		);
		assert.equal(said, `${left.length} of ${rows}`);
		await w.page.fill(".filter", "");
		await says(w.page, "[role=status]", /^[\d,]+ rows?$/);
	}
	await w.close();
});

test("a table that is wider than the window scrolls by keys, to its last column", async () => {
	const w = await open(browser, "changes", "#view=leaks", { width: 640 });
	const seen = (): Promise<number> =>
		w.page
			.locator("thead th")
			.last()
			.evaluate((e) => e.getBoundingClientRect().right - innerWidth);

	assert.ok((await seen()) > 0);
	const caption = await w.page.locator("caption span").boundingBox();
	assert.ok(caption && caption.x >= 0 && caption.x + caption.width <= 640);
	await w.page.focus(".wide");
	for (let i = 0; i < 100 && (await seen()) > 0; i++)
		await w.page.keyboard.press("ArrowRight");
	assert.ok((await seen()) <= 0);
	await w.close();
});

test("in a narrow window all of a row is seen, and it is still a row of a table", async () => {
	const w = await open(browser, "names", "", { width: 360 });

	for (const view of ["leaks", "sizes", "direct", "callgraph", "lifetimes"]) {
		await w.go(`view=${view}`);
		const hidden = await w.page
			.locator(".wide :is(th, td, caption)")
			.evaluateAll((list) =>
				list
					.map((e) => e.getBoundingClientRect())
					.filter((r) => r.left < 0 || r.right > innerWidth),
			);
		const titles = await texts(w.page, "thead th");

		assert.deepEqual(hidden, [], view);
		assert.equal(
			await w.page.getByRole("table").last().getByRole("columnheader").count(),
			titles.length,
		);
		assert.equal(
			await w.page.getByRole("row").last().getByRole("cell").count(),
			await w.page
				.locator(".wide tbody tr")
				.last()
				.locator("td:not(:empty)")
				.count(),
		);
		const named = await w.page
			.locator(".wide tbody tr")
			.first()
			.locator("td.figure")
			.first()
			.evaluate((e) => getComputedStyle(e, "::before").content);
		assert.ok(
			titles.some((t) => named.includes(t.replace(/[▾▴]/, "").trim())),
			named,
		);
	}
	await w.close();
});

test("the type of a size leads to who requests it, and from there back to the size", async () => {
	const w = await open(browser, "widgets", "#view=sizes");

	await w.page.locator("tbody a.type", { hasText: /^widget$/ }).click();
	await says(w.page, ".matches", /^2 frames of 1 function, 100 %$/);
	await click(w.page, 0.25, 3);
	await says(w.page, ".details .name", /^make_widget$/);
	await w.page.locator(".details a.type", { hasText: /^widget$/ }).click();
	await says(w.page, ".wide tbody", /^204widget/);
	await w.close();
});

test("a click in the timeline shows the tree of the moment that a snapshot is of", async () => {
	const w = await open(browser, "moments", "#view=timeline");
	const whole = read_report("moments.data");
	const part = read_report("moments.data.snapshot.1");
	const end = (r: typeof whole): number => r.timeline?.time_ns.at(-1) ?? assert.fail();
	const plot = await w.page.locator(".plot.upper .u-over").boundingBox();

	assert.ok(plot);
	assert.deepEqual(
		(await texts(w.page, "aside .button")).map((t) => t.replace(/ after .*/, "")),
		["Flame graph of 1,", "Flame graph of the peak", "Flame graph of the end"],
	);
	const at = (ns: number): [number, number] => [
		plot.x + (plot.width * ns) / end(whole),
		plot.y + 50,
	];
	await w.page.mouse.move(...at(end(part) * 0.6));
	await w.page.mouse.click(...at(end(part) * 0.6));
	await says(w.page, ".moment caption", /requests.s/);
	assert.equal((await fragment_of(w.page)).get("view"), "timeline");
	await w.page.mouse.click(...at(end(part)));
	await says(
		w.page,
		".details b",
		new RegExp(`^${bytes(part.totals.kept_bytes).replace("\u00a0", " ")} kept$`),
	);
	assert.equal((await fragment_of(w.page)).get("profile"), "1");
	assert.ok(part.totals.kept_bytes > 500_000 && part.totals.kept_bytes < 600_000);
	await w.close();
});

test("every view has a tab and a heading, and tables have captions", async () => {
	const w = await open(browser, "names");

	for (const tab of await texts(w.page, "nav a")) {
		await w.page.getByRole("link", { name: tab, exact: true }).first().click();
		await w.page.waitForSelector("nav a[aria-current=page]");
		assert.deepEqual(await texts(w.page, "nav a[aria-current=page]"), [tab]);
		const bare = await w.page
			.locator(
				"table:not(:has(caption)), th:not([scope]), " +
					"canvas:not([aria-label]):not(.plot canvas)",
			)
			.count();
		const nameless = await w.page
			.locator("button, a, input, select")
			.evaluateAll((list) =>
				list
					.filter((e) => {
						const name =
							e.getAttribute("aria-label") ??
							e.closest("label")?.textContent ??
							(e as HTMLElement).innerText;

						return !/\p{L}/u.test(name);
					})
					.map((e) => e.outerHTML),
			);

		assert.equal(bare, 0);
		assert.deepEqual(nameless, [], tab);
	}
	await w.close();
});

test("in a narrow window the tab of the view is seen", async () => {
	const w = await open(browser, "names", "", { width: 360 });

	for (const view of ["lifetimes", "overview"]) {
		await w.go(`view=${view}`);
		await w.page.waitForFunction(() => {
			const tab = document
				.querySelector("nav [aria-current]")
				?.getBoundingClientRect();

			return tab && tab.left >= 0 && tab.right <= innerWidth;
		});
	}
	await w.close();
});

test("no view is wider than a narrow window, in either theme", async () => {
	for (const dark of [false, true])
		for (const width of [360, 1280]) {
			const w = await open(browser, "names", "", { width, height: 800, dark });

			for (const view of [
				"overview",
				"flame",
				"timeline",
				"leaks",
				"sizes",
				"direct",
				"callgraph",
				"lifetimes",
			]) {
				await w.go(`view=${view}`);
				const wide = await w.page.evaluate(
					() => document.documentElement.scrollWidth - innerWidth,
				);
				assert.ok(
					wide <= 0,
					`${view} is ${wide} pixels too wide at ${width}`,
				);
				await w.picture(`${view}-${width}-${dark ? "dark" : "light"}`);
			}
			const ground = await w.page.evaluate(
				() => getComputedStyle(document.body).backgroundColor,
			);
			assert.equal(ground, dark ? "rgb(22, 24, 28)" : "rgb(255, 255, 255)");
			await w.close();
		}
});

/** The same page, in which each process has other arguments. */
function with_arguments(from: string, to: string, all: readonly string[]): void {
	const html = read_work(`${from}.html`);
	const packed = /id="mprof-index">([^<]*)</.exec(html)?.[1] ?? "";
	const index = JSON.parse(
		inflateSync(Buffer.from(packed, "base64")).toString(),
	) as PageIndex;

	index.profiles.forEach((p, i) => {
		p.arguments = all[i];
	});
	writeFileSync(
		join(WORK, `${to}.html`),
		html.replace(packed, () => pack(index)),
	);
}

test("processes of one name are told apart by their arguments", async () => {
	with_arguments("both", "argued", ["--port=1 <b>", "--port=2"]);
	const w = await open(browser, "argued");
	const rows = w.page.locator("tbody tr");

	assert.match(await rows.nth(0).innerText(), /^\S+ --port=1 <b>/);
	assert.match(await rows.nth(1).innerText(), /^\S+ --port=2/);
	assert.match(
		(await w.page.locator(".choice option").nth(2).textContent()) ?? "",
		/\(pid \d+\)\S* --port=2$/,
	);
	await w.page.fill(".filter", "port=2");
	await rows.nth(1).waitFor({ state: "detached" });
	assert.match(await rows.nth(0).innerText(), /--port=2/);
	await w.close();
});
