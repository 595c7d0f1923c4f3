// SPDX-License-Identifier: BSD-2-Clause
// inline.mjs HTML CSS JS OUT: puts style and script into the page, and their hashes into its
// Content-Security-Policy, so that nothing else in the page can run.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const [html, css, js, out] = process.argv.slice(2);
const style = readFileSync(css, "utf8").trim();
const root = fileURLToPath(new URL(".", import.meta.url));
const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
/** Both libraries' licences want their notice in every copy. */
const notices = Object.keys(dependencies).map((name) => {
	const licence = readFileSync(`${root}node_modules/${name}/LICENSE`, "utf8").trim();

	return `/* ${name}\n${licence.replaceAll("*/", "* /")} */\n`;
});
const script = notices.join("") + readFileSync(js, "utf8").trim();
const marks = ["<!--mprof:title-->", "<!--mprof:data-->"];

/** What a browser would take for the end of the element, or the C side for one of its marks. */
function check(name, text, end) {
	for (const bad of [end, "<!--", ...marks])
		if (text.toLowerCase().includes(bad)) throw new Error(`${name} has ${bad} in it`);
}

check(css, style, "</style");
check(js, script, "</script");
const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
const parts = {
	"@STYLE@": style,
	"@SCRIPT@": script,
	"@STYLE_HASH@": hash(style),
	"@SCRIPT_HASH@": hash(script),
};
let page = readFileSync(html, "utf8");
for (const mark of marks)
	if (page.split(mark).length !== 2) throw new Error(`${html}: ${mark} is to be there once`);
// One pass: what is put in is not looked at again.
page = page.replace(/@(STYLE|SCRIPT)(_HASH)?@/g, (name) => parts[name]);
writeFileSync(out, page);
