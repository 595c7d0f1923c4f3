// SPDX-License-Identifier: BSD-2-Clause
// What the figures mean, in words.

import { bytes, count, named, plural, share, signed, time } from "../ui/format";
import type { Culprit } from "./culprits";
import { is_peak, moment_of } from "./moment";
import type { Change, Growth, LeftOut, Report, Side } from "./schema";
import type { Tree } from "./tree";

/** "195 of 196", "all". */
const part_of = (part: number, whole: number): string =>
	part < whole ? `${count(part)} of ${count(whole)}` : "all of these";

export function says_kept(c: Culprit): string {
	const name = named(c.name);
	const kept = `${name} keeps ${bytes(c.kept_bytes)} in ${plural(c.kept_blocks, "block")}`;
	const lost = c.lost_blocks ? `; lost ${part_of(c.lost_blocks, c.kept_blocks)}` : "";

	if (!c.frees) return `${kept}, none of it ever freed${lost}`;
	const freed = `${count(c.frees)} of the ${count(c.allocs)} it allocated were freed`;

	return `${kept}; ${freed}${lost}`;
}

/** The same at the peak, of which nothing else is known. */
export const says_live = (c: Culprit): string =>
	`${named(c.name)} has ${bytes(c.kept_bytes)} in ${plural(c.kept_blocks, "block")}`;

export function says_lost(c: Culprit): string {
	const some = c.lost_blocks < c.kept_blocks;
	const of = some ? ` of the ${count(c.kept_blocks)} it keeps` : "";
	const lost = `${bytes(c.lost_bytes)} in ${plural(c.lost_blocks, "block")}${of}`;
	const more = c.hanging_bytes ? `; ${bytes(c.hanging_bytes)} more hang on it` : "";

	return `${named(c.name)} loses ${lost}${more}`;
}

/** Of a page of a session that would be too large, or for which memory was short. */
export const says_missing = (n: number): string =>
	`${plural(n, "more profile")} ${n === 1 ? "is" : "are"} not in this page ` +
	"(of one that would be too large those with the lowest peaks are left out): " +
	"mprof report --format=html makes a page of the data files that it is given.";

/** Somebody has looked at the process, and had to give up what is lost. */
const was_given_up = (r: Report): boolean => !r.reach && !!r.rss;

/** What the shares of who loses the most are of. */
export const says_requested = (requested: number, blocks: number): string =>
	`% of the ${bytes(requested)} requested in ${plural(blocks, "block")} lost directly`;

/** What is there, where nobody has looked for what is lost. */
function says_unlooked(r: Report): string {
	const { kept_bytes, kept_objects } = r.totals;
	const { kept, when } = moment_of(r);
	const there =
		`${bytes(kept_bytes)} in ${plural(kept_objects, "block")} ` +
		`${kept.toLowerCase()} ${when}`;

	if (!kept_objects) return "";
	if (is_peak(r)) return `${there}.`;
	const where = r.merged ? " in all of these profiles" : "";
	if (was_given_up(r))
		return (
			`${there}; whether anything still led to them is not known, ` +
			"for the heap could not be looked through."
		);
	return `${there}; whether anything still led to them was not looked for${where}.`;
}

/** How that could be known; null: it is, or there is nothing. */
export function says_how_to_look(r: Report): string | null {
	if (r.reach || !r.totals.kept_objects) return null;
	if (is_peak(r)) return "What is lost is looked for in the end, not at the peak.";
	const why = was_given_up(r)
		? "It was looked for, and given up: the books of the allocator could not be " +
			"read, or did not agree. "
		: r.from === "attach"
			? "The program had ended, or nobody could look at it. "
			: "What is lost can be looked for only while the program runs: ";

	return (
		why +
		"“mprof leaks PID” tells what nothing in a process leads to, " +
		"and “mprof attach PID” looks for it before it lets go, by call chain."
	);
}

/** The answer to what is lost, or else what is known instead of it. */
export function says_answer(r: Report): string {
	const lost = r.reach?.lost_direct;
	const through = r.reach?.lost_through;

	if (!lost || !through) return says_unlooked(r);
	if (!lost.blocks && !through.blocks)
		return r.reach?.possible.blocks
			? `Nothing is certainly lost; ${bytes(r.reach.possible.bytes)} in ` +
					`${plural(r.reach.possible.blocks, "block")} may be: ` +
					"only their insides were pointed to at the end."
			: "Nothing is lost: something led to every block that was looked for.";
	const more = through.blocks
		? `, and through them ${bytes(through.bytes)} in ${count(through.blocks)}`
		: "";
	return (
		`${bytes(lost.bytes)} in ${plural(lost.blocks, "block")} lost${more}: ` +
		"nothing led to them any more at the end."
	);
}

