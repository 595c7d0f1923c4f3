#!/usr/bin/env node
// SPDX-License-Identifier: BSD-2-Clause
// times.mjs PAGE: opens a page in headless chromium and prints how long it takes until its overview
// shows figures and then call sites, each view after a click on its tab, and each change of the
// flame graph; a line for each, with its milliseconds. TRACE=FILE: a profile of what the processor
// did.
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";
import { launch } from "./chromium.mjs";

const DEADLINE = 120000;
const page = await launch();
const url = pathToFileURL(resolve(process.argv[2])).href;

const WANTED = {
	"overview: figures": ".facts dd",
	"overview: call sites": '.top[aria-busy="false"]',
	"all is read": "main[data-ready]",
};

/** Runs before the page does: notes when what is wanted is there first. */
function watch(wanted) {
	window.seen = {};
	const look = () => {
		for (const [name, selector] of Object.entries(wanted))
			if (!(name in window.seen) && document.querySelector(selector))
				requestAnimationFrame(
					() => (window.seen[name] ??= performance.now()),
				);
	};

	new MutationObserver(look).observe(document, {
		childList: true,
		subtree: true,
		attributes: true,
	});
}

/** Runs in the page: clicks or changes what is there, and waits until all has been drawn. */
async function act([selector, what, value]) {
	const settled = async () => {
		for (let i = 0; i < 3; i++)
			await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
	};
	const element = document.querySelector(selector);
	await settled();
	const begin = performance.now();
	if (what === "click") element.click();
	else {
		element.value = value;
		element.dispatchEvent(new Event(what, { bubbles: true }));
	}
	await settled();
	return performance.now() - begin;
}

const say = (name, ms) => console.log(`${name}\t${Math.round(ms)}`);
const tab = (name) => [`nav a[href*="${name}"]`, "click"];

await page.addInitScript(watch, WANTED);
await page.goto(url, { waitUntil: "commit", timeout: DEADLINE });
await page.waitForFunction(
	(n) => Object.keys(window.seen ?? {}).length === n,
	Object.keys(WANTED).length,
	{
		timeout: DEADLINE,
		polling: 200,
	},
);
for (const [name, ms] of Object.entries(await page.evaluate(() => window.seen))) say(name, ms);
const session = await page.context().newCDPSession(page);
if (process.env.TRACE) {
	await session.send("Profiler.enable");
	await session.send("Profiler.start");
}
for (const view of ["leaks", "sizes", "direct", "callgraph", "lifetimes", "timeline", "flame"])
	say(`view: ${view}`, await page.evaluate(act, tab(`view=${view}`)));
const measure = 'select[aria-label="Width by"], .tools label select';
const steps = [
	["measure: allocations", [measure, "change", "allocs"]],
	["measure: bytes", [measure, "change", "bytes"]],
	["from allocators", [".switch button:last-child", "click"]],
	["from allocators, kept", [measure, "change", "kept_bytes"]],
	["search, inverted", [".search", "input", "function_12"]],
	["search ends", [".search", "input", ""]],
	["from main", [".switch button:first-child", "click"]],
	["search", [".search", "input", "function_1"]],
	["search, a letter more", [".search", "input", "function_12"]],
	["collapse recursion", [".check input", "click"]],
	["no longer", [".check input", "click"]],
];
for (const [name, step] of steps) say(`flame: ${name}`, await page.evaluate(act, step));
const box = await page.locator(".frames canvas").boundingBox();
const click = [".frames canvas", "click"];
await page.mouse.click(box.x + box.width / 3, box.y + 70);
say("flame: zoomed in by a click", await page.evaluate(act, [".search", "input", ""]));
say("flame: leave out", await page.evaluate(act, [".actions button:nth-child(2)", "click"]));
say("flame: back in", await page.evaluate(act, [".left-out button", "click"]));
say("again: leaks", await page.evaluate(act, tab("view=leaks")));
say("leaks: filter", await page.evaluate(act, [".filter", "input", "function_12"]));
say("leaks: sort by chain", await page.evaluate(act, ["th:last-child button", "click"]));
say("again: overview", await page.evaluate(act, ["nav a:first-child", "click"]));
if (process.env.TRACE) {
	const { profile } = await session.send("Profiler.stop");
	writeFileSync(process.env.TRACE, JSON.stringify(profile));
}
await page.context().browser().close();
