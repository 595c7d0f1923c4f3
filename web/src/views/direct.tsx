// SPDX-License-Identifier: BSD-2-Clause
// Functions that allocate themselves.

import type { JSX } from "preact";
import { type Direct, type Report, classes_sum } from "../data/schema";
import { exactly } from "../flame/search";
import { Bytes, Share } from "../ui/bar";
import { count } from "../ui/format";
import { Link } from "../ui/link";
import { Name, Types } from "../ui/name";
import { in_text } from "../ui/rows";
import { type Column, Table } from "../ui/table";

const columns_of = (report: Report): (Column<Direct> | false)[] => [
	{
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
		title: "Kept",
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
	report.direct.some((d) => d.types.length > 0) && {
		id: "types",
		title: "Types",
		value: (d) => d.types.join(" "),
		cell: (d) => <Types types={d.types} />,
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

export function DirectAllocation({ report }: { report: Report }): JSX.Element {
	return (
		<Table
			caption="Functions that request memory themselves"
			columns={columns_of(report).filter((c) => c !== false)}
			rows={report.direct}
			finder={in_text((d) => `${d.function} ${d.types.join(" ")}`)}
			usual="-bytes"
			empty="Nothing was allocated."
		/>
	);
}
