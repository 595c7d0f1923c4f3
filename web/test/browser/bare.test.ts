// SPDX-License-Identifier: BSD-2-Clause
// A profile without names, types and a timeline has a page, which says what is missing and why.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { VIEWS } from "../../src/state/fragment";
import { launch, open, read_report, says, texts } from "../lib/browser";

let browser: Browser;
before(async () => {
	browser = await launch();
});
after(() => browser.close());

test("the overview says that names, types and the timeline are missing, and why", async () => {
	const w = await open(browser, "bare");
	const list = await texts(w.page, ".lacking li");

	assert.equal(list.length, 3);
	assert.match(
		list[0],
		/^Only exported functions of bare.* have names: .* no table of symbols\.$/,
	);
	assert.match(list[1], /^No types of sizes: /);
	assert.match(list[2], /^No timeline: /);
	await w.go("view=timeline");
	await says(w.page, ".empty", /^No timeline: /);
	await w.go("view=sizes");
	await says(w.page, "caption", /of no size is a type known$/);
	await w.close();
});

test("what is known is in every view, and no column is empty throughout", async () => {
	const w = await open(browser, "bare");

	for (const view of VIEWS.filter((v) => v !== "before")) {
		await w.go(`view=${view}`);
		assert.ok((await w.page.locator("main").innerText()).length > 20, view);
		const empty = await w.page.locator(".wide table").evaluateAll((tables) =>
			tables.flatMap((t) => {
				const cells = [...t.querySelectorAll("tbody td")];
				const full = cells.filter((c) => c.childNodes.length > 0);
				const titles = (list: Element[]): Set<string | null> =>
					new Set(list.map((c) => c.getAttribute("data-title")));

				return [...titles(cells)].filter((c) => !titles(full).has(c));
			}),
		);

		assert.deepEqual(empty, [], view);
	}
	await w.go("view=flame&by=bytes");
	await says(w.page, ".details b", /allocated$/);
	assert.ok(read_report("bare.data").totals.alloc_bytes > 0);
	await w.close();
});

test("a profile that has all of it says nothing of the kind", async () => {
	const w = await open(browser, "widgets");

	const list = await texts(w.page, ".lacking li");

	// Whether the libraries have names is a matter of the machine.
	assert.deepEqual(
		list.filter((t) => !/^Only exported functions of (ld-linux|libc\.|libc-)/.test(t)),
		[],
	);
	await w.close();
});
