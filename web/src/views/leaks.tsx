// SPDX-License-Identifier: BSD-2-Clause
// What is kept, by the chain that requested it.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { type Detail, place_in, shown_of } from "../data/elements";
import {
	blamed,
	chains_with,
	compare_chains,
	elements_of,
	inwards,
	name_of,
	place_at,
} from "../data/paths";
import { is_peak, moment_of } from "../data/moment";
import { type Rows, all_rows } from "../data/rows";
import type { OwnPlace, Report } from "../data/schema";
import { type Measure, type Tree, place_text } from "../data/tree";
import { Bytes, Share } from "../ui/bar";
import { count } from "../ui/format";
import { Link } from "../ui/link";
import { Name, PlaceText, Types } from "../ui/name";
import { type Column, Table } from "../ui/table";

/** Of a chain, from the outside in. @places: lines or offsets tell it from others. */
export function Chain({
	path,
	truncated,
	detail = "last",
	places = false,
}: {
	path: readonly OwnPlace[];
	truncated: boolean;
	detail?: Detail;
	places?: boolean;
}): JSX.Element {
	const shown = shown_of(path, detail);
	const skips = (i: number): boolean => shown[i - 1] !== path[path.indexOf(shown[i]) - 1];
	const title = path
		.map((e) => `${e.function ?? "?"}  ${place_text(e.file, e.line) ?? ""}`.trimEnd())
		.join("\n");

	return (
		<span class="chain" title={title}>
			{(truncated || shown[0] !== path[0]) && <span class="quiet">… › </span>}
			{shown.map((e, i) => (
				<span key={i}>
					{i > 0 && (
						<span class="quiet">
							{skips(i) ? " › … › " : " › "}
						</span>
					)}
					<Name
						name={e.function}
						inlined={e.inlined}
						whole={detail === "whole"}
					/>
					{places && <span class="quiet">{place_in(e)}</span>}
				</span>
			))}
		</span>
	);
}

interface NodeProps {
	tree: Tree;
	node: number;
	depth?: number;
}

/** The chain of a row. */
export const NodeChain = ({
	tree,
	node,
	depth = Infinity,
	truncated = false,
}: NodeProps & { truncated?: boolean }): JSX.Element => (
	<Chain path={elements_of(tree, node, depth)} truncated={truncated} />
);

/** The function to look at first, which leads to the chain in the inverted flame graph. */
export function BlamedNode({
	tree,
	node,
	depth = Infinity,
	measure,
}: NodeProps & { measure: Measure }): JSX.Element {
	const own = blamed(tree, node, depth);

	return (
		<>
			<Link
				to={{
					view: "flame",
					measure,
					inverted: true,
					zoom: [],
					search: "",
					hidden: [],
					collapse: false,
					path: inwards(tree, node, depth),
				}}
			>
				<Name name={name_of(tree, own)} />
			</Link>{" "}
			<PlaceText place={place_at(tree, own)} />
		</>
	);
}

function columns_of(report: Report, t: Tree, rows: Rows): Column<number>[] {
	const { node, depth, truncated, kept_bytes, allocs, frees, lost_bytes } = rows.leaks;
	const { through_bytes } = rows.leaks;
	const peak = is_peak(report);
	const list: (Column<number> | false)[] = [
		{
			id: "kept",
			title: moment_of(report).kept,
			numeric: true,
			hint: peak ? "Bytes live at the peak" : "Bytes not freed",
			value: (i) => kept_bytes[i],
			cell: (i) => (
				<>
					<Bytes n={kept_bytes[i]} />
					<Share
						part={kept_bytes[i]}
						whole={report.totals.kept_bytes}
					/>
				</>
			),
		},
		{
			id: "blocks",
			title: "Blocks",
			numeric: true,
			hint: peak ? "Blocks live at the peak" : "Blocks not freed",
			value: (i) => allocs[i] - frees[i],
			cell: (i) => count(allocs[i] - frees[i]),
		},
		lost_bytes !== undefined && {
			id: "lost",
			title: "Lost",
			numeric: true,
			hint: "Bytes that nothing led to any more",
			value: (i) => lost_bytes[i],
			cell: (i) => <Bytes n={lost_bytes[i]} />,
		},
		through_bytes !== undefined &&
			through_bytes.some((n) => n > 0) && {
				id: "through",
				title: "Lost with others",
				numeric: true,
				hint: "Bytes that only lost blocks led to: they hang on these",
				value: (i) => through_bytes[i],
				cell: (i) => <Bytes n={through_bytes[i]} />,
			},
		!peak && {
			id: "allocs",
			title: "Of",
			numeric: true,
			hint: "Blocks allocated there",
			value: (i) => allocs[i],
			cell: (i) => count(allocs[i]),
		},
		{
			id: "where",
			title: "Where",
			value: (i) => name_of(t, blamed(t, node[i], depth[i])),
			cell: (i) => (
				<BlamedNode
					tree={t}
					node={node[i]}
					depth={depth[i]}
					measure="kept_bytes"
				/>
			),
		},
		node.some((_, i) => rows.types(i).length > 0) && {
			id: "types",
			title: "Types",
			value: (i) => rows.types(i).join(" "),
			cell: (i) => <Types types={rows.types(i)} most={2} />,
		},
		rows.leaks.verdict !== undefined &&
			kept_bytes.some((_, i) => rows.verdict(i) !== "too early") && {
				id: "verdict",
				title: "Verdict",
				hint: "Whether it grows, or is a cache",
				value: (i) => rows.verdict(i),
				cell: (i) => rows.verdict(i),
			},
		{
			id: "path",
			title: "Call chain",
			compare: (a, b) => compare_chains(t, node[a], node[b]),
			cell: (i) => (
				<NodeChain
					tree={t}
					node={node[i]}
					depth={depth[i]}
					truncated={truncated[i] === 1}
				/>
			),
		},
	];

	return list.filter((c) => c !== false);
}

export function Leaks({
	report,
	tree,
	rows,
}: {
	report: Report;
	tree: Tree;
	rows: Rows;
}): JSX.Element {
	const { node, depth } = rows.leaks;
	const { when } = moment_of(report);
	const what = is_peak(report) ? "What was live" : "What is kept";
	const list = useMemo(() => all_rows(node), [rows]);

	return (
		<Table
			caption={`${what} ${when}, by the call chain that requested it`}
			columns={useMemo(
				() => columns_of(report, tree, rows),
				[report, tree, rows],
			)}
			rows={list}
			finder={(word) => {
				const has = chains_with(tree, word);

				return (i) =>
					has(node[i], depth[i]) ||
					rows.types(i).some((t) => t.toLowerCase().includes(word));
			}}
			usual="-kept"
			empty={
				is_peak(report)
					? "Nothing was live."
					: "Nothing is kept: all that was allocated was freed."
			}
		/>
	);
}
