// SPDX-License-Identifier: BSD-2-Clause
// Every size that was requested, and the types that have it.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { has_types } from "../data/lacking";
import { is_peak, moment_of } from "../data/moment";
import type { Bin, Report } from "../data/schema";
import type { Tree } from "../data/tree";
import { of_type } from "../flame/search";
import type { State } from "../state/fragment";
import { Bytes, Share } from "../ui/bar";
import { count } from "../ui/format";
import { Types } from "../ui/name";
import { in_text } from "../ui/rows";
import { type Column, Table } from "../ui/table";

/** Those that are seen to be requested, before what only has the size. */
const known_first = (types: readonly string[], known: ReadonlySet<string>): string[] => [
	...types.filter((t) => known.has(t)),
	...types.filter((t) => !known.has(t)),
];

/** To who requests that type, if that is known of anybody. */
const requests =
	(known: ReadonlySet<string>) =>
	(type: string): Partial<State> | null =>
		known.has(type)
			? {
					view: "flame",
					measure: "bytes",
					inverted: false,
					zoom: [],
					search: of_type(type),
				}
			: null;

const columns_of = (report: Report, known: ReadonlySet<string>): (Column<Bin> | false)[] => [
	{
		id: "size",
		title: "Size",
		numeric: true,
		hint: "Bytes of each block",
		value: (b) => b.size,
		cell: (b) => count(b.size),
	},
	has_types(report) && {
		id: "types",
		title: "Types of that size",
		value: (b) => b.types.join(" "),
		cell: (b) => <Types types={known_first(b.types, known)} to={requests(known)} />,
	},
	!is_peak(report) && {
		id: "allocs",
		title: "Blocks",
		numeric: true,
		hint: "Blocks allocated",
		value: (b) => b.allocs,
		cell: (b) => count(b.allocs),
	},
	!is_peak(report) && {
		id: "bytes",
		title: "Allocated",
		numeric: true,
		value: (b) => b.bytes,
		cell: (b) => (
			<>
				<Bytes n={b.bytes} />
				<Share part={b.bytes} whole={report.totals.alloc_bytes} />
			</>
		),
	},
	{
		id: "left",
		title: `${moment_of(report).kept} blocks`,
		numeric: true,
		value: (b) => b.allocs - b.frees,
		cell: (b) => count(b.allocs - b.frees),
	},
	{
		id: "kept",
		title: moment_of(report).kept,
		numeric: true,
		value: (b) => b.kept_bytes,
		cell: (b) => (
			<>
				<Bytes n={b.kept_bytes} />
				<Share part={b.kept_bytes} whole={report.totals.kept_bytes} />
			</>
		),
	},
];

export function Sizes({ report, tree }: { report: Report; tree: Tree | null }): JSX.Element {
	const known = useMemo(() => new Set(tree?.types.name), [tree]);

	return (
		<Table
			caption={
				(is_peak(report) ? "What was live at the peak" : "Blocks") +
				(has_types(report)
					? " by size, and the types of that size"
					: " by size; of no size is a type known")
			}
			columns={columns_of(report, known).filter((c) => c !== false)}
			rows={report.bins}
			finder={in_text((b) => `${b.size} ${b.types.join(" ")}`)}
			usual={is_peak(report) ? "-kept" : "-bytes"}
			empty={is_peak(report) ? "Nothing was live." : "Nothing was allocated."}
		/>
	);
}
