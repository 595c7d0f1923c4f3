// SPDX-License-Identifier: BSD-2-Clause
// Figures and names for people. A unit stays on the line of its figure.

const GROUPED = new Intl.NumberFormat("en-US");

/** 5019 -> "5,019". */
export const count = (n: number): string => GROUPED.format(n);

const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];

/** A thousand bytes are a kB, as in the text that mprof prints. */
function in_unit(n: number): { n: number; unit: string } {
	let i = 0;

	while (Math.abs(n) >= 999.5 && i < UNITS.length - 1) {
		n /= 1000;
		i++;
	}
	return { n, unit: UNITS[i] };
}

/** "1.0 MB". */
export function bytes(exactly: number): string {
	const { n, unit } = in_unit(exactly);
	const whole = unit === "B" || Math.abs(n) >= 99.95;

	return `${whole ? Math.round(n) : n.toFixed(1)}\u00a0${unit}`;
}

/** A round number of bytes as it is, on an axis: "1.25 MB", "3 MB". */
export function round_bytes(exactly: number): string {
	const { n, unit } = in_unit(exactly);

	return `${Number(n.toFixed(3))}\u00a0${unit}`;
}

/** "5,019 blocks", "1 block". */
export const plural = (n: number, word: string): string =>
	`${count(n)} ${word}${n === 1 ? "" : "s"}`;

/** "50.2 %"; an empty text if there is no whole. */
export function share(part: number, whole: number): string {
	if (!whole) return "";
	const percent = (100 * part) / whole;

	if (percent > 0 && percent < 0.05) return "<\u00a00.1\u00a0%";
	return `${percent.toFixed(percent >= 99.95 ? 0 : 1)}\u00a0%`;
}

/** A figure with the sign of what has changed: "+1.0 MB", "\u22125". */
export const signed = (text: string, n: number): string =>
	n > 0 ? `+${text}` : text.replace("-", "\u2212");

/** "+12.5 %", "3.1 times as much", "all gone". */
export function grown_by(before: number, now: number): string {
	if (!now) return "all gone";
	if (now >= 3 * before) return `${(now / before).toFixed(1)} times as much`;
	const percent = (100 * (now - before)) / before;
	const text = `${Math.abs(percent).toFixed(1)}\u00a0%`;

	return percent < 0 ? `\u2212${text}` : `+${text}`;
}

/** "0.251 s", "3 min 20 s". */
export function time(ns: number): string {
	const s = ns / 1e9;

	if (ns === 0) return "0\u00a0s";
	if (s >= 120) {
		const whole = Math.round(s);

		return `${Math.floor(whole / 60)}\u00a0min ${whole % 60}\u00a0s`;
	}
	if (s >= 10) return `${s.toFixed(1)}\u00a0s`;
	if (s >= 0.1) return `${s.toFixed(2)}\u00a0s`;
	if (s >= 1e-3) return `${(s * 1e3).toFixed(s >= 0.01 ? 0 : 1)}\u00a0ms`;
	return s >= 1e-6 ? `${(s * 1e6).toFixed(0)}\u00a0µs` : `${ns}\u00a0ns`;
}

/** The last part of a path, with the line if there is one. */
export const base_name = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const shortened = new Map<string, string>();
let full = false;

/** All names are whole, or as short as they may be. */
export function set_full_names(whole: boolean): void {
	full = whole;
}

/** Names of the page are not to be cut, either. */
export const names_are_full = (): boolean => full;

/** A name is shown as that, for another one would look the same; see names.ts. */
export const show_as = (name: string, text: string): void => void shortened.set(name, text);

/** As a name is shown: as a rule without template arguments and parameters. */
export function short_name(name: string): string {
	let short = full ? name : shortened.get(name);

	if (short === undefined) shortened.set(name, (short = plain_name(name)));
	return short;
}

