// SPDX-License-Identifier: BSD-2-Clause
// Call chains as a difference has them: lists of functions, from the outside in, of neither tree.

import { short_name } from "../ui/format";
import type { Change, GrownPath, OwnPlace, Place, Side } from "./schema";

/** The function to look at first: the innermost one of own code, or else that which allocates. */
export const blamed_in = (path: readonly OwnPlace[]): OwnPlace | undefined =>
	[...path].reverse().find((e) => e.own) ?? path[path.length - 1];

/** Names from the function that allocates outwards: a path of the inverted graph. */
export const names_inwards = (path: readonly Place[]): string[] =>
	[...path].reverse().map((e) => e.function ?? "?");

/** What a chain keeps, without what the runtime keeps on purpose. */
export function without_runtime(p: GrownPath): Change {
	const own = (side: "before" | "now"): Side => ({
		...p[side],
		kept_blocks: p[side].kept_blocks - (p.runtime?.[side].kept_blocks ?? 0),
		kept_bytes: p[side].kept_bytes - (p.runtime?.[side].kept_bytes ?? 0),
	});

	return p.runtime ? { before: own("before"), now: own("now") } : p;
}

/** How much of a chain is shown: its last functions, all of them, or these by their whole names. */
export type Detail = "last" | "all" | "whole";

const LAST = 4; // the others are in the title and in the graph

/**
 * What is shown of a chain; if none of its last functions is of own code, the one that is to blame
 * before them.
 */
export function shown_of<E extends OwnPlace>(path: readonly E[], detail: Detail): readonly E[] {
	const last = path.slice(detail === "last" ? -LAST : 0);
	const first = blamed_in(path) as E | undefined;

	return !first || last.includes(first) ? last : [first, ...last.slice(1)];
}

/** ":12", or "+0x1f", behind a function where lines or offsets tell chains apart. */
export function place_in(e: { line: number | null; offset?: number | null }): string {
	if (typeof e.offset === "number") return `+0x${e.offset.toString(16)}`;
	return e.line ? `:${e.line}` : "";
}

function label(p: GrownPath, detail: Detail): string {
	const names = shown_of(p.path, detail).map((e) => {
		const name = e.function ?? "?";

		return (detail === "whole" ? name : short_name(name)) + place_in(e);
	});

	return [p.truncated && names.length === p.path.length ? "…" : "", ...names].join("\0");
}

const known = new WeakMap<readonly GrownPath[], Map<GrownPath, Detail>>();

/** For each chain no more than what tells it from all others. */
export function details_of(paths: readonly GrownPath[]): Map<GrownPath, Detail> {
	const details = known.get(paths) ?? new Map<GrownPath, Detail>();
	let alike = known.has(paths) ? [] : paths;

	known.set(paths, details);
	for (const detail of ["last", "all", "whole"] as const) {
		const seen = new Map<string, number>();
		const labels = alike.map((p) => label(p, detail));

		labels.forEach((l) => seen.set(l, (seen.get(l) ?? 0) + 1));
		alike.forEach((p) => details.set(p, detail));
		alike = alike.filter((_, i) => (seen.get(labels[i]) ?? 0) > 1);
	}
	return details;
}