/** What the runtime keeps on purpose; null: nothing. */
export function says_runtime(r: Report): string | null {
	const all = r.runtime.reduce((n, k) => n + k.bytes, 0);
	const kinds = r.runtime.map((k) => `${k.kind} ${bytes(k.bytes)}`).join(", ");

	return r.runtime.length ? `and ${bytes(all)} of the runtime's own (${kinds})` : null;
}

export function says_allocated(c: Culprit): string {
	const average = c.allocs ? c.bytes / c.allocs : 0;
	const size =
		c.allocs < 2
			? ""
			: c.size === null
				? `, ${bytes(average)} on average`
				: `, ${bytes(c.size)} each`;

	const blocks = plural(c.allocs, "block");

	return `${named(c.name)} allocates ${bytes(c.bytes)} in ${blocks}${size}`;
}

export function says_temporary(c: Culprit): string {
	const part = share(c.temporary, c.allocs);

	return (
		`${named(c.name)} makes ${plural(c.temporary, "temporary block")}, ` +
		`${part} of what it allocates: freed before the next request`
	);
}

/** What is lost of which it is not known who requested it; null: nothing, or nobody looked. */
export function says_not_seen(r: Report, lost_blocks: number): string | null {
	const unknown = (r.reach?.lost_direct.blocks ?? 0) - lost_blocks;

	if (unknown <= 0) return null;
	return (
		`${plural(unknown, "block")}, ` +
		`${share(unknown, lost_blocks + unknown)} of the blocks lost directly, ` +
		`of which it is not known who requested ${unknown === 1 ? "it" : "them"}: ` +
		"from before mprof attached, or of requests that are in no figure"
	);
}

/** @keeps: the verb for what is there, see moment.ts. */
export function says_grown(
	name: string,
	by: "kept_bytes" | "bytes",
	c: Change,
	keeps = "keeps",
): string {
	const change = c.now[by] - c.before[by];
	const blocks = by === "bytes" ? "allocs" : "kept_blocks";
	const verb = by === "bytes" ? "allocates" : keeps;
	const of = (s: Side): string => `${bytes(s[by])} in ${plural(s[blocks], "block")}`;
	const more = `${bytes(Math.abs(change))} ${change < 0 ? "less" : "more"}`;

	if (!c.now[by]) return `${named(name)} ${verb} nothing any more; before, ${of(c.before)}`;
	if (!c.before[by]) return `${named(name)} ${verb} ${of(c.now)}; before, nothing`;
	return `${named(name)} ${verb} ${more}: ${of(c.now)}; before, ${of(c.before)}`;
}

/** What the runtime keeps more, or with @sign -1 less, than before; null: nothing. */
export function says_runtime_grown(g: Growth, sign: 1 | -1): string | null {
	const list = g.runtime.filter((k) => k.now !== k.before);
	const by = (n: number): string => signed(bytes(n), n);
	const all = list.reduce((n, k) => n + k.now - k.before, 0);
	const kinds = list.map((k) => `${k.kind} ${by(k.now - k.before)}`).join(", ");

	if (all === 0 || Math.sign(all) !== sign) return null;
	return `and ${by(all)} of the runtime's own (${kinds})`;
}

/** What --ignore-fn has left out, and where it is in nevertheless. */
function says_left_out(r: Report, l: LeftOut): string {
	const by = (r.options ?? []).filter((o) => o.startsWith("--ignore-fn="));
	const freed = l.frees ? `, ${count(l.frees)} of them freed` : "";
	const peak = l.peak_bytes
		? `; the peak is that of all, and ${bytes(l.peak_bytes)} of it is of these`
		: "";

	const what = `Left out by ${by.join(" ")}: `;

	if (is_peak(r)) return `${what}${plural(l.allocs, "block")} of ${bytes(l.bytes)}.`;
	return (
		`${what}${plural(l.allocs, "request")} of ${bytes(l.bytes)}${freed}; ` +
		`they are in no other figure${peak}.`
	);
}

/** At the peak, where requests are not counted: what is live of chains that were cut. */
export function says_cut(t: Tree): string[] {
	const cut = new Uint8Array(t.n);
	let blocks = 0;

	for (let i = 0; i < t.n; i++)
		cut[i] = t.parent[i] < 0 ? Number(t.site[i] < 0) : cut[t.parent[i]];
	t.leaves.forEach((node, i) => (blocks += cut[node] ? t.own.kept_blocks[i] : 0));
	if (!blocks) return [];
	return [`${plural(blocks, "block")} have a call chain whose outer part is not known.`];
}

