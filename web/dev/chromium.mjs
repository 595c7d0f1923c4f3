// SPDX-License-Identifier: BSD-2-Clause
// A window of headless chromium, as the tests have it.
import { chromium } from "playwright-core";

export async function launch() {
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
		args: ["--no-sandbox"],
	});

	return browser.newPage({ viewport: { width: 1280, height: 860 }, reducedMotion: "reduce" });
}
