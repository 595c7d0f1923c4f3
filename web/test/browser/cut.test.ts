// SPDX-License-Identifier: BSD-2-Clause
// A page whose end is missing says so, wherever it was cut; and a whole one does not.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { launch, open, read_work, says } from "../lib/browser";

const WORK = process.env.WORK ?? ".";
const TOLD = /^This page has not been read to its end\. .* incomplete/;

let browser: Browser;
before(async () => {
	browser = await launch();
});
after(() => browser.close());

/** What is seen of the page of widgets up to @end. */
async function seen_of(end: number): Promise<string> {
	const file = join(WORK, "cut.html");
	const page = await browser.newPage({ viewport: { width: 360, height: 600 } });

	writeFileSync(file, read_work("widgets.html").slice(0, end));
	await page.goto(pathToFileURL(file).href);
	const notice = page.locator(".cut");
	await notice.waitFor({ state: "visible" });
	const text = await page.locator("body").innerText();
	await page.close();
	return text.trim();
}

test("a page that was cut says so, in its data, its script, or between them", async () => {
	const whole = read_work("widgets.html");
	const data = whole.indexOf('id="mprof-tree-0"');
	const script = whole.lastIndexOf("<script>");

	assert.ok(data > 0 && script > data);
	for (const end of [
		whole.indexOf("<noscript>"),
		whole.indexOf("</noscript>"),
		data - 20,
		data + 1000,
		script - 1,
		script + 4,
		script + 1000,
		whole.lastIndexOf("</script>") + 5,
	])
		assert.match(await seen_of(end), TOLD, `cut at ${end} of ${whole.length}`);
});

test("a page that has lost only what closes it is whole", async () => {
	const whole = read_work("widgets.html");

	writeFileSync(
		join(WORK, "cut.html"),
		whole.slice(0, whole.lastIndexOf("</script>") + "</script>".length),
	);
	const w = await open(browser, "cut");
	await says(w.page, ".facts", /^Kept at the end/);
	assert.equal(await w.page.locator(".cut").count(), 0);
	await w.close();
});

test("without scripts the page says that, and nothing of its end", async () => {
	const page = await browser.newPage({ javaScriptEnabled: false });

	await page.goto(pathToFileURL(join(WORK, "widgets.html")).href);
	assert.match(
		await page.locator("body").innerText(),
		/with JavaScript, which is switched off/,
	);
	assert.ok(!(await page.locator(".cut").isVisible()));
	await page.close();
});
