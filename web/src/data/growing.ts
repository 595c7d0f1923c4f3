// SPDX-License-Identifier: BSD-2-Clause
// What grows, in the words of the text that mprof prints.

import { base_name, bytes, named, plural } from "../ui/format";
import type { Culprit } from "./culprits";
import { is_peak } from "./moment";
import type { Growing, Report } from "./schema";
import { place_text } from "./tree";

const SHOWN = 3;

/** "1.2 MB/h, 50 % stays". */
function says_growth(g: Growing): string {
	const rate = g.bytes_hour > 0 ? `${bytes(g.bytes_hour)}/h` : "a little";
	const percent = Math.round(100 * g.stays);
	const stays =
		percent >= 1
			? `, ${percent}\u00a0% stays`
			: g.stays > 0
				? ", under 1\u00a0% stays"
				: "";

	// What was never freed may be a cache that has not come to its bound.
	return `${rate}${g.never_freed ? " so far" : g.in_size ? ", in size" : stays}`;
}

const grown = (r: Report): readonly Growing[] => (is_peak(r) ? [] : (r.growing ?? []));

const place = (g: Growing): string | null => place_text(g.file, g.line);

/** How that place grows, as it is to be added to a sentence; an empty text: it does not. */
export function and_grows(r: Report, c: Culprit): string {
	const g = grown(r).find((one) => one.function === c.name && place(one) === c.place);

	return g ? `; grows ${says_growth(g)}` : "";
}

/** Which places grow the fastest; null: none is known to. */
export function says_growing(r: Report): string | null {
	const list = grown(r).map((g) => {
		const at = place(g);
		const where = at ? ` (${base_name(at)})` : "";

		return `${named(g.function)}${where} by ${says_growth(g)}`;
	});
	const more = list.length - SHOWN;

	if (!list.length) return null;
	const rest =
		more > 0 ? `; so ${more === 1 ? "does" : "do"} ${plural(more, "place")} more` : "";
	return `What grows: ${list.slice(0, SHOWN).join("; ")}${rest}.`;
}