/** Drops what is inside balanced <> and the parameters, and keeps operators whole. */
export const plain_name = (name: string): string => (/[<( ]/.test(name) ? shorten(name) : name);

/** A name from its beginning, without what the function returns. */
function own_part(name: string): string {
	const whole = braced(name);
	const from: number[] = [];
	const at = strip(whole, "<", ">", 0, from).indexOf(plain_name(name));

	return at < 0 ? whole : whole.slice(from[at]);
}

/** The same as plain_name() with the parameters. */
export const name_with_parameters = (name: string): string => strip(own_part(name), "<", ">");

/** The same with template arguments, though not with theirs; and with both. */
export const name_with_arguments = (name: string): string =>
	strip(name_with_both(name), "(", ")").replace(QUALIFIED, "");

export const name_with_both = (name: string): string =>
	strip(own_part(name), "<", ">", 1).replace(/(?<! ) +>/g, ">");

// These begin where blanks do, and nowhere within them: a name may have thousands.
const QUALIFIED = /(?<!\s)\s+(?:const|noexcept)$/;

const braced = (name: string): string => name.replaceAll("(anonymous namespace)", "{anonymous}");

function shorten(name: string): string {
	// Rust's <T as Trait>::f would lose all that tells it from others.
	if (name.startsWith("<")) return name;
	const plain = strip(braced(name), "<", ">").replace(QUALIFIED, "");
	const short = strip(plain, "(", ")")
		.replace(/(?<!\s)\s*\[clone [^[\]]*\]/g, "")
		.trim();
	// The return type of a template: all before the last blank outside of brackets.
	const words =
		short.startsWith("operator") || short.includes(" operator")
			? short
			: short.slice(short.lastIndexOf(" ") + 1);

	return words && words !== "<>" ? words : name;
}

const KEPT_WHOLE = /operator\s*(?:<<=?|>>=?|<=>?|>=|<|>|->\*?|\(\))$/;
const LONGEST_KEPT = 24;

/**
 * Without what is more than @keep brackets deep. @from: for each character of the result where it
 * stands in @name.
 */
function strip(name: string, open: string, close: string, keep = 0, from: number[] = []): string {
	let out = "";
	let end = ""; // of out: to look at that itself would copy it each time
	let depth = 0;
	const put = (text: string, i: number): void => {
		out += text;
		end = (end + text).slice(-LONGEST_KEPT);
		for (let k = 0; k < text.length; k++) from.push(i);
	};

	for (let i = 0; i < name.length; i++) {
		const c = name[i];

		if (depth <= keep && KEPT_WHOLE.test((end + c).slice(-LONGEST_KEPT))) put(c, i);
		else if (c === open && !is_kept(end)) {
			if (depth < keep) put(c, i);
			else if (depth === keep && open === "<") put("<>", i);
			depth++;
		} else if (c === close && depth > 0) {
			if (--depth < keep) put(c, i);
		} else if (depth <= keep) put(c, i);
	}
	return depth ? name : out;
}

/** Brackets that are a name rather than around arguments. */
function is_kept(before: string): boolean {
	return /operator\s*$/.test(before);
}

const SPOKEN = 120;

/** A text of the program inside of other text: if need be with marks, so that one which is read
 * from the right turns nothing but itself. Source: Unicode Standard Annex 9, 2.4.2. */
export const isolated = (text: string): string =>
	/[^ -~]/.test(text) ? `\u2068${text}\u2069` : text;

/** A function's name inside of a sentence. */
export const named = (name: string): string =>
	isolated(full ? name : clip(short_name(name), SPOKEN));

/** Where a scope ends in a name, outside of brackets; -1: nowhere. */
function scope_end(name: string): number {
	let depth = 0;

	for (let i = 0; i < name.length; i++) {
		if ("<(".includes(name[i])) depth++;
		else if (">)".includes(name[i])) depth--;
		else if (i && depth <= 0 && name.startsWith("::", i)) return i + 2;
	}
	return -1;
}

/**
 * A short name without the scopes that it has no room for, the outermost first: what tells a
 * function from its neighbours stands last.
 */
export function inner_name(short: string, n: number): string {
	let text = short;

	for (let end; text.length > n && (end = scope_end(text)) > 0;) text = `…${text.slice(end)}`;
	return text;
}

/** At most @n characters, with the middle left out. */
export function clip(text: string, n: number): string {
	if (text.length <= n) return text;
	const head = Math.ceil((n - 1) * 0.6);

	return `${text.slice(0, head)}…${text.slice(text.length - (n - 1 - head))}`;
}
