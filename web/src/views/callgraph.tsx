// SPDX-License-Identifier: BSD-2-Clause
// The call graph: a function in the middle, who called it and whom it called beside it.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { type GraphNode, type Relative, type Report, classes_sum } from "../data/schema";
import { exactly } from "../flame/search";
import { useStore } from "../state/store";
import { Bytes, Share } from "../ui/bar";
import { count, plural, share } from "../ui/format";
import { Link } from "../ui/link";
import { Name } from "../ui/name";
import { type Column, Table } from "../ui/table";

interface SideProps {
	title: string;
	none: string;
	list: Relative[];
	whole: number;
}

function Side({ title, none, list, whole }: SideProps): JSX.Element {
	const rows = useMemo(
		() => [...list].sort((a, b) => classes_sum(b.bytes) - classes_sum(a.bytes)),
		[list],
	);

	return (
		<section class="side">
			<h2>{title}</h2>
			{!rows.length && <p class="quiet">{none}</p>}
			<ul>
				{rows.map((r, i) => (
					<li key={i}>
						<Link to={{ fn: r.function }}>
							<Name name={r.function} />
						</Link>
						<span class="row quiet">
							<Bytes n={classes_sum(r.bytes)} /> in{" "}
							{plural(r.calls, "block")}
						</span>
						<Share part={classes_sum(r.bytes)} whole={whole} />
					</li>
				))}
			</ul>
		</section>
	);
}

function Middle({ node, report }: { node: GraphNode; report: Report }): JSX.Element {
	const own = classes_sum(node.self_bytes);
	const part = share(node.total_bytes, report.totals.alloc_bytes);

	return (
		<section class="middle">
			<h2>
				<Name name={node.function} />
			</h2>
			<dl>
				<dt>With all it calls</dt>
				<dd>
					<Bytes n={node.total_bytes} />{" "}
					<span class="quiet">{part} of all</span>
				</dd>
				<dt>Itself</dt>
				<dd>
					<Bytes n={own} />
				</dd>
				{node.recursive > 0 && (
					<>
						<dt>From itself</dt>
						<dd>{plural(node.recursive, "block")}</dd>
					</>
				)}
				{node.cycle !== null && (
					<>
						<dt>In cycle</dt>
						<dd>{count(node.cycle)}</dd>
					</>
				)}
			</dl>
			<p class="row">
				<Link
					to={{
						view: "flame",
						measure: "bytes",
						inverted: false,
						zoom: [],
						search: exactly(node.function),
					}}
				>
					In the flame graph
				</Link>
			</p>
		</section>
	);
}

const columns_of = (report: Report): Column<GraphNode>[] => [
	{
		id: "total",
		title: "With callees",
		numeric: true,
		hint: "Bytes allocated by it and all it calls",
		value: (n) => n.total_bytes,
		cell: (n) => (
			<>
				<Bytes n={n.total_bytes} />
				<Share part={n.total_bytes} whole={report.totals.alloc_bytes} />
			</>
		),
	},
	{
		id: "self",
		title: "Itself",
		numeric: true,
		value: (n) => classes_sum(n.self_bytes),
		cell: (n) => <Bytes n={classes_sum(n.self_bytes)} />,
	},
	{
		id: "called",
		title: "Blocks from callers",
		numeric: true,
		value: (n) => n.called,
		cell: (n) => count(n.called),
	},
	{
		id: "name",
		title: "Function",
		value: (n) => n.function,
		cell: (n) => (
			<Link to={{ fn: n.function }}>
				<Name name={n.function} />
			</Link>
		),
	},
];

export function CallGraph({ report }: { report: Report }): JSX.Element {
	const { state } = useStore();
	const node = report.callgraph.find((n) => n.function === state.fn) ?? report.callgraph[0];

	if (!node) return <p class="empty">Nothing was allocated.</p>;
	return (
		<>
			<div class="graph">
				<Side
					title="Called by"
					none="Nobody: chains begin here."
					list={node.callers}
					whole={node.total_bytes}
				/>
				<Middle node={node} report={report} />
				<Side
					title="Calls"
					none="Nobody who allocates."
					list={node.callees}
					whole={node.total_bytes}
				/>
			</div>
			<Table
				caption="All functions of the call graph"
				columns={columns_of(report)}
				rows={report.callgraph}
				text={(n) => n.function}
				usual="-total"
				empty=""
			/>
		</>
	);
}
