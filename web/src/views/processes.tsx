// SPDX-License-Identifier: BSD-2-Clause
// All profiles of a page that has several: what each of them comes to, and all together.

import type { JSX } from "preact";
import { choices, last_of_each, title_of_all } from "../data/choices";
import type { IndexEntry, PageIndex } from "../data/schema";
import { says_missing } from "../data/sentences";
import { Bytes, Share } from "../ui/bar";
import { bytes, clip, count, plural, time } from "../ui/format";
import { Link } from "../ui/link";
import { in_text } from "../ui/rows";
import { type Column, Table } from "../ui/table";
import { Figure } from "./overview";

type Totals = IndexEntry["totals"];

const sum = (list: readonly IndexEntry[], of: keyof Totals): number =>
	list.reduce((n, p) => n + p.totals[of], 0);

const in_bytes = (
	id: keyof Totals,
	title: string,
	hint: string,
	whole: number,
): Column<IndexEntry> => ({
	id,
	title,
	hint,
	numeric: true,
	value: (p) => p.totals[id],
	cell: (p) => (
		<>
			<Bytes n={p.totals[id]} />
			<Share part={p.totals[id]} whole={whole} />
		</>
	),
});

const in_blocks = (id: keyof Totals, title: string, hint: string): Column<IndexEntry> => ({
	id,
	title,
	hint,
	numeric: true,
	value: (p) => p.totals[id],
	cell: (p) => count(p.totals[id]),
});

function columns_of(index: PageIndex, last: readonly IndexEntry[]): Column<IndexEntry>[] {
	const all = choices(index);
	const several = last.length < index.profiles.length;
	const peak = index.at === "peak";
	const list: (Column<IndexEntry> | false)[] = [
		{
			id: "program",
			title: "Program",
			value: (p) => p.program,
			cell: (p) => (
				<Link
					to={{
						profile: all.findIndex((c) => c.entry === p),
						view: "overview",
						filter: "",
						sort: "",
					}}
				>
					<span class="name">{clip(p.program, 80)}</span>{" "}
					<span class="quiet" title={p.arguments}>
						{clip(p.arguments, 60)}
					</span>
				</Link>
			),
		},
		{
			id: "pid",
			title: "Process",
			numeric: true,
			value: (p) => p.pid,
			cell: (p) => (p.pid ? String(p.pid) : ""),
		},
		several && {
			id: "until",
			title: "Until",
			numeric: true,
			hint: "How far the profile goes",
			value: (p) => p.until_ns ?? 0,
			cell: (p) => (p.until_ns === undefined ? "" : time(p.until_ns)),
		},
		!peak &&
			in_bytes(
				"alloc_bytes",
				"Allocated",
				"Bytes requested",
				sum(last, "alloc_bytes"),
			),
		!peak && in_blocks("allocs", "Requests", "Blocks requested"),
		in_bytes(
			"kept_bytes",
			peak ? "Live at the peak" : "Kept",
			peak ? "Bytes live at its own peak" : "Bytes not freed",
			sum(last, "kept_bytes"),
		),
		in_blocks("kept_objects", "Blocks", peak ? "Of these bytes" : "Blocks not freed"),
		!peak &&
			in_bytes(
				"peak_bytes",
				"Peak",
				"The most bytes at any time",
				Math.max(...last.map((p) => p.totals.peak_bytes)),
			),
	];

	return list.filter((c) => c !== false);
}

/** All together; of one process the profile that goes furthest. */
function Together({ index, last }: { index: PageIndex; last: IndexEntry[] }): JSX.Element {
	const exactly = (n: number): string => `${count(n)} bytes`;
	const kept = sum(last, "kept_bytes");
	const allocated = sum(last, "alloc_bytes");
	const peaks = sum(last, "peak_bytes");
	const highest = last.reduce((a, b) => (b.totals.peak_bytes > a.totals.peak_bytes ? b : a));
	const peak = index.at === "peak";
	const blocks = plural(sum(last, "kept_objects"), "block");

	return (
		<dl class="facts">
			<Figure
				main
				title={
					peak
						? "Live at the peak of each"
						: "Kept at the end, together"
				}
				value={bytes(kept)}
				exact={exactly(kept)}
				note={`${blocks} of ${title_of_all(index)}`}
			/>
			<Figure
				title="Highest peak"
				value={bytes(highest.totals.peak_bytes)}
				exact={exactly(highest.totals.peak_bytes)}
				note={`${clip(highest.title, 40)}; if all at once, ${bytes(peaks)}`}
			/>
			{!peak && (
				<Figure
					title="Allocated, together"
					value={bytes(allocated)}
					exact={exactly(allocated)}
					note={plural(sum(last, "allocs"), "block")}
				/>
			)}
		</dl>
	);
}

export function Processes({ index }: { index: PageIndex }): JSX.Element {
	const last = last_of_each(index.profiles);

	return (
		<div class="overview all">
			<Together index={index} last={last} />
			{!!index.missing && (
				<p class="quiet missing">{says_missing(index.missing)}</p>
			)}
			<Table
				caption="Each of them; a name leads to its profile"
				columns={columns_of(index, last)}
				rows={index.profiles}
				finder={in_text((p) => `${p.program} ${p.arguments} ${p.pid}`)}
				usual=""
				empty=""
			/>
		</div>
	);
}
