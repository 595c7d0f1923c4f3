// SPDX-License-Identifier: BSD-2-Clause
// The moment that the figures of a report are of, and the words for it: the end, the peak, or when
// a profile was written while the program went on.

import { time } from "../ui/format";
import type { Report } from "./schema";

export const is_peak = (r: Report): boolean => r.options?.includes("--at=peak") ?? false;

/** What times are counted from. */
function beginning(r: Report): string {
	if (r.from === "attach") return "mprof attached";
	return r.from === "start" ? "the start" : "the profile began";
}

/** "0.25 s after the start". */
export const after = (r: Report, ns: number): string => `${time(ns)} after ${beginning(r)}`;

/** How far the profile goes; not known of all. */
function until(r: Report): number | undefined {
	const t = r.timeline?.time_ns;

	return r.duration_ns ?? (t && t.length ? t[t.length - 1] : undefined);
}

/** Whether the program went on: of a profile that is over it is known how long it took. */
const goes_on = (r: Report): boolean =>
	r.duration_ns === undefined && !r.merged && until(r) !== undefined;

export interface Moment {
	title: string; // of what is there then, as a whole
	when: string;
	kept: string; // the heading of a column of it
	keeps: string; // what a function does that has requested it
}

export function moment_of(r: Report): Moment {
	const at = r.peak ? `, ${after(r, r.peak.time_ns)}` : "";

	if (is_peak(r))
		return {
			title: "Live at the peak",
			when: `at the peak${at}`,
			kept: "Live",
			keeps: "has",
		};
	if (goes_on(r))
		return {
			title: "Live so far",
			when: `${after(r, until(r) ?? 0)}, when this was written`,
			kept: "Live",
			keeps: "keeps",
		};
	if (r.merged)
		return {
			title: "Kept at the end of each",
			when: "at the end of each",
			kept: "Kept",
			keeps: "keeps",
		};
	return { title: "Kept at the end", when: "at the end", kept: "Kept", keeps: "keeps" };
}

/** When most was live, as far as the profile tells. */
export function peak_when(r: Report): string {
	if (r.merged) return "the highest of any one";
	return r.peak ? after(r, r.peak.time_ns) : "the most at any time";
}

/** How long was looked at, in the words of the head of the page; null: not known. */
export function duration(r: Report): string | null {
	const ns = r.merged ? undefined : until(r);

	if (ns === undefined) return null;
	return r.from === "attach" ? `${time(ns)} since mprof attached` : time(ns);
}
