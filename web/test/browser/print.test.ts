// SPDX-License-Identifier: BSD-2-Clause
// On paper: light, whole, and no wider than a sheet, whatever the screen is.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { CHANGE_VIEWS, VIEWS } from "../../src/state/fragment";
import { launch, open, read_report } from "../lib/browser";

let browser: Browser;
before(async () => {
	browser = await launch();
});
after(() => browser.close());

const SHEET = 718; // A4 with margins, in pixels of a style sheet
const SCREEN_ROW = 20;

test("on paper no view is wider than a sheet, cut off, or dark", async () => {
	for (const name of ["names", "changes"]) {
		const w = await open(browser, name, "", { dark: true, width: SHEET });

		await w.page.emulateMedia({ media: "print", colorScheme: "dark" });
		for (const view of name === "changes"
			? CHANGE_VIEWS
			: VIEWS.filter((v) => v !== "before")) {
			await w.go(`view=${view}`);
			if (view === "flame") await w.page.waitForSelector(".frames canvas");
			const found = await w.page.evaluate(() => ({
				wide: Math.max(
					document.documentElement.scrollWidth - innerWidth,
					0,
				),
				ground: getComputedStyle(document.body).backgroundColor,
				cut: [
					...document.querySelectorAll(
						".wide, .side, .plot .uplot, .frames",
					),
				]
					.filter(
						(e) =>
							e.scrollHeight > e.clientHeight + 1 ||
							e.scrollWidth > e.clientWidth + 1,
					)
					.filter((e) => getComputedStyle(e).overflow !== "visible")
					.length,
				controls: [
					...document.querySelectorAll("nav, .bar, .pager button"),
				].filter((e) => getComputedStyle(e).display !== "none").length,
			}));

			assert.deepEqual(
				found,
				{ wide: 0, ground: "rgb(255, 255, 255)", cut: 0, controls: 0 },
				view,
			);
			await w.picture(`print-${name}-${view}`);
		}
		await w.close();
	}
});

test("on paper a long table says how many rows it has", async () => {
	const w = await open(browser, "names", "#view=callgraph");

	assert.ok(read_report("names.data").bins.length > 100);
	await w.go("view=sizes");
	await w.page.emulateMedia({ media: "print" });
	assert.match(await w.page.locator(".pager").innerText(), /^100 of \d+ rows$/);
	await w.close();
});

test("the flame graph is printed whole and light, and is afterwards as it was", async () => {
	const w = await open(browser, "names", "#view=flame", { dark: true, height: 420 });
	const canvas = w.page.locator(".frames canvas");
	const look = (): Promise<{ height: number; corner: number[] }> =>
		canvas.evaluate((e) => {
			const c = e as HTMLCanvasElement;
			const copy = new OffscreenCanvas(c.width, c.height);
			const g = copy.getContext("2d");

			g?.drawImage(c, 0, 0);
			const d = g?.getImageData(c.width - 1, c.height - 1, 1, 1).data ?? [];
			return { height: c.height, corner: [...d] };
		});
	const rows = await w.page
		.locator(".frames .height")
		.evaluate((e) => Math.round((e as HTMLElement).offsetHeight / 20));

	assert.ok(rows * SCREEN_ROW > 200, String(rows));
	const on_screen = await look();
	await w.page.evaluate(() => dispatchEvent(new Event("beforeprint")));
	const on_paper = await look();
	assert.equal(on_paper.height, rows * SCREEN_ROW * 2);
	assert.deepEqual(on_paper.corner, [255, 255, 255, 255]);
	await w.page.evaluate(() => dispatchEvent(new Event("afterprint")));
	await w.page.waitForFunction(
		(height) =>
			document.querySelector<HTMLCanvasElement>(".frames canvas")?.height ===
			height,
		on_screen.height,
	);
	assert.deepEqual(await look(), on_screen);
	assert.ok(on_screen.corner[0] < 64);
	await w.close();
});
