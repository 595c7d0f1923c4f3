// SPDX-License-Identifier: BSD-2-Clause
// What is kept, by the chain that requested it.

import type { JSX } from "preact";
import { blame, is_own } from "../data/own_code";
import type { Leak, Place as PathPlace, Report } from "../data/schema";
import { Bytes, Share } from "../ui/bar";
import { count } from "../ui/format";
import { Link } from "../ui/link";
import { Name, Place, Types } from "../ui/name";
import { type Column, Table } from "../ui/table";

const SHOWN = 4; // callers in a row; all are in the title and in the graph

/** The element that a person would look at first. */
export const blamed = <T extends PathPlace>(path: readonly T[]): T | undefined =>
	path[blame(path, (e) => is_own(e.function, e.file, e.module))];

/** Names from the function that allocates outwards: a path of the inverted graph. */
export const inwards = (path: readonly PathPlace[]): string[] =>
	[...path].reverse().map((e) => e.function ?? "?");

/** What a filter finds an element by. */
export const words_of = (e: PathPlace): string =>
	`${e.function ?? ""} ${e.file ?? ""}:${e.line ?? ""}`;

export function Chain({
	path,
	truncated,
}: {
	path: readonly PathPlace[];
	truncated: boolean;
}): JSX.Element {
	const shown = path.slice(-SHOWN);
	const title = path
		.map((e) => `${e.function ?? "?"}${e.file ? `  ${e.file}:${e.line ?? "?"}` : ""}`)
		.join("\n");

	return (
		<span class="chain" title={title}>
			{(truncated || shown.length < path.length) && (
				<span class="quiet">… › </span>
			)}
			{shown.map((e, i) => (
				<span key={i}>
					{i > 0 && <span class="quiet"> › </span>}
					<Name name={e.function} inlined={e.inlined} />
				</span>
			))}
		</span>
	);
}

const types_of = (l: Leak): string[] => l.site_type?.names ?? l.types;

const usual = (report: Report): Column<Leak>[] => [
	{
		id: "kept",
		title: "Kept",
		numeric: true,
		hint: "Bytes not freed",
		value: (l) => l.kept_bytes,
		cell: (l) => (
			<>
				<Bytes n={l.kept_bytes} />
				<Share part={l.kept_bytes} whole={report.totals.kept_bytes} />
			</>
		),
	},
	{
		id: "blocks",
		title: "Blocks",
		numeric: true,
		hint: "Blocks not freed",
		value: (l) => l.allocs - l.frees,
		cell: (l) => count(l.allocs - l.frees),
	},
	{
		id: "allocs",
		title: "Of",
		numeric: true,
		hint: "Blocks allocated there",
		value: (l) => l.allocs,
		cell: (l) => count(l.allocs),
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
							measure: "kept_bytes",
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
		id: "types",
		title: "Types",
		value: (l) => types_of(l).join(" "),
		cell: (l) => <Types types={types_of(l)} most={2} />,
	},
	{
		id: "path",
		title: "Call chain",
		value: (l) => inwards(l.path).join(),
		cell: (l) => <Chain path={l.path} truncated={l.truncated} />,
	},
];

const verdict: Column<Leak> = {
	id: "verdict",
	title: "Verdict",
	hint: "Whether it grows, or is a cache",
	value: (l) => l.verdict?.name ?? "",
	cell: (l) => l.verdict?.name ?? "",
};

const lost: Column<Leak> = {
	id: "lost",
	title: "Lost",
	numeric: true,
	hint: "Bytes that nothing led to any more",
	value: (l) => l.lost?.bytes ?? 0,
	cell: (l) => <Bytes n={l.lost?.bytes ?? 0} />,
};

const text = (l: Leak): string => [...l.path.map(words_of), ...types_of(l)].join(" ");

export function Leaks({ report }: { report: Report }): JSX.Element {
	const columns = usual(report);

	if (report.leaks.some((l) => l.verdict && l.verdict.name !== "too early"))
		columns.splice(5, 0, verdict);
	if (report.leaks.some((l) => l.lost)) columns.splice(2, 0, lost);
	return (
		<Table
			caption="What is kept at the end, by the call chain that requested it"
			columns={columns}
			rows={report.leaks}
			text={text}
			usual="-kept"
			empty="Nothing is kept: all that was allocated was freed."
		/>
	);
}
