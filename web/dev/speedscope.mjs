#!/usr/bin/env node
// SPDX-License-Identifier: BSD-2-Clause
// speedscope.mjs RELEASE FOLDED WORK: opens speedscope's page (the folder dist/release of its
// package) with folded stacks, as its own command does, by a script in the folder WORK; prints the
// bytes of that script and the milliseconds until the profile is shown.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "./chromium.mjs";

const DEADLINE = 240000;
const [release, folded, work] = process.argv.slice(2).map((p) => resolve(p));
const script = join(work, "profile.js");
const stacks = readFileSync(folded).toString("base64");
const text = `speedscope.loadFileFromBase64("heap.folded", "${stacks}")`;

writeFileSync(script, text);
console.log(`speedscope: size\t${text.length}`);
const page = await launch();
const failed = new Promise((_, reject) => {
	page.on("pageerror", (e) => reject(e));
	page.on("dialog", (d) => reject(new Error(d.message())));
});
await page.goto(`${pathToFileURL(join(release, "index.html"))}#localProfilePath=${script}`, {
	waitUntil: "commit",
	timeout: DEADLINE,
});
// It is called after the profile once that has been read, and is drawn at the next frame.
await Promise.race([
	failed,
	page.waitForFunction(() => document.title.includes("heap.folded"), undefined, {
		timeout: DEADLINE,
		polling: "raf",
	}),
]);
const ms = await page.evaluate(
	() =>
		new Promise((done) =>
			requestAnimationFrame(() => setTimeout(() => done(performance.now()))),
		),
);
console.log(`speedscope: shown\t${Math.round(ms)}`);
await page.context().browser().close();