/** What was there before mprof attached; null: it was there from the start. */
export function says_before(r: Report): string | null {
	const b = r.before;

	if (!b)
		return r.from === "attach"
			? "What was there before mprof attached is in no figure: " +
					"“mprof attach --before=walk” tells of it."
			: null;
	const some = `${plural(b.freed_blocks, "block")} of ${bytes(b.freed_bytes)}`;
	const freed = b.walked ? ` Freed since: ${b.freed_blocks ? some : "none"}.` : "";
	const missed = b.missed ? ` ${count(b.missed)} more are gone, which was not seen.` : "";

	return (
		`Before mprof attached there were ${plural(b.blocks, "block")} of ` +
		`${bytes(b.bytes)} usable, which are in no other figure.${freed}${missed}`
	);
}

/** What a reader can rely on if there are no doubts. */
export function says_exact(r: Report): string {
	const chains = "and every call chain was followed to its end.";

	if (is_peak(r)) return `Every block that was live at the peak is here, ${chains}`;
	const since = r.from === "attach" ? " since mprof attached" : "";
	const of = r.merged ? ` of the ${count(r.merged)} profiles` : "";

	return `Every request and every free${since}${of} was counted, ${chains}`;
}

/** One sentence for each thing that was not seen or not known; none if the profile is exact. */
export function doubts(r: Report): string[] {
	const t = r.totals;
	const u = r.unseen;
	const list: string[] = [];
	const say = (n: number | undefined, text: (n: number) => string): void => {
		if (n) list.push(text(n));
	};

	const where = r.merged ? `some of the ${count(r.merged)} profiles` : "the program";

	if (u?.untrapped) list.push(`No allocator was found in ${where}: nothing was counted.`);
	say(
		u?.lost_events,
		(n) => `${plural(n, "event")} could not be counted and are in no figure.`,
	);
	say(
		t.truncated_chains,
		(n) =>
			`${plural(n, "request")} of ${count(t.allocs)} have a call chain ` +
			"whose outer part is not known.",
	);
	say(
		t.guessed_chains,
		(n) =>
			`${plural(n, "request")} have a call chain with a guessed part, ` +
			"for want of call frame information.",
	);
	say(t.unknown_frees, (n) => `${plural(n, "free")} of blocks whose request was not seen.`);
	say(t.failed_allocs, (n) => `${plural(n, "call")} for memory returned none.`);
	say(
		u?.doubtful_calls,
		(n) =>
			`${plural(n, "call")} may belong to requests of sizes ` +
			"that were not recorded.",
	);
	say(u?.pauses, (n) => {
		const paused = time(u?.paused_ns ?? 0);

		return `Nothing was seen in ${plural(n, "pause")} of ${paused} in all.`;
	});
	say(
		u?.missed_blocks,
		(n) =>
			`${plural(n, "block")} of ${bytes(u?.missed_bytes ?? 0)} that were there ` +
			"when a pause began may have been freed in it: " +
			"they count as freed, and not as kept.",
	);
	say(
		u?.paused_frees,
		(n) =>
			`${plural(n, "free")} of blocks that were requested in a pause, ` +
			"or before it was attached to.",
	);
	if (u?.spared_lifetimes)
		list.push("To keep to --max-memory it was not kept how long blocks live.");
	if (u?.spared_timeline)
		list.push("To keep to --max-memory it was not kept what was live over the time.");
	say(
		u?.spared_depth && t.truncated_cut,
		(n) =>
			`To keep to --max-memory ${plural(n, "chain")} of calls ` +
			`${n === 1 ? "was" : "were"} cut, ` +
			`the last ones to ${plural(u?.spared_depth ?? 0, "frame")}.`,
	);
	say(
		u?.taken_functions,
		(n) =>
			`${plural(n, "function")} could not be trapped: ` +
			"another debugger's breakpoint stood there.",
	);
	if (u && (u.other_requests || u.other_frees))
		list.push(
			`${plural(u.other_requests, "request")} and ` +
				`${plural(u.other_frees, "free")} of other sizes are in no figure.`,
		);
	if (r.left_out) list.push(says_left_out(r, r.left_out));
	if (r.recorded) {
		const { min_size, max_size } = r.recorded;
		const most = max_size === null ? "any number of" : count(max_size);

		list.push(`Only blocks of ${count(min_size)} to ${most} bytes were recorded.`);
	}
	return list;
}

const ENGINES = { trap: "traps", fast: "the fast engine", unknown: "what is not recorded" };

/** Which engine saw the calls; never a guess. */
export function seen_by(r: Report): string {
	if (!r.engines) return "engine not recorded";
	return `seen by ${r.engines.map((e) => ENGINES[e]).join(" and ")}`;
}
