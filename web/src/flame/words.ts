// SPDX-License-Identifier: BSD-2-Clause
// What the measures are called, and their figures in words.

import type { Measure } from "../data/tree";
import { bytes, count, plural } from "../ui/format";

export const TITLES: Record<Measure, string> = {
	lost_bytes: "Lost bytes",
	kept_bytes: "Kept bytes",
	peak_bytes: "Bytes at the peak",
	bytes: "Bytes allocated",
	allocs: "Allocations",
	temporary: "Temporary blocks",
};

const UNITS: Record<Measure, (n: number) => string> = {
	lost_bytes: (n) => `${bytes(n)} lost`,
	kept_bytes: (n) => `${bytes(n)} kept`,
	peak_bytes: (n) => `${bytes(n)} at the peak`,
	bytes: (n) => `${bytes(n)} allocated`,
	allocs: (n) => plural(n, "allocation"),
	temporary: (n) => plural(n, "temporary block"),
};

export const in_words = (m: Measure, n: number): string => UNITS[m](n);

/** The figure alone. */
export const figure = (m: Measure, n: number): string =>
	m === "allocs" || m === "temporary" ? count(n) : bytes(n);
