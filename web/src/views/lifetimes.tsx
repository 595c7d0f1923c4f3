// SPDX-License-Identifier: BSD-2-Clause
// How long blocks lived that were freed.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { heights, power, quantile } from "../data/lifetimes";
import type { Lifetime, Report } from "../data/schema";
import { Share } from "../ui/bar";
import { count, share, time } from "../ui/format";
import { Link } from "../ui/link";
import { Name, Place } from "../ui/name";
import { type Column, Table } from "../ui/table";
import { Chain, blamed, inwards, words_of } from "./leaks";

const half = (l: Lifetime): number => quantile(l.ns, 0.5) ?? 0;
const most = (l: Lifetime): number => quantile(l.ns, 1) ?? 0;

/** "64 ms": what the bucket begins with. */
const since = (ns: number | null): string => (ns === null ? "" : ns ? `≥ ${time(ns)}` : "< 2 ns");

function Histogram({
	row,
	first,
	last,
}: {
	row: Lifetime;
	first: number;
	last: number;
}): JSX.Element {
	const list = heights(row.ns, first, last);
	const title = row.ns.map((b) => `${since(b.from)}: ${count(b.blocks)} blocks`).join("\n");

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

function columns_of(first: number, last: number): Column<Lifetime>[] {
	return [
		{
			id: "temporary",
			title: "Temporary",
			numeric: true,
			value: (l) => l.temporary,
			hint: "Freed before the thread that requested them made another request",
			cell: (l) => (
				<span title={share(l.temporary, l.frees)}>
					{count(l.temporary)}
					<Share part={l.temporary} whole={l.frees} />
				</span>
			),
		},
		{
			id: "frees",
			title: "Freed",
			numeric: true,
			hint: "Blocks freed",
			value: (l) => l.frees,
			cell: (l) => count(l.frees),
		},
		{
			id: "half",
			title: "Half lived",
			numeric: true,
			hint: "Half of the blocks lived at least so long",
			value: half,
			cell: (l) => since(quantile(l.ns, 0.5)),
		},
		{
			id: "most",
			title: "Longest",
			numeric: true,
			value: most,
			cell: (l) => since(quantile(l.ns, 1)),
		},
		{
			id: "histogram",
			title: "Short to long",
			value: half,
			cell: (l) => <Histogram row={l} first={first} last={last} />,
		},
		{
			id: "where",
			title: "Where",
			value: (l) => blamed(l.path)?.function ?? "",
			cell: (l) => {
				const e = blamed(l.path);

				return (
					<>
						<Link
							to={{
								view: "flame",
								measure: l.temporary
									? "temporary"
									: "allocs",
								inverted: true,
								zoom: [],
								search: "",
								hidden: [],
								collapse: false,
								path: inwards(l.path),
							}}
						>
							<Name name={e?.function ?? null} />
						</Link>{" "}
						<Place file={e?.file ?? null} line={e?.line} />
					</>
				);
			},
		},
		{
			id: "path",
			title: "Call chain",
			value: (l) => inwards(l.path).join(),
			cell: (l) => <Chain path={l.path} truncated={false} />,
		},
	];
}

export function Lifetimes({ report }: { report: Report }): JSX.Element {
	const columns = useMemo(() => {
		const all = report.lifetimes.flatMap((l) => l.ns.map((b) => power(b.from)));

		return columns_of(
			all.reduce((a, b) => Math.min(a, b), 63),
			all.reduce((a, b) => Math.max(a, b), 0),
		);
	}, [report]);

	return (
		<Table
			caption="How long freed blocks lived, by the call chain that requested them"
			columns={columns}
			rows={report.lifetimes}
			usual="-temporary"
			empty="No block was freed."
			text={(l) => l.path.map(words_of).join(" ")}
		/>
	);
}
