// SPDX-License-Identifier: BSD-2-Clause
// How long blocks lived that were freed.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { heights, quantile } from "../data/lifetimes";
import { blamed, chains_with, compare_chains, name_of } from "../data/paths";
import { type Bucket, type Rows, all_rows } from "../data/rows";
import { is_peak } from "../data/moment";
import type { Report } from "../data/schema";
import type { Tree } from "../data/tree";
import { Share } from "../ui/bar";
import { count, share, time } from "../ui/format";
import { type Column, Table } from "../ui/table";
import { BlamedNode, NodeChain } from "./leaks";

/** "< 64 ms": what the bucket ends with; what it begins with is not certain with each engine. */
const below = (from: number | null): string =>
	from === null ? "" : `< ${from ? time(2 * from) : "2 ns"}`;

function Histogram({
	buckets,
	first,
	last,
}: {
	buckets: readonly Bucket[];
	first: number;
	last: number;
}): JSX.Element {
	const list = heights(buckets, first, last);
	const title = buckets.map((b) => `${below(b.from)}: ${count(b.blocks)} blocks`).join("\n");

	return (
		<svg
			class="histogram"
			viewBox={`0 0 ${list.length * 5} 20`}
			role="img"
			aria-label={title}
		>
			<title>{title}</title>
			{list.map(
				(h, i) =>
					h > 0 && (
						<rect
							key={i}
							x={i * 5}
							y={20 - Math.max(20 * h, 1)}
							width="4"
							height={Math.max(20 * h, 1)}
						/>
					),
			)}
			<line x1="0" x2={list.length * 5} y1="20" y2="20" />
		</svg>
	);
}

function columns_of(t: Tree, rows: Rows): Column<number>[] {
	const { node, frees, temporary } = rows.lifetimes;
	const lived = (i: number, part: number): number | null => quantile(rows.buckets(i), part);
	const { first, last } = rows.span;

	return [
		{
			id: "temporary",
			title: "Temporary",
			numeric: true,
			value: (i) => temporary[i],
			hint: "Freed before the thread that requested them made another request",
			cell: (i) => (
				<span title={share(temporary[i], frees[i])}>
					{count(temporary[i])}
					<Share part={temporary[i]} whole={frees[i]} />
				</span>
			),
		},
		{
			id: "frees",
			title: "Freed",
			numeric: true,
			hint: "Blocks freed",
			value: (i) => frees[i],
			cell: (i) => count(frees[i]),
		},
		{
			id: "half",
			title: "Half lived",
			numeric: true,
			hint: "Half of the blocks lived less than that",
			value: (i) => lived(i, 0.5) ?? 0,
			cell: (i) => below(lived(i, 0.5)),
		},
		{
			id: "most",
			title: "Longest",
			numeric: true,
			value: (i) => lived(i, 1) ?? 0,
			cell: (i) => below(lived(i, 1)),
		},
		{
			id: "histogram",
			title: "Short to long",
			value: (i) => lived(i, 0.5) ?? 0,
			cell: (i) => (
				<Histogram buckets={rows.buckets(i)} first={first} last={last} />
			),
		},
		{
			id: "where",
			title: "Where",
			value: (i) => name_of(t, blamed(t, node[i])),
			cell: (i) => (
				<BlamedNode
					tree={t}
					node={node[i]}
					measure={temporary[i] ? "temporary" : "allocs"}
				/>
			),
		},
		{
			id: "path",
			title: "Call chain",
			compare: (a, b) => compare_chains(t, node[a], node[b]),
			cell: (i) => <NodeChain tree={t} node={node[i]} />,
		},
	];
}

export function Lifetimes({
	report,
	tree,
	rows,
}: {
	report: Report;
	tree: Tree;
	rows: Rows;
}): JSX.Element {
	const { node } = rows.lifetimes;
	const list = useMemo(() => all_rows(node), [rows]);

	return (
		<Table
			caption="How long freed blocks lived, by the call chain that requested them"
			columns={useMemo(() => columns_of(tree, rows), [tree, rows])}
			rows={list}
			usual="-temporary"
			empty={
				is_peak(report)
					? "Of one moment, the peak, there are no lifetimes."
					: "No block was freed."
			}
			finder={(word) => {
				const has = chains_with(tree, word);

				return (i) => has(node[i], Infinity);
			}}
		/>
	);
}
