// SPDX-License-Identifier: BSD-2-Clause
// A program that was looked at in the end: the page says first what it has lost, and who lost it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { bytes, share } from "../../src/ui/format";
import { fragment_of, launch, open, read_report, says, texts } from "../lib/browser";

let browser: Browser;
before(async () => {
	browser = await launch();
});
after(() => browser.close());

const plain = (text: string): string => text.replace(/\u00a0/g, " ");
const report = read_report("loses.data");
const LOST = 31; // what forget() requests, and the head of what forget_list() does
const HANGING = 9;

test("the answer is what is lost, with the figures of the report", async () => {
	const w = await open(browser, "loses");
	const { lost_direct: lost, lost_through: through } = report.reach ?? assert.fail();

	assert.deepEqual([lost.blocks, through.blocks], [LOST, HANGING]);
	await says(
		w.page,
		".answer",
		new RegExp(
			`^${plain(bytes(lost.bytes))} in ${LOST} blocks lost, and through them ` +
				`${plain(bytes(through.bytes))} in ${HANGING}: ` +
				"nothing led to them any more at the end.$",
		),
	);
	await w.close();
});

test("who loses the most stands first, with what hangs on it; who holds is not named", async () => {
	const w = await open(browser, "loses");
	const list = w.page.locator(".top").first();

	assert.equal(await list.locator("h2").innerText(), "Lose the most");
	assert.deepEqual((await list.locator(".says").allInnerTexts()).map(plain), [
		"forget loses 30.0 kB in 30 blocks",
		"forget_list loses 496 B in 1 block of the 10 it keeps; 4.5 kB more hang on it",
	]);
	// Both in the bytes that were requested: what the answer says is usable, and more.
	const all = 30_496;

	assert.equal(
		plain(await list.locator(".basis").innerText()),
		`% of the 30.5 kB requested in ${LOST} blocks lost directly`,
	);
	assert.deepEqual(
		(await list.locator(".part").allInnerTexts()).map(plain),
		[30_000, 496].map((n) => plain(share(n, all))),
	);
	await w.close();
});

test("the list is no higher than its rows: the figures follow it", async () => {
	const w = await open(browser, "loses");
	const last = await w.page.locator(".top").first().locator("li").last().boundingBox();
	const facts = await w.page.locator(".facts").boundingBox();

	assert.ok(last && facts);
	assert.ok(facts.y - (last.y + last.height) < last.height);
	await w.close();
});

test("it leads to the flame graph of lost bytes, to that frame", async () => {
	const w = await open(browser, "loses");

	await w.page.locator(".top").first().locator("a").nth(1).click();
	await says(w.page, ".details b", /^496 B lost$/);
	await says(w.page, ".details .what", /1\.6 % of all/);
	assert.ok((await fragment_of(w.page)).get("zoom"));
	assert.equal((await fragment_of(w.page)).get("by"), "lost_bytes");
	const measures = await texts(w.page, ".tools select option");
	assert.ok(measures.includes("Lost bytes"), measures.join());
	await w.go("view=leaks&sort=-lost");
	assert.deepEqual(await texts(w.page, "tbody tr td:nth-child(3)"), [
		"30.0 kB",
		"496 B",
		"0 B",
	]);
	// The rest of the list hangs on its head.
	assert.deepEqual(await texts(w.page, 'tbody td[data-title="Lost with others"]'), [
		"0 B",
		"4.5 kB",
		"0 B",
	]);
	await w.close();
});

test("where nobody looked there is no such measure, whatever a link says", async () => {
	const w = await open(browser, "widgets", "#view=flame&by=lost_bytes");

	await says(w.page, ".details b", /^1\.0 MB kept$/);
	const measures = await texts(w.page, ".tools select option");
	assert.ok(measures.includes("Kept bytes") && !measures.includes("Lost bytes"));
	assert.equal(await w.page.locator(".tools select").first().inputValue(), "kept_bytes");
	await w.close();
});
