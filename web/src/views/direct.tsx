// SPDX-License-Identifier: BSD-2-Clause
// Functions that allocate themselves.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { is_peak, moment_of } from "../data/moment";
import { name_of } from "../data/paths";
import { type Direct, type Report, classes_sum } from "../data/schema";
import type { Tree } from "../data/tree";
import { exactly } from "../flame/search";
import { Bytes, Share } from "../ui/bar";
import { count, plural } from "../ui/format";
import { Link } from "../ui/link";
import { Name, Types } from "../ui/name";
import { in_text } from "../ui/rows";
import { type Column, Table } from "../ui/table";

type Seen = Map<string, ReadonlySet<string>>;

/** By function the types that it is seen to request itself. */
function types_seen(t: Tree | null): Seen {
	const seen = new Map<string, Set<string>>();

	t?.types.node.forEach((node, i) => {
		const name = name_of(t, node);
		const types = seen.get(name) ?? new Set();

		seen.set(name, types.add(t.types.name[i]));
	});
	return seen;
}

const SHOWN = 3;
const GUESSES = 8; // more types of the sizes that were requested tell nothing

/** What it is seen to request, or else what has the sizes of that, if these are few. */
function TypesOf({ d, seen }: { d: Direct; seen: Seen }): JSX.Element | null {
	const known = seen.get(d.function) ?? new Set();
	const others = d.types.filter((t) => !known.has(t));

	if (known.size)
		return <Types types={[...known, ...others]} most={Math.min(SHOWN, known.size)} />;
	if (d.types.length <= GUESSES) return <Types types={d.types} most={SHOWN} />;
	return <span class="more">{plural(d.types.length, "type")} of its sizes</span>;
}

const columns_of = (report: Report, seen: Seen): (Column<Direct> | false)[] => [
	!is_peak(report) && {
		id: "bytes",
		title: "Allocated",
		numeric: true,
		value: (d) => classes_sum(d.bytes),
		cell: (d) => (
			<>
				<Bytes n={classes_sum(d.bytes)} />
				<Share
					part={classes_sum(d.bytes)}
					whole={report.totals.alloc_bytes}
				/>
			</>
		),
	},
	{
		id: "calls",
		title: "Blocks",
		numeric: true,
		value: (d) => d.calls,
		cell: (d) => count(d.calls),
	},
	{
		id: "kept",
		title: moment_of(report).kept,
		numeric: true,
		value: (d) => classes_sum(d.kept),
		cell: (d) => (
			<>
				<Bytes n={classes_sum(d.kept)} />
				<Share
					part={classes_sum(d.kept)}
					whole={report.totals.kept_bytes}
				/>
			</>
		),
	},
	{
		id: "name",
		title: "Function",
		value: (d) => d.function,
		cell: (d) => (
			<Link
				to={{
					view: "flame",
					measure: "bytes",
					inverted: true,
					zoom: [],
					path: [d.function],
					search: exactly(d.function),
				}}
			>
				<Name name={d.function} />
			</Link>
		),
	},
	(seen.size > 0 || report.direct.some((d) => d.types.length > 0)) && {
		id: "types",
		title: "Types",
		hint: "What is seen to be requested there, then what has a size that was",
		value: (d) => [...(seen.get(d.function) ?? []), ...d.types].join(" "),
		cell: (d) => <TypesOf d={d} seen={seen} />,
	},
	{
		id: "graph",
		title: "Callers",
		value: () => 0,
		cell: (d) => (
			<Link
				to={{ view: "callgraph", fn: d.function }}
				label={`Callers and callees of ${d.function}`}
			>
				callers
			</Link>
		),
	},
];

export function DirectAllocation({
	report,
	tree,
}: {
	report: Report;
	tree: Tree | null;
}): JSX.Element {
	const seen = useMemo(() => types_seen(tree), [tree]);

	return (
		<Table
			caption={
				is_peak(report)
					? "Functions that requested what was live at the peak"
					: "Functions that request memory themselves"
			}
			columns={columns_of(report, seen).filter((c) => c !== false)}
			rows={report.direct}
			finder={in_text(
				(d) =>
					`${d.function} ${d.types.join(" ")} ` +
					[...(seen.get(d.function) ?? [])].join(" "),
			)}
			usual={is_peak(report) ? "-kept" : "-bytes"}
			empty="Nothing was allocated."
		/>
	);
}
