// SPDX-License-Identifier: BSD-2-Clause
// The call graph: a function in the middle, who called it and whom it called beside it.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { is_peak } from "../data/moment";
import { type Relative, relatives } from "../data/relatives";
import { type Rows, all_rows } from "../data/rows";
import type { Report } from "../data/schema";
import type { Tree } from "../data/tree";
import { exactly } from "../flame/search";
import { useStore } from "../state/store";
import { Bytes, Share } from "../ui/bar";
import { count, plural, share } from "../ui/format";
import { Link } from "../ui/link";
import { Name } from "../ui/name";
import { in_text } from "../ui/rows";
import { type Column, Table } from "../ui/table";

interface SideProps {
	title: string;
	none: string;
	list: Relative[];
	whole: number;
	tree: Tree;
}

const SHOWN = 200; // of a function that half of the program calls

function Side({ title, none, list, whole, tree }: SideProps): JSX.Element {
	const shown = list.slice(0, SHOWN);

	return (
		<section class="side">
			<h2>{title}</h2>
			{!list.length && <p class="quiet">{none}</p>}
			<ul>
				{shown.map((r, i) => (
					<li key={i}>
						<Link to={{ fn: tree.functions[r.fn] }}>
							<Name name={tree.functions[r.fn]} />
						</Link>
						<span class="row quiet">
							<Bytes n={r.bytes} /> in{" "}
							{plural(r.calls, "block")}
						</span>
						<Share part={r.bytes} whole={whole} />
					</li>
				))}
			</ul>
			{shown.length < list.length && (
				<p class="quiet">and {count(list.length - SHOWN)} more</p>
			)}
		</section>
	);
}

interface Shown {
	report: Report;
	tree: Tree;
	rows: Rows;
}

function Middle({ row, report, tree, rows }: Shown & { row: number }): JSX.Element {
	const f = rows.functions;
	const name = tree.functions[f.function[row]] ?? "?";
	const total = f.total_bytes[row];
	const part = share(total, report.totals.alloc_bytes);

	return (
		<section class="middle">
			<h2>
				<Name name={name} />
			</h2>
			<dl>
				<dt>With all it calls</dt>
				<dd>
					<Bytes n={total} />{" "}
					<span class="quiet">{part} of bytes</span>
				</dd>
				<dt>Itself</dt>
				<dd>
					<Bytes n={f.self_bytes[row]} />
				</dd>
				{f.recursive[row] > 0 && (
					<>
						<dt>From itself</dt>
						<dd>{plural(f.recursive[row], "block")}</dd>
					</>
				)}
				{f.cycle[row] > 0 && (
					<>
						<dt>In cycle</dt>
						<dd>{count(f.cycle[row])}</dd>
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
						search: exactly(name),
					}}
				>
					In the flame graph
				</Link>
			</p>
		</section>
	);
}

function columns_of({ report, tree, rows }: Shown): Column<number>[] {
	const { function: fn, total_bytes, self_bytes, called } = rows.functions;

	return [
		{
			id: "total",
			title: "With callees",
			numeric: true,
			hint: is_peak(report)
				? "Bytes live at the peak, requested by it and all it calls"
				: "Bytes allocated by it and all it calls",
			value: (i) => total_bytes[i],
			cell: (i) => (
				<>
					<Bytes n={total_bytes[i]} />
					<Share
						part={total_bytes[i]}
						whole={report.totals.alloc_bytes}
					/>
				</>
			),
		},
		{
			id: "self",
			title: "Itself",
			numeric: true,
			value: (i) => self_bytes[i],
			cell: (i) => <Bytes n={self_bytes[i]} />,
		},
		{
			id: "called",
			title: "Blocks from callers",
			numeric: true,
			value: (i) => called[i],
			cell: (i) => count(called[i]),
		},
		{
			id: "name",
			title: "Function",
			value: (i) => tree.functions[fn[i]] ?? "?",
			cell: (i) => (
				<Link to={{ fn: tree.functions[fn[i]] ?? "?" }}>
					<Name name={tree.functions[fn[i]] ?? "?"} />
				</Link>
			),
		},
	];
}

export function CallGraph(p: Shown): JSX.Element {
	const { tree, rows } = p;
	const { state } = useStore();
	const fn = rows.functions.function;
	const list = useMemo(() => all_rows(fn), [rows]);
	const row = Math.max(state.fn ? fn.findIndex((f) => tree.functions[f] === state.fn) : 0, 0);
	const of = useMemo(() => relatives(tree, fn[row]), [tree, rows, row]);
	const columns = useMemo(() => columns_of(p), [p.report, tree, rows]);
	const whole = rows.functions.total_bytes[row];

	if (!fn.length) return <p class="empty">Nothing was allocated.</p>;
	return (
		<>
			<div class="graph">
				<Side
					title="Called by"
					none="Nobody: chains begin here."
					list={of.callers}
					whole={whole}
					tree={tree}
				/>
				<Middle {...p} row={row} />
				<Side
					title="Calls"
					none="Nobody who allocates."
					list={of.callees}
					whole={whole}
					tree={tree}
				/>
			</div>
			<Table
				caption={
					is_peak(p.report)
						? "Call graph of what was live at the peak"
						: "All functions of the call graph"
				}
				columns={columns}
				rows={list}
				finder={in_text((i) => tree.functions[fn[i]] ?? "?")}
				usual="-total"
				empty=""
			/>
		</>
	);
}
