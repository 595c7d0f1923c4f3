// SPDX-License-Identifier: BSD-2-Clause
// What the figures mean, in words.

import { bytes, count, named, plural, share, time } from "../ui/format";
import type { Culprit } from "./culprits";
import type { Change, Report, Side } from "./schema";

export function says_kept(c: Culprit): string {
	const name = named(c.name);
	const kept = `${name} keeps ${bytes(c.kept_bytes)} in ${plural(c.kept_blocks, "block")}`;

	if (!c.frees) return `${kept}, none of it ever freed`;
	return `${kept}; ${count(c.frees)} of the ${count(c.allocs)} it allocated were freed`;
}

export function says_lost(c: Culprit): string {
	const lost = `${bytes(c.lost_bytes)} in ${plural(c.lost_blocks, "block")}`;
	const more = c.hanging_bytes ? `; ${bytes(c.hanging_bytes)} more hang on it` : "";

	return `${named(c.name)} loses ${lost}${more}`;
}

/** The answer to what is lost, or else what is known instead of it. */
export function says_answer(r: Report): string {
	const { kept_bytes, kept_objects } = r.totals;
	const kept = `${bytes(kept_bytes)} in ${plural(kept_objects, "block")}`;
	const lost = r.reach?.lost_direct;
	const through = r.reach?.lost_through;

	if (!lost || !through)
		return kept_objects
			? `${kept} kept at the end; ` +
					"whether anything still led to them was not looked for."
			: "";
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
	const each = c.allocs ? c.bytes / c.allocs : 0;
	const size =
		c.allocs === 1
			? ""
			: `, ${bytes(each)} each${Number.isInteger(each) ? "" : " on average"}`;

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

export function says_grown(name: string, by: "kept_bytes" | "bytes", c: Change): string {
	const change = c.now[by] - c.before[by];
	const blocks = by === "bytes" ? "allocs" : "kept_blocks";
	const verb = by === "bytes" ? "allocates" : "keeps";
	const of = (s: Side): string => `${bytes(s[by])} in ${plural(s[blocks], "block")}`;
	const more = `${bytes(Math.abs(change))} ${change < 0 ? "less" : "more"}`;

	if (!c.now[by]) return `${named(name)} ${verb} nothing any more; before, ${of(c.before)}`;
	if (!c.before[by]) return `${named(name)} ${verb} ${of(c.now)}; before, nothing`;
	return `${named(name)} ${verb} ${more}: ${of(c.now)}; before, ${of(c.before)}`;
}

/** One sentence for each thing that was not seen or not known; none if the profile is exact. */
export function doubts(r: Report): string[] {
	const t = r.totals;
	const u = r.unseen;
	const list: string[] = [];
	const say = (n: number | undefined, text: (n: number) => string): void => {
		if (n) list.push(text(n));
	};

	if (u?.untrapped) list.push("No allocator was found in the program: nothing was counted.");
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
	if (r.recorded) {
		const { min_size, max_size } = r.recorded;
		const most = max_size === null ? "any number of" : count(max_size);

		list.push(`Only blocks of ${count(min_size)} to ${most} bytes were recorded.`);
	}
	return list;
}

export interface Moments {
	duration: string | null;
	peak_at: string | null;
}

const ENGINES = { trap: "traps", fast: "the fast engine", unknown: "what is not recorded" };

/** Which engine saw the calls; never a guess. */
export function seen_by(r: Report): string {
	if (!r.engines) return "engine not recorded";
	return `seen by ${r.engines.map((e) => ENGINES[e]).join(" and ")}`;
}

/** How long it took and when the peak was, as far as the profile tells. */
export function moments(r: Report): Moments {
	const t = r.timeline;
	const last = t && t.time_ns.length ? t.time_ns[t.time_ns.length - 1] : undefined;
	const duration = r.duration_ns ?? last;
	const peak = t && t.peak !== null ? t.time_ns[t.peak] : undefined;

	return {
		duration: duration === undefined ? null : time(duration),
		peak_at: peak === undefined ? null : time(peak),
	};
}
