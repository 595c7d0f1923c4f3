// SPDX-License-Identifier: BSD-2-Clause
// A page in headless chromium that is watched: what it asks for, and what it complains of.

import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, type Page, chromium } from "playwright-core";
import type { Classes, Report } from "../../src/data/schema";
import { type MadeProfile, page as make_page } from "./made";

const WORK = process.env.WORK ?? ".";
const DEADLINE = 30000;

export const read_work = (name: string): string => readFileSync(join(WORK, name), "utf8");

/** Data files whose name begins so, in the order of a shell. */
export const data_files = (begin: string): string[] =>
	readdirSync(WORK)
		.filter((f) => f.startsWith(begin) && /\.data(\.\d+)?$/.test(f))
		.sort();

interface Element {
	function: string | null;
	file: string | null;
	line: number | null;
}

/** Of the call graph, from a function to another one. */
export interface Arc {
	function: string;
	bytes: Classes;
	calls: number;
}

/** What `mprof report --format=json` prints; the page has the last three in another form. */
export interface WholeReport extends Report {
	leaks: { kept_bytes: number; allocs: number; frees: number; path: Element[] }[];
	callgraph: {
		function: string;
		total_bytes: number;
		self_bytes: Classes;
		called: number;
		callers: Arc[];
		callees: Arc[];
	}[];
	lifetimes: { frees: number; temporary: number; path: Element[] }[];
}

/** The report of a data file, in JSON. */
export const read_report = (data: string): WholeReport =>
	JSON.parse(read_work(`${data}.json`)) as WholeReport;

/** Writes a page of made profiles beside the others. */
export function write_page(name: string, profiles: MadeProfile[]): void {
	const template = readFileSync(process.env.TEMPLATE ?? "", "utf8");

	writeFileSync(join(WORK, `${name}.html`), make_page(template, profiles));
}

export const launch = (): Promise<Browser> =>
	chromium.launch({
		executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
		// Tests run as root in a container, where chromium's own sandbox is not to be had.
		args: ["--no-sandbox"],
	});

export interface Watched {
	page: Page;
	/** Fails if the page asked for anything but itself, or anything stands in the console. */
	close(): Promise<void>;
	go(fragment: string): Promise<void>;
	picture(name: string): Promise<void>;
}

interface Looks {
	width?: number;
	height?: number;
	dark?: boolean;
}

export async function open(
	browser: Browser,
	name: string,
	fragment = "",
	looks: Looks = {},
): Promise<Watched> {
	const page = await browser.newPage({
		viewport: { width: looks.width ?? 1280, height: looks.height ?? 860 },
		colorScheme: looks.dark ? "dark" : "light",
		reducedMotion: "reduce",
	});
	const url = pathToFileURL(join(WORK, `${name}.html`)).href;
	const said: string[] = [];

	page.setDefaultTimeout(DEADLINE);
	page.on("console", (m) => said.push(`console: ${m.text()}`));
	page.on("pageerror", (e) => said.push(`error: ${e.message}`));
	page.on("dialog", (d) => {
		said.push("a dialog");
		void d.dismiss();
	});
	page.on("request", (r) => {
		if (r.url().split("#")[0] !== url && !r.url().startsWith("data:"))
			said.push(`request: ${r.url()}`);
	});
	await page.goto(url + fragment);
	await page.waitForSelector("main[data-ready]");
	return {
		page,
		close: async () => {
			await page.close();
			assert.deepEqual(said, []);
		},
		go: async (to) => {
			// The view may be the one that is seen already: until the page has drawn.
			await page.evaluate(
				(f) =>
					new Promise<void>((done) => {
						const before = location.hash;

						addEventListener(
							"hashchange",
							() =>
								requestAnimationFrame(() =>
									setTimeout(done),
								),
							{ once: true },
						);
						location.hash = f;
						if (location.hash === before) done();
					}),
				to,
			);
			const view = new URLSearchParams(to).get("view") ?? "overview";
			await page.waitForSelector(`main[data-view="${view}"]`);
		},
		picture: async (file) => {
			await page.screenshot({ path: join(WORK, `${file}.png`) });
		},
	};
}

/** Texts of what matches, with usual blanks. */
export const texts = async (page: Page, selector: string): Promise<string[]> =>
	(await page.locator(selector).allInnerTexts()).map((t) => t.replace(/\u00a0/g, " ").trim());

/** Waits until the text of @selector matches. */
export async function says(page: Page, selector: string, wanted: RegExp): Promise<void> {
	await page
		.waitForFunction(
			([s, source]) =>
				new RegExp(source, "s").test(
					(document.querySelector(s)?.textContent ?? "").replace(
						/\u00a0/g,
						" ",
					),
				),
			[selector, wanted.source] as const,
		)
		.catch(async () => {
			assert.match((await texts(page, selector)).join("\n"), wanted);
		});
}

export const fragment_of = (page: Page): Promise<URLSearchParams> =>
	page.evaluate(() => location.hash).then((h) => new URLSearchParams(h.slice(1)));
